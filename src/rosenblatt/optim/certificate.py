"""The proved duality gap of given weights and a given dual point, whoever found them.

P(w, b) = ½ρ‖w‖² + Σ c ℓ(y (w·x + b)) is bounded from above and

    D(α) = Σ dual(α) − ‖Σ α y x‖² / 2ρ      (convex.py has dual(α))

from below: every inner product with the error that error_free.py proves, every such error times
what it can cost, every sum with the rounding of its terms. So P ≤ `objective`, and no weights have
an objective below `bound`, in exact arithmetic. If plain sums leave too much open, the rows are
read again with compensated ones.

The logistic dual(a) needs no logarithm near the answer a₀ = c σ(−m) of any margin m: since the
Kullback–Leibler divergence of two probabilities is at most (p − q)²/q(1 − q),

    dual(a) ≥ c ℓ(m) + a m − (a − a₀)²/θ,      θ = a₀ (1 − a₀/c)

exp and log1p of exponential.py, and those of numpy, are taken to be right to `FUNCTION_ERROR`
relative: 64 units in the last place, where they were measured to err by fewer than 4.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.exp import exp_of_minus, log_of_one_plus
from rosenblatt.kernels.rows import Rows, n_cols
from rosenblatt.linalg.error_free import (
    EPSILON,
    SQUARES_UNDERFLOW,
    Enclosed,
    add_compensated,
    add_plain,
    added,
    error_parts,
    read_rows,
    rounded_up_length,
    score_compensated,
    score_plain,
    terms_in_a_row,
    terms_of_a_sum,
    total_of,
    two_sum,
)
from rosenblatt.losses.margin_losses import HINGE, SQUARED_HINGE
from rosenblatt.optim.dual_feasibility import (
    feasible,
    is_feasible,
    is_small_enough_to_refine,
    refined,
)
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.types import Floats

FUNCTION_ERROR = 64 * EPSILON
CHUNK_ROWS = 128  # rows whose terms are added before they join the total, which is compensated
UNDERFLOW_PER_TERM = (
    2.0**-1000
)  # more than the underflow of all operations on a row, or on a weight
LARGEST_MARGIN = 700.0  # beyond it exp_of_minus is not exp
MAX_QUADRATIC_SHARE = 1e-6  # of a row's terms: so small, the divergence may be bounded by a square
PLAIN_FIRST = (False, True)  # ways to sum, compensated or not, until one leaves little open
COMPENSATED = (True,)
MAX_ROUNDING_SHARE = (
    0.1  # of the gap, or of `tol`: more left open by rounding asks for compensated sums
)
MAX_REFINEMENTS = 4
KINK_WIDTH = 1e-9  # of margins that a run makes 1
MAX_RESCALE = 0.999  # a dual point that would gain by being shorter than this part is shortened


class Proof(NamedTuple):
    """Proved bounds of weights, and the feasible dual point they rest on."""

    bounds: DualityGap
    alpha: Floats
    w: Floats


class UnitCertificate(NamedTuple):
    """Proved bounds of the objective of one unit, and the dual variables that prove the lower."""

    primal_upper: float
    dual_lower: float
    gap: float
    alpha: Floats


@dataclass(frozen=True)
class Certificate:
    """Proved bounds of a fit's objective; `holds` tells whether they prove its `gap_`.

    Sums over the units, which are in `units`.
    """

    primal_upper: float
    dual_lower: float
    gap: float
    holds: bool
    units: tuple[UnitCertificate, ...] = field(repr=False)


def certificate_of(proofs: list[Proof], claimed: float) -> Certificate:
    """Certificate of all units of a fit that claimed a gap."""
    units_ = tuple(UnitCertificate(*p.bounds, p.bounds.unrounded_gap, p.alpha) for p in proofs)
    total = DualityGap.summed([p.bounds for p in proofs])
    gap = total.unrounded_gap
    return Certificate(*total, gap, bool(gap <= claimed), units_)


class EnclosedGap(NamedTuple):
    """Both sides of the gap: as computed, and as proved."""

    primal: float
    dual: float
    primal_upper: float
    dual_lower: float
    dual_terms: float
    square: float

    @property
    def bounds(self) -> DualityGap:
        """What is proved; nothing where a number left float64."""
        upper, lower = self.primal_upper, self.dual_lower
        return DualityGap(
            upper if np.isfinite(upper) else np.inf, max(lower, 0.0) if np.isfinite(lower) else 0.0
        )

    def proof(self, alpha: Floats, w: Floats) -> Proof:
        """The bounds with what they are of; where α proves nothing, α = 0 does: P ≥ 0."""
        return Proof(self.bounds, alpha if self.bounds.dual > 0.0 else np.zeros_like(alpha), w)

    def is_tight(self, tol: float) -> bool:
        """Whether rounding leaves little open beside the gap, or beside `tol`."""
        left = (self.primal_upper - self.primal) + (self.dual - self.dual_lower)
        return bool(left <= MAX_ROUNDING_SHARE * max(tol * self.primal, self.primal - self.dual))


def prove_stored(objective: BinaryObjective, w: Floats, alpha: Floats) -> Proof:
    """Proved bounds by compensated sums, and by α itself where that is feasible."""
    if not is_feasible(
        alpha, objective.signs, objective.sample_C, objective.loss, bias=objective.bias
    ):
        alpha = feasible(
            alpha, objective.signs, objective.sample_C, objective.loss, bias=objective.bias
        )
    return prove_at(objective, w, alpha, 0.0, COMPENSATED)


def prove(objective: BinaryObjective, w: Floats, alpha: Floats, tol: float) -> Proof:
    """Proved bounds of weights (w, b) by a feasible dual point near α."""
    alpha = feasible(
        alpha, objective.signs, objective.sample_C, objective.loss, bias=objective.bias
    )
    return prove_at(objective, w, alpha, tol, PLAIN_FIRST)


def prove_with_refinement(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float
) -> Proof:
    """Proved bounds of weights, or of better ones that differ by rounding alone.

    Where α does not prove `tol`, and the rows are few, it is refined. A hinge at its kink loses its
    cost times the rounding of its margin, which weights that are longer by as much do not.
    """
    best = prove(objective, w, alpha, tol)
    if objective.loss in (HINGE, SQUARED_HINGE) and best.bounds.gap > tol:
        for longer in weights_off_the_kinks(objective, w):
            other = prove(objective, longer, best.alpha, tol)
            best = other if other.bounds.gap < best.bounds.gap else best
    for _ in range(MAX_REFINEMENTS):
        if best.bounds.gap <= tol or not is_small_enough_to_refine(objective):
            break
        alpha = feasible(
            alpha, objective.signs, objective.sample_C, objective.loss, bias=objective.bias
        )
        alpha = refined(objective, best.w, alpha)
        proof = prove(objective, best.w, alpha, tol)
        best = proof if proof.bounds.dual > best.bounds.dual else best
    return best


def weights_off_the_kinks(objective: BinaryObjective, w: Floats) -> Iterator[Floats]:
    """Weights longer by a little more than what rounding takes off margins that would be 1."""
    scores = read_rows(objective.blocks, w, np.zeros_like(objective.sample_C)).scores
    shortfall = 1.0 - objective.signs * (scores.value + scores.correction)
    rounding = float(np.spacing(1.0 + abs(w[-1])))
    near = (np.abs(shortfall) <= max(4.0 * rounding, KINK_WIDTH)) & (objective.sample_C > 0.0)
    missing = float(shortfall[near].max(initial=0.0))
    for roundings in (1.0, 2.0, 4.0):
        yield w * (1.0 + missing + roundings * rounding)


def prove_at(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float, summations: tuple[bool, ...]
) -> Proof:
    """Proved bounds of weights (w, b) by a feasible dual point, or by a part of it."""
    enclosed = enclosed_gap(objective, w, alpha, tol, summations)
    part = enclosed.dual_terms / enclosed.square if enclosed.square > 0.0 else 1.0
    if 0.0 < part < MAX_RESCALE:
        shorter = feasible(
            part * alpha, objective.signs, objective.sample_C, objective.loss, bias=objective.bias
        )
        other = enclosed_gap(objective, w, shorter, tol, summations)
        if other.dual_lower > enclosed.dual_lower:
            alpha, enclosed = shorter, other
    return enclosed.proof(alpha, w)


def enclosed_gap(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float, summations: tuple[bool, ...]
) -> EnclosedGap:
    """Both sides of the gap, by compensated sums where plain ones leave too much open."""
    for compensated in summations:
        enclosed = enclosed_gap_by(objective, w, alpha, compensated=compensated)
        if enclosed.is_tight(tol):
            break
    return enclosed


def enclosed_gap_by(
    objective: BinaryObjective, w: Floats, alpha: Floats, *, compensated: bool
) -> EnclosedGap:
    """Both sides of the gap from one reading of the rows, with plain sums or compensated ones."""
    rows = objective.blocks.problem.rows
    with np.errstate(over="ignore", invalid="ignore"):
        length = rounded_up_length(float(w[:-1] @ w[:-1]))
        parts_of_error = error_parts(terms_in_a_row(rows), compensated=compensated)
        rounding = (*parts_of_error, length, compensated)
        width = max(n_cols(rows), 5)

        def here(block: TrainingData, *parts: Floats) -> Floats:
            sums = np.zeros((4, width))  # three of the rows, and one for both sides
            sums[3, :5] = gap_sums(block.rows, objective.loss, w, parts, rounding, sums)
            return sums

        parts = list(objective.blocks.each(here, objective.signs, objective.sample_C, alpha))
        upper, loss, dual, size, spread = (
            math.fsum(part[3, k] for part in parts) for k in range(5)
        )
        sums = added(part[:3, : n_cols(rows)] for part in parts)
        if compensated:
            squares = squared_norms(total_of(objective.blocks, sums))
        else:
            squares = squared_norms_of_plain_sum(
                sums[0] + sums[1], spread, terms_of_a_sum(objective.blocks)
            )
        return enclosed_from_sums(w[:-1], (upper, loss), (dual, size), squares, objective)


def squared_norms(total: Enclosed) -> tuple[float, float]:
    """Squared length of an enclosed vector: as computed, and at most."""
    size = np.abs(total.value + total.correction)
    most = size * (1.0 + EPSILON) + total.error
    return float(size @ size), float(most @ most) * (1.0 + (len(most) + 4) * EPSILON)


def squared_norms_of_plain_sum(total: Floats, spread: float, terms: int) -> tuple[float, float]:
    """The same of a plain sum Σ a x of so many terms, whose lengths |a| ‖x‖ sum to `spread`."""
    square = float(total @ total)
    share, least = error_parts(terms, compensated=False)
    length = np.sqrt(square) * (1.0 + (len(total) + 4) * EPSILON) + SQUARES_UNDERFLOW
    return square, (length + share * spread + len(total) * least) ** 2 * (1.0 + 4 * EPSILON)


def enclosed_from_sums(
    w: Floats,
    losses: tuple[float, float],
    duals: tuple[float, float],
    squares: tuple[float, float],
    objective: BinaryObjective | SoftmaxObjective,
) -> EnclosedGap:
    """Both sides from their parts, each with the rounding of its sum, and with underflow."""
    summed = (CHUNK_ROWS + 16) * EPSILON
    half = 0.5 * objective.l2 * float(w @ w)
    half_upper = half * (1.0 + (len(w) + 4) * EPSILON)
    lost = (len(objective.sample_C) + len(w)) * UNDERFLOW_PER_TERM
    loss_upper = losses[0] * (1.0 + summed)
    square, square_upper = squares[0] / objective.l2, squares[1] / objective.l2
    dual_lower = duals[0] - (summed + FUNCTION_ERROR) * duals[1]
    return EnclosedGap(
        primal=half + losses[1],
        dual=duals[0] - 0.5 * square,
        primal_upper=(half_upper + loss_upper) * (1.0 + 4 * EPSILON) + lost,
        dual_lower=dual_lower - 0.5 * square_upper * (1.0 + 4 * EPSILON) - lost,
        dual_terms=duals[0],
        square=square,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def gap_sums(  # noqa: PLR0912 (a hot loop is one function)
    X: Rows,
    loss: int,
    w: Floats,
    parts: tuple[Floats, ...],
    rounding: tuple[float, float, float, bool],
    sums: Floats,
) -> Floats:
    """Add Σ α y x to the sums; give Σ c ℓ at most and as computed, Σ dual(α), its size, Σ α ‖x‖."""
    signs, sample_C, alpha = parts
    share, least, w_length, compensated = rounding
    value, correction, error = np.empty(CHUNK_ROWS), np.zeros(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    totals = np.zeros((2, 5))  # and what their rounding left out
    for start in range(0, len(signs), CHUNK_ROWS):
        n = min(CHUNK_ROWS, len(signs) - start)
        for r in range(n):
            i = start + r
            if compensated:
                value[r], correction[r], term_size = score_compensated(X, i, w)
            else:
                value[r], length = score_plain(X, i, w)
                term_size = length * w_length + abs(w[len(w) - 1])
                totals[0, 4] += alpha[i] * length
            error[r] = share * term_size + least
            factor = signs[i] * alpha[i]
            if factor != 0.0 and compensated:
                add_compensated(X, i, factor, sums)
            elif factor != 0.0:
                add_plain(X, i, factor, sums)
        span = slice(start, start + n)
        scores = (value[:n], correction[:n], error[:n])
        rows = (signs[span], sample_C[span], alpha[span])
        if loss in (HINGE, SQUARED_HINGE):
            found = hinge_sums(loss, scores, rows)
        else:
            found = logistic_sums(scores, rows)
        for k in range(4):
            totals[0, k], lost = two_sum(totals[0, k], found[k])
            totals[1, k] += lost
    return np.asarray(totals[0] + totals[1])


@njit(cache=True, nogil=True, error_model="numpy")
def hinge_sums(
    loss: int, scores: tuple[Floats, Floats, Floats], rows: tuple[Floats, Floats, Floats]
) -> tuple[float, float, float, float]:
    """Σ c ℓ at the least margins allowed and at those computed; Σ dual(α), and its size."""
    value, correction, error = scores
    signs, sample_C, alpha = rows
    upper, middle, dual, size = 0.0, 0.0, 0.0, 0.0
    for i in range(len(signs)):
        own = signs[i] * value[i]
        shortfall = 1.0 - own
        back = shortfall - 1.0
        rest = (1.0 - (shortfall - back)) - (own + back)  # what 1 − own rounds off, as in two_sum
        shortfall += rest - signs[i] * correction[i]
        most = max(shortfall + error[i] + 4 * EPSILON * abs(shortfall), 0.0)
        least = max(shortfall, 0.0)
        a, given = alpha[i], 0.0
        if loss == SQUARED_HINGE:
            most, least = most * most, least * least
            given = 0.25 * a * a / sample_C[i] if a > 0.0 else 0.0
        upper += sample_C[i] * most
        middle += sample_C[i] * least
        dual += a - given
        size += a + given
    return upper, middle, dual, size


@njit(cache=True, nogil=True, error_model="numpy")
def logistic_sums(
    scores: tuple[Floats, Floats, Floats], rows: tuple[Floats, Floats, Floats]
) -> tuple[float, float, float, float]:
    """The same for the logistic loss."""
    _, sample_C, alpha = rows
    terms = np.empty((5, len(sample_C)))
    write_logistic_terms(scores, rows, terms)
    upper, middle, dual, size = 0.0, 0.0, 0.0, 0.0
    for i in range(len(sample_C)):
        upper += terms[0, i]
        middle += terms[1, i]
        if terms[4, i] != 0.0:
            dual += terms[2, i]
            size += terms[3, i]
        elif sample_C[i] > 0.0:
            exact = entropy_term(alpha[i], sample_C[i]) + entropy_of_rest(alpha[i], sample_C[i])
            dual += exact
            size += exact
    return upper, middle, dual, size


@njit(cache=True, nogil=True, error_model="numpy")
def write_logistic_terms(
    scores: tuple[Floats, Floats, Floats], rows: tuple[Floats, Floats, Floats], terms: Floats
) -> None:
    """Write c ℓ at most and as computed, dual(α) at most but for rounding, its size; is it near.

    A margin that is less by δ costs at most e^δ times as much, and e^δ − 1 ≤ 2 δ for δ < 1. Of
    dual(α) the bound by the margin is taken, which is a good one near the margin's own answer.
    """
    value, correction, error = scores
    signs, sample_C, alpha = rows
    for i in range(len(signs)):
        m, a, c = signs[i] * (value[i] + correction[i]), alpha[i], sample_C[i]
        e = exp_of_minus(abs(m))
        loss = c * (log_of_one_plus(e) + max(0.0, -m))
        error_bound = error[i] + 4 * EPSILON * abs(m)
        loss_increase = min(c, 2.0 * loss) * error_bound if error_bound < 1.0 else c * error_bound
        terms[0, i] = loss * (1.0 + FUNCTION_ERROR) + loss_increase
        terms[1, i] = loss
        part = 1.0 / (1.0 + e)
        best_alpha = c * part * (e if m > 0.0 else 1.0)
        theta = best_alpha * part * (1.0 if m > 0.0 else e)
        distance = abs(a - best_alpha) + FUNCTION_ERROR * best_alpha
        given = distance * (distance / theta) * (1.0 + FUNCTION_ERROR)
        size = loss + abs(a * m)
        terms[2, i] = loss + a * m - given
        terms[3, i] = size + given
        terms[4, i] = (
            1.0 if (given <= MAX_QUADRATIC_SHARE * size) & (abs(m) < LARGEST_MARGIN) else 0.0
        )


@njit(cache=True, forceinline=True, error_model="numpy")
def entropy_term(x: float, c: float) -> float:
    """−x log(x/c) for 0 ≤ x ≤ c, with no digits lost near either end."""
    if x <= 0.0 or x >= c:
        return 0.0
    return float(-x * (np.log1p(-(c - x) / c) if x > 0.5 * c else np.log(x / c)))


@njit(cache=True, forceinline=True, error_model="numpy")
def entropy_of_rest(x: float, c: float) -> float:
    """The same of c − x, which is rounded only where x is the small one, and needs no more then."""
    if x <= 0.0 or x >= c:
        return 0.0
    return float(-(c - x) * (np.log1p(-x / c) if x <= 0.5 * c else np.log((c - x) / c)))
