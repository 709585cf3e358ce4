"""The duality gap P − D of a binary problem, as it is estimated during a run.

    P(w, b) = ½ρ‖w‖² + Σ C_i ℓ(y_i (w·x_i + b))
    D(α)    = Σ dual(α_i) − ‖Σ α_i y_i x_i‖² / 2ρ,      0 ≤ α_i ≤ C_i,  Σ α_i y_i = 0

`DualityGap` holds both sides; dual(α) is in losses/conjugate.py. Newton's method has a `gap_at`
every iterate; dual coordinate ascent works with ρ = 1, where w = Σ α_i y_i x_i in both. The
intercept is not penalised, so D needs Σ α_i y_i = 0 where there is one: `balance` finds such α near
by, and `best_intercept` the b with the lowest P for the given w. certificate.py proves a gap with
all rounding included.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.losses.conjugate import distance_to_bounds, dual_value
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, value_and_derivative
from rosenblatt.optim.objective import BinaryObjective, Iterate, LossSums
from rosenblatt.types import Floats

PROGRESS_SHARE = 1e-13  # of the objective: a smaller improvement is rounding
ROUNDING_UP_SHARE = 2.0**-50  # more than a few operations round off
SUMMATION_ORDER_SHARE = 2.0**-49  # more than the gap depends on the order of summation
MAX_INTERCEPT_STEPS = 100
ZERO_DERIVATIVE_SHARE = 1e-13  # of Σ C: a derivative by the intercept this small is zero
NEAR_INTERCEPT = 0.05  # kinks this near to the last intercept are searched first


class DualityGap(NamedTuple):
    """An upper bound of the optimum, P at some weights, and a lower one, D at a dual point."""

    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """(P − D)/P from 0 to 1, rounded up so that it holds for sums in any order; or infinite."""
        gap = self.unrounded_gap
        return gap if gap >= 1.0 else min(gap + SUMMATION_ORDER_SHARE, 1.0)

    @property
    def unrounded_gap(self) -> float:
        """(P − D)/P of these very numbers, or infinite where one of them is no bound."""
        primal, dual = float(self.primal), float(self.dual)
        if primal == math.inf or dual == -math.inf:
            return math.inf
        gap = max(primal - dual, 0.0) / primal if primal > 0.0 else 0.0
        return min(gap * (1.0 + ROUNDING_UP_SHARE), 1.0)

    @staticmethod
    def summed(several: "Sequence[DualityGap]") -> "DualityGap":
        """Duality gap of a sum of objectives, each side rounded outwards."""
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
        rounding = PROGRESS_SHARE * other.primal
        return other.primal - self.primal > rounding or self.dual - other.dual > rounding

    def tightest(self, other: "DualityGap") -> "DualityGap":
        """The lower primal and the higher dual of both."""
        return DualityGap(min(self.primal, other.primal), max(self.dual, other.dual))


def primal_at(objective: BinaryObjective, iterate: Iterate, loss_sums: LossSums) -> float:
    """P at an iterate whose losses are known."""
    w = iterate.w[:-1]
    return 0.5 * objective.l2 * float(w @ w) + loss_sums.loss


def gap_at(objective: BinaryObjective, iterate: Iterate, loss_sums: LossSums) -> DualityGap:
    """P and D at an iterate whose losses are known.

    D is that of t s α: s scales the classes so that Σ α y = 0, t the length. dual is concave with
    dual(0) = 0, so dual(s α) ≥ s dual(α).
    """
    primal = primal_at(objective, iterate, loss_sums)
    scales = balance_scales(iterate.alpha_sums[:, -1]) if objective.fit_intercept else np.ones(2)
    v = scales[1] * iterate.alpha_sums[1, :-1] - scales[0] * iterate.alpha_sums[0, :-1]
    square = float(v @ v) / objective.l2
    return DualityGap(primal, best_scaled_dual(float(scales @ loss_sums.dual_terms), square))


def best_scaled_dual(dual_terms: float, square: float) -> float:
    """Largest t Σ dual(α) − t² ‖Σ α y x‖² / 2ρ over 0 ≤ t ≤ 1, a bound of D(t α)."""
    t = min(1.0, dual_terms / square) if square > 0 else 1.0
    return t * dual_terms - 0.5 * t * t * square


def balance_scales(class_sums: Floats) -> Floats:
    """Scales of the two classes that make their Σ α equal, so that Σ α y = 0."""
    smaller = class_sums.min()
    return np.asarray(smaller / class_sums) if smaller > 0 else np.zeros(2)


def complementarity_gap(loss_sums: LossSums) -> float:
    """Part of the gap that stays where the gradient vanishes: Σ C ℓ(m) + α m − dual(α)."""
    return loss_sums.loss + loss_sums.alpha_dot_margins - float(loss_sums.dual_terms.sum())


def stationarity_residual(objective: BinaryObjective, gradient: Floats) -> float:
    """Part of the gap due to the gradient: ‖g‖²/2ρ, and roughly |g_b| for the intercept."""
    g = gradient[:-1]
    return 0.5 * float(g @ g) / objective.l2 + abs(float(gradient[-1]))


class LossTerms(NamedTuple):
    """The sum Σ C ℓ(y s) of losses: the signs y = ±1, the C of each row, and which loss ℓ is."""

    signs: Floats
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    loss: int


def scores_of(blocks: Blocks, w: Floats) -> Floats:
    """Scores w·x of all rows, without an intercept."""
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


def primal_objective(terms: LossTerms, scores: Floats, w: Floats, b: float) -> float:
    """P(w, b) for ρ = 1, where the scores w·x of all rows are known."""
    return half_square(w) + float(loss_sums_at_intercept(terms, scores, b)[0])


def dual_objective(terms: LossTerms, alpha: Floats, w: Floats) -> float:
    """D(α) for ρ = 1, where w = Σ α y x."""
    return float(sum_dual_terms(terms, alpha)) - half_square(w)


def balance(blocks: Blocks, terms: LossTerms, alpha: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Dual variables near α with Σ α y = 0, and their w = Σ α y x.

    Those between their bounds change in proportion to their distance to the bounds: there D is flat
    at the optimum, so it loses little. If that is not enough, the class with the larger Σ α is
    scaled down.
    """
    excess = float(inner(alpha, terms.signs))
    shares = distances_to_bounds(terms, alpha)
    if abs(excess) > shares.sum():
        shares = np.where(terms.signs * excess > 0.0, alpha, 0.0)
    if excess == 0.0:
        return alpha, w
    shares *= excess / shares.sum()
    return alpha - terms.signs * shares, w - sum_of_rows(blocks, shares)


def best_intercept(terms: LossTerms, scores: Floats, near: float) -> float:
    """The intercept with the lowest P for given scores w·x, searched from a guess `near` it.

    By Newton's method inside a bracket, in steps of limited but growing width.
    """
    if terms.loss == HINGE:
        return _best_hinge_intercept(terms, scores, near)
    low, high, b, width = -np.inf, np.inf, near, 1.0
    for _ in range(MAX_INTERCEPT_STEPS):
        _, derivative, curvature = loss_sums_at_intercept(terms, scores, b)
        if abs(derivative) <= ZERO_DERIVATIVE_SHARE * terms.sample_C.sum():
            break
        low, high = (low, b) if derivative > 0.0 else (b, high)
        step = -derivative / curvature if curvature > 0.0 else -np.copysign(width, derivative)
        before, b = b, b + min(max(step, -width), width)
        width *= 2.0
        if b == before:  # the next float is farther away than the optimum
            break
        if not low < b < high:
            b = 0.5 * (low + high)
    return b


def _best_hinge_intercept(terms: LossTerms, scores: Floats, near: float) -> float:
    """Where dP/db changes sign: it is −Σ C of the class +1 at b = −∞, and C more at each kink."""
    kinks, sample_C = terms.signs - scores, terms.sample_C
    wanted = float(sample_C[terms.signs > 0.0].sum())
    close = np.flatnonzero(np.abs(kinks - near) <= NEAR_INTERCEPT)
    below = float(sample_C[kinks < near - NEAR_INTERCEPT].sum())
    if not below < wanted <= below + float(sample_C[close].sum()):
        close, below = np.arange(len(kinks)), 0.0
    close = close[np.argsort(kinks[close], kind="stable")]
    position = np.searchsorted(below + np.cumsum(sample_C[close]), wanted)
    return float(kinks[close[min(int(position), len(close) - 1)]])


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def inner(a: Floats, b: Floats) -> float:
    """Inner product, without the start-up of BLAS threads."""
    total = 0.0
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


def half_square(w: Floats) -> float:
    """Half of ‖w‖²."""
    return 0.5 * float(inner(w, w))


@njit(cache=True, nogil=True)
def loss_sums_at_intercept(
    terms: LossTerms, scores: Floats, b: float
) -> tuple[float, float, float]:
    """Σ C ℓ at an intercept, and its first two derivatives by the intercept."""
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
def sum_dual_terms(terms: LossTerms, alpha: Floats) -> float:
    """Σ dual(α)."""
    total = 0.0
    for i in range(len(alpha)):
        total += dual_value(terms.loss, alpha[i], terms.sample_C[i])
    return total


@njit(cache=True, nogil=True)
def distances_to_bounds(terms: LossTerms, alpha: Floats) -> Floats:
    """Distance of each α to its bounds; 0 for rows of no weight."""
    distances = np.zeros(len(alpha))
    for i in range(len(alpha)):
        if terms.sample_C[i] > 0.0:
            distances[i] = distance_to_bounds(terms.loss, alpha[i], terms.sample_C[i])
    return distances
