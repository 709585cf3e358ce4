"""Steps that are too large end in an outcome that helps, with finite weights from before."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from rosenblatt import LMS, TanhPerceptron, builtin
from rosenblatt.datasets import synthetic
from rosenblatt.errors import DataError
from rosenblatt.losses.margin_losses import SQUARE
from rosenblatt.online.result import Ending, EpochResult
from rosenblatt.online.stopping import DivergenceGuard, stop_on_divergence

X, Y, _ = synthetic.overlapping(n=300, d=3, distance=1.5, seed=2)
IRIS = builtin("iris")

WILD = [
    LMS(eta0=1.0),
    LMS(eta0=1e200),
    LMS(eta0=0.5, keep="average"),
    LMS(eta0=0.5, keep="pocket"),
    LMS(eta0=0.1, batch_size=None),
    LMS(eta0=1.0, batch_size=10, keep="average"),
    LMS(eta0=2.5, learning_rate="normalised"),
    LMS(eta0=500.0, learning_rate="normalised", batch_size=None),
    LMS(eta0=1.0, tol=None, max_iter=50),
]
EVERY = pytest.mark.parametrize("estimator", WILD, ids=repr)


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


def suggested(model: Any) -> float:
    return float(re.search(r"try `eta0=([\d.e+-]*\d)", str(model.outcome_)).group(1))


@EVERY
@pytest.mark.parametrize("classes", [2, 3])
def test_a_run_that_diverges_says_so_and_keeps_finite_weights(estimator: Any, classes: int) -> None:
    data = (X, Y) if classes == 2 else (IRIS.X, IRIS.y)
    model = clone(estimator).fit(*data)
    assert model.outcome_.ending is Ending.DIVERGED
    assert not model.outcome_.converged
    assert f"`eta0={estimator.eta0:g}` is too large" in str(model.outcome_)
    assert np.isfinite(weights_of(model)).all()
    assert len(model.trace_) == model.n_iter_
    assert model.predict(data[0]).shape == data[1].shape
    assert sum(model.trace_.column("mistakes")) == model.mistakes_


@EVERY
def test_the_step_it_suggests_does(estimator: Any) -> None:
    model = clone(estimator).fit(X, Y)
    tame = clone(estimator).set_params(eta0=suggested(model)).fit(X, Y)
    assert suggested(model) < estimator.eta0
    assert tame.outcome_.ending is not Ending.DIVERGED
    assert tame.score(X, Y) > 0.7
    if estimator.learning_rate == "constant":
        assert "learning_rate='normalised'" in str(model.outcome_)
        other = clone(estimator).set_params(learning_rate="normalised", eta0=0.1).fit(X, Y)
        assert other.outcome_.ending is not Ending.DIVERGED


def test_the_suggestion_follows_the_longest_row_or_the_batch() -> None:
    squares = (X**2).sum(axis=1) + 1
    assert suggested(LMS(eta0=1.0).fit(X, Y)) == float(f"{0.1 / squares.max():.1g}")
    whole = LMS(eta0=1.0, batch_size=None).fit(X, Y)
    assert suggested(whole) == float(f"{1 / squares.sum():.1g}")
    weighted = LMS(eta0=1.0).fit(X, Y, sample_weight=np.full(300, 100.0))
    assert suggested(weighted) == float(f"{0.001 / squares.max():.1g}")


@pytest.mark.parametrize(
    "settings",
    [{"class_weight": {1: 1000.0}}, {"class_weight": {1: 1000.0}, "learning_rate": "normalised"}],
)
def test_weights_can_make_steps_too_large_as_well(settings: dict[str, Any]) -> None:
    assert LMS(eta0=0.02).fit(X, Y).outcome_.ending is not Ending.DIVERGED
    model = LMS(eta0=0.02, **settings).fit(X, Y)
    assert model.outcome_.ending is Ending.DIVERGED
    tame = LMS(**settings, eta0=suggested(model)).fit(X, Y)
    assert tame.outcome_.ending is not Ending.DIVERGED
    heavy = LMS(eta0=0.02).fit(X, Y, sample_weight=np.full(300, 1000.0))
    assert heavy.outcome_.ending is Ending.DIVERGED


def test_slow_divergence_is_noticed_while_the_weights_are_finite() -> None:
    # Σ‖x‖² is about 300 times that of a row: η λ is a little above 2
    largest = np.linalg.eigvalsh(np.column_stack([X, np.ones(300)]).T @ np.c_[X, np.ones(300)])[-1]
    for passes in (30, 60):
        settings = {"batch_size": None, "tol": None, "max_iter": passes}
        slow = LMS(eta0=2.1 / largest, **settings).fit(X, Y)
        losses = slow.trace_.column("loss")
        assert np.isfinite(losses).all()
        assert 0.5 < losses[-1] < 1e9
        assert slow.outcome_.ending is Ending.DIVERGED
        stable = LMS(eta0=1.9 / largest, **settings).fit(X, Y)
        assert stable.outcome_.ending is Ending.MAX_DESCENT_EPOCHS_REACHED


def test_the_weights_kept_are_those_with_the_smallest_loss() -> None:
    # along x₀ the loss falls slowly; along x₁ it grows from next to nothing
    rng = np.random.default_rng(0)
    y = np.tile([1.0, -1.0], 50)
    rows = np.column_stack(
        [0.3 * y + 0.1 * rng.normal(size=100), 2.0 + 0.01 * rng.normal(size=100)]
    )
    model = LMS(eta0=2.05 / 400, batch_size=None, fit_intercept=False, max_iter=300, tol=None)
    model.fit(rows, y)
    losses = model.trace_.column("loss")
    best = int(np.argmin(losses))
    assert model.outcome_.ending is Ending.DIVERGED
    assert 0 < best < len(losses) - 1
    # of a whole batch the loss of a pass is that of the weights before it
    scores = model.decision_function(rows)
    assert np.mean((y - scores) ** 2 / 2) == pytest.approx(losses[best], rel=1e-12)


def test_a_bad_start_that_gets_better_is_no_divergence() -> None:
    start = {"coef_init": [50.0, -50.0, 50.0], "intercept_init": 50.0}
    model = LMS(eta0=1e-5, max_iter=3, tol=None).fit(X, Y, **start)
    assert model.trace_[-1].loss > 0.5
    assert model.outcome_.ending is Ending.MAX_DESCENT_EPOCHS_REACHED
    model.set_params(eta0=1.0, max_iter=50).fit(X, Y, **start)
    assert model.outcome_.ending is Ending.DIVERGED
    assert model.coef_.tolist() == [[50, -50, 50]]


@pytest.mark.parametrize(
    "settings", [{"max_iter": 1, "tol": None, "shuffle": False}, {"max_iter": 3}, {}]
)
@pytest.mark.parametrize("eta", [0.001, 0.01, 0.1])
@pytest.mark.parametrize("name", ["and", "or", "4f10", "rings", "overlapping", "iris"])
def test_runs_within_the_safe_step_are_none_that_diverge(
    name: str, eta: float, settings: dict[str, Any]
) -> None:
    # η ‖x‖² < 1 for every row: a step only ever takes off a part of the error of its own row
    data = builtin(name)
    eta = min(eta, 0.9 / float((data.X**2).sum(axis=1).max() + 1))
    for kind in (LMS, TanhPerceptron):
        model = kind(eta0=eta, **settings).fit(data.X, data.y)
        assert model.outcome_.ending not in {Ending.DIVERGED, Ending.SATURATED}
        assert weights_of(model).any()


def test_one_epoch_keeps_its_weights_though_its_errors_were_above_those_of_zero_weights() -> None:
    gate = builtin("and")
    model = LMS(eta0=0.1, max_iter=1, tol=None, shuffle=False).fit(gate.X, gate.y)
    w = np.zeros(3)
    for x, y in zip(np.column_stack([gate.X, np.ones(4)]), 2 * gate.y - 1, strict=True):
        w += 0.1 * (y - w @ x) * x
    np.testing.assert_allclose(weights_of(model)[0], w, rtol=1e-14)
    assert model.trace_[0].loss > 0.5


@pytest.mark.parametrize("eta", [10.0, 1e100])
@pytest.mark.parametrize("batch_size", [1, 10, None])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("rows", [np.asarray, csr_array])
def test_real_divergence_takes_two_epochs_to_see(
    eta: float, batch_size: int | None, scale: float, rows: Any
) -> None:
    step = eta / scale**2
    model = LMS(eta0=step, batch_size=batch_size, tol=None, fit_intercept=False)
    model.fit(rows(scale * X), Y)
    assert model.outcome_.ending is Ending.DIVERGED
    assert model.n_iter_ <= 2
    assert not model.coef_.any()


def test_steps_that_shrink_may_come_back() -> None:
    data = builtin("separable")
    model = LMS(eta0=10.0, learning_rate="1/n").fit(data.X, data.y)
    assert model.trace_[0].loss > 1e30
    assert model.outcome_.ending is Ending.SQUARED_ERROR_STALLED
    assert model.score(data.X, data.y) > 0.95


@pytest.mark.parametrize("classes", [2, 3])
def test_saturated_outputs_are_named_and_their_weights_kept(classes: int) -> None:
    data = builtin("4f10" if classes == 2 else "iris")
    model = TanhPerceptron(eta0=50.0).fit(data.X, data.y)
    assert model.outcome_.ending is Ending.SATURATED
    assert "`eta0=50` is too large" in str(model.outcome_)
    assert np.abs(weights_of(model)).max() > 10
    tame = TanhPerceptron(eta0=suggested(model)).fit(data.X, data.y)
    assert tame.outcome_.ending is not Ending.SATURATED
    assert tame.score(data.X, data.y) > model.score(data.X, data.y)


def test_outputs_that_saturate_on_their_own_side_are_no_fault() -> None:
    data = builtin("4f10")
    model = TanhPerceptron(eta0=10.0, batch_size=None).fit(data.X, data.y)
    assert np.abs(model.outputs(data.X)).min() > 0.99
    assert model.score(data.X, data.y) == 1
    assert model.outcome_.ending is Ending.OUTPUT_ERROR_STALLED


def run_of(losses: list[float], after: list[float], **guard: Any) -> EpochResult:
    """The last result of a guarded run, whose weights are the number of the epoch.

    `losses` are those of the epochs, `after` those of the weights before the first and after each.
    """

    def results() -> Iterator[EpochResult]:
        for number, loss in enumerate(losses, 1):
            W = np.full((1, 1), float(number))
            ending = Ending.OUTPUT_ERROR_STALLED if number == len(losses) else None
            yield EpochResult(number, 10, 5, 1, loss, 5, 1, W.copy, W.copy, ending=ending)

    def loss_of(W: Any) -> float:
        return after[int(W[0, 0])]

    start = np.zeros((1, 1))
    own = {"zero_loss": 0.5, "loss_of": loss_of, "derivative_of": loss_of}
    *_, last = stop_on_divergence(
        results(), DivergenceGuard(SQUARE, start, **own, advice=lambda: "Try less.", **guard)
    )
    return last


@pytest.mark.parametrize(
    ("losses", "after", "guard", "kept"),
    [
        ([10, 80, 1], [0.5, 30, 200, 1], {}, 0),  # far above the start, and growing
        ([0.4, 80, 1], [0.5, 0.6, 200, 1], {}, 0),
        ([0.4, 0.3, 80], [0.5, 0.3, 0.2, 200], {}, 1),  # weights of before the least loss
        ([10, np.inf], [0.5, 1, 1], {}, 0),
        ([0.4], [0.5, 60], {}, 0),  # the last row of an epoch may do it
        ([0.4], [0.5, np.nan], {}, 0),
        ([0.5, 0.4, 0.501, 0.4], [0.5, 0.4, 0.501, 0.51, 0], {"by_whole_set": True}, 1),
        ([1e9, 1e9], [0.5, 1e9, 1e8], {"steps_shrink": True}, 0),
    ],
)
def test_a_run_that_diverges_goes_back_to_before_its_smallest_loss(
    losses: list[float], after: list[float], guard: dict[str, bool], kept: float
) -> None:
    last = run_of(losses, after, **guard)
    assert last.ending is Ending.DIVERGED
    assert last.advice == "Try less."
    assert last.weights().tolist() == last.last().tolist() == [[kept]]


@pytest.mark.parametrize(
    ("losses", "after", "guard"),
    [
        ([0.6, 0.7, 0.8], [0.5, 0.55, 0.6, 0.7], {}),  # noise
        ([80, 60, 0.4], [0.5, 70, 5, 0.4], {}),  # falling
        ([1e9, 1e9, 2], [0.5, 1e9, 1e9, 2], {"steps_shrink": True}),
        ([0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5 + 1e-13], {"by_whole_set": True}),  # rounding
        ([0.5, 0.7, 0.6], [0.5, 0.7, 0.6, 0.6], {"by_whole_set": True, "steps_shrink": True}),
    ],
)
def test_a_run_that_does_not_grow_for_ever_is_left_alone(
    losses: list[float], after: list[float], guard: dict[str, bool]
) -> None:
    last = run_of(losses, after, **guard)
    assert last.ending is Ending.OUTPUT_ERROR_STALLED
    assert last.weights().tolist() == [[len(losses)]]


@pytest.mark.parametrize("batch_size", [1, 10, None])
def test_rows_too_long_to_normalise_are_refused(batch_size: int | None) -> None:
    model = LMS(learning_rate="normalised", batch_size=batch_size)
    with pytest.raises(DataError, match="too large"):
        model.fit(X * 1e200, Y)
    assert not hasattr(model, "coef_")


def test_the_hard_error_never_diverges() -> None:
    model = LMS(error="hard", eta0=1e100, max_iter=20).fit(X, Y)
    assert model.outcome_.ending in {Ending.LOSS_STALLED, Ending.MAX_EPOCHS_REACHED}


# --- streams ------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
def test_a_chunk_that_runs_away_is_left_out(keep: str) -> None:
    model = LMS(eta0=0.01, keep=keep).partial_fit(X[:100], Y[:100])
    before, rows, mistakes = weights_of(model), model.t_, model.mistakes_
    model.set_params(eta0=1e170).partial_fit(X[100:200], Y[100:200])
    assert model.outcome_.ending is Ending.STREAM_DIVERGED
    assert "the 100 rows before it" in str(model.outcome_)
    np.testing.assert_array_equal(weights_of(model), before)
    assert (model.t_, model.mistakes_) == (rows, mistakes)
    # and the stream goes on as if it had not come
    model.set_params(eta0=0.01).partial_fit(X[200:], Y[200:])
    spared = LMS(eta0=0.01, keep=keep).partial_fit(X[:100], Y[:100]).partial_fit(X[200:], Y[200:])
    np.testing.assert_array_equal(weights_of(model), weights_of(spared))
    assert model.outcome_.ending is Ending.STREAM


def test_a_chunk_that_was_left_out_is_told_before_a_score_that_no_longer_rises() -> None:
    model = LMS(eta0=0.01, n_iter_no_change=1).partial_fit(X, Y, X_val=X, y_val=Y)
    model.set_params(eta0=1e170).partial_fit(X, Y, X_val=X, y_val=Y)
    assert model.outcome_.ending is Ending.STREAM_DIVERGED


@pytest.mark.parametrize("eta", [1e3, 1e170, 1e308])
def test_rows_that_come_alone_run_away_no_further_than_one_step(eta: float) -> None:
    model = LMS(eta0=0.01).partial_fit(X[:100], Y[:100]).set_params(eta0=eta)
    for i in range(100, 200):
        model.partial_fit(X[i : i + 1], Y[i : i + 1])
        assert np.isfinite(weights_of(model)).all()
    assert model.outcome_.ending is Ending.STREAM_DIVERGED
    # a step shows in the error of the row after it, which is then left out
    assert model.t_ < 100 + (2 if eta > 1e3 else 10)


def test_errors_beyond_all_digits_count_as_running_away() -> None:
    model = LMS(eta0=1.0).partial_fit(X, Y)
    assert np.isfinite(np.square(X).sum())
    assert model.outcome_.ending is Ending.STREAM_DIVERGED
    assert not weights_of(model).any()
    assert suggested(model) < 1


def test_a_first_chunk_that_runs_away_leaves_zero_weights_and_its_classes() -> None:
    model = LMS(eta0=1e300).partial_fit(IRIS.X, IRIS.y)
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert weights_of(model).tolist() == np.zeros((3, 5)).tolist()
    assert model.t_ == 0
    model.set_params(eta0=0.001).partial_fit(IRIS.X, IRIS.y)
    fresh = LMS(eta0=0.001).partial_fit(IRIS.X, IRIS.y, classes=model.classes_)
    np.testing.assert_array_equal(weights_of(model), weights_of(fresh))


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
def test_a_stream_goes_on_from_the_weights_a_diverged_fit_kept(keep: str) -> None:
    start = {"coef_init": [0.5, 0.1, 0.2], "intercept_init": 0.1}
    model = LMS(eta0=1.0, keep=keep).fit(X, Y, **start)
    assert model.outcome_.ending is Ending.DIVERGED
    assert model.coef_.tolist() == [[0.5, 0.1, 0.2]]
    model.set_params(eta0=0.01).partial_fit(X[:1], Y[:1])
    assert model.outcome_.ending is Ending.STREAM
    assert np.isfinite(weights_of(model)).all()
    if keep == "last":
        x, e = np.append(X[0], 1), Y[0] - (X[0] @ [0.5, 0.1, 0.2] + 0.1)
        np.testing.assert_allclose(weights_of(model)[0], [0.5, 0.1, 0.2, 0.1] + 0.01 * e * x)
