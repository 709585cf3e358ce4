"""The duality gap P − D of a convex problem, as it is estimated during a run.

    P(w, b) = ½ρ‖w‖² + Σ C_i loss(y_i (w·x_i + b))
    D(α)    = Σ dual(α_i) − ‖Σ α_i y_i x_i‖² / 2ρ,      0 ≤ α_i ≤ C_i,  Σ α_i y_i = 0

`DualityGap` holds both sides. Newton's method has a `gap_at` every iterate; dual coordinate ascent
works with ρ = 1, where w = Σ α_i y_i x_i in both. The intercept is not penalised, so D needs
Σ α_i y_i = 0 where there is one: `balance` finds such α near by, and `best_bias` the b with the
lowest P for the given w. certificate.py proves a gap with all rounding counted.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.losses.conjugate import distance_to_bounds, dual_value
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, value_and_derivative
from rosenblatt.optim.objective import BinaryObjective, Iterate, LossSums
from rosenblatt.types import Floats

ROUNDING_SHARE = 1e-13  # of the objective
ROUNDING_UP_SHARE = 2.0**-50  # more than a few operations round off
SUMMATION_ORDER_SHARE = (
    2.0**-49
)  # more than the order in which both sides are summed makes of the gap
MAX_BIAS_STEPS = 100
FLAT_DERIVATIVE_SHARE = 1e-13  # a slope this small, against the sum of all costs, is none
NEAR_BIAS = 0.05  # how far from the last bias its best place is looked for first


class DualityGap(NamedTuple):
    """The objective at a place, and a value that no place goes below."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """(P − D)/P between 0 and 1, rounded up so that sums in any order prove it; or infinite."""
        gap = self.unrounded_gap
        return gap if gap >= 1.0 else min(gap + SUMMATION_ORDER_SHARE, 1.0)

    @property
    def unrounded_gap(self) -> float:
        """(P − D)/P of these very numbers, or infinite where nothing is bounded."""
        primal, bound = float(self.primal), float(self.dual)
        if primal == math.inf or bound == -math.inf:
            return math.inf
        share = max(primal - bound, 0.0) / primal if primal > 0.0 else 0.0
        return min(share * (1.0 + ROUNDING_UP_SHARE), 1.0)

    @staticmethod
    def summed(several: "Sequence[DualityGap]") -> "DualityGap":
        """Bounds of the sum of several objectives, each side rounded outwards."""
        if len(several) == 1:
            return several[0]
        up = 1.0 + len(several) * ROUNDING_UP_SHARE
        return DualityGap(
            sum(bounds.primal for bounds in several) * up,
            sum(bounds.dual for bounds in several) / up,
        )

    def better_than(self, other: "DualityGap") -> bool:
        """Whether either side is better by more than rounding."""
        if other.primal == np.inf:
            return True
        less = ROUNDING_SHARE * other.primal
        return other.primal - self.primal > less or self.dual - other.dual > less

    def tightest(self, other: "DualityGap") -> "DualityGap":
        """The better of both on each side."""
        return DualityGap(min(self.primal, other.primal), max(self.dual, other.dual))


def primal_at(objective: BinaryObjective, iterate: Iterate, loss_sums: LossSums) -> float:
    """P at a place where the rows have answered."""
    w = iterate.w[:-1]
    return 0.5 * objective.l2 * float(w @ w) + loss_sums.loss


def gap_at(objective: BinaryObjective, iterate: Iterate, loss_sums: LossSums) -> DualityGap:
    """Objective and bound at a place where the rows have answered."""
    primal = primal_at(objective, iterate, loss_sums)
    scales = balance_scales(iterate.sums[:, -1]) if objective.bias else np.ones(2)
    v = scales[1] * iterate.sums[1, :-1] - scales[0] * iterate.sums[0, :-1]
    square = float(v @ v) / objective.l2
    dual = float(
        scales @ loss_sums.dual_terms
    )  # a concave dual(s a), zero at zero, is at least s dual(a)
    t = min(1.0, dual / square) if square > 0 else 1.0  # as good a fraction of these pulls as any
    return DualityGap(primal, t * dual - 0.5 * t * t * square)


def balance_scales(weights: Floats) -> Floats:
    """Scales that make both signs pull equally: the bias has no price of its own."""
    less = weights.min()
    return np.asarray(less / weights) if less > 0 else np.zeros(2)


def complementarity_gap(loss_sums: LossSums) -> float:
    """Part of the gap that stays where the gradient vanishes: Σ c ℓ(m) + a m − dual(a)."""
    return loss_sums.loss + loss_sums.alpha_dot_margins - float(loss_sums.dual_terms.sum())


def stationarity_residual(objective: BinaryObjective, gradient: Floats) -> float:
    """Part of the gap that the gradient makes, that of the bias in round figures."""
    g = gradient[:-1]
    return 0.5 * float(g @ g) / objective.l2 + abs(float(gradient[-1]))


class Terms(NamedTuple):
    """What the samples bring to a problem: signs y = ±1, costs c, and which loss they pay."""

    signs: Floats
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    loss: int


def scores_of(blocks: Blocks, w: Floats) -> Floats:
    """Inner product of every row with w."""
    scores = np.empty(n_rows(blocks.problem.rows))
    products.scores(blocks, np.append(w, 0.0), scores)
    return scores


def sum_of_rows(blocks: Blocks, amounts: Floats) -> Floats:
    """Sum of all rows, each times its amount."""

    def combine(block: TrainingData, part: Floats) -> Floats:
        total = np.zeros(n_cols(block.rows))
        chosen = np.flatnonzero(part)
        products.add_rows(block.rows, chosen, part[chosen], total)
        return total

    return blocks.total(combine, amounts)


def primal_objective(terms: Terms, scores: Floats, w: Floats, b: float) -> float:
    """Objective of (w, b), where the scores w·x of all rows are known."""
    return half_square(w) + float(loss_sums_at_bias(terms, scores, b)[0])


def dual_objective(terms: Terms, alpha: Floats, w: Floats) -> float:
    """Dual objective of α, where w = Σ α y x."""
    return float(sum_dual_terms(terms, alpha)) - half_square(w)


def balance(blocks: Blocks, terms: Terms, alpha: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Multipliers near α, and their w = Σ α y x, for which Σ α y = 0.

    The multipliers inside their bounds share the move by their room: there the dual is flat, at
    its best, so that it loses little. If they have too little room, the heavier side is scaled.
    """
    excess = float(inner(alpha, terms.signs))
    shares = distances_to_bounds(terms, alpha)
    if abs(excess) > shares.sum():
        shares = np.where(terms.signs * excess > 0.0, alpha, 0.0)
    if excess == 0.0:
        return alpha, w
    shares *= excess / shares.sum()
    return alpha - terms.signs * shares, w - sum_of_rows(blocks, shares)


def best_bias(terms: Terms, scores: Floats, near: float) -> float:
    """The bias with the lowest objective for given scores w·x; a search starts `near` a guess."""
    if terms.loss == HINGE:
        return _best_hinge_bias(terms, scores, near)
    low, high, b, width = -np.inf, np.inf, near, 1.0
    for _ in range(MAX_BIAS_STEPS):
        _, derivative, curvature = loss_sums_at_bias(terms, scores, b)
        if abs(derivative) <= FLAT_DERIVATIVE_SHARE * terms.sample_C.sum():
            break
        low, high = (low, b) if derivative > 0.0 else (b, high)
        step = -derivative / curvature if curvature > 0.0 else -np.copysign(width, derivative)
        before, b = b, b + min(max(step, -width), width)
        width *= 2.0
        if b == before:  # the next number is farther away than the best bias
            break
        if not low < b < high:
            b = 0.5 * (low + high)
    return b


def _best_hinge_bias(terms: Terms, scores: Floats, near: float) -> float:
    """Where the slope changes sign: it is −Σ c over the class +1, and each row's kink adds c."""
    kinks, sample_C = terms.signs - scores, terms.sample_C
    wanted = float(sample_C[terms.signs > 0.0].sum())
    close = np.flatnonzero(np.abs(kinks - near) <= NEAR_BIAS)
    below = float(sample_C[kinks < near - NEAR_BIAS].sum())
    if not below < wanted <= below + float(sample_C[close].sum()):
        close, below = np.arange(len(kinks)), 0.0
    close = close[np.argsort(kinks[close], kind="stable")]
    position = np.searchsorted(below + np.cumsum(sample_C[close]), wanted)
    return float(kinks[close[min(int(position), len(close) - 1)]])


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
def loss_sums_at_bias(terms: Terms, scores: Floats, b: float) -> tuple[float, float, float]:
    """Sum of the losses at a bias, and its first two derivatives by the bias."""
    signs, sample_C, loss = terms
    value, derivative, curvature = 0.0, 0.0, 0.0
    for i in range(len(scores)):
        row_value, row_derivative = value_and_derivative(loss, signs[i] * (scores[i] + b))
        value += sample_C[i] * row_value
        derivative += sample_C[i] * signs[i] * row_derivative
        if loss == LOGISTIC:
            curvature -= sample_C[i] * row_derivative * (1.0 + row_derivative)
        elif row_derivative < 0.0:
            curvature += 2.0 * sample_C[i]
    return value, derivative, curvature


@njit(cache=True, nogil=True)
def sum_dual_terms(terms: Terms, alpha: Floats) -> float:
    """What all multipliers add to the dual objective."""
    total = 0.0
    for i in range(len(alpha)):
        total += dual_value(terms.loss, alpha[i], terms.sample_C[i])
    return total


@njit(cache=True, nogil=True)
def distances_to_bounds(terms: Terms, alpha: Floats) -> Floats:
    """How far each multiplier can be moved; a row that costs nothing stays where it is."""
    shares = np.zeros(len(alpha))
    for i in range(len(alpha)):
        if terms.sample_C[i] > 0.0:
            shares[i] = distance_to_bounds(terms.loss, alpha[i], terms.sample_C[i])
    return shares
