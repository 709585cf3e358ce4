"""The two sides of a convex problem: the objective P of (w, b), and the dual D of α below it.

P = ½‖w‖² + Σ c_i loss(y_i (w·x_i + b)) and D = −½‖w‖² + Σ dual(α_i), with w = Σ α_i y_i x_i in
both. The bias is not penalised, so D needs Σ α_i y_i = 0 where there is one: `balance` finds such α
near by, and `best_bias` the b with the lowest P for the given w.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.duals import dual_value, room
from rosenblatt.rules.losses import HINGE, LOGISTIC, value_and_slope
from rosenblatt.solvers import products

BIAS_STEPS = 100
FLAT = 1e-13  # a slope this small, against the sum of all costs, is none
NEAR = 0.05  # how far from the last bias its best place is looked for first


class Terms(NamedTuple):
    """What the samples bring to a problem: signs y = ±1, costs c, and which loss they pay."""

    signs: Floats
    costs: Floats
    loss: int


def scores_by(blocks: Blocks, w: Floats) -> Floats:
    """Inner product of every row with w."""
    scores = np.empty(n_rows(blocks.problem.rows))
    products.scores(blocks, np.append(w, 0.0), scores)
    return scores


def combination(blocks: Blocks, amounts: Floats) -> Floats:
    """Sum of all rows, each times its amount."""

    def combine(block: Problem, part: Floats) -> Floats:
        total = np.zeros(n_cols(block.rows))
        chosen = np.flatnonzero(part)
        products.add_rows(block.rows, chosen, part[chosen], total)
        return total

    return blocks.total(combine, amounts)


def primal(terms: Terms, scores: Floats, w: Floats, b: float) -> float:
    """Objective of (w, b), where the scores w·x of all rows are known."""
    return half_square(w) + float(sums_at(terms, scores, b)[0])


def dual(terms: Terms, alpha: Floats, w: Floats) -> float:
    """Dual objective of α, where w = Σ α y x."""
    return float(sum_earned(terms, alpha)) - half_square(w)


def balance(blocks: Blocks, terms: Terms, alpha: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Multipliers near α, and their w = Σ α y x, for which Σ α y = 0.

    The multipliers inside their bounds share the move by their room: there the dual is flat, at
    its best, so that it loses little. If they have too little room, the heavier side is scaled.
    """
    excess = float(inner(alpha, terms.signs))
    rooms = rooms_of(terms, alpha)
    if abs(excess) > rooms.sum():
        rooms = np.where(terms.signs * excess > 0.0, alpha, 0.0)
    if excess == 0.0:
        return alpha, w
    rooms *= excess / rooms.sum()
    return alpha - terms.signs * rooms, w - combination(blocks, rooms)


def best_bias(terms: Terms, scores: Floats, near: float) -> float:
    """The bias with the lowest objective for given scores w·x; a search starts `near` a guess."""
    if terms.loss == HINGE:
        return _best_hinge_bias(terms, scores, near)
    low, high, b, width = -np.inf, np.inf, near, 1.0
    for _ in range(BIAS_STEPS):
        _, slope, bend = sums_at(terms, scores, b)
        if abs(slope) <= FLAT * terms.costs.sum():
            break
        low, high = (low, b) if slope > 0.0 else (b, high)
        step = -slope / bend if bend > 0.0 else -np.copysign(width, slope)
        before, b = b, b + min(max(step, -width), width)
        width *= 2.0
        if b == before:  # the next number is farther away than the best bias
            break
        if not low < b < high:
            b = 0.5 * (low + high)
    return b


def _best_hinge_bias(terms: Terms, scores: Floats, near: float) -> float:
    """Where the slope changes sign: it is −Σ c over the class +1, and each row's kink adds c."""
    kinks, costs = terms.signs - scores, terms.costs
    wanted = float(costs[terms.signs > 0.0].sum())
    close = np.flatnonzero(np.abs(kinks - near) <= NEAR)
    below = float(costs[kinks < near - NEAR].sum())
    if not below < wanted <= below + float(costs[close].sum()):
        close, below = np.arange(len(kinks)), 0.0
    close = close[np.argsort(kinks[close], kind="stable")]
    place = np.searchsorted(below + np.cumsum(costs[close]), wanted)
    return float(kinks[close[min(int(place), len(close) - 1)]])


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def inner(a: Floats, b: Floats) -> float:
    """Inner product; BLAS would wake its threads for it, and wait for them."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


def half_square(w: Floats) -> float:
    """Half of ‖w‖²."""
    return 0.5 * float(inner(w, w))


@njit(cache=True, nogil=True)
def sums_at(terms: Terms, scores: Floats, b: float) -> tuple[float, float, float]:
    """Sum of the losses at a bias, and its first two derivatives by the bias."""
    signs, costs, loss = terms
    value, slope, bend = 0.0, 0.0, 0.0
    for i in range(len(scores)):
        row_value, row_slope = value_and_slope(loss, signs[i] * (scores[i] + b))
        value += costs[i] * row_value
        slope += costs[i] * signs[i] * row_slope
        if loss == LOGISTIC:
            bend -= costs[i] * row_slope * (1.0 + row_slope)
        elif row_slope < 0.0:
            bend += 2.0 * costs[i]
    return value, slope, bend


@njit(cache=True, nogil=True)
def sum_earned(terms: Terms, alpha: Floats) -> float:
    """What all multipliers add to the dual objective."""
    total = 0.0
    for i in range(len(alpha)):
        total += dual_value(terms.loss, alpha[i], terms.costs[i])
    return total


@njit(cache=True, nogil=True)
def rooms_of(terms: Terms, alpha: Floats) -> Floats:
    """How far each multiplier can be moved; a row that costs nothing stays where it is."""
    rooms = np.zeros(len(alpha))
    for i in range(len(alpha)):
        if terms.costs[i] > 0.0:
            rooms[i] = room(terms.loss, alpha[i], terms.costs[i])
    return rooms
