"""Divergence from too large a learning rate: how it is detected, and which weights are kept.

LMS takes steps proportional to the error, so with an η too large for the rows each step makes the
next one larger: it is safe while η ‖(x, 1)‖² < 2 for every row, or, in batches, for their sum. A
epoch that leaves the range of float64 is undone by its solver, which reports the loss ∞. A run that
stops with a loss above that of zero weights, and growing, is diverging; the error of a sigmoid
output stays bounded, but its gradient vanishes once it is saturated. All these runs keep the
weights from before the epoch with the smallest loss.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import square
from rosenblatt.losses.margin_losses import value_and_derivative
from rosenblatt.online.result import Ending, EpochResult
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats

ROUNDING = 1e-9  # outputs that are saturated give the same loss again, summed in another order


@dataclass(frozen=True)
class DivergenceGuard:
    """What divergence is detected by.

    `start` are the weights before the first epoch, `zero_loss` the mean loss of zero weights, and
    `advice` says which η would do.
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
        # from elsewhere a loss that merely stays above may be the fault of the start
        growing = result.loss > (last * (1 - ROUNDING) if from_zero else last)
        worse = result.loss > guard.zero_loss and growing and _stopped_unconverged(result)
        if worse or result.loss == np.inf:
            keep = partial(_same, kept)
            advice = guard.advice()
            yield replace(result, ending=Ending.DIVERGED, advice=advice, last=keep, weights=keep)
            return
        before, last = result.weights(), result.loss
        yield result


def _stopped_unconverged(result: EpochResult) -> bool:
    return result.ending is not None and not result.ending.is_converged


def _same(W: Floats) -> Floats:
    return W


class RowNorms(NamedTuple):
    """Largest and summed weight · ‖(x, bias)‖² of some rows, and the largest weight."""

    longest: float
    total: float
    heaviest: float


def row_norms(data: TrainingData, bias: float) -> RowNorms:
    """Squared norms of the rows; a DataError where they exceed float64."""
    heaviest = float((data.weights * data.class_weights[data.codes]).max())
    lengths = RowNorms(*squared_norms(data, bias), heaviest)
    if not np.isfinite(lengths.longest):
        raise not_finite(data.rows)
    return lengths


def zero_loss(data: TrainingData, rule: Rule, n_units: int, *, by_weight: bool) -> float:
    """Loss of zero weights, where every margin is 0: its mean by weight, or over the rows."""
    value = n_units * float(value_and_derivative(rule.loss, 0.0)[0])
    if by_weight:
        return value
    return value * float((data.weights * data.class_weights[data.codes]).mean())


def smaller_eta(eta: float, safe: float) -> float:
    """A smaller learning rate: the safe one, or half of η if that is less."""
    return min(safe, eta / 2)


@njit(cache=True, nogil=True)
def squared_norms(data: TrainingData, bias: float) -> tuple[float, float]:
    """Largest and summed weight · ‖(x, bias)‖²."""
    X, codes, weights, class_weights = data
    longest, total = 0.0, 0.0
    for i in range(len(codes)):
        length = weights[i] * class_weights[codes[i]] * (square(X, i) + bias * bias)
        longest = max(longest, length)
        total += length
    return longest, total
