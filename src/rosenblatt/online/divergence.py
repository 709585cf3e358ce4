"""Divergence from too large a learning rate: how it is detected, and which weights are kept.

LMS takes steps proportional to the error, so with an η too large for the rows each step makes the
next one larger: it is safe while η ‖(x, 1)‖² < 2 for every row, or, in batches, for their sum. An
epoch that overflows float64 is undone by its solver, which reports the loss ∞. A run that stops
with a loss above that of zero weights, and growing, has diverged; the error of a sigmoid output
stays bounded, but its gradient vanishes once it is saturated. All these runs keep the weights from
before the epoch with the smallest loss.
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
    """Maximum and sum of weight · ‖(x, bias)‖² over some rows, and the largest weight."""

    largest: float
    total: float
    max_weight: float


def row_norms(data: TrainingData, bias: float) -> RowNorms:
    """Squared norms of the rows; a DataError where they exceed float64."""
    max_weight = float((data.weights * data.class_weights[data.codes]).max())
    norms = RowNorms(*squared_norms(data, bias), max_weight)
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
def squared_norms(data: TrainingData, bias: float) -> tuple[float, float]:
    """Maximum and sum of weight · ‖(x, bias)‖²."""
    X, codes, weights, class_weights = data
    largest, total = 0.0, 0.0
    for i in range(len(codes)):
        norm = weights[i] * class_weights[codes[i]] * (square(X, i) + bias * bias)
        largest = max(largest, norm)
        total += norm
    return largest, total
