"""LMS, soft units and layers: agreement with a textbook loop, least squares and scikit-learn."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import SGDClassifier

from rosenblatt import LMS, Perceptron, TanhPerceptron
from rosenblatt.types import Array, Floats

EPOCHS = 3
STORAGES: dict[str, Callable[[Floats], Any]] = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": sparse.csr_array,
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
}


def rows(n_classes: int, seed: int = 0) -> tuple[Floats, Array]:
    """Overlapping rows of float32 numbers, a third of the entries zero."""
    rng = np.random.default_rng((seed, n_classes))
    y = rng.permutation(np.arange(63) % n_classes)
    X = rng.normal(size=(63, 7)) + rng.normal(size=(n_classes, 7))[y]
    X[rng.uniform(size=X.shape) < 1 / 3] = 0
    return X.astype(np.float32).astype(np.float64), y


def extended(X: Floats) -> Floats:
    return np.column_stack([X, np.ones(len(X))])


def weights_of(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


def close(model: Any, referee: Floats) -> None:
    assert np.abs(referee).max() > 1e-3
    np.testing.assert_allclose(weights_of(model), referee, rtol=1e-9, atol=1e-11)


def error_and_slope(kind: str, targets: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """Referee: e and f′(s) as the lectures write them; targets are ±1, or 0 and 1 for a sigmoid."""
    if kind == "hard":
        return np.where(targets * scores <= 0, targets, 0), np.ones_like(scores)
    if kind == "linear":
        return targets - scores, np.ones_like(scores)
    if kind == "tanh":
        f = np.tanh(scores)
        return targets - f, 1 - f**2
    f = 1 / (1 + np.exp(-scores))
    return targets - f, f * (1 - f)


def textbook(
    X: Floats, targets: Floats, kind: str, *, rate: str, size: int, weights: Array, eta: float
) -> tuple[Floats, Floats]:
    """Last weights, and the mean of the weights after each row (a batch: as often as it has rows).

    The weight of a row scales its step; in batches it means repetition.
    """
    W = np.zeros((targets.shape[1], X.shape[1]))
    total, steps = np.zeros_like(W), 0
    for _ in range(EPOCHS):
        for start in range(0, len(X), size):
            steps += 1
            x, t, w = (part[start : start + size] for part in (X, targets, weights))
            e, slope = error_and_slope(kind, t, x @ W.T)
            step = eta / steps if rate == "1/n" else eta
            if rate == "normalised":
                step = eta / ((x * x).sum() if size == 1 else w @ (x * x).sum(axis=1))
            W = W + step * (w[:, None] * e * slope).T @ x
            total += len(x) * W
    return W, total / (EPOCHS * len(X))


def estimator(kind: str, **settings: Any) -> Any:
    fixed = {"max_iter": EPOCHS, "shuffle": False, "tol": None, **settings}
    return LMS(**fixed) if kind == "linear" else TanhPerceptron(activation=kind, **fixed)


def one_hot(y: Array, n_classes: int, low: float = -1) -> Floats:
    """A column a class; for two classes one column for the second."""
    wanted = np.arange(n_classes) if n_classes > 2 else np.array([1])
    return np.where(y[:, None] == wanted, 1.0, low)


KINDS = ["linear", "hard", "tanh", "logistic"]
RATES = ["constant", "1/n", "normalised"]
ETAS = {"constant": 0.02, "1/n": 0.05, "normalised": 0.3}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [1, 10, None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_textbook_loop(kind: str, rate: str, size: int | None, n_classes: int) -> None:
    X, y = rows(n_classes)
    eta = ETAS[rate] if size == 1 or rate == "normalised" else ETAS[rate] / 20
    targets = one_hot(y, n_classes, low=0 if kind == "logistic" else -1)
    sample_weight = np.arange(63) % 4 / 2.0
    settings = {"learning_rate": rate, "batch_size": size, "eta0": eta}
    for given, storage in itertools.product((None, sample_weight), STORAGES):
        by_row = np.ones(63) if given is None else given
        W, mean = textbook(
            extended(X), targets, kind, rate=rate, size=size or 63, weights=by_row, eta=eta
        )
        for keep, referee in (("last", W), ("average", mean)):
            model = estimator(kind, **settings, keep=keep)
            close(model.fit(STORAGES[storage](X), y, sample_weight=given), referee)


@pytest.mark.parametrize("kind", ["tanh", "logistic", "hard"])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("size", [1, 10, None])
def test_the_textbook_loop_of_a_layer(kind: str, rate: str, size: int | None) -> None:
    X, _ = rows(4)
    rng = np.random.default_rng(1)
    eta = ETAS[rate] if size == 1 or rate == "normalised" else ETAS[rate] / 20
    labels = (rng.uniform(size=(63, 3)) < 0.4).astype(int)  # not one-hot: several, or none
    ends = np.where(labels == 1, 1.0, 0.0 if kind == "logistic" else -1.0)
    real = rng.uniform(*((0, 1) if kind == "logistic" else (-1, 1)), size=(63, 3))
    sample_weight = np.arange(63) % 4 / 2.0
    matrices = [(labels, ends), (2 * labels - 1, ends)]
    matrices += [(real, real)] if kind != "hard" else []
    for (Y, targets), given, storage in itertools.product(
        matrices, (None, sample_weight), STORAGES
    ):
        by_row = np.ones(63) if given is None else given
        W, mean = textbook(
            extended(X), targets, kind, rate=rate, size=size or 63, weights=by_row, eta=eta
        )
        for keep, referee in (("last", W), ("average", mean)):
            model = estimator(kind, learning_rate=rate, batch_size=size, eta0=eta, keep=keep)
            close(model.fit(STORAGES[storage](X), Y, sample_weight=given), referee)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [1, None])
def test_without_a_bias(kind: str, size: int | None) -> None:
    X, y = rows(2)
    targets = one_hot(y, 2, low=0 if kind == "logistic" else -1)
    plain = {"rate": "constant", "weights": np.ones(63), "eta": 0.002}
    W, _ = textbook(X, targets, kind, size=size or 63, **plain)
    model = estimator(kind, fit_intercept=False, eta0=0.002, batch_size=size).fit(X, y)
    np.testing.assert_allclose(model.coef_, W, rtol=1e-9)
    assert model.intercept_.tolist() == [0]


@pytest.mark.parametrize("kind", ["tanh", "logistic", "hard"])
@pytest.mark.parametrize("size", [1, 10, None])
@pytest.mark.parametrize("start", ["zero", "random", "means"])
def test_a_layer_of_one_hot_targets_is_one_unit_a_class(
    kind: str, size: int | None, start: str
) -> None:
    X, y = rows(4)
    settings = {"eta0": 0.01, "batch_size": size, "start": start, "shuffle": True}
    by_label = estimator(kind, **settings).fit(X, y)
    by_target = estimator(kind, **settings).fit(X, one_hot(y, 4))
    assert by_target.coef_.shape == (4, 7)
    if kind == "logistic":  # 1 − σ(s) and σ(−s) round differently
        np.testing.assert_allclose(weights_of(by_target), weights_of(by_label), rtol=1e-12)
    else:
        np.testing.assert_array_equal(weights_of(by_target), weights_of(by_label))
    assert by_target.trace_.column("mistakes") == by_label.trace_.column("mistakes")
    np.testing.assert_allclose(
        by_target.trace_.column("loss"), by_label.trace_.column("loss"), rtol=1e-12
    )
    assert by_target.t_ == by_label.t_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("average", [False, True])
def test_scikit_learn_s_descent_on_the_squared_error(
    n_classes: int, *, fit_intercept: bool, average: bool
) -> None:
    for seed, passes, weighted in itertools.product(range(3), (1, 5), (False, True)):
        X, y = rows(n_classes, seed)
        shared = {"max_iter": passes, "tol": None, "shuffle": False, "fit_intercept": fit_intercept}
        referee = SGDClassifier(
            loss="squared_error",
            penalty=None,
            learning_rate="constant",
            eta0=0.013,
            average=average,
            **shared,
        )
        model = LMS(eta0=0.013, keep="average" if average else "last", **shared)
        given = 0.5 + np.arange(63) % 3 if weighted else None
        referee.fit(X, y, sample_weight=given)
        close(model.fit(X, y, sample_weight=given), weights_of(referee))
        np.testing.assert_allclose(
            model.decision_function(X), referee.decision_function(X), atol=1e-9
        )


def least_squares(X: Floats, y: Array) -> Floats:
    w, *_ = np.linalg.lstsq(extended(X), np.where(y == 1, 1.0, -1.0), rcond=None)
    return np.asarray(w)


def test_lms_on_the_whole_set_goes_to_the_least_squares() -> None:
    X, y = rows(2)
    eta = 1 / np.linalg.eigvalsh(extended(X).T @ extended(X)).max()
    model = LMS(eta0=eta, batch_size=None, tol=None, max_iter=5000).fit(X, y)
    np.testing.assert_allclose(weights_of(model)[0], least_squares(X, y), rtol=1e-9)
    normalised = LMS(
        eta0=1, learning_rate="normalised", batch_size=None, tol=None, max_iter=20_000
    ).fit(X, y)
    np.testing.assert_allclose(weights_of(normalised)[0], least_squares(X, y), rtol=1e-6)


def test_lms_row_by_row_comes_as_near_to_the_least_squares_as_its_rate_is_small() -> None:
    X, y = rows(2)
    best = least_squares(X, y)
    distances = [
        np.linalg.norm(weights_of(LMS(eta0=eta, tol=None, max_iter=3000).fit(X, y))[0] - best)
        for eta in (0.02, 0.002, 0.0002)
    ]
    assert distances[0] > 5 * distances[1] > 25 * distances[2]


def test_lms_with_1_over_n_goes_to_the_least_squares_where_eta_is_above_half_an_eigenvalue() -> (
    None
):
    # premise: η λ > ½ for the smallest eigenvalue λ of the mean of (x, 1)(x, 1)ᵀ, here about 1
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = (X @ [1.0, -1.0, 0.5] + 0.3 + rng.normal(size=400) > 0).astype(int)
    distances = [
        np.linalg.norm(
            weights_of(LMS(eta0=1.0, learning_rate="1/n", tol=None, max_iter=p).fit(X, y))[0]
            - least_squares(X, y)
        )
        for p in (10, 1000)
    ]
    assert distances[1] < 0.001
    assert distances[1] < distances[0] / 10


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
@pytest.mark.parametrize("matrix", [False, True])
def test_a_small_batch_step_never_raises_the_loss(activation: str, *, matrix: bool) -> None:
    X, y = rows(3)
    # the slope of either loss changes by at most 1.24 a unit of the margin
    eta = 1 / (1.24 * np.linalg.eigvalsh(extended(X).T @ extended(X)).max())
    model = TanhPerceptron(
        activation=activation, eta0=eta, batch_size=None, tol=None, max_iter=300
    ).fit(X, one_hot(y, 3) if matrix else y)
    losses = model.trace_.column("loss")
    assert np.all(np.diff(losses) < 0)
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("settings", [{}, {"keep": "average"}, {"keep": "pocket"}])
def test_the_hard_error_is_the_perceptron_weight_for_weight(
    n_classes: int, settings: dict[str, Any]
) -> None:
    X, y = rows(n_classes)
    shared = {**settings, "max_iter": 7}
    perceptron = Perceptron(**shared, multi_class="ovr").fit(X, y)
    for model in (
        LMS(**shared, error="hard", eta0=1, tol=None),
        TanhPerceptron(**shared, activation="hard", eta0=1, tol=None),
    ):
        model.fit(X, y)
        np.testing.assert_array_equal(weights_of(model), weights_of(perceptron))
        assert model.trace_.as_dicts()[0]["mistakes"] == perceptron.trace_[0].mistakes
        assert str(model.outcome_) == str(perceptron.outcome_)
