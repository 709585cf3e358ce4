"""The proved duality gap of given weights and given dual variables, with all rounding included.

P(w, b) = ½ρ‖w‖² + Σ C ℓ(y (w·x + b)) is bounded from above and

    D(α) = Σ dual(α) − ‖Σ α y x‖² / 2ρ      (dual(α): losses/conjugate.py)

from below: every inner product with its proved error (error_free.py), every such error with what it
can change in P or D, every sum with the rounding of its terms. So P ≤ `primal_upper`, and no
weights have an objective below `dual_lower`, in exact arithmetic. If plain sums leave too much
open, the rows are read again with compensated sums.

The logistic dual(α) needs no logarithm near α₀ = C σ(−m), for any margin m: since the
Kullback–Leibler divergence of two probabilities is at most (p − q)²/q(1 − q),

    dual(α) ≥ C ℓ(m) + α m − (α − α₀)²/θ,      θ = α₀ (1 − α₀/C)

exp and log1p of kernels/exp.py, and those of numpy, are assumed to have a relative error of at most
`FUNCTION_ERROR`: 64 units in the last place, where they were measured to err by fewer than 4.
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
    error_coefficients,
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
    feasible_for,
    is_feasible_for,
    is_small_enough_to_refine,
    refined,
)
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.types import Floats

FUNCTION_ERROR = 64 * EPSILON
CHUNK_ROWS = 128  # rows whose terms are summed before they are added to the compensated total
UNDERFLOW_PER_TERM = 2.0**-1000  # more than the underflow of all operations on a row or a weight
LARGEST_MARGIN = 700.0  # up to which exp_of_minus is exp
MAX_QUADRATIC_SHARE = 1e-6  # of a row's terms: up to which the divergence is bounded by a square
PLAIN_FIRST = (False, True)  # whether sums are compensated, in the order of the attempts
COMPENSATED = (True,)
MAX_ROUNDING_SHARE = 0.1  # of the gap, or of `tol`: more rounding asks for compensated sums
MAX_REFINEMENTS = 4
KINK_WIDTH = 1e-9  # margins this near to 1 are at the kink of the hinge
MAX_RESCALE = 0.999  # α is scaled down where D is highest below this factor


class Proof(NamedTuple):
    """A proved duality gap, the feasible α of its dual bound, and the weights of its primal."""

    bounds: DualityGap
    alpha: Floats
    w: Floats


class UnitCertificate(NamedTuple):
    """Proved bounds of one binary or softmax objective, and the α that proves the lower one."""

    primal_upper: float
    dual_lower: float
    gap: float
    alpha: Floats


@dataclass(frozen=True)
class Certificate:
    """Proved bounds of the objective of a fit; `holds` tells whether they prove its `gap_`.

    They are sums over `units`: the binary problems of one-vs-rest, else a single one.
    """

    primal_upper: float
    dual_lower: float
    gap: float
    holds: bool
    units: tuple[UnitCertificate, ...] = field(repr=False)


def certificate_of(proofs: list[Proof], claimed: float) -> Certificate:
    """Certificate of a fit with a claimed gap, from the proofs of its objectives."""
    units = tuple(UnitCertificate(*p.bounds, p.bounds.unrounded_gap, p.alpha) for p in proofs)
    total = DualityGap.summed([p.bounds for p in proofs])
    gap = total.unrounded_gap
    return Certificate(*total, gap, bool(gap <= claimed), units)


class EnclosedGap(NamedTuple):
    """P and D as computed, and their proved bounds."""

    primal: float
    dual: float
    primal_upper: float
    dual_lower: float
    dual_terms: float
    square: float

    @property
    def bounds(self) -> DualityGap:
        """The proved duality gap; infinite where a number overflowed."""
        upper, lower = self.primal_upper, self.dual_lower
        return DualityGap(
            upper if np.isfinite(upper) else np.inf, max(lower, 0.0) if np.isfinite(lower) else 0.0
        )

    def proof(self, alpha: Floats, w: Floats) -> Proof:
        """The bounds with their α and weights; where α proves nothing, α = 0 proves P ≥ 0."""
        return Proof(self.bounds, alpha if self.bounds.dual > 0.0 else np.zeros_like(alpha), w)

    def is_tight(self, tol: float) -> bool:
        """Whether rounding is small against the gap, or against `tol`."""
        rounding = (self.primal_upper - self.primal) + (self.dual - self.dual_lower)
        return bool(
            rounding <= MAX_ROUNDING_SHARE * max(tol * self.primal, self.primal - self.dual)
        )


def prove_stored(objective: BinaryObjective, w: Floats, alpha: Floats) -> Proof:
    """Proved gap by compensated sums, from α itself where that is feasible."""
    if not is_feasible_for(objective, alpha):
        alpha = feasible_for(objective, alpha)
    return prove_at(objective, w, alpha, 0.0, COMPENSATED)


def prove(objective: BinaryObjective, w: Floats, alpha: Floats, tol: float) -> Proof:
    """Proved gap of weights (w, b), from a feasible dual point near α."""
    alpha = feasible_for(objective, alpha)
    return prove_at(objective, w, alpha, tol, PLAIN_FIRST)


def prove_with_refinement(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float
) -> Proof:
    """Proved gap of weights, or of weights that differ from them by rounding alone.

    Where α does not prove `tol` and the rows are few, α is refined. At the kink of a hinge, the
    rounding of a margin costs C times as much; weights longer by that rounding avoid it.
    """
    best = prove(objective, w, alpha, tol)
    if objective.loss in (HINGE, SQUARED_HINGE) and best.bounds.gap > tol:
        for longer in weights_off_the_kinks(objective, w):
            other = prove(objective, longer, best.alpha, tol)
            best = other if other.bounds.gap < best.bounds.gap else best
    for _ in range(MAX_REFINEMENTS):
        if best.bounds.gap <= tol or not is_small_enough_to_refine(objective):
            break
        alpha = refined(objective, best.w, feasible_for(objective, alpha))
        proof = prove(objective, best.w, alpha, tol)
        best = proof if proof.bounds.dual > best.bounds.dual else best
    return best


def weights_off_the_kinks(objective: BinaryObjective, w: Floats) -> Iterator[Floats]:
    """Weights scaled up by a little more than rounding takes off margins that would be 1."""
    scores = read_rows(objective.blocks, w, np.zeros_like(objective.sample_C)).scores
    shortfall = 1.0 - objective.signs * (scores.value + scores.correction)
    rounding = float(np.spacing(1.0 + abs(w[-1])))
    near = (np.abs(shortfall) <= max(4.0 * rounding, KINK_WIDTH)) & (objective.sample_C > 0.0)
    largest = float(shortfall[near].max(initial=0.0))
    for roundings in (1.0, 2.0, 4.0):
        yield w * (1.0 + largest + roundings * rounding)


def prove_at(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float, summations: tuple[bool, ...]
) -> Proof:
    """Proved gap of weights (w, b), from a feasible dual point or its best multiple."""
    enclosed = enclosed_gap(objective, w, alpha, tol, summations)
    scale = enclosed.dual_terms / enclosed.square if enclosed.square > 0.0 else 1.0
    if 0.0 < scale < MAX_RESCALE:
        scaled = feasible_for(objective, scale * alpha)
        other = enclosed_gap(objective, w, scaled, tol, summations)
        if other.dual_lower > enclosed.dual_lower:
            alpha, enclosed = scaled, other
    return enclosed.proof(alpha, w)


def enclosed_gap(
    objective: BinaryObjective, w: Floats, alpha: Floats, tol: float, summations: tuple[bool, ...]
) -> EnclosedGap:
    """Enclosed P and D, by compensated sums where plain ones leave too much open."""
    for compensated in summations:
        enclosed = enclosed_gap_by(objective, w, alpha, compensated=compensated)
        if enclosed.is_tight(tol):
            break
    return enclosed


def enclosed_gap_by(
    objective: BinaryObjective, w: Floats, alpha: Floats, *, compensated: bool
) -> EnclosedGap:
    """Enclosed P and D from one reading of the rows, by plain or compensated sums."""
    rows = objective.blocks.problem.rows
    with np.errstate(over="ignore", invalid="ignore"):
        length = rounded_up_length(float(w[:-1] @ w[:-1]))
        coefficients = error_coefficients(terms_in_a_row(rows), compensated=compensated)
        rounding = (*coefficients, length, compensated)
        width = max(n_cols(rows), 5)

        def on_block(block: TrainingData, *parts: Floats) -> Floats:
            sums = np.zeros((4, width))  # of the rows: values, corrections, sizes; P and D
            sums[3, :5] = gap_sums(block.rows, objective.loss, w, parts, rounding, sums)
            return sums

        parts = list(objective.blocks.each(on_block, objective.signs, objective.sample_C, alpha))
        upper, loss, dual, size, spread = (
            math.fsum(part[3, k] for part in parts) for k in range(5)
        )
        sums = added(part[:3, : n_cols(rows)] for part in parts)
        if compensated:
            squares = squared_norm_of(total_of(objective.blocks, sums))
        else:
            squares = squared_norm_of_plain_sum(
                sums[0] + sums[1], spread, terms_of_a_sum(objective.blocks)
            )
        return enclosed_from_sums(w[:-1], (upper, loss), (dual, size), squares, objective)


def squared_norm_of(total: Enclosed) -> tuple[float, float]:
    """Squared norm of an enclosed vector: as computed, and at most."""
    size = np.abs(total.value + total.correction)
    upper = size * (1.0 + EPSILON) + total.error
    return float(size @ size), float(upper @ upper) * (1.0 + (len(upper) + 4) * EPSILON)


def squared_norm_of_plain_sum(total: Floats, spread: float, terms: int) -> tuple[float, float]:
    """The same for a plain sum Σ a x of so many terms, where `spread` is Σ |a| ‖x‖."""
    square = float(total @ total)
    relative, absolute = error_coefficients(terms, compensated=False)
    length = np.sqrt(square) * (1.0 + (len(total) + 4) * EPSILON) + SQUARES_UNDERFLOW
    upper = length + relative * spread + len(total) * absolute
    return square, upper**2 * (1.0 + 4 * EPSILON)


def enclosed_from_sums(
    w: Floats,
    losses: tuple[float, float],
    duals: tuple[float, float],
    squares: tuple[float, float],
    objective: BinaryObjective | SoftmaxObjective,
) -> EnclosedGap:
    """Enclosed P and D from their parts, with the rounding of each sum, and underflow."""
    sum_error = (CHUNK_ROWS + 16) * EPSILON
    half = 0.5 * objective.l2 * float(w @ w)
    half_upper = half * (1.0 + (len(w) + 4) * EPSILON)
    underflow = (len(objective.sample_C) + len(w)) * UNDERFLOW_PER_TERM
    loss_upper = losses[0] * (1.0 + sum_error)
    square, square_upper = squares[0] / objective.l2, squares[1] / objective.l2
    dual_lower = duals[0] - (sum_error + FUNCTION_ERROR) * duals[1]
    return EnclosedGap(
        primal=half + losses[1],
        dual=duals[0] - 0.5 * square,
        primal_upper=(half_upper + loss_upper) * (1.0 + 4 * EPSILON) + underflow,
        dual_lower=dual_lower - 0.5 * square_upper * (1.0 + 4 * EPSILON) - underflow,
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
    """Add Σ α y x to the sums; give Σ C ℓ at most and as computed, Σ dual(α), its size, Σ α ‖x‖."""
    signs, sample_C, alpha = parts
    relative, absolute, w_length, compensated = rounding
    value, correction, error = np.empty(CHUNK_ROWS), np.zeros(CHUNK_ROWS), np.empty(CHUNK_ROWS)
    totals = np.zeros((2, 5))  # values and corrections
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
            error[r] = relative * term_size + absolute
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
    """Σ C ℓ at the smallest margins possible and at those computed; Σ dual(α), and its size."""
    value, correction, error = scores
    signs, sample_C, alpha = rows
    upper, middle, dual, size = 0.0, 0.0, 0.0, 0.0
    for i in range(len(signs)):
        margin = signs[i] * value[i]
        shortfall = 1.0 - margin
        back = shortfall - 1.0
        rest = (1.0 - (shortfall - back)) - (margin + back)  # rounding of 1 − margin, as in two_sum
        shortfall += rest - signs[i] * correction[i]
        loss_upper = max(shortfall + error[i] + 4 * EPSILON * abs(shortfall), 0.0)
        loss_computed = max(shortfall, 0.0)
        a, quadratic = alpha[i], 0.0
        if loss == SQUARED_HINGE:
            loss_upper, loss_computed = loss_upper * loss_upper, loss_computed * loss_computed
            quadratic = 0.25 * a * a / sample_C[i] if a > 0.0 else 0.0
        upper += sample_C[i] * loss_upper
        middle += sample_C[i] * loss_computed
        dual += a - quadratic
        size += a + quadratic
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
    """Write C ℓ at most and as computed, a bound of dual(α), its size, and whether it is tight.

    A margin smaller by δ has at most e^δ times the loss, and e^δ − 1 ≤ 2 δ for δ < 1. dual(α) is
    bounded by the margin (module docstring), tightly where α is near α₀.
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
        share = 1.0 / (1.0 + e)
        best_alpha = c * share * (e if m > 0.0 else 1.0)
        theta = best_alpha * share * (1.0 if m > 0.0 else e)
        distance = abs(a - best_alpha) + FUNCTION_ERROR * best_alpha
        quadratic = distance * (distance / theta) * (1.0 + FUNCTION_ERROR)
        size = loss + abs(a * m)
        terms[2, i] = loss + a * m - quadratic
        terms[3, i] = size + quadratic
        terms[4, i] = (
            1.0 if (quadratic <= MAX_QUADRATIC_SHARE * size) & (abs(m) < LARGEST_MARGIN) else 0.0
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
