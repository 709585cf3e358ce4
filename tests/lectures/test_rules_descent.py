"""Gradient descent as the slides write it: their numbers, and a textbook loop as referee."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from rosenblatt import (
    LMS,
    BatchPerceptron,
    GradientDescent,
    LogisticRegression,
    Perceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.online.result import Ending

POINTS = builtin("4f10")
START = {"coef_init": [0.0, 1.0], "intercept_init": -0.5}  # of lecture 003
CLOUDS = builtin("overlapping")
IRIS = builtin("iris")

# ℓ and −ℓ′ at a margin, as in the books
LOSSES = {
    "logistic": (lambda m: np.log1p(np.exp(-m)), lambda m: 1 / (1 + np.exp(m))),
    "perceptron": (lambda m: np.maximum(0, -m), lambda m: (m <= 0) * 1.0),
    "hinge": (lambda m: np.maximum(0, 1 - m), lambda m: (m < 1) * 1.0),
    "squared_hinge": (lambda m: np.maximum(0, 1 - m) ** 2, lambda m: 2 * np.maximum(0, 1 - m)),
    "square": (lambda m: (1 - m) ** 2 / 2, lambda m: 1 - m),
    "tanh": (
        lambda m: (1 - np.tanh(m)) ** 2 / 2,
        lambda m: (1 - np.tanh(m)) * (1 - np.tanh(m) ** 2),
    ),
}
EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES)


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


def extended(X: Any) -> Any:
    return np.column_stack([X, np.ones(len(X))])


def textbook(rows: Any, w: Any, loss: str, eta: Any, *, batch: int | None, epochs: int) -> Any:
    """The weights after some epochs, and the mean loss of each; y is −1 or 1."""
    (X, y), (value, step), losses, n = rows, LOSSES[loss], [], 0
    X, batch = extended(X), batch or len(y)
    for _ in range(epochs):
        total = 0.0
        for first in range(0, len(y), batch):
            x, t = X[first : first + batch], y[first : first + batch]
            m, n = t * (x @ w), n + 1
            total += value(m).sum()
            w = w + (eta(n) if callable(eta) else eta) * (step(m) * t) @ x
        losses.append(total / len(y))
    return w, losses


@EVERY_LOSS
@pytest.mark.parametrize("batch_size", [None, 7, 1])
@pytest.mark.parametrize("rows", [np.asarray, sparse.csr_array])
def test_every_loss_and_batch_is_the_textbook_loop(
    loss: str, batch_size: int | None, rows: Any
) -> None:
    X, y = CLOUDS.X, CLOUDS.y
    start = np.array([0.3, -0.2, 0.1])
    w, losses = textbook((X, y), start, loss, 0.002, batch=batch_size, epochs=4)
    model = GradientDescent(
        loss=loss, eta0=0.002, batch_size=batch_size, max_iter=4, tol=None, shuffle=False
    )
    model.fit(rows(X), y, coef_init=[0.3, -0.2], intercept_init=0.1)
    np.testing.assert_allclose(weights_of(model)[0], w, rtol=1e-11)
    np.testing.assert_allclose(model.trace_.column("loss"), losses, rtol=1e-11)


@pytest.mark.parametrize("batch_size", [None, 20, 1])
def test_a_rate_of_1_over_n_counts_steps(batch_size: int | None) -> None:
    X, y = CLOUDS.X, CLOUDS.y
    eta = lambda n: 0.1 / n  # noqa: E731
    w, _ = textbook((X, y), np.zeros(3), "logistic", eta, batch=batch_size, epochs=3)
    rate = {"eta0": 0.1, "learning_rate": "1/n", "batch_size": batch_size}
    model = GradientDescent(**rate, max_iter=3, tol=None, shuffle=False).fit(X, y)
    np.testing.assert_allclose(weights_of(model)[0], w, rtol=1e-11)


def test_the_log_likelihood_of_lecture_003_is_climbed_by_its_gradient() -> None:
    w = np.array([0.0, 1.0, -0.5])
    X, t = extended(POINTS.X), (POINTS.y == 1).astype(float)  # y is 1 or 0 on this slide
    model = GradientDescent(eta0=0.3, max_iter=1, tol=None).fit(POINTS.X, POINTS.y, **START)
    gradient = sum((t[i] - expit(X[i] @ w)) * X[i] for i in range(8))
    np.testing.assert_allclose(weights_of(model)[0], w + 0.3 * gradient, rtol=1e-14)

    # and that is the slope of Σ y log σ(z) + (1 − y) log σ(−z)
    def likelihood(w: Any) -> float:
        return float(t @ np.log(expit(X @ w)) + (1 - t) @ np.log(expit(-X @ w)))

    for j, direction in enumerate(np.eye(3)):
        rise = (likelihood(w + 1e-6 * direction) - likelihood(w - 1e-6 * direction)) / 2e-6
        assert gradient[j] == pytest.approx(rise, rel=1e-6)
    assert model.trace_[0].loss == pytest.approx(-likelihood(w) / 8, rel=1e-14)


def test_gradient_ascent_arrives_where_newton_does() -> None:
    data = builtin("overlapping")
    best = LogisticRegression(C=np.inf, tol=1e-12).fit(data.X, data.y)
    slow = GradientDescent(eta0=0.02, max_iter=3000, tol=None).fit(data.X, data.y)
    np.testing.assert_allclose(weights_of(slow), weights_of(best), rtol=1e-6)
    np.testing.assert_allclose(
        slow.predict_proba(data.X), best.predict_proba(data.X), rtol=1e-5, atol=1e-9
    )


def test_the_perceptron_criterion_is_the_batch_perceptron() -> None:
    """Lecture 003: from (0, 1, −0.5) one step leads to (1.45, −0.6, −0.5), without a mistake."""
    model = GradientDescent(loss="perceptron", eta0=1.0).fit(POINTS.X, POINTS.y, **START)
    np.testing.assert_allclose(weights_of(model)[0], [1.45, -0.6, -0.5], rtol=1e-12)
    assert model.trace_.column("mistakes") == [4, 0]
    # E(w) = Σ [−y w·x]₊: 0.5 + 0.1 of class 1, 0.5 + 0.5 of class 2
    assert 8 * model.trace_[0].loss == pytest.approx(1.6)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    kennel = builtin("kennel")
    same = BatchPerceptron().fit(kennel.X, kennel.y)
    again = GradientDescent(loss="perceptron", eta0=1.0, tol=None).fit(kennel.X, kennel.y)
    np.testing.assert_array_equal(weights_of(again), weights_of(same))


def test_tanh_is_equation_16_of_lecture_002() -> None:
    X, y, w = extended(POINTS.X), POINTS.y, np.array([0.0, 1.0, -0.5])
    f = np.tanh(X @ w)
    expected = w + 0.2 * sum((y[i] - f[i]) * (1 - f[i] ** 2) * X[i] for i in range(8))
    model = GradientDescent(loss="tanh", eta0=0.2, max_iter=1, tol=None)
    model.fit(POINTS.X, POINTS.y, **START)
    np.testing.assert_allclose(weights_of(model)[0], expected, rtol=1e-14)


@pytest.mark.parametrize("batch_size", [None, 1])
def test_the_rules_with_names_of_their_own_are_the_same(batch_size: int | None) -> None:
    steps = {"eta0": 0.001, "batch_size": batch_size, "max_iter": 5, "tol": None}
    for loss, rule in (("square", LMS), ("tanh", TanhPerceptron)):
        ours = GradientDescent(loss=loss, **steps).fit(IRIS.X, IRIS.y)
        np.testing.assert_array_equal(
            weights_of(ours), weights_of(rule(**steps).fit(IRIS.X, IRIS.y))
        )


def test_row_by_row_the_perceptron_loss_is_the_perceptron() -> None:
    ours = GradientDescent(loss="perceptron", eta0=1.0, batch_size=1, tol=None)
    ours.fit(CLOUDS.X, CLOUDS.y)
    theirs = Perceptron().fit(CLOUDS.X, CLOUDS.y)
    np.testing.assert_array_equal(weights_of(ours), weights_of(theirs))


@EVERY_LOSS
def test_several_classes_are_each_against_the_rest(loss: str) -> None:
    model = GradientDescent(loss=loss, eta0=1e-4, max_iter=20, tol=None).fit(IRIS.X, IRIS.y)
    for k, label in enumerate(IRIS.y[[0, 50, 100]]):
        alone = GradientDescent(loss=loss, eta0=1e-4, max_iter=20, tol=None)
        alone.fit(IRIS.X, IRIS.y == label)
        np.testing.assert_allclose(weights_of(model)[k], weights_of(alone)[0], rtol=1e-12)
    assert hasattr(model, "predict_proba") == (loss == "logistic")


def test_steps_that_are_too_large_are_named() -> None:
    """η too large: the square losses diverge, the others overshoot (lecture 003)."""
    for loss, ending in (
        ("square", Ending.DIVERGED),
        ("squared_hinge", Ending.DIVERGED),
        ("logistic", Ending.OVERSHOT),
        ("hinge", Ending.OVERSHOT),
        ("tanh", Ending.SATURATED),
    ):
        model = GradientDescent(loss=loss, eta0=10.0).fit(IRIS.X, IRIS.y)
        assert model.outcome_.ending is ending
        assert "`eta0=10` is too large" in str(model.outcome_)
        better = float(str(model.outcome_).split("try `eta0=")[1].split("`")[0])
        calm = model.set_params(eta0=better).fit(IRIS.X, IRIS.y)
        assert calm.outcome_.ending not in {Ending.DIVERGED, Ending.OVERSHOT, Ending.SATURATED}
        assert calm.trace_[-1].loss < calm.trace_[0].loss
    # any η will do for the perceptron's loss: from zero it only scales the weights
    wild = GradientDescent(loss="perceptron", eta0=1024.0, tol=None).fit(POINTS.X, POINTS.y)
    assert wild.outcome_.ending is Ending.NO_MISTAKE
    once = GradientDescent(loss="perceptron", eta0=1.0, tol=None).fit(POINTS.X, POINTS.y)
    np.testing.assert_array_equal(weights_of(wild), 1024 * weights_of(once))


@EVERY_LOSS
def test_a_weight_of_two_is_the_row_twice(loss: str) -> None:
    weight = np.random.default_rng(0).integers(0, 3, len(CLOUDS.y))
    weighted = GradientDescent(loss=loss, eta0=1e-3, max_iter=5, tol=None)
    weighted.fit(CLOUDS.X, CLOUDS.y, sample_weight=weight)
    again = GradientDescent(loss=loss, eta0=1e-3, max_iter=5, tol=None)
    again.fit(np.repeat(CLOUDS.X, weight, axis=0), np.repeat(CLOUDS.y, weight))
    np.testing.assert_allclose(weights_of(weighted), weights_of(again), rtol=1e-9)
    np.testing.assert_allclose(weighted.trace_[0].loss, again.trace_[0].loss, rtol=1e-12)


def test_odd_settings_are_refused() -> None:
    X, y = CLOUDS.X, CLOUDS.y
    for wrong, message in (
        ({"loss": "absolute"}, "loss must be one of 'logistic', 'perceptron'"),
        ({"batch_size": 0}, "batch_size must be an integer of at least 1"),
        ({"eta0": 0.0}, "eta0 must be a finite number above 0"),
        ({"learning_rate": "optimal"}, "learning_rate must be one of"),
    ):
        with pytest.raises(ParameterError, match=message):
            GradientDescent(**wrong).fit(X, y)
    with pytest.raises(DataError, match="coef_init must have shape"):
        GradientDescent().fit(X, y, coef_init=[1.0, 2.0, 3.0])
    more = GradientDescent(batch_size=10_000, max_iter=3).fit(X, y)
    whole = GradientDescent(max_iter=3).fit(X, y)
    np.testing.assert_allclose(weights_of(more), weights_of(whole), rtol=1e-12)
