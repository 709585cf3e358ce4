"""What one sample does to the weights, given its scores: the part all sample-wise rules share.

For a unit with the sign y = ±1 the margin is m = y s and w moves by τ y x. In Kesler's construct
the margin is m = s_own − s_rival, where the rival is the highest-scoring wrong class (ties to the
lowest), and the own class moves by τ x, the rival by −τ x.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.rows import Rows, add, square
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.losses import value_and_slope
from rosenblatt.rules.steps import CLOSING_1, CONFIDENT, NORMALISED, closing, normalised, rate

ALL_FINITE = -1  # what a walk gives when no row stopped it


class Rule(NamedTuple):
    """What to do with a row, in numbers a kernel can take.

    `cap` holds a step back: C of a closing step, r of a confident one. `bias` is the constant at
    the end of (x, bias): 1, or 0 for no bias. `l1` and `l2` are the penalties a row; `balanced`
    weighs the classes by how often they came so far.
    """

    loss: int
    step: int
    eta: float = 1.0
    cap: float = np.inf
    bias: float = 1.0
    kesler: bool = False
    balanced: bool = False
    l1: float = 0.0
    l2: float = 0.0


class Sample(NamedTuple):
    """A row at work: its class, its weight, its number in the run, the squared length it adds."""

    code: int
    weight: float
    n: int
    length: float


@njit(cache=True, nogil=True, forceinline=True)
def signed(score: float, code: int) -> float:
    """The score seen from the row's own class: y s, with no branch for the labels to upset."""
    return (2.0 * code - 1.0) * score


@njit(cache=True, nogil=True, forceinline=True)
def balance(rule: Rule, counts: Ints, code: int, n: int) -> float:
    """Weight of a class by how rare it was among the n samples so far (1 where not asked for)."""
    if not rule.balanced:
        return 1.0
    seen = 0
    for count in counts:
        seen += count > 0
    return float(n / (seen * counts[code]))


@njit(cache=True, nogil=True, forceinline=True)
def added_length(X: Rows, i: int, rule: Rule) -> float:
    """Squared length of what row i adds to the weights, for the steps that need it."""
    if rule.step < CLOSING_1:
        return 0.0
    length = square(X, i) + rule.bias * rule.bias
    return 2.0 * length if rule.kesler else length


@njit(cache=True, nogil=True, forceinline=True)
def correct(margin: float, sample: Sample, rule: Rule) -> tuple[float, float]:
    """Step length τ for a sample at a margin, and its loss there.

    The weight of a sample scales its step; where the step closes the loss, how hard it may push.
    A confident step is given without its β, which the walk knows (confident.py).
    """
    if sample.weight == 0.0:
        return 0.0, 0.0
    value, slope = value_and_slope(rule.loss, margin)
    if rule.step < CLOSING_1:
        size = -slope * rate(rule.step, rule.eta, sample.n) * sample.weight
    elif rule.step == NORMALISED:
        size = normalised(rule.eta * sample.weight, slope, sample.length)
    elif rule.step == CONFIDENT:
        size = -slope * (1.0 - margin)
    else:
        size = closing(rule.step, rule.cap * sample.weight, value, sample.length)
    return size, sample.weight * value


@njit(cache=True, nogil=True, forceinline=True)
def correct_all(scores: Floats, sample: Sample, rule: Rule, amounts: Floats) -> tuple[int, float]:
    """Write how much of x each unit gains; give the mistakes made and the loss."""
    for k in range(len(amounts)):
        amounts[k] = 0.0
    if rule.kesler:
        rival = strongest_other(scores, sample.code)
        margin = scores[sample.code] - scores[rival]
        amount, loss = correct(margin, sample, rule)
        amounts[sample.code], amounts[rival] = amount, -amount
        return int(margin <= 0.0 and sample.weight > 0.0), loss
    mistakes, total = 0, 0.0
    for k in range(len(scores)):
        positive = 1 if len(scores) == 1 else k
        sign = 1.0 if sample.code == positive else -1.0
        amount, loss = correct(sign * scores[k], sample, rule)
        amounts[k] = sign * amount
        mistakes += int(sign * scores[k] <= 0.0 and sample.weight > 0.0)
        total += loss
    return mistakes, total


@njit(cache=True, nogil=True, forceinline=True)
def strongest_other(scores: Floats, own: int) -> int:
    """Highest-scoring class but one; ties go to the lowest."""
    best = 1 if own == 0 else 0
    for k in range(len(scores)):
        if k != own and scores[k] > scores[best]:
            best = k
    return best


@njit(cache=True, nogil=True)
def worst_margin(scores: Floats, code: int, rule: Rule) -> float:
    """Smallest margin a row of this class has at these scores."""
    if rule.kesler:
        return float(scores[code] - scores[strongest_other(scores, code)])
    worst = np.inf
    for k in range(len(scores)):
        positive = 1 if len(scores) == 1 else k
        worst = min(worst, scores[k] if code == positive else -scores[k])
    return worst


@njit(cache=True, nogil=True, forceinline=True)
def move(X: Rows, i: int, amount: float, bias: float, w: Floats) -> None:
    """Add `amount` times (x_i, bias) to w."""
    add(X, i, amount, w)
    w[-1] += amount * bias
