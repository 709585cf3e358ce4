"""The kernel perceptron against a textbook loop, against `Perceptron`, and against scikit-learn."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from rosenblatt import KernelPerceptron, Perceptron, builtin
from rosenblatt.data.validation import rows_of
from rosenblatt.losses.kernel_functions import Kernel, gamma_by_scale
from rosenblatt.types import Array, Floats

EPOCHS = 6
GAMMA, DEGREE, COEF0 = 0.3, 3, 1.5
KERNELS: dict[str, Any] = {
    "linear": lambda A, B: A @ B.T,
    "poly": lambda A, B: (GAMMA * A @ B.T + COEF0) ** DEGREE,
    "rbf": lambda A, B: np.exp(-GAMMA * np.square(A[:, None] - B[None]).sum(axis=2)),
}
SETTINGS = {"gamma": GAMMA, "degree": DEGREE, "coef0": COEF0, "max_iter": EPOCHS}
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS)
STORAGES: dict[str, Any] = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
}


def rows(seed: int, n: int = 101, d: int = 5, k: int = 2) -> tuple[Floats, Array]:
    """Overlapping clouds of float32 numbers, a third of them zero."""
    rng = np.random.default_rng((seed, k))
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(k, d))[y]
    X[rng.uniform(size=X.shape) < 1 / 3] = 0
    return X.astype(np.float32).astype(np.float64), y


def textbook(K: Floats, y: Array, weights: Array) -> tuple[Floats, Floats, list[int]]:
    """δ after the last pass, their mean over all rows, and mistakes a pass: two classes."""
    signs, delta, total, mistakes = np.where(y == 1, 1, -1), np.zeros(len(y)), 0.0, []
    for _ in range(EPOCHS):
        mistakes.append(0)
        for i in range(len(y)):
            if weights[i] > 0 and signs[i] * (delta @ K[:, i]) <= 0:
                delta[i] += signs[i] * weights[i]
                mistakes[-1] += 1
            total = total + delta
    return delta, np.asarray(total) / (EPOCHS * len(y)), mistakes


def textbook_kesler(K: Floats, y: Array) -> Floats:
    deltas = np.zeros((y.max() + 1, len(y)))
    for _ in range(EPOCHS):
        for i in range(len(y)):
            scores = deltas @ K[:, i]
            rival = int(np.where(np.arange(len(deltas)) == y[i], -np.inf, scores).argmax())
            if scores[y[i]] <= scores[rival]:
                deltas[y[i], i] += 1
                deltas[rival, i] -= 1
    return deltas


def textbook_ovr(K: Floats, y: Array) -> Floats:
    one_each = [textbook(K, (y == k).astype(int), np.ones(len(y)))[0] for k in range(y.max() + 1)]
    return np.array(one_each)


def deltas_of(model: Any, n: int) -> Floats:
    """δ of all n rows."""
    deltas = np.zeros((len(model.dual_coef_), n))
    deltas[:, model.support_] = model.dual_coef_
    return deltas


@EVERY_KERNEL
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("bias", [True, False])
def test_two_classes_in_file_order(kernel: str, storage: str, *, bias: bool) -> None:
    for seed in range(3):
        X, y = rows(seed)
        weights = (np.arange(len(y)) + seed) % 3 / 2
        K = KERNELS[kernel](X, X) + bias
        delta, mean, mistakes = textbook(K, y, weights)
        settings = {**SETTINGS, "shuffle": False, "fit_intercept": bias}
        model = KernelPerceptron(kernel, **settings)
        model.fit(STORAGES[storage](X), y, sample_weight=weights)
        assert model.trace_.column("mistakes") == mistakes[: model.n_iter_]
        assert sum(mistakes) > 20
        np.testing.assert_array_equal(deltas_of(model, len(y))[0], delta)
        np.testing.assert_allclose(model.decision_function(X), delta @ K, rtol=1e-9, atol=1e-9)
        length = np.sqrt(delta @ K @ delta)
        assert model.trace_[-1].norm == pytest.approx(length, rel=1e-9)
        if model.n_iter_ == EPOCHS:
            average = KernelPerceptron(kernel, **settings, keep="average")
            average.fit(STORAGES[storage](X), y, sample_weight=weights)
            np.testing.assert_allclose(deltas_of(average, len(y))[0], mean, rtol=1e-12, atol=1e-15)


@EVERY_KERNEL
@pytest.mark.parametrize(
    ("multi_class", "referee"), [("kesler", textbook_kesler), ("ovr", textbook_ovr)]
)
def test_many_classes_in_file_order(kernel: str, multi_class: str, referee: Any) -> None:
    for seed in range(3):
        X, y = rows(seed, k=4)
        model = KernelPerceptron(kernel, **SETTINGS, multi_class=multi_class, shuffle=False)
        K = KERNELS[kernel](X, X) + 1
        deltas = referee(K, y)
        np.testing.assert_array_equal(deltas_of(model.fit(X, y), len(y)), deltas)
        assert np.abs(deltas).max() > 1
        np.testing.assert_allclose(model.decision_function(X), (deltas @ K).T, atol=1e-8)


@EVERY_KERNEL
@pytest.mark.parametrize("storage", STORAGES)
def test_one_s_own_kernel_and_a_table_are_the_same_as_a_name(kernel: str, storage: str) -> None:
    X, y = rows(3, k=3)
    stored = STORAGES[storage](X)
    by_name = KernelPerceptron(kernel, **SETTINGS).fit(stored, y)

    def own(A: Any, B: Any) -> Any:
        assert sparse.issparse(A) == sparse.issparse(B) == (storage == "csr")
        A, B = (t.toarray() if sparse.issparse(t) else t.astype(float) for t in (A, B))
        return KERNELS[kernel](A, B)

    by_function = KernelPerceptron(own, max_iter=EPOCHS).fit(stored, y)
    by_table = KernelPerceptron("precomputed", max_iter=EPOCHS).fit(KERNELS[kernel](X, X), y)
    for other in (by_function, by_table):
        np.testing.assert_array_equal(other.dual_coef_, by_name.dual_coef_)
        np.testing.assert_array_equal(other.support_, by_name.support_)
        assert other.n_support_.tolist() == by_name.n_support_.tolist()
    new = rows(4)[0]
    scores = by_name.decision_function(new)
    found = by_function.decision_function(STORAGES[storage](new))
    np.testing.assert_allclose(found, scores, rtol=1e-9, atol=1e-9)
    found = by_table.decision_function(KERNELS[kernel](new, X))
    np.testing.assert_allclose(found, scores, rtol=1e-9, atol=1e-9)


# --- the perceptron itself ----------------------------------------------------------------------


def weights_of(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("keep", ["last", "pocket"])
@pytest.mark.parametrize(("k", "multi_class"), [(2, "kesler"), (4, "kesler"), (4, "ovr")])
def test_the_linear_kernel_is_the_perceptron_bit_for_bit_on_whole_numbers(
    storage: str, keep: str, k: int, multi_class: str, *, shuffle: bool
) -> None:
    rng = np.random.default_rng(k)
    n = 1_500  # more than one window of the shuffle
    y = rng.permutation(np.arange(n) % k)
    X = np.round(2 * rng.normal(size=(n, 6)) + 2 * rng.normal(size=(k, 6))[y])
    settings = {"keep": keep, "shuffle": shuffle, "multi_class": multi_class, "max_iter": 4}
    settings["class_weight"] = {0: 2.0}
    weights = np.arange(n) % 3
    primal = Perceptron(**settings).fit(X, y, sample_weight=weights)
    dual = KernelPerceptron("linear", **settings)
    dual.fit(STORAGES[storage](X), y, sample_weight=weights)
    np.testing.assert_array_equal(weights_of(dual), weights_of(primal))
    assert dual.mistakes_ == primal.mistakes_ > 100
    for field in ("mistakes", "updates", "loss", "training_error"):
        assert dual.trace_.column(field) == primal.trace_.column(field)
    assert dual.margin_bounds_ is None  # rows weigh differently
    np.testing.assert_allclose(dual.trace_.column("norm"), primal.trace_.column("norm"), rtol=1e-12)
    np.testing.assert_array_equal(dual.decision_function(X), primal.decision_function(X))


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("multi_class", ["kesler", "ovr"])
def test_a_stream_of_the_linear_kernel_is_that_of_the_perceptron(
    keep: str, class_weight: Any, multi_class: str
) -> None:
    X, y = rows(5, n=200, k=4)
    X, late = np.round(2 * X), np.minimum(y, np.arange(200) // 20)  # classes join one by one
    settings = {"keep": keep, "class_weight": class_weight, "multi_class": multi_class}
    primal = Perceptron(**settings).partial_fit(X, late)
    dual = KernelPerceptron("linear", **settings).partial_fit(X, late)
    exact = keep != "average" and class_weight is None  # else weights are fractions
    rounding = 0 if exact else 1e-9
    np.testing.assert_allclose(weights_of(dual), weights_of(primal), rtol=rounding, atol=rounding)
    assert (dual.mistakes_, dual.t_) == (primal.mistakes_, primal.t_)
    assert str(dual.outcome_) == str(primal.outcome_)


@pytest.mark.parametrize("k", [2, 3])
def test_a_polynomial_is_the_perceptron_on_its_products(k: int) -> None:
    # (a·b + 1)² = Φ(a)·Φ(b) with Φ(x) = (x_i x_j for all i and j, √2 x, 1); to stay with whole
    # numbers √2 x is written as x twice
    rng = np.random.default_rng(k)
    y = rng.permutation(np.arange(60) % k)
    X = rng.integers(-3, 4, size=(60, 3)).astype(float)
    products = [X[:, i] * X[:, j] for i in range(3) for j in range(3)]
    mapped = np.column_stack([*products, X, X, np.ones(60)])
    primal = Perceptron(fit_intercept=False, max_iter=15).fit(mapped, y)
    dual = KernelPerceptron("poly", degree=2, gamma=1, coef0=1, fit_intercept=False, max_iter=15)
    dual.fit(X, y)
    assert dual.trace_.column("mistakes") == primal.trace_.column("mistakes")
    np.testing.assert_array_equal(dual.decision_function(X), primal.decision_function(mapped))
    np.testing.assert_array_equal(dual.dual_coef_ @ mapped[dual.support_], primal.coef_)


# --- scikit-learn -------------------------------------------------------------------------------


@pytest.mark.parametrize("first", STORAGES)
@pytest.mark.parametrize("second", STORAGES)
@pytest.mark.parametrize(
    ("kind", "referee"),
    [
        ("linear", pairwise.linear_kernel),
        ("poly", lambda A, B: pairwise.polynomial_kernel(A, B, DEGREE, GAMMA, COEF0)),
        ("rbf", lambda A, B: pairwise.rbf_kernel(A, B, GAMMA)),
    ],
)
def test_kernels_agree_with_scikit_learn(first: str, second: str, kind: str, referee: Any) -> None:
    A, B = rows(0)[0], rows(1, n=37)[0]
    kernel = Kernel(kind, GAMMA, DEGREE, COEF0, offset=0.0)
    centres = kernel.points(rows_of(STORAGES[first](A)))
    points = kernel.points(rows_of(STORAGES[second](B)))
    np.testing.assert_allclose(
        kernel.between(centres, points), referee(A, B), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("storage", STORAGES)
def test_gamma_by_scale_is_scikit_learn_s(storage: str) -> None:
    X, y = rows(0)
    for table in (X, X + 1e4, np.ones((4, 3))):
        fitted = SVC(gamma="scale").fit(table, (y > 0)[: len(table)])
        found = gamma_by_scale(rows_of(STORAGES[storage](table)))
        single = 1e-3 if storage == "float32" and table is not X else 1e-9
        assert found == pytest.approx(fitted._gamma, rel=single)
    model = KernelPerceptron().fit(STORAGES[storage](X), y)
    assert model.gamma_ == pytest.approx(SVC().fit(X, y)._gamma, rel=1e-12)
    assert KernelPerceptron(gamma="auto").fit(X, y).gamma_ == 1 / 5


@pytest.mark.parametrize("storage", STORAGES)
def test_a_row_has_the_radial_kernel_1_with_itself_and_no_distance_is_below_0(storage: str) -> None:
    rng = np.random.default_rng(0)
    X = 1e3 + 1e-9 * rng.normal(size=(40, 17))  # ‖a‖² + ‖b‖² − 2 a·b is all rounding
    kernel = Kernel("rbf", 1.0, 0, 0.0, offset=0.0)
    points = kernel.points(rows_of(STORAGES[storage](X)))
    table = kernel.between(points, points)
    np.testing.assert_array_equal(np.diagonal(table), 1)
    assert table.max() == 1
    assert table.min() > 0.999


# --- the theorem --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kennel", "mark-i"])
@pytest.mark.parametrize("multi_class", ["kesler", "ovr"])
def test_the_linear_kernel_knows_the_perceptron_s_bounds(name: str, multi_class: str) -> None:
    data = builtin(name)
    primal = Perceptron(multi_class=multi_class).fit(data.X, data.y)
    dual = KernelPerceptron("linear", multi_class=multi_class).fit(data.X, data.y)
    assert dual.mistake_bound_ == pytest.approx(primal.mistake_bound_, rel=1e-9)
    np.testing.assert_allclose(dual.margin_bounds_, primal.margin_bounds_, rtol=1e-9)
    for field in ("margin_upper", "margin_lower"):
        for ours, theirs in zip(
            dual.trace_.column(field), primal.trace_.column(field), strict=True
        ):
            assert ours == (None if theirs is None else pytest.approx(theirs, rel=1e-9))


@EVERY_KERNEL
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("form", ["name", "function", "table"])
def test_mistakes_stay_within_the_bound_in_the_space_of_the_kernel(
    kernel: str, k: int, form: str
) -> None:
    rng = np.random.default_rng(k)
    X = rng.normal(size=(80, 4))
    y = (X[:, :k] + 4 * np.eye(k)[np.arange(80) % k]).argmax(axis=1)
    X[:, :k] += 4 * np.eye(k)[np.arange(80) % k]  # separable by construction
    K = KERNELS[kernel](X, X)
    kinds = {"name": kernel, "function": KERNELS[kernel], "table": "precomputed"}
    model = KernelPerceptron(kinds[form], **{**SETTINGS, "max_iter": 10_000})
    model.fit(K if form == "table" else X, y)
    assert model.outcome_.converged
    lower, upper = model.margin_bounds_
    assert 0 < lower <= upper
    assert model.mistakes_ <= model.mistake_bound_
    deltas = deltas_of(model, 80)
    scores = ((K + 1) @ deltas.T).T
    length = np.sqrt((deltas * scores).sum())
    if k == 2:
        margin = (np.where(y == 1, 1, -1) * scores[0]).min()
    else:
        own = scores[y, np.arange(80)]
        others = np.where(np.arange(k)[:, None] == y, -np.inf, scores)
        margin = (own - others.max(axis=0)).min()
    assert lower == pytest.approx(margin / length, rel=1e-6)
    square = (np.diagonal(K) + 1).max() * (1 if k == 2 else 2)
    assert model.mistake_bound_ == pytest.approx(square / lower**2, rel=1e-9)


def test_bounds_are_known_where_the_premises_hold() -> None:
    X, y = rows(0)
    model = KernelPerceptron("linear", max_iter=3).fit(X, y)
    assert model.margin_bounds_.lower == -np.inf
    assert model.mistake_bound_ is None
    assert KernelPerceptron(budget=99).fit(X, y).margin_bounds_ is None
    assert KernelPerceptron(class_weight={1: 2.0}).fit(X, y).margin_bounds_ is None


# --- what a line cannot do ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["xor", "rings"])
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
def test_xor_and_rings_are_learned_by_kernels_and_not_by_a_line(
    name: str, kernel: str, keep: str
) -> None:
    data = builtin(name)
    model = KernelPerceptron(kernel, degree=2, coef0=1, keep=keep).fit(data.X, data.y)
    assert model.outcome_.converged
    assert model.trace_[-1].mistakes == 0
    if keep != "average":
        assert model.score(data.X, data.y) == 1
    line = KernelPerceptron("linear", keep=keep, max_iter=200).fit(data.X, data.y)
    assert not line.outcome_.converged
    assert line.score(data.X, data.y) < 0.8
