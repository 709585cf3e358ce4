"""The online update rule: how one sample changes the weights, given its scores.

For one output with the label y = ±1 the margin is m = y s, and the update is w ← w + τ y x. In
Kesler's construct the margin is m = s_own − s_rival, where the rival is the highest-scoring wrong
class (ties to the lowest), and τ x is added to the own class and subtracted from the rival.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, square
from rosenblatt.losses.margin_losses import value_and_derivative
from rosenblatt.online.algorithms import (
    NORMALISED,
    PASSIVE_AGGRESSIVE_1,
    SECOND_ORDER,
    learning_rate,
    normalised_step,
    passive_aggressive_step,
)
from rosenblatt.types import Floats, Ints

ALL_FINITE = -1  # returned by an epoch loop when every score was finite


class Rule(NamedTuple):
    """An online algorithm with its parameters, as numbers for a kernel.

    `cap` limits a step: C of a passive-aggressive step, r of a second-order one. `constant` is the
    last entry of (x, constant), whose weight is the intercept: 1, or 0 for no intercept. `l1` and
    `l2` are the penalties a sample; `balanced` weights the classes by their frequencies so far.
    """

    loss: int
    step: int
    eta: float = 1.0
    cap: float = np.inf
    constant: float = 1.0
    kesler: bool = False
    balanced: bool = False
    l1: float = 0.0
    l2: float = 0.0


class Sample(NamedTuple):
    """A sample: its class, weight, number in the run, and the squared norm of its update."""

    code: int
    weight: float
    n: int
    squared_norm: float


@njit(cache=True, nogil=True, forceinline=True)
def signed(score: float, code: int) -> float:
    """The margin y s, without a branch."""
    return (2.0 * code - 1.0) * score


@njit(cache=True, nogil=True, forceinline=True)
def balanced_weight(rule: Rule, counts: Ints, code: int, n: int) -> float:
    """Balanced class weight n / (K n_k) over the n samples so far (1 where not asked for)."""
    if not rule.balanced:
        return 1.0
    seen = 0
    for count in counts:
        seen += count > 0
    return float(n / (seen * counts[code]))


@njit(cache=True, nogil=True, forceinline=True)
def update_squared_norm(X: Rows, i: int, rule: Rule) -> float:
    """Squared norm of the vector that row i adds to the weights, for the steps that need it."""
    if rule.step < PASSIVE_AGGRESSIVE_1:
        return 0.0
    squared_norm = square(X, i) + rule.constant * rule.constant
    return 2.0 * squared_norm if rule.kesler else squared_norm


@njit(cache=True, nogil=True, forceinline=True)
def update(margin: float, sample: Sample, rule: Rule) -> tuple[float, float]:
    """Step size τ for a sample at a margin, and its loss there.

    The weight of a sample scales its step; of a passive-aggressive step it scales C. A second-order
    step is given without its β, which the epoch loop knows (second_order.py).
    """
    if sample.weight == 0.0:
        return 0.0, 0.0
    value, derivative = value_and_derivative(rule.loss, margin)
    if rule.step < PASSIVE_AGGRESSIVE_1:
        size = -derivative * learning_rate(rule.step, rule.eta, sample.n) * sample.weight
    elif rule.step == NORMALISED:
        size = normalised_step(rule.eta * sample.weight, derivative, sample.squared_norm)
    elif rule.step == SECOND_ORDER:
        size = -derivative * (1.0 - margin)
    else:
        size = passive_aggressive_step(
            rule.step, rule.cap * sample.weight, value, sample.squared_norm
        )
    return size, sample.weight * value


@njit(cache=True, nogil=True, forceinline=True)
def update_all(scores: Floats, sample: Sample, rule: Rule, amounts: Floats) -> tuple[int, float]:
    """Mistakes and loss of a sample; the step of each output is written to `amounts`."""
    for k in range(len(amounts)):
        amounts[k] = 0.0
    if rule.kesler:
        rival = strongest_rival(scores, sample.code)
        margin = scores[sample.code] - scores[rival]
        amount, loss = update(margin, sample, rule)
        amounts[sample.code], amounts[rival] = amount, -amount
        return int(margin <= 0.0 and sample.weight > 0.0), loss
    mistakes, total = 0, 0.0
    for k in range(len(scores)):
        positive = 1 if len(scores) == 1 else k
        sign = 1.0 if sample.code == positive else -1.0
        amount, loss = update(sign * scores[k], sample, rule)
        amounts[k] = sign * amount
        mistakes += int(sign * scores[k] <= 0.0 and sample.weight > 0.0)
        total += loss
    return mistakes, total


@njit(cache=True, nogil=True, forceinline=True)
def strongest_rival(scores: Floats, own: int) -> int:
    """Highest-scoring class other than the own; ties go to the lowest."""
    best = 1 if own == 0 else 0
    for k in range(len(scores)):
        if k != own and scores[k] > scores[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def worst_margin(scores: Floats, code: int, rule: Rule) -> float:
    """Smallest margin over the outputs, for a sample of this class."""
    if rule.kesler:
        return float(scores[code] - scores[strongest_rival(scores, code)])
    worst = np.inf
    for k in range(len(scores)):
        positive = 1 if len(scores) == 1 else k
        worst = min(worst, scores[k] if code == positive else -scores[k])
    return worst


@njit(cache=True, nogil=True, forceinline=True)
def add_row(X: Rows, i: int, amount: float, constant: float, w: Floats) -> None:
    """Add `amount` times (x_i, constant) to w."""
    add(X, i, amount, w)
    w[-1] += amount * constant
