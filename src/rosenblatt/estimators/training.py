"""Run a solver for an estimator: where it starts, who listens, when it stops, what is kept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Codes, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import Rows, n_cols, n_rows
from rosenblatt.errors import DataError
from rosenblatt.estimators.linear import given_numbers
from rosenblatt.evidence.bounds import Geometry, MarginBounds, geometry
from rosenblatt.evidence.trace import Record, Trace, outcome_of, record_of
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.decisions import decided
from rosenblatt.solvers.correct import Rule, move
from rosenblatt.solvers.divergence import Guard, guarded
from rosenblatt.solvers.run import measuring, pocketing, scoring, time_spent, until
from rosenblatt.solvers.score import scores_of, training_error
from rosenblatt.solvers.state import Outcome, State


@dataclass(frozen=True)
class Listening:
    """What is measured while a solver runs, and when it has to stop."""

    stops: list[Callable[[State], Any]]
    pocket: bool = False
    track_error: bool = False
    validation: Problem | None = None
    eta_if_bounded: float | None = None
    geometry: Callable[[Any], Geometry] | None = None  # of the last weights, if not in x itself
    guard: Guard | None = None
    progress: Callable[[Record], None] | None = None
    time_limit: float | None = None  # in seconds


@dataclass(frozen=True)
class Fit:
    """The answer of a run."""

    W: Floats
    trace: Trace
    outcome: Outcome
    mistakes: int
    margin_bounds: MarginBounds | None
    mistake_bound: float | None


def train(states: Iterator[State], blocks: Blocks, rule: Rule, listening: Listening) -> Fit:
    """Run a solver to its end and collect the evidence."""
    trace = Trace()
    last: State | None = None
    stops = [*listening.stops, time_spent(listening.time_limit)]
    states = until(_measured(states, blocks, listening), stops)
    if listening.guard is not None:
        states = guarded(states, listening.guard)
    for last in states:
        trace.add(record_of(last, listening.eta_if_bounded))
        if listening.progress is not None:
            listening.progress(trace[-1])
    if last is None:
        raise ValueError("a solver must give at least one state")
    bounds, mistake_bound = _bounds(trace, last, blocks, rule, listening)
    return Fit(last.weights(), trace, outcome_of(last), last.all_mistakes, bounds, mistake_bound)


def _measured(states: Iterator[State], blocks: Blocks, listening: Listening) -> Iterator[State]:
    if listening.pocket:
        states = pocketing(states, lambda W: training_error(blocks, W))
    elif listening.track_error:
        states = measuring(states, lambda W: training_error(blocks, W))
    if listening.validation is not None:
        rows = listening.validation
        states = scoring(states, lambda W: accuracy(rows, W))
    return states


def accuracy(problem: Problem, W: Floats) -> float:
    """Weighted share of rows the weights W decide rightly."""
    right = decided(scores_of(problem.rows, W), problem.n_classes) == problem.codes
    return float(np.average(right, weights=problem.weights))


def _bounds(
    trace: Trace, last: State, blocks: Blocks, rule: Rule, listening: Listening
) -> tuple[MarginBounds | None, float | None]:
    """Bracket of the largest margin, and the mistakes the theorem allows, once the run is over."""
    if listening.eta_if_bounded is None:
        return None, None
    upper = min((u for u in trace.column("margin_upper") if u is not None), default=np.inf)
    if last.mistakes > 0:
        return MarginBounds(-np.inf, upper), None
    in_x = partial(geometry, blocks, bias=rule.bias, kesler=rule.kesler)
    found = (listening.geometry or in_x)(last.last())
    lower = min(found.margin / trace[-1].norm, upper)  # by rounding it may come out above
    trace.replace_last(replace(trace[-1], margin_lower=lower))
    longest = 2.0 * found.square_radius if rule.kesler else found.square_radius
    return MarginBounds(lower, upper), float(longest / lower**2)


def start_weights(problem: Problem, n_units: int, start: str, seed: int) -> Floats:
    """Weights to start from: zero, random, or the mean of each unit's own class."""
    shape = (n_units, n_cols(problem.rows) + 1)
    W: Floats
    if start == "random":
        W = np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[1])
    elif start == "means":
        sums = np.zeros((problem.n_classes, shape[1]))
        add_to_classes(problem.rows, problem.codes, problem.weights, sums)
        totals = np.bincount(problem.codes, problem.weights, problem.n_classes)
        W = np.divide(sums, np.maximum(totals, np.finfo(float).tiny)[:, None])[-n_units:]
    else:
        W = np.zeros(shape)
    return W


@njit(cache=True, nogil=True)
def add_to_classes(X: Rows, codes: Codes, weights: Floats, sums: Floats) -> None:
    """Add each row (x, 1), times its weight, to the sum of its class."""
    for i in range(len(codes)):
        move(X, i, weights[i], 1.0, sums[codes[i]])


def given_weights(coef_init: Any, intercept_init: Any, W: Floats, bias: float) -> Floats:
    """Start weights with the parts given to `fit` in their place, and no bias where none is."""
    W = W.copy()
    for name, given, part in (
        ("coef_init", coef_init, W[:, :-1]),
        ("intercept_init", intercept_init, W[:, -1]),
    ):
        if given is not None:
            values = given_numbers(name, given)
            one_unit = len(W) == 1 and values.size == part.size
            if values.shape != part.shape and not one_unit:
                raise DataError(f"{name} must have shape {part.shape}; got {values.shape}.")
            part[...] = values.reshape(part.shape)
    W[:, -1] *= bias
    return W


def held_out(problem: Problem, fraction: float, seed: int) -> tuple[Problem, Problem]:
    """Split off validation rows: the same share of each class, drawn by a seed.

    Rows of weight 0 stay where they are: they would judge nothing.
    """
    n = n_rows(problem.rows)
    rng = np.random.default_rng(seed)
    chosen = np.zeros(n, bool)
    for code in range(problem.n_classes):
        rows = np.flatnonzero((problem.codes == code) & (problem.weights > 0))
        chosen[rng.permutation(rows)[: _share(len(rows), fraction)]] = True
    kept: Array = np.flatnonzero(~chosen)
    if len(np.unique(problem.codes[kept])) < problem.n_classes or not chosen.any():
        raise DataError(
            f"early_stopping with validation_fraction={fraction} leaves too few of the {n} rows:"
            " every class needs rows on both sides. Give X_val and y_val instead."
        )
    return problem.take(kept), problem.take(np.flatnonzero(chosen))


def _share(n: int, fraction: float) -> int:
    return min(n - 1, max(1, round(n * fraction)))
