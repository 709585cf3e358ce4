"""Steps that are too large: how a run notices, and what it goes back to.

LMS takes steps proportional to the error, so with an η too large for the rows each step makes the
next one larger: it is safe while η ‖(x, 1)‖² < 2 for every row, or, in batches, for their sum. A
pass that leaves the range of float64 is undone by its solver, which reports the loss ∞. A run that
gives up with a loss above that of zero weights, and growing, is on the way there; a soft output
grows no error beyond its range, but is stuck there once it is saturated. All these runs keep the
weights from before the pass with the smallest loss.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import square
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.losses import value_and_slope
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.state import Ending, State

ROUNDING = 1e-9  # outputs that are saturated give the same loss again, summed in another order


@dataclass(frozen=True)
class Guard:
    """What a run that may diverge is held against.

    `start` are the weights before the first pass, `zero_loss` the mean loss of zero weights, and
    `advice` says which η would do.
    """

    start: Floats
    zero_loss: float
    advice: Callable[[], str]


def guarded(states: Iterable[State], guard: Guard) -> Iterator[State]:
    """Give the states of a run that ends; one that diverges ends so, with weights from before."""
    before = kept = guard.start
    from_zero = not guard.start.any()
    least = last = guard.zero_loss if from_zero else np.inf
    for state in states:
        if state.loss < least:
            kept, least = before, state.loss
        # from elsewhere a loss that merely stays above may be the fault of the start
        growing = state.loss > (last * (1 - ROUNDING) if from_zero else last)
        worse = state.loss > guard.zero_loss and growing and _gave_up(state)
        if worse or state.loss == np.inf:
            keep = partial(_same, kept)
            told = guard.advice()
            yield replace(state, ending=Ending.DIVERGED, advice=told, last=keep, weights=keep)
            return
        before, last = state.weights(), state.loss
        yield state


def _gave_up(state: State) -> bool:
    return state.ending is not None and not state.ending.at_rest


def _same(W: Floats) -> Floats:
    return W


class Lengths(NamedTuple):
    """Largest and summed ‖(x, bias)‖² of some rows, each by its weight; and the largest weight."""

    longest: float
    total: float
    heaviest: float


def lengths_of(problem: Problem, bias: float) -> Lengths:
    """Lengths of the rows of a problem; refuse rows too long to compute with."""
    heaviest = float((problem.weights * problem.class_weights[problem.codes]).max())
    lengths = Lengths(*measure_lengths(problem, bias), heaviest)
    if not np.isfinite(lengths.longest):
        raise not_finite(problem.rows)
    return lengths


def zero_loss(problem: Problem, rule: Rule, n_units: int, *, by_weight: bool) -> float:
    """Loss of zero weights, where every margin is 0: its mean by weight, or over the rows."""
    value = n_units * float(value_and_slope(rule.loss, 0.0)[0])
    if by_weight:
        return value
    return value * float((problem.weights * problem.class_weights[problem.codes]).mean())


def smaller_step(eta: float, safe: float) -> float:
    """A learning rate that does where η did not: the safe one, or half of η if that is less."""
    return min(safe, eta / 2)


@njit(cache=True, nogil=True)
def measure_lengths(problem: Problem, bias: float) -> tuple[float, float]:
    """Largest and summed weight · ‖(x, bias)‖²."""
    X, codes, weights, class_weights = problem
    longest, total = 0.0, 0.0
    for i in range(len(codes)):
        length = weights[i] * class_weights[codes[i]] * (square(X, i) + bias * bias)
        longest = max(longest, length)
        total += length
    return longest, total
