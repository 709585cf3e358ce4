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

from rosenblatt.arrays import Floats
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import Rows, n_cols
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.exponential import exp_of_minus, log_of_one_plus
from rosenblatt.rules.losses import HINGE, SQUARED_HINGE
from rosenblatt.solvers.certificate import Bounds
from rosenblatt.solvers.dual_point import feasible, is_feasible
from rosenblatt.solvers.dual_refinement import is_small, refined
from rosenblatt.solvers.error_free import (
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
from rosenblatt.solvers.responses import Task
from rosenblatt.solvers.softmax import Classes

FUNCTION_ERROR = 64 * EPSILON
CHUNK = 128  # rows whose terms are added before they join the total, which is compensated
LARGEST_MARGIN = 700.0  # beyond it exp_of_minus is not exp
NEAR_ANSWER = 1e-6  # of a row's terms: so small, the divergence may be bounded by a square
PLAIN_FIRST = (False, True)  # ways to sum, compensated or not, until one leaves little open
COMPENSATED = (True,)
OPEN_SHARE = 0.1  # of the gap, or of `tol`: more left open by rounding asks for compensated sums
MOST_REFINEMENTS = 4
KINK_WIDTH = 1e-9  # of margins that a run makes 1
FULL_LENGTH = 0.999  # a dual point that would gain by being shorter than this part is shortened


class Proof(NamedTuple):
    """Proved bounds of weights, and the feasible dual point they rest on."""

    bounds: Bounds
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
    units_ = tuple(UnitCertificate(*p.bounds, p.bounds.narrow_gap, p.alpha) for p in proofs)
    total = Bounds.summed([p.bounds for p in proofs])
    gap = total.narrow_gap
    return Certificate(*total, gap, bool(gap <= claimed), units_)


class Sides(NamedTuple):
    """Both sides of the gap: as computed, and as proved."""

    primal: float
    dual: float
    primal_upper: float
    dual_lower: float
    dual_terms: float
    square: float

    @property
    def bounds(self) -> Bounds:
        """What is proved; nothing where a number left float64."""
        upper, lower = self.primal_upper, self.dual_lower
        return Bounds(
            upper if np.isfinite(upper) else np.inf, max(lower, 0.0) if np.isfinite(lower) else 0.0
        )

    def is_sharp(self, tol: float) -> bool:
        """Whether rounding leaves little open beside the gap, or beside `tol`."""
        left = (self.primal_upper - self.primal) + (self.dual - self.dual_lower)
        return bool(left <= OPEN_SHARE * max(tol * self.primal, self.primal - self.dual))


def prove_again(task: Task, w: Floats, alpha: Floats) -> Proof:
    """Proved bounds by compensated sums, and by α itself where that is feasible."""
    if not is_feasible(alpha, task.signs, task.costs, task.loss, bias=task.bias):
        alpha = feasible(alpha, task.signs, task.costs, task.loss, bias=task.bias)
    return prove_at(task, w, alpha, 0.0, COMPENSATED)


def prove(task: Task, w: Floats, alpha: Floats, tol: float) -> Proof:
    """Proved bounds of weights (w, b) by a feasible dual point near α."""
    alpha = feasible(alpha, task.signs, task.costs, task.loss, bias=task.bias)
    return prove_at(task, w, alpha, tol, PLAIN_FIRST)


def prove_closely(task: Task, w: Floats, alpha: Floats, tol: float) -> Proof:
    """Proved bounds of weights, or of better ones that differ by rounding alone.

    Where α does not prove `tol`, and the rows are few, it is refined. A hinge at its kink loses its
    cost times the rounding of its margin, which weights that are longer by as much do not.
    """
    best = prove(task, w, alpha, tol)
    if task.loss in (HINGE, SQUARED_HINGE) and best.bounds.gap > tol:
        for longer in without_kinks(task, w):
            other = prove(task, longer, best.alpha, tol)
            best = other if other.bounds.gap < best.bounds.gap else best
    for _ in range(MOST_REFINEMENTS):
        if best.bounds.gap <= tol or not is_small(task):
            break
        alpha = feasible(alpha, task.signs, task.costs, task.loss, bias=task.bias)
        alpha = refined(task, best.w, alpha)
        proof = prove(task, best.w, alpha, tol)
        best = proof if proof.bounds.bound > best.bounds.bound else best
    return best


def without_kinks(task: Task, w: Floats) -> Iterator[Floats]:
    """Weights longer by a little more than what rounding takes off margins that would be 1."""
    scores = read_rows(task.blocks, w, np.zeros_like(task.costs)).scores
    short = 1.0 - task.signs * (scores.value + scores.correction)
    rounding = float(np.spacing(1.0 + abs(w[-1])))
    near = (np.abs(short) <= max(4.0 * rounding, KINK_WIDTH)) & (task.costs > 0.0)
    missing = float(short[near].max(initial=0.0))
    for roundings in (1.0, 2.0, 4.0):
        yield w * (1.0 + missing + roundings * rounding)


def prove_at(task: Task, w: Floats, alpha: Floats, tol: float, ways: tuple[bool, ...]) -> Proof:
    """Proved bounds of weights (w, b) by a feasible dual point, or by a part of it."""
    sides = sides_of(task, w, alpha, tol, ways)
    part = sides.dual_terms / sides.square if sides.square > 0.0 else 1.0
    if 0.0 < part < FULL_LENGTH:
        shorter = feasible(part * alpha, task.signs, task.costs, task.loss, bias=task.bias)
        other = sides_of(task, w, shorter, tol, ways)
        if other.dual_lower > sides.dual_lower:
            alpha, sides = shorter, other
    return Proof(sides.bounds, alpha, w)


def sides_of(task: Task, w: Floats, alpha: Floats, tol: float, ways: tuple[bool, ...]) -> Sides:
    """Both sides of the gap, by compensated sums where plain ones leave too much open."""
    for compensated in ways:
        sides = sides_by(task, w, alpha, compensated=compensated)
        if sides.is_sharp(tol):
            break
    return sides


def sides_by(task: Task, w: Floats, alpha: Floats, *, compensated: bool) -> Sides:
    """Both sides of the gap from one reading of the rows, with plain sums or compensated ones."""
    rows = task.blocks.problem.rows
    with np.errstate(over="ignore", invalid="ignore"):
        length = rounded_up_length(float(w[:-1] @ w[:-1]))
        parts_of_error = error_parts(terms_in_a_row(rows), compensated=compensated)
        rounding = (*parts_of_error, length, compensated)
        width = max(n_cols(rows), 5)

        def here(block: Problem, *parts: Floats) -> Floats:
            sums = np.zeros((4, width))  # three of the rows, and one for both sides
            sums[3, :5] = read_sides(block.rows, task.loss, w, parts, rounding, sums)
            return sums

        parts = list(task.blocks.each(here, task.signs, task.costs, alpha))
        upper, loss, dual, size, spread = (
            math.fsum(part[3, k] for part in parts) for k in range(5)
        )
        sums = added(part[:3, : n_cols(rows)] for part in parts)
        if compensated:
            squares = lengths(total_of(task.blocks, sums))
        else:
            squares = lengths_within(sums[0] + sums[1], spread, terms_of_a_sum(task.blocks))
        return joined(w[:-1], (upper, loss), (dual, size), squares, task)


def lengths(total: Enclosed) -> tuple[float, float]:
    """Squared length of an enclosed vector: as computed, and at most."""
    size = np.abs(total.value + total.correction)
    most = size * (1.0 + EPSILON) + total.error
    return float(size @ size), float(most @ most) * (1.0 + (len(most) + 4) * EPSILON)


def lengths_within(total: Floats, spread: float, terms: int) -> tuple[float, float]:
    """The same of a plain sum Σ a x of so many terms, whose lengths |a| ‖x‖ sum to `spread`."""
    square = float(total @ total)
    share, least = error_parts(terms, compensated=False)
    length = np.sqrt(square) * (1.0 + (len(total) + 4) * EPSILON) + SQUARES_UNDERFLOW
    return square, (length + share * spread + len(total) * least) ** 2 * (1.0 + 4 * EPSILON)


def joined(
    w: Floats,
    losses: tuple[float, float],
    duals: tuple[float, float],
    squares: tuple[float, float],
    task: Task | Classes,
) -> Sides:
    """Both sides from their parts, each with the rounding of its sum."""
    summed = (CHUNK + 16) * EPSILON
    half = 0.5 * task.ridge * float(w @ w)
    half_upper = half * (1.0 + (len(w) + 4) * EPSILON)
    loss_upper = losses[0] * (1.0 + summed)
    square, square_upper = squares[0] / task.ridge, squares[1] / task.ridge
    dual_lower = duals[0] - (summed + FUNCTION_ERROR) * duals[1]
    return Sides(
        primal=half + losses[1],
        dual=duals[0] - 0.5 * square,
        primal_upper=(half_upper + loss_upper) * (1.0 + 4 * EPSILON),
        dual_lower=dual_lower - 0.5 * square_upper * (1.0 + 4 * EPSILON),
        dual_terms=duals[0],
        square=square,
    )


@njit(cache=True, nogil=True, error_model="numpy")
def read_sides(  # noqa: PLR0912 (a hot loop is one function)
    X: Rows,
    loss: int,
    w: Floats,
    parts: tuple[Floats, ...],
    rounding: tuple[float, float, float, bool],
    sums: Floats,
) -> Floats:
    """Add Σ α y x to the sums; give Σ c ℓ at most and as computed, Σ dual(α), its size, Σ α ‖x‖."""
    signs, costs, alpha = parts
    share, least, w_length, compensated = rounding
    value, correction, error = np.empty(CHUNK), np.zeros(CHUNK), np.empty(CHUNK)
    totals = np.zeros((2, 5))  # and what their rounding left out
    for start in range(0, len(signs), CHUNK):
        n = min(CHUNK, len(signs) - start)
        for r in range(n):
            i = start + r
            if compensated:
                value[r], correction[r], reach = score_compensated(X, i, w)
            else:
                value[r], length = score_plain(X, i, w)
                reach = length * w_length + abs(w[len(w) - 1])
                totals[0, 4] += alpha[i] * length
            error[r] = share * reach + least
            factor = signs[i] * alpha[i]
            if factor != 0.0 and compensated:
                add_compensated(X, i, factor, sums)
            elif factor != 0.0:
                add_plain(X, i, factor, sums)
        span = slice(start, start + n)
        scores = (value[:n], correction[:n], error[:n])
        rows = (signs[span], costs[span], alpha[span])
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
    signs, costs, alpha = rows
    upper, middle, dual, size = 0.0, 0.0, 0.0, 0.0
    for i in range(len(signs)):
        own = signs[i] * value[i]
        short = 1.0 - own
        back = short - 1.0
        rest = (1.0 - (short - back)) - (own + back)  # what 1 − own rounds off, as in two_sum
        short += rest - signs[i] * correction[i]
        most = max(short + error[i] + 4 * EPSILON * abs(short), 0.0)
        least = max(short, 0.0)
        a, given = alpha[i], 0.0
        if loss == SQUARED_HINGE:
            most, least = most * most, least * least
            given = 0.25 * a * a / costs[i] if a > 0.0 else 0.0
        upper += costs[i] * most
        middle += costs[i] * least
        dual += a - given
        size += a + given
    return upper, middle, dual, size


@njit(cache=True, nogil=True, error_model="numpy")
def logistic_sums(
    scores: tuple[Floats, Floats, Floats], rows: tuple[Floats, Floats, Floats]
) -> tuple[float, float, float, float]:
    """The same for the logistic loss."""
    _, costs, alpha = rows
    terms = np.empty((5, len(costs)))
    write_logistic_terms(scores, rows, terms)
    upper, middle, dual, size = 0.0, 0.0, 0.0, 0.0
    for i in range(len(costs)):
        upper += terms[0, i]
        middle += terms[1, i]
        if terms[4, i] != 0.0:
            dual += terms[2, i]
            size += terms[3, i]
        elif costs[i] > 0.0:
            exact = entropy_term(alpha[i], costs[i]) + entropy_of_rest(alpha[i], costs[i])
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
    signs, costs, alpha = rows
    for i in range(len(signs)):
        m, a, c = signs[i] * (value[i] + correction[i]), alpha[i], costs[i]
        e = exp_of_minus(abs(m))
        paid = c * (log_of_one_plus(e) + max(0.0, -m))
        doubt = error[i] + 4 * EPSILON * abs(m)
        grown = min(c, 2.0 * paid) * doubt if doubt < 1.0 else c * doubt
        terms[0, i] = paid * (1.0 + FUNCTION_ERROR) + grown
        terms[1, i] = paid
        part = 1.0 / (1.0 + e)
        answer = c * part * (e if m > 0.0 else 1.0)
        theta = answer * part * (1.0 if m > 0.0 else e)
        apart = abs(a - answer) + FUNCTION_ERROR * answer
        given = apart * apart / theta * (1.0 + FUNCTION_ERROR)
        size = paid + abs(a * m)
        terms[2, i] = paid + a * m - given
        terms[3, i] = size + given
        terms[4, i] = 1.0 if (given <= NEAR_ANSWER * size) & (abs(m) < LARGEST_MARGIN) else 0.0


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
