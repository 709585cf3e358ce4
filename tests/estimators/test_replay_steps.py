"""`replay` of every rule yields its start, then each step: the runs that shorter fits end with."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    GradientDescent,
    KernelPerceptron,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SentenceRanker,
    TanhPerceptron,
    builtin,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.replay import EpochRecorder, replay
from rosenblatt.plotting import WeightSpaceDisplay

IRIS = builtin("iris")
TWO = IRIS.X[:, :3], IRIS.y == "virginica"
THREE = IRIS.X[:, :3], IRIS.y
STEPS = [
    BatchPerceptron(max_iter=4),
    BatchPerceptron(max_iter=4, batch_size=40, random_state=3, learning_rate="1/n"),
    BatchPerceptron(max_iter=4, multi_class="ovr", batch_size=1000),
    LMS(max_iter=4, batch_size=None, eta0=1e-5),
    LMS(max_iter=4, batch_size=7, eta0=1e-4, keep="average"),
    TanhPerceptron(max_iter=4, batch_size=None, eta0=1e-4),
    GradientDescent(max_iter=4, eta0=1e-4),
    GradientDescent(max_iter=4, eta0=1e-4, loss="hinge", batch_size=32),
    GradientDescent(max_iter=4, eta0=1e-4, loss="perceptron", batch_size=1),
    Perceptron(max_iter=4),
    PassiveAggressive(max_iter=4),
    AROW(max_iter=4),
]
SOLVERS = [
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    LogisticRegression(C=np.inf, max_iter=6),
    LinearSVM(),
    LinearSVM(solver="ascent"),
]


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


def starts_of(y: Any, rng: np.random.Generator) -> Any:
    units = 1 if len(np.unique(y)) == 2 else 3
    return rng.normal(size=(units, 3)), rng.normal(size=units)


@pytest.mark.parametrize("estimator", STEPS, ids=repr)
@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
def test_steps_are_those_of_shorter_runs(estimator: Any, data: Any, rng: Any) -> None:
    X, y = data
    coef, intercept = starts_of(y, rng)
    model = clone(estimator).set_params(keep="last") if "keep" in estimator.get_params() else None
    model = clone(estimator) if model is None else model
    run = model.replay(X, y, coef, intercept)
    states = list(run)
    assert len(states) == len(run) == 1 + run.n_epochs * run.n_places
    np.testing.assert_array_equal(states[0], np.column_stack([coef, intercept]))
    np.testing.assert_array_equal(states[-1], weights_of(model))
    for epochs in range(1, run.n_epochs + 1):
        shorter = clone(model).set_params(max_iter=epochs).fit(X, y, coef, intercept)
        np.testing.assert_array_equal(states[epochs * run.n_places], weights_of(shorter))
    rows = sorted(row for place in range(run.n_places) for row in run.visit(2, place).rows)
    assert rows == list(range(len(y)))


@pytest.mark.parametrize("batch_size", [None, 3, 1])
def test_a_batch_is_a_step_of_the_textbook(batch_size: int | None) -> None:
    """Lecture 001: epochs over B batches; each adds η Σ y x over the mistakes of its batch."""
    data = builtin("4f10")
    x, y, w = np.column_stack([data.X, np.ones(8)]), data.y, np.array([0.0, 1.0, -0.5])
    run = BatchPerceptron(batch_size=batch_size, shuffle=False).replay(data.X, data.y, [0, 1], -0.5)
    states, size = iter(run), batch_size or 8
    np.testing.assert_array_equal(next(states)[0], w)
    for epoch in range(1, run.n_epochs + 1):
        for place, first in enumerate(range(0, 8, size)):
            rows = np.arange(first, min(first + size, 8))
            wrong = rows[y[rows] * (x[rows] @ w) <= 0]
            seen = run.visit(epoch, place)
            np.testing.assert_allclose(seen.before[0], w, atol=1e-15)
            w = w + y[wrong] @ x[wrong]
            np.testing.assert_allclose(seen.after[0], w, atol=1e-15)
            np.testing.assert_allclose(next(states)[0], w, atol=1e-15)
            assert seen.rows == tuple(rows)
            assert seen.mistakes == tuple(wrong)
            assert seen.mistake == seen.changed == (len(wrong) > 0)
            assert seen.row == (rows[0] if batch_size == 1 else None)


@pytest.mark.parametrize("estimator", SOLVERS, ids=repr)
@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("given", [False, True])
def test_steps_of_a_solver_are_those_of_its_trace(
    estimator: Any, data: Any, rng: Any, *, given: bool
) -> None:
    X, y = data
    model, start = clone(estimator), {}
    if given:
        start = dict(zip(("coef_init", "intercept_init"), starts_of(y, rng), strict=True))
    run = model.replay(X, y, **start)
    expected = np.column_stack(list(start.values())) if given else np.zeros_like(weights_of(model))
    np.testing.assert_array_equal(run.start(), expected)
    np.testing.assert_array_equal(list(run)[-1], weights_of(model))
    assert run.steps == (0, *sorted({record.step for record in model.trace_} - {0}))
    fitted = clone(estimator).fit(X, y, **start)
    np.testing.assert_array_equal(weights_of(fitted), weights_of(model))
    if estimator.get_params().get("solver") != "ascent":
        half = run.steps[len(run) // 2]
        shorter = clone(estimator).set_params(max_iter=half).fit(X, y, **start)
        np.testing.assert_allclose(list(run)[len(run) // 2], weights_of(shorter), atol=1e-9)


def test_a_certified_rule_arrives_at_the_same_optimum_from_anywhere(rng: Any) -> None:
    best = LogisticRegression(tol=1e-12).fit(*THREE)
    coef, intercept = starts_of(THREE[1], rng)
    other = LogisticRegression(tol=1e-12).fit(*THREE, coef_init=coef, intercept_init=intercept)
    np.testing.assert_allclose(weights_of(other), weights_of(best), atol=1e-5)
    stays = LogisticRegression(max_iter=0).fit(*THREE, coef_init=coef, intercept_init=intercept)
    W = np.column_stack([coef, intercept])  # of a softmax, the mean over the classes is taken off
    np.testing.assert_allclose(weights_of(stays), W - W.mean(axis=0), atol=1e-15)


def test_columns_far_from_zero_are_replayed_where_they_are() -> None:
    X, y = TWO
    model = LogisticRegression()
    run = model.replay(X + 1e6, y, coef_init=[1.0, 0.0, 0.0], intercept_init=-1e6)
    assert run.start().tolist() == [[1.0, 0.0, 0.0, -1e6]]
    np.testing.assert_array_equal(list(run)[-1], weights_of(model))


@pytest.mark.parametrize("max_bytes", [10**9, 5000])
def test_epochs_of_a_kernel_perceptron_are_coefficients(max_bytes: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(EpochRecorder.__init__, "__defaults__", (max_bytes,))
    X, y = TWO
    model = KernelPerceptron("linear", max_iter=9, random_state=1)
    run = model.replay(X, y)
    assert run.steps[0] == 0
    assert not run.start().any()
    assert run.steps[-1] == model.n_iter_ == 9
    assert len(run) == (10 if max_bytes > 5000 else 4)
    for step, deltas in zip(run.steps[1:], list(run)[1:], strict=True):
        shorter = KernelPerceptron("linear", max_iter=step, random_state=1).fit(X, y)
        np.testing.assert_allclose(deltas @ X, shorter.coef_, rtol=1e-12)
    frames = replay(model, X, y, most=2)
    assert [frame.n_iter for frame in frames] == [0, 1, 9]
    assert frames[0].coef.tolist() == [[0, 0, 0]]


def test_epochs_of_a_layer_are_its_weights() -> None:
    gate, both = builtin("or"), [[0, 0], [1, 0], [1, 0], [1, 1]]
    model = TanhPerceptron(eta0=0.5, batch_size=None, max_iter=3)
    run = model.replay(gate.X, both, coef_init=np.ones((2, 2)))
    assert run.start().tolist() == [[1, 1, 0], [1, 1, 0]]
    for step, W in zip(run.steps[1:], list(run)[1:], strict=True):
        shorter = clone(model).set_params(max_iter=step).fit(gate.X, both, np.ones((2, 2)))
        np.testing.assert_array_equal(W, weights_of(shorter))


def test_epochs_of_a_ranker_are_its_weights() -> None:
    groups = [["cat sat on the mat", "cat sat the on mat", "cat cat on the mat"]]
    model = SentenceRanker(keep="last", n_features=64)
    run = model.replay(groups, [0])
    assert run.steps == tuple(range(model.n_iter_ + 1))
    assert not run.start().any()
    np.testing.assert_array_equal(list(run)[-1], model.coef_)


def test_sparse_rows_and_weights_are_replayed_alike() -> None:
    X, y = THREE
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    dense = BatchPerceptron(batch_size=16, max_iter=3).replay(X, y, sample_weight=weight)
    thin = BatchPerceptron(batch_size=16, max_iter=3)
    thin = thin.replay(sparse.csr_array(X), y, sample_weight=weight)
    for one, other in zip(dense, thin, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    unseen = [row for place in range(dense.n_places) for row in dense.visit(1, place).mistakes]
    assert weight[unseen].all()


def test_odd_requests_are_refused() -> None:
    X, y = TWO
    with pytest.raises(ParameterError, match="A replay needs a number for C; got 'cv'"):
        LogisticRegression(C="cv").replay(X, y)
    with pytest.raises(ParameterError, match="need a number for `C`; got 'cv'"):
        LinearSVM(C="cv").fit(X, y, coef_init=[0, 0, 0])
    with pytest.raises(DataError, match=r"coef_init must have shape \(1, 3\)"):
        LinearSVM().fit(X, y, coef_init=[0.0])
    with pytest.raises(DataError, match="intercept_init must be finite"):
        LogisticRegression().replay(X, y, intercept_init=np.nan)
    run = BatchPerceptron(max_iter=2).replay(X, y)
    with pytest.raises(ParameterError, match="no step 1 in epoch 1"):
        run.visit(1, 1)


def test_the_path_through_weight_space_begins_at_the_start() -> None:
    points = builtin("4f10")
    start = {"coef_init": [0, 1], "intercept_init": -0.5}
    model = BatchPerceptron().fit(points.X, points.y, **start)
    display = WeightSpaceDisplay.from_estimator(model, points.X, points.y, **start)
    np.testing.assert_allclose(display.path, [[0, 1], [1.45, -0.6], [1.45, -0.6]])
