"""Run a solver for an estimator: initial weights, stopping criteria, log messages, result."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.errors import DataError
from rosenblatt.estimators.linear_base import given_numbers
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, n_cols, n_rows
from rosenblatt.linalg.scores import scores_of, training_error
from rosenblatt.losses.link import predicted_codes
from rosenblatt.online.result import EpochResult, Outcome
from rosenblatt.online.stopping import (
    DivergenceGuard,
    keep_best,
    max_seconds,
    stop_on_divergence,
    until,
    with_training_error,
    with_validation_error,
)
from rosenblatt.online.update import Rule, add_row
from rosenblatt.trace.trace import (
    MarginAndRadius,
    MarginBounds,
    Record,
    Trace,
    margin_and_radius,
    outcome_of,
    record_of,
)
from rosenblatt.types import Array, Codes, Floats

_LOG = logging.getLogger("rosenblatt")


def log_epoch(record: Record, max_iter: int, *, verbose: bool = False) -> None:
    """Log an epoch, at level INFO if verbose, else DEBUG."""
    level = logging.INFO if verbose else logging.DEBUG
    values = (record.epoch, record.mistakes, record.loss)
    share = {"share": record.epoch / max_iter}
    _LOG.log(level, "epoch %d: %d mistakes, loss %.6g", *values, extra=share)


@dataclass(frozen=True)
class Monitoring:
    """What is measured while a solver runs, and when it has to stop."""

    criteria: list[Callable[[EpochResult], Any]]
    pocket: bool = False
    track_error: bool = False
    validation: Callable[[Any], float] | None = None  # error of weights on validation rows
    eta_if_bounded: float | None = None
    geometry: Callable[[Any], MarginAndRadius] | None = (
        None  # of the last weights, if not in x itself
    )
    guard: DivergenceGuard | None = None
    progress: Callable[[Record], None] | None = None
    time_limit: float | None = None  # in seconds


@dataclass(frozen=True)
class Fit:
    """The result of a run."""

    W: Floats
    trace: Trace
    outcome: Outcome
    mistakes: int
    margin_bounds: MarginBounds | None
    mistake_bound: float | None


def run_solver(
    results: Iterator[EpochResult], blocks: Blocks, rule: Rule, monitoring: Monitoring
) -> Fit:
    """Run a solver until a criterion stops it, with its trace and margin bounds."""
    trace = Trace()
    last: EpochResult | None = None
    criteria = [*monitoring.criteria, max_seconds(monitoring.time_limit)]
    results = until(_measured(results, blocks, monitoring), criteria)
    if monitoring.guard is not None:
        results = stop_on_divergence(results, monitoring.guard)
    for last in results:
        trace.add(record_of(last, monitoring.eta_if_bounded))
        if monitoring.progress is not None:
            monitoring.progress(trace[-1])
    if last is None:
        raise ValueError("a solver must give at least one state")
    bounds, mistake_bound = _bounds(trace, last, blocks, rule, monitoring)
    return Fit(last.weights(), trace, outcome_of(last), last.all_mistakes, bounds, mistake_bound)


def _measured(
    results: Iterator[EpochResult], blocks: Blocks, monitoring: Monitoring
) -> Iterator[EpochResult]:
    if monitoring.pocket:
        results = keep_best(results, lambda W: training_error(blocks, W))
    elif monitoring.track_error:
        results = with_training_error(results, lambda W: training_error(blocks, W))
    if monitoring.validation is not None:
        results = with_validation_error(results, monitoring.validation)
    return results


def error_on(data: TrainingData | None, n_jobs: int) -> Callable[[Any], float] | None:
    """What gives the share of some rows that weights misclassify; None without rows."""
    return None if data is None else partial(training_error, Blocks(data, n_jobs))


def accuracy(data: TrainingData, W: Floats) -> float:
    """Weighted accuracy of the weights W."""
    right = predicted_codes(scores_of(data.rows, W), data.n_classes) == data.codes
    return float(np.average(right, weights=data.weights))


def _bounds(
    trace: Trace, last: EpochResult, blocks: Blocks, rule: Rule, monitoring: Monitoring
) -> tuple[MarginBounds | None, float | None]:
    """Bracket of the largest margin, and the mistakes the theorem allows, once the run is over."""
    if monitoring.eta_if_bounded is None:
        return None, None
    upper = min((u for u in trace.column("margin_upper") if u is not None), default=np.inf)
    if last.mistakes > 0:
        return MarginBounds(-np.inf, upper), None
    in_x = partial(margin_and_radius, blocks, constant=rule.constant, kesler=rule.kesler)
    found = (monitoring.geometry or in_x)(last.last())
    lower = min(found.margin / trace[-1].norm, upper)  # by rounding it may come out above
    trace.replace_last(replace(trace[-1], margin_lower=lower))
    longest = 2.0 * found.square_radius if rule.kesler else found.square_radius
    return MarginBounds(lower, upper), float(longest / lower**2)


def start_weights(data: TrainingData, n_units: int, start: str, seed: int) -> Floats:
    """Initial weights: zero, random, or the mean of each output's own class."""
    shape = (n_units, n_cols(data.rows) + 1)
    W: Floats
    if start == "random":
        W = np.random.default_rng(seed).normal(size=shape) / np.sqrt(shape[1])
    elif start == "means":
        sums = np.zeros((data.n_classes, shape[1]))
        add_to_classes(data.rows, data.codes, data.weights, sums)
        totals = np.bincount(data.codes, data.weights, data.n_classes)
        W = np.divide(sums, np.maximum(totals, np.finfo(float).tiny)[:, None])[-n_units:]
    else:
        W = np.zeros(shape)
    return W


@njit(cache=True, nogil=True)
def add_to_classes(X: Rows, codes: Codes, weights: Floats, sums: Floats) -> None:
    """Add each row (x, 1), times its weight, to the sum of its class."""
    for i in range(len(codes)):
        add_row(X, i, weights[i], 1.0, sums[codes[i]])


def given_weights(coef_init: Any, intercept_init: Any, W: Floats, bias: float) -> Floats:
    """Initial weights with those given to `fit` in their place, and no intercept without one."""
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


def held_out(data: TrainingData, fraction: float, seed: int) -> tuple[TrainingData, TrainingData]:
    """Training and validation rows: a stratified hold-out split, drawn by a seed.

    Rows of weight 0 stay in the training rows: they would not count in a validation score.
    """
    n = n_rows(data.rows)
    rng = np.random.default_rng(seed)
    chosen = np.zeros(n, bool)
    for code in range(data.n_classes):
        rows = np.flatnonzero((data.codes == code) & (data.weights > 0))
        chosen[rng.permutation(rows)[: _share(len(rows), fraction)]] = True
    kept: Array = np.flatnonzero(~chosen)
    if len(np.unique(data.codes[kept])) < data.n_classes or not chosen.any():
        raise DataError(
            f"early_stopping with validation_fraction={fraction} leaves too few of the {n} rows:"
            " every class needs rows on both sides. Give X_val and y_val instead."
        )
    return data.take(kept), data.take(np.flatnonzero(chosen))


def _share(n: int, fraction: float) -> int:
    return min(n - 1, max(1, round(n * fraction)))
