"""Epochs of the lectures by hand: row by row, from zero and from other starts."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import (
    AROW,
    LMS,
    GradientDescent,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.online.result import Ending

GATE = builtin("and")
KENNEL = builtin("kennel")
CLOUDS = builtin("overlapping")


def extended(X: Any) -> Any:
    return np.column_stack([X, np.ones(len(X))])


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("start", [(0.0, 0.0, 0.0), (0.4, -0.3, 0.2)])
@pytest.mark.parametrize("rows", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rule", [LMS, TanhPerceptron])
def test_an_epoch_of_lecture_002(rule: Any, rows: Any, start: Any) -> None:
    """w + μ e x with e = y − w·x (eq. 12), and through tanh w + μ e (1 − f²) x."""
    w, path = np.array(start), [np.array(start)]
    for x, y in zip(extended(GATE.X), 2 * GATE.y - 1, strict=True):
        f, slope = (w @ x, 1.0) if rule is LMS else (np.tanh(w @ x), 1 - np.tanh(w @ x) ** 2)
        w = w + 0.3 * (y - f) * slope * x
        path.append(w)
    model = rule(eta0=0.3, max_iter=1, tol=None, shuffle=False)
    run = model.replay(rows(GATE.X), GATE.y, start[:2], start[2])
    np.testing.assert_allclose([W[0] for W in run], path, atol=1e-14)
    np.testing.assert_allclose(weights_of(model)[0], w, atol=1e-14)
    assert model.outcome_.ending is Ending.MAX_DESCENT_EPOCHS_REACHED
    stream = rule(eta0=0.3)  # the stream begins at zero
    if not any(start):
        stream.partial_fit(rows(GATE.X), GATE.y, classes=[0, 1])
        np.testing.assert_allclose(weights_of(stream)[0], w, atol=1e-14)


def test_the_numbers_of_an_lms_epoch() -> None:
    model = LMS(eta0=0.1, max_iter=1, tol=None, shuffle=False).fit(GATE.X, GATE.y)
    np.testing.assert_allclose(weights_of(model)[0], [0.0632, 0.0542, -0.1268], atol=1e-12)
    assert 4 * model.trace_[0].loss == pytest.approx((1 + 0.9**2 + 0.81**2 + 1.442**2) / 2)


def test_the_mmse_of_lecture_002_in_both_forms() -> None:
    """Batch LMS arrives at (XXᵀ)⁻¹Xy, which solves the two equations for w and b, too."""
    X, y = CLOUDS.X, CLOUDS.y
    w = np.linalg.solve(extended(X).T @ extended(X), extended(X).T @ y)
    np.testing.assert_allclose(w[:2], np.linalg.solve(X.T @ X, X.T @ (y - w[2])), rtol=1e-10)
    assert w[2] == pytest.approx(np.mean(y - X @ w[:2]))
    model = LMS(eta0=0.002, batch_size=None, tol=None, max_iter=500).fit(X, y)
    np.testing.assert_allclose(weights_of(model)[0], w, atol=1e-8)


def test_a_rule_drawn_at_random_learns_like_any_other() -> None:
    """Lecture 004: zero, random, or the mean of the positive class; any start will do."""
    data = builtin("separable")
    for start in ("zero", "random", "means"):
        model = Perceptron(start=start).fit(data.X, data.y)
        assert model.score(data.X, data.y) == 1
    run = Perceptron(start="means").replay(data.X, data.y)
    np.testing.assert_allclose(run.start()[0], [*data.X[data.y == 1].mean(axis=0), 1])
    for start in ("random", "means"):
        run = GradientDescent(start=start, max_iter=2, tol=None).replay(data.X, data.y)
        other = GradientDescent(start=start, max_iter=2, tol=None).replay(data.X, data.y)
        assert run.start().any()
        np.testing.assert_array_equal(run.start(), other.start())


@pytest.mark.parametrize(
    "rule",
    [AROW(max_iter=1), PassiveAggressive(max_iter=1), LinearSVM(), LogisticRegression()],
    ids=repr,
)
def test_every_rule_starts_where_it_is_told(rule: Any) -> None:
    run = rule.replay(KENNEL.X, KENNEL.y, coef_init=[0.5, 0.25], intercept_init=-1.0)
    assert run.start().tolist() == [[0.5, 0.25, -1.0]]
    assert next(iter(run)).tolist() == [[0.5, 0.25, -1.0]]
