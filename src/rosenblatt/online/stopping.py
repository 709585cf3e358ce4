"""Stopping criteria, measurements after each epoch, divergence from too large a learning rate."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import square
from rosenblatt.losses.margin_losses import value_and_derivative
from rosenblatt.online.result import Ending, EpochResult
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats

Stop = Callable[[EpochResult], Ending | None]


def until(results: Iterable[EpochResult], stops: Iterable[Stop]) -> Iterator[EpochResult]:
    """Results up to the first that meets a stopping criterion, with its ending."""
    rules = list(stops)
    for result in results:
        endings = [ending for rule in rules if (ending := rule(result)) is not None]
        if endings:
            yield replace(result, ending=endings[0])
            return
        yield result


def with_training_error(
    results: Iterable[EpochResult], error: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results with the training error of the kept weights."""
    for result in results:
        yield replace(result, error=error(result.weights()))


def with_validation_error(
    results: Iterable[EpochResult], error: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results with the error of the kept weights on validation rows."""
    for result in results:
        yield replace(result, validation_error=error(result.weights()))


def keep_best(
    results: Iterable[EpochResult], error: Callable[[Any], float]
) -> Iterator[EpochResult]:
    """Results that keep the weights with the smallest training error so far (pocket algorithm).

    After each epoch two candidates are evaluated: the last weights, and those of the longest run of
    correct rows (Gallant 1990 checks at every new longest run; here once an epoch).
    """
    pocket: Any = None
    least = np.inf
    for result in results:
        for candidate in (result.last(), result.weights()):
            if (found := error(candidate)) < least:
                pocket, least = candidate, found
        yield replace(result, weights=partial(_same, pocket), error=float(least))


def _same(weights: Any) -> Any:
    return weights


def no_mistake(result: EpochResult) -> Ending | None:
    """Stop at the first epoch without a mistake (the convergence theorem)."""
    return Ending.NO_MISTAKE if result.mistakes == 0 else None


def no_change(result: EpochResult) -> Ending | None:
    """Stop at the first epoch without a mistake and without an update."""
    return Ending.NO_CHANGE if result.updates == 0 and result.mistakes == 0 else None


def after_one_epoch(result: EpochResult) -> Ending | None:  # noqa: ARG001
    """Stop after one epoch."""
    return Ending.ONE_EPOCH


def max_epochs(max_iter: int, ending: Ending | None = None) -> Stop:
    """Stop after max_iter epochs, with a given ending or one by the mistakes of the last epoch."""

    def spent(result: EpochResult) -> Ending | None:
        if result.epoch < max_iter:
            return None
        if ending is not None:
            return ending
        return Ending.MAX_EPOCHS_REACHED if result.mistakes else Ending.LOSS_REMAINS

    return spent


def max_seconds(seconds: float | None) -> Stop:
    """Stop after the epoch in which a time limit, counted from now, is reached; None: never."""
    deadline = np.inf if seconds is None else time.monotonic() + seconds
    return lambda _: Ending.EPOCH_TIME_LIMIT_REACHED if time.monotonic() > deadline else None


@dataclass
class Stalled:
    """Stop when a figure has not improved by tol for `patience` epochs in a row."""

    figure: Callable[[Any], float]  # of a result, to be minimised
    tol: float
    patience: int
    ending: Ending
    best: float = np.inf
    n_without_progress: int = 0

    def __call__(self, result: Any) -> Ending | None:
        """The ending, once the figure has stalled."""
        value = self.figure(result)
        progress = value < self.best - self.tol
        self.n_without_progress = 0 if progress else self.n_without_progress + 1
        self.best = min(self.best, value)
        return self.ending if self.n_without_progress >= self.patience else None


ROUNDING = 1e-9  # saturated outputs give the same loss again, but for the order of the sum


@dataclass(frozen=True)
class DivergenceGuard:
    """Reference values by which divergence is detected.

    `start` are the weights before the first epoch, `zero_loss` is the mean loss of zero weights,
    and `advice` returns a sentence with a suitable η.
    """

    start: Floats
    zero_loss: float
    advice: Callable[[], str]


def stop_on_divergence(
    results: Iterable[EpochResult], guard: DivergenceGuard
) -> Iterator[EpochResult]:
    """Results of a run; one that diverges ends as DIVERGED, with earlier weights."""
    before = kept = guard.start
    from_zero = not guard.start.any()
    least = last = guard.zero_loss if from_zero else np.inf
    for result in results:
        if result.loss < least:
            kept, least = before, result.loss
        # from another start, a loss that merely stays above may be due to the start
        growing = result.loss > (last * (1 - ROUNDING) if from_zero else last)
        worse = result.loss > guard.zero_loss and growing and _stopped_unconverged(result)
        if worse or result.loss == np.inf:
            keep = partial(_kept, kept)
            advice = guard.advice()
            yield replace(result, ending=Ending.DIVERGED, advice=advice, last=keep, weights=keep)
            return
        before, last = result.weights(), result.loss
        yield result


def _stopped_unconverged(result: EpochResult) -> bool:
    return result.ending is not None and not result.ending.is_converged


def _kept(W: Floats) -> Floats:
    return W


class RowNorms(NamedTuple):
    """Maximum and sum of weight · ‖(x, constant)‖² over some rows, and the largest weight."""

    largest: float
    total: float
    max_weight: float


def row_norms(data: TrainingData, constant: float) -> RowNorms:
    """Squared norms of the rows; a DataError where they exceed float64."""
    max_weight = float((data.weights * data.class_weights[data.codes]).max())
    norms = RowNorms(*squared_norms(data, constant), max_weight)
    if not np.isfinite(norms.largest):
        raise not_finite(data.rows)
    return norms


def zero_loss(data: TrainingData, rule: Rule, n_outputs: int, *, by_weight: bool) -> float:
    """Mean loss of zero weights, where every margin is 0: weighted, or a row."""
    value = n_outputs * float(value_and_derivative(rule.loss, 0.0)[0])
    if by_weight:
        return value
    return value * float((data.weights * data.class_weights[data.codes]).mean())


def smaller_eta(eta: float, safe: float) -> float:
    """A smaller learning rate: the safe one, or half of η if that is less."""
    return min(safe, eta / 2)


@njit(cache=True, nogil=True)
def squared_norms(data: TrainingData, constant: float) -> tuple[float, float]:
    """Maximum and sum of weight · ‖(x, constant)‖²."""
    X, codes, weights, class_weights = data
    largest, total = 0.0, 0.0
    for i in range(len(codes)):
        norm = weights[i] * class_weights[codes[i]] * (square(X, i) + constant * constant)
        largest = max(largest, norm)
        total += norm
    return largest, total
