"""Stopping criteria, measurements after each epoch, divergence from too large a learning rate."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import square
from rosenblatt.losses.margin_losses import BOUNDED, QUADRATIC, SQUARE, value_and_derivative
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


def comparable_loss(result: EpochResult) -> float:
    """Mean loss of an epoch; ∞ where all its mistakes are ties, as with zero weights.

    The perceptron's loss is 0 there, which no later epoch could fall below.
    """
    return np.inf if result.mistakes and result.loss == 0.0 else result.loss


ROUNDING = 1e-9  # relative: sums of the same losses in another order differ by less
FAR = 100.0  # times the loss of the start: a run whose loss grows beyond has diverged
SATURATED = 0.1  # mean relative derivative of saturated outputs


@dataclass(frozen=True)
class DivergenceGuard:
    """What steps that are too large are detected by: they diverge, overshoot or saturate.

    `start` are the weights before the first epoch. `loss_of` returns the mean loss of any weights
    over the training rows, and `derivative_of` the mean relative derivative of their outputs.
    `advice` returns a sentence with a suitable η. `by_whole_set` says that each epoch is one step
    of the same length down the whole loss; `steps_shrink` that steps become shorter, so that a loss
    which has grown may yet come back.
    """

    loss: int
    start: Floats
    zero_loss: float
    loss_of: Callable[[Floats], float]
    derivative_of: Callable[[Floats], float]
    advice: Callable[[], str]
    by_whole_set: bool = False
    steps_shrink: bool = False

    @cached_property
    def start_loss(self) -> float:
        """Mean loss of the weights before the first epoch."""
        return self.loss_of(self.start) if self.start.any() else self.zero_loss

    @cached_property
    def largest_loss(self) -> float:
        """Mean loss beyond which a run has diverged.

        Steps of one length down a square loss multiply its distance from the minimum, along each
        direction, by one factor: once it is above that of the start it grows for ever. Other runs
        are noisy, and only a loss far above counts.
        """
        if self.loss not in QUADRATIC:
            return np.inf  # the weights grow no faster than linearly
        if self.loss == SQUARE and self.by_whole_set and not self.steps_shrink:
            return (1.0 + ROUNDING) * self.start_loss + ROUNDING * self.zero_loss
        return FAR * max(self.start_loss, self.zero_loss)

    def has_diverged(self, result: EpochResult) -> bool:
        """Whether a run has diverged by the end of an epoch that may not be its last."""
        if result.loss == np.inf:
            return True
        if self.steps_shrink or result.loss <= self.largest_loss:
            return False
        return not self.loss_of(result.last()) < result.loss  # still growing

    def ending_of(self, result: EpochResult) -> Ending | None:
        """The ending of a run that stops unconverged, where its steps were too large."""
        W = result.last()
        loss = self.loss_of(W)
        if self.loss in QUADRATIC:
            return None if loss <= self.largest_loss else Ending.DIVERGED
        if self.loss in BOUNDED:
            is_saturated = self.derivative_of(W) < SATURATED and loss > self.zero_loss
            return Ending.SATURATED if is_saturated else None
        return Ending.OVERSHOT if loss > (1.0 + ROUNDING) * self.start_loss else None


def stop_on_divergence(
    results: Iterable[EpochResult], guard: DivergenceGuard
) -> Iterator[EpochResult]:
    """Results of a run; one that diverges ends as DIVERGED, with earlier weights."""
    before = kept = guard.start
    least = guard.start_loss
    for result in results:
        if result.loss < least:
            kept, least = before, result.loss
        if guard.has_diverged(result):
            yield _diverged(result, kept, guard.advice())
            return
        if result.ending is not None and not result.ending.is_converged:
            ending = guard.ending_of(result)
            if ending is Ending.DIVERGED:
                yield _diverged(result, kept, guard.advice())
                return
            if ending is not None:
                yield replace(result, ending=ending, advice=guard.advice())
                return
        before = result.weights()
        yield result


def _diverged(result: EpochResult, kept: Floats, advice: str) -> EpochResult:
    keep = partial(_same, kept)
    return replace(result, ending=Ending.DIVERGED, advice=advice, last=keep, weights=keep)


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
