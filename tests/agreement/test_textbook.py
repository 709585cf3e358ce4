"""Agreement with a textbook loop, a few lines of numpy over rows (x, 1), and with scikit-learn."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import PassiveAggressiveClassifier
from sklearn.linear_model import Perceptron as Referee

from rosenblatt import BatchPerceptron, PassiveAggressive, Perceptron
from rosenblatt.errors import ParameterError
from rosenblatt.types import Array, Floats

EPOCHS = 4


class Data(NamedTuple):
    """Rows of some storage, the same rows as float64, and class codes."""

    X: Any
    exact: Floats
    y: Array


def csr(X: Floats, index: type, dtype: type) -> Any:
    matrix = sparse.csr_array(X.astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


STORAGES: dict[str, Callable[[Floats], Any]] = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64-int32": lambda X: csr(X, np.int32, np.float64),
    "csr64-int64": lambda X: csr(X, np.int64, np.float64),
    "csr32-int32": lambda X: csr(X, np.int32, np.float32),
    "csr32-int64": lambda X: csr(X, np.int64, np.float32),
}


def problem(storage: str, n_classes: int, *, whole: bool, seed: int = 0, d: int = 11) -> Data:
    """Overlapping rows, a third of the entries zero: of whole numbers, or of float32 numbers."""
    rng = np.random.default_rng((seed, n_classes, whole))
    n = 63  # neither a multiple of four rows nor d of four lanes
    y = rng.permutation(np.arange(n) % n_classes)
    X = 2 * rng.normal(size=(n, d)) + rng.normal(size=(n_classes, d))[y]
    X[rng.uniform(size=X.shape) < 1 / 3] = 0
    X = np.round(X) if whole else X.astype(np.float32).astype(np.float64)
    return Data(STORAGES[storage](X), X, y)


def extended(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def signs(y: Array) -> Array:
    return np.where(y == 1, 1, -1)


def weights_of(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


def same(model: Any, referee: Floats, *, whole: bool) -> None:
    found = weights_of(model)
    assert np.abs(referee).max() > 0
    if whole:
        np.testing.assert_array_equal(found, referee)
    else:
        np.testing.assert_allclose(found, referee, rtol=1e-9, atol=1e-10)


def textbook(  # the referee for two classes
    X: Floats,
    y: Array,
    weights: Array | None = None,
    eta: Callable[[int], float] = lambda n: 1.0,  # noqa: ARG005
) -> tuple[Floats, Floats, list[int]]:
    """Give the last weights, the mean of the weights after each row, and mistakes a pass."""
    weights = np.ones(len(y)) if weights is None else weights
    w, total, n, mistakes = np.zeros(X.shape[1]), np.zeros(X.shape[1]), 0, []
    for _ in range(EPOCHS):
        mistakes.append(0)
        for x, sign, weight in zip(X, signs(y), weights, strict=True):
            n += 1
            if weight > 0 and sign * (w @ x) <= 0:
                w = w + eta(n) * weight * sign * x
                mistakes[-1] += 1
            total += w
    return w, total / n, mistakes


def kesler_textbook(X: Floats, y: Array, weights: Array | None = None) -> tuple[Floats, Floats]:
    weights = np.ones(len(y)) if weights is None else weights
    W = np.zeros((y.max() + 1, X.shape[1]))
    total = np.zeros_like(W)
    for _ in range(EPOCHS):
        for x, own, weight in zip(X, y, weights, strict=True):
            scores = W @ x
            rival = int(np.where(np.arange(len(W)) == own, -np.inf, scores).argmax())
            if scores[own] <= scores[rival]:
                W[own] += weight * x
                W[rival] -= weight * x
            total += W
    return W, total / (EPOCHS * len(y))


ONLINE = {"max_iter": EPOCHS, "shuffle": False}
BOTH_NUMBERS = pytest.mark.parametrize("whole", [True, False])
ALL_STORAGES = pytest.mark.parametrize("storage", STORAGES)


@BOTH_NUMBERS
@ALL_STORAGES
def test_two_classes_in_file_order(storage: str, *, whole: bool) -> None:
    for seed in range(5):
        data = problem(storage, 2, whole=whole, seed=seed)
        w, mean, mistakes = textbook(extended(data.exact), data.y)
        model = Perceptron(**ONLINE).fit(data.X, data.y)
        same(model, w[None], whole=whole)
        assert model.trace_.column("mistakes") == mistakes
        assert min(mistakes) > 0  # else the comparison would have ended early
        np.testing.assert_allclose(
            weights_of(Perceptron(**ONLINE, keep="average").fit(data.X, data.y)),
            mean[None],
            rtol=1e-9,
            atol=1e-10,
        )


@BOTH_NUMBERS
@ALL_STORAGES
def test_a_learning_rate_of_1_over_n(storage: str, *, whole: bool) -> None:
    data = problem(storage, 2, whole=whole, seed=1)
    w, mean, _ = textbook(extended(data.exact), data.y, eta=lambda n: 0.5 / n)
    settings = {**ONLINE, "eta0": 0.5, "learning_rate": "1/n"}
    same(Perceptron(**settings).fit(data.X, data.y), w[None], whole=False)
    average = Perceptron(**settings, keep="average").fit(data.X, data.y)
    same(average, mean[None], whole=False)


@BOTH_NUMBERS
def test_without_a_bias(*, whole: bool) -> None:
    data = problem("dense64", 2, whole=whole)
    w, _, _ = textbook(data.exact, data.y)
    model = Perceptron(**ONLINE, fit_intercept=False).fit(data.X, data.y)
    same(model, np.append(w, 0)[None], whole=whole)


@BOTH_NUMBERS
@ALL_STORAGES
def test_weights_of_samples_and_classes_multiply_the_update(storage: str, *, whole: bool) -> None:
    data = problem(storage, 2, whole=whole)
    weights = np.random.default_rng(5).integers(0, 4, len(data.y)).astype(float)
    w, _, mistakes = textbook(extended(data.exact), data.y, weights * np.array([1, 3])[data.y])
    model = Perceptron(**ONLINE, class_weight={1: 3}).fit(data.X, data.y, sample_weight=weights)
    same(model, w[None], whole=whole)
    assert model.trace_.column("mistakes") == mistakes


@BOTH_NUMBERS
def test_balanced_weights_in_fit_are_n_over_k_n_k(*, whole: bool) -> None:
    data = problem("dense64", 2, whole=whole)
    y = (np.arange(len(data.y)) % 5 == 0).astype(int)
    counts = np.bincount(y)
    w, _, _ = textbook(extended(data.exact), y, (len(y) / (2 * counts))[y])
    same(Perceptron(**ONLINE, class_weight="balanced").fit(data.X, y), w[None], whole=False)


@BOTH_NUMBERS
@ALL_STORAGES
def test_one_class_against_the_rest(storage: str, *, whole: bool) -> None:
    data = problem(storage, 4, whole=whole)
    units = [textbook(extended(data.exact), (data.y == k).astype(int)) for k in range(4)]
    model = Perceptron(**ONLINE, multi_class="ovr").fit(data.X, data.y)
    same(model, np.array([w for w, _, _ in units]), whole=whole)
    assert model.trace_.column("mistakes") == np.sum([m for _, _, m in units], axis=0).tolist()
    average = Perceptron(**ONLINE, multi_class="ovr", keep="average").fit(data.X, data.y)
    same(average, np.array([mean for _, mean, _ in units]), whole=False)


@BOTH_NUMBERS
@ALL_STORAGES
def test_kesler_s_construct(storage: str, *, whole: bool) -> None:
    for n_classes in (3, 5):
        data = problem(storage, n_classes, whole=whole)
        weights = 1.0 + np.arange(len(data.y)) % 3
        W, mean = kesler_textbook(extended(data.exact), data.y)
        same(Perceptron(**ONLINE).fit(data.X, data.y), W, whole=whole)
        same(Perceptron(**ONLINE, keep="average").fit(data.X, data.y), mean, whole=False)
        W, _ = kesler_textbook(extended(data.exact), data.y, weights)
        model = Perceptron(**ONLINE).fit(data.X, data.y, sample_weight=weights)
        same(model, W, whole=whole)


@pytest.mark.parametrize("own", [0, 1, 2, 3])
def test_kesler_s_rival_is_the_lowest_of_the_tied(own: int) -> None:
    start = np.array([[0.0], [0.0], [0.0], [0.0]])
    X, y = np.array([[1.0], [1.0], [1.0], [1.0]]), np.array([own, *np.delete(range(4), own)])
    model = Perceptron(max_iter=1, shuffle=False)
    model.fit(X, y, coef_init=start, sample_weight=[1, 0, 0, 0])
    rival = 1 if own == 0 else 0
    expected = np.zeros(4)
    expected[[own, rival]] = 1, -1
    assert model.coef_[:, 0].tolist() == expected.tolist()
    # and among those who lead, not among all
    start[[2, 3]] = 7.0
    model.fit(X, y, coef_init=start, sample_weight=[1, 0, 0, 0])
    rival = 3 if own == 2 else 2
    change = model.coef_[:, 0] - start[:, 0]
    assert np.flatnonzero(change < 0).tolist() == [rival]
    assert np.flatnonzero(change > 0).tolist() == [own]


def passive_aggressive(  # the referee
    X: Floats, y: Array, C: float, variant: int, weights: Array
) -> tuple[Floats, Floats]:
    """Crammer et al. 2006: two classes, labels ±1."""
    w, total = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for _ in range(EPOCHS):
        for x, sign, weight in zip(X, signs(y), weights, strict=True):
            loss = max(0.0, 1 - sign * (w @ x))
            cap = C * weight
            if weight > 0:
                step = min(cap, loss / (x @ x)) if variant == 1 else loss / (x @ x + 0.5 / cap)
                w = w + step * sign * x
            total += w
    return w, total / (EPOCHS * len(y))


def kesler_passive_aggressive(X: Floats, y: Array, C: float, variant: int) -> Floats:
    W = np.zeros((y.max() + 1, X.shape[1]))
    for _ in range(EPOCHS):
        for x, own in zip(X, y, strict=True):
            scores = W @ x
            rival = int(np.where(np.arange(len(W)) == own, -np.inf, scores).argmax())
            loss = max(0.0, 1 - scores[own] + scores[rival])
            length = 2 * (x @ x)  # of the K(d+1)-vector with x at one class and −x at another
            step = min(C, loss / length) if variant == 1 else loss / (length + 0.5 / C)
            W[own] += step * x
            W[rival] -= step * x
    return W


VARIANTS = pytest.mark.parametrize(("loss", "variant"), [("hinge", 1), ("squared_hinge", 2)])


@VARIANTS
@ALL_STORAGES
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_passive_aggressive_for_two_classes(
    storage: str, loss: str, variant: int, C: float
) -> None:
    data = problem(storage, 2, whole=False)
    weights = np.arange(len(data.y)) % 4 / 2
    for given in (None, weights):
        by_row = np.ones(len(data.y)) if given is None else given
        w, mean = passive_aggressive(extended(data.exact), data.y, C, variant, by_row)
        model = PassiveAggressive(C=C, loss=loss, tol=None, **ONLINE)
        same(model.fit(data.X, data.y, sample_weight=given), w[None], whole=False)
        model.set_params(keep="average").fit(data.X, data.y, sample_weight=given)
        same(model, mean[None], whole=False)


@VARIANTS
@ALL_STORAGES
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_passive_aggressive_for_many_classes(
    storage: str, loss: str, variant: int, C: float
) -> None:
    data = problem(storage, 4, whole=False)
    settings = {"C": C, "loss": loss, "tol": None, **ONLINE}
    W = kesler_passive_aggressive(extended(data.exact), data.y, C, variant)
    same(PassiveAggressive(**settings).fit(data.X, data.y), W, whole=False)
    even = np.ones(len(data.y))
    units = [
        passive_aggressive(extended(data.exact), (data.y == k).astype(int), C, variant, even)[0]
        for k in range(4)
    ]
    model = PassiveAggressive(**settings, multi_class="ovr").fit(data.X, data.y)
    same(model, np.array(units), whole=False)


@VARIANTS
def test_passive_aggressive_without_a_bias(loss: str, variant: int) -> None:
    data = problem("dense64", 2, whole=False)
    w, _ = passive_aggressive(data.exact, data.y, 1.0, variant, np.ones(len(data.y)))
    model = PassiveAggressive(loss=loss, tol=None, fit_intercept=False, **ONLINE)
    same(model.fit(data.X, data.y), np.append(w, 0)[None], whole=False)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # their class is deprecated
@VARIANTS
def test_passive_aggressive_beside_scikit_learn(loss: str, variant: int) -> None:
    del variant
    data = problem("dense64", 2, whole=False)
    settings = {"loss": loss, "tol": None, "shuffle": False, "max_iter": 3}
    ours = PassiveAggressive(**settings, fit_intercept=False).fit(data.X, data.y)
    theirs = PassiveAggressiveClassifier(**settings, fit_intercept=False).fit(data.X, data.y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_passive_aggressive_step_is_no_longer_than_needed() -> None:
    # scikit-learn moves the bias, too, but does not count it in the length of the row
    row, label = [[1.0]], ["yes"]
    given = {"classes": ["no", "yes"]}
    ours = PassiveAggressive(C=10.0).partial_fit(row, label, **given)
    theirs = PassiveAggressiveClassifier(C=10.0).partial_fit(row, label, **given)
    assert ours.decision_function(row).tolist() == [1.0]
    assert theirs.decision_function(row).tolist() == [2.0]


def test_average_is_another_word_for_keep() -> None:
    data = problem("dense64", 2, whole=False)
    model = PassiveAggressive(average=True, **ONLINE).fit(data.X, data.y)
    named = PassiveAggressive(keep="average", **ONLINE).fit(data.X, data.y)
    np.testing.assert_array_equal(model.coef_, named.coef_)
    assert (model.coef_ != PassiveAggressive(**ONLINE).fit(data.X, data.y).coef_).any()
    with pytest.raises(ParameterError, match="contradict"):
        PassiveAggressive(average=True, keep="pocket").fit(data.X, data.y)


def batch_textbook(
    X: Floats, y: Array, size: int, weights: Array, eta: Callable[[int], float]
) -> tuple[Floats, list[int]]:
    w, steps, mistakes = np.zeros(X.shape[1]), 0, []
    for _ in range(EPOCHS):
        mistakes.append(0)
        for start in range(0, len(X), size):
            steps += 1
            span = slice(start, start + size)
            signed = signs(y[span])[:, None] * X[span]
            wrong = (signed @ w <= 0) & (weights[span] > 0)
            w = w + eta(steps) * (weights[span][wrong] @ signed[wrong])
            mistakes[-1] += int(wrong.sum())
    return w, mistakes


@BOTH_NUMBERS
@ALL_STORAGES
@pytest.mark.parametrize("size", [None, 1, 10])
def test_the_batch_perceptron(storage: str, size: int | None, *, whole: bool) -> None:
    data = problem(storage, 2, whole=whole)
    n = len(data.y)
    weights = np.arange(n) % 3.0
    settings = {"batch_size": size, **ONLINE}
    for given in (None, weights):
        by_row = np.ones(n) if given is None else given
        w, mistakes = batch_textbook(extended(data.exact), data.y, size or n, by_row, lambda _: 1.0)
        model = BatchPerceptron(**settings).fit(data.X, data.y, sample_weight=given)
        same(model, w[None], whole=whole)
        assert model.trace_.column("mistakes") == mistakes
    ones = np.ones(n)
    w, _ = batch_textbook(extended(data.exact), data.y, size or n, ones, lambda n: 0.5 / n)
    model = BatchPerceptron(**settings, learning_rate="1/n", eta0=0.5).fit(data.X, data.y)
    same(model, w[None], whole=False)
    w, _ = batch_textbook(
        extended(data.exact), data.y, size or n, np.array([2.0, 1.0])[data.y], lambda _: 1.0
    )
    model = BatchPerceptron(**settings, class_weight={0: 2}).fit(data.X, data.y)
    same(model, w[None], whole=whole)


@ALL_STORAGES
def test_the_batch_perceptron_for_many_classes(storage: str) -> None:
    data = problem(storage, 4, whole=True)
    X = extended(data.exact)
    W = np.zeros((4, X.shape[1]))
    for _ in range(EPOCHS):
        change = np.zeros_like(W)
        for x, own in zip(X, data.y, strict=True):
            scores = W @ x
            rival = int(np.where(np.arange(4) == own, -np.inf, scores).argmax())
            if scores[own] <= scores[rival]:
                change[own] += x
                change[rival] -= x
        W += change
    same(BatchPerceptron(**ONLINE).fit(data.X, data.y), W, whole=True)
    ones = np.ones(len(data.y))
    units = [
        batch_textbook(X, (data.y == k).astype(int), len(X), ones, lambda _: 1.0)[0]
        for k in range(4)
    ]
    model = BatchPerceptron(**ONLINE, multi_class="ovr").fit(data.X, data.y)
    same(model, np.array(units), whole=True)


def balanced_stream(X: Floats, y: Array) -> Floats:
    """Two classes in a stream, each row weighing n / (classes so far × rows of its class so far).

    The rows before the second class comes teach nothing.
    """
    w, counts = np.zeros(X.shape[1]), {}
    for n, (x, label) in enumerate(zip(X, y, strict=True), 1):
        counts[label] = counts.get(label, 0) + 1
        sign = 1 if label == max(y) else -1
        if len(counts) == 2 and sign * (w @ x) <= 0:
            w = w + n / (len(counts) * counts[label]) * sign * x
    return w


@ALL_STORAGES
def test_balanced_weights_in_a_stream_follow_the_counts_so_far(storage: str) -> None:
    data = problem(storage, 2, whole=True)
    y = np.where(np.arange(len(data.y)) % 4 == 3, 1, 0)  # the rare class comes fourth
    model = Perceptron(class_weight="balanced").partial_fit(data.X, y)
    same(model, balanced_stream(extended(data.exact), y)[None], whole=False)


def test_balanced_weights_for_many_classes_in_a_stream() -> None:
    data = problem("dense64", 4, whole=True)
    X, y = extended(data.exact), np.minimum(data.y, np.arange(len(data.y)) // 8)
    W, counts = np.zeros((4, X.shape[1])), np.zeros(4)
    for n, (x, own) in enumerate(zip(X, y, strict=True), 1):
        counts[own] += 1
        scores = W @ x
        rival = int(np.where(np.arange(4) == own, -np.inf, scores).argmax())
        if scores[own] <= scores[rival]:
            weight = n / (np.count_nonzero(counts) * counts[own])
            W[own] += weight * x
            W[rival] -= weight * x
    model = Perceptron(class_weight="balanced").partial_fit(data.X, y, classes=range(4))
    same(model, W, whole=False)


def longest_lived(X: Floats, y: Array) -> Floats:
    """Weights of the longest run of correct rows in a stream, the first of equally long ones."""
    w = np.zeros(X.shape[1])
    best, longest, run = w, 0, 0
    for x, sign in zip(X, signs(y), strict=True):
        if sign * (w @ x) <= 0:
            w, run = w + sign * x, 0
        else:
            run += 1
        if run > longest:
            best, longest = w, run
    return best


@ALL_STORAGES
def test_the_pocket_of_a_stream_is_the_longest_correct_run(storage: str) -> None:
    for seed in range(8):
        data = problem(storage, 2, whole=True, seed=seed)
        for n in (20, 40, 63):  # the run that goes on at the end counts too
            model = Perceptron(keep="pocket").partial_fit(data.X[:n], data.y[:n], classes=[0, 1])
            same(model, longest_lived(extended(data.exact[:n]), data.y[:n])[None], whole=True)


def test_a_stream_is_one_pass_in_file_order() -> None:
    data = problem("dense64", 3, whole=False)
    stream = Perceptron(shuffle=True).partial_fit(data.X, data.y, classes=range(3))
    one_epoch = Perceptron(max_iter=1, shuffle=False).fit(data.X, data.y)
    np.testing.assert_array_equal(weights_of(stream), weights_of(one_epoch))
    assert stream.mistakes_ == one_epoch.mistakes_


def penalised_textbook(X: Floats, y: Array, l1: float, l2: float, eta: float) -> Floats:
    """Every weight but the bias shrinks and pays at every row; what it owes shrinks with it."""
    w, paid, owed = np.zeros(X.shape[1]), np.zeros(X.shape[1] - 1), 0.0
    for _ in range(EPOCHS):
        for x, sign in zip(X, signs(y), strict=True):
            wrong = sign * (w @ x) <= 0
            shrinks = 1 - eta * l2
            w[:-1], paid, owed = shrinks * w[:-1], shrinks * paid, shrinks * owed + eta * l1
            w = w + wrong * eta * sign * x
            v = w[:-1].copy()
            w[:-1] = np.where(
                v > 0, np.maximum(0, v - (owed + paid)), np.minimum(0, v + (owed - paid))
            )
            paid += w[:-1] - v
    return w


@ALL_STORAGES
@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("alpha", [0.003, 0.05])
def test_penalties(storage: str, share: float, alpha: float) -> None:
    # once: sparse rows let weights pay that they hold an entry of, and only after they were scored
    for seed in range(4):
        data = problem(storage, 2, whole=False, seed=seed)
        w = penalised_textbook(
            extended(data.exact), data.y, alpha * share, alpha * (1 - share), eta=0.7
        )
        model = Perceptron(penalty="elasticnet", alpha=alpha, l1_ratio=share, eta0=0.7, **ONLINE)
        same(model.fit(data.X, data.y), w[None], whole=False)
        stream = clone(model)
        for start in [*range(0, 63, 5)] * EPOCHS:
            stream.partial_fit(data.X[start : start + 5], data.y[start : start + 5], classes=[0, 1])
        np.testing.assert_array_equal(weights_of(stream), weights_of(model))


PENALTIES = [
    {"penalty": None},
    {"penalty": "l2", "alpha": 0.003},
    {"penalty": "l2", "alpha": 0.9},  # the scale of the weights runs out of digits
    {"penalty": "l1", "alpha": 0.003},
    {"penalty": "l1", "alpha": 0.05},
]


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda p: "-".join(map(str, p.values())))
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learn_s_perceptron(
    penalty: dict[str, Any], n_classes: int, *, fit_intercept: bool
) -> None:
    for seed in range(3):
        data = problem("dense64", n_classes, whole=False, seed=seed)
        weights = 0.5 + np.arange(len(data.y)) % 3
        for passes in (1, 4):
            for given in (None, weights):
                settings = {
                    "max_iter": passes,
                    "shuffle": False,
                    "tol": None,
                    "eta0": 0.7,
                    "fit_intercept": fit_intercept,
                    **penalty,
                }
                referee = Referee(**settings).fit(data.X, data.y, sample_weight=given)
                model = Perceptron(**settings, multi_class="ovr")
                model.fit(data.X, data.y, sample_weight=given)
                assert model.n_iter_ == passes  # no clean pass, after which ours would stop
                same(model, weights_of(referee), whole=False)
                scores = model.decision_function(data.X)
                np.testing.assert_allclose(scores, referee.decision_function(data.X), atol=1e-9)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 1: 0.25}])
def test_scikit_learn_s_class_weights(class_weight: Any) -> None:
    # two classes: in more, scikit-learn lets all rows of "the rest" weigh 1
    data = problem("dense64", 2, whole=False)
    y = np.minimum(data.y, np.arange(len(data.y)) % 5)
    settings = {"max_iter": 3, "shuffle": False, "tol": None, "class_weight": class_weight}
    referee = Referee(**settings).fit(data.X, y)
    model = Perceptron(**settings).fit(data.X, y)
    same(model, weights_of(referee), whole=False)


def test_scikit_learn_s_stream() -> None:
    data = problem("dense64", 3, whole=False)
    referee = Referee(penalty="l2", alpha=0.01, shuffle=False)
    model = Perceptron(penalty="l2", alpha=0.01, multi_class="ovr")
    for start in range(0, len(data.y), 10):
        X, y = data.X[start : start + 10], data.y[start : start + 10]
        referee.partial_fit(X, y, classes=range(3))
        model.partial_fit(X, y, classes=range(3))
        same(model, weights_of(referee), whole=False)


def test_scikit_learn_s_warm_start_from_given_weights() -> None:
    data = problem("dense64", 3, whole=False)
    rng = np.random.default_rng(0)
    coef, intercept = rng.normal(size=(3, data.X.shape[1])), rng.normal(size=3)
    settings = {"max_iter": 2, "shuffle": False, "tol": None, "warm_start": True}
    referee = Referee(**settings).fit(data.X, data.y, coef.copy(), intercept.copy())
    model = Perceptron(**settings, multi_class="ovr").fit(data.X, data.y, coef, intercept)
    same(model, weights_of(referee), whole=False)
    referee.fit(data.X, data.y)
    model.fit(data.X, data.y)
    same(model, weights_of(referee), whole=False)


def test_scikit_learn_s_stopping_by_tol() -> None:
    data = problem("dense64", 2, whole=False)
    settings = {"shuffle": False, "tol": 1e-3, "n_iter_no_change": 3}
    referee = Referee(**settings).fit(data.X, data.y)
    model = Perceptron(**settings).fit(data.X, data.y)
    assert model.n_iter_ == referee.n_iter_
    same(model, weights_of(referee), whole=False)
