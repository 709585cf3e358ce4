"""Exactly feasible dual variables: 0 ≤ α ≤ C, and Σ α y = 0 where there is an intercept.

The intercept is not penalised, so α bounds the objective from below only if Σ α y = 0. What
rounding leaves of that sum proves nothing: weights with a large intercept could exploit it. So α is
rounded to whole multiples of one power of two, small enough that nothing is lost and large enough
that float64 holds every sum of them exactly; then the few multiples by which the sum misses zero
are shared among rows between their bounds, where D is flat at the optimum.

For the softmax the same holds for each class. A row of class y gives α_k = −C q_k to each other
class k and takes α_y = −Σ α_k itself, so it sums to 0 over the classes by construction; the sum
over the rows of a class is made 0 as above.

At the optimum Σ α y x = ρ w. Where a row is long and its C large, float64 margins are too coarse to
determine α: an error of 1e-16 in a margin times C times the length of the row may exceed all of w.
So `refined` changes α by the smallest δ, relative to its distance t to the bounds, that makes up
for what Σ α y x misses of ρ w,

    minimise Σ δ²/t  subject to  Σ δ y x = ρ w − Σ α y x,  Σ δ y = 0 with an intercept

by a singular value decomposition of the rows; the right-hand side is a compensated sum.
"""

import math

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, n_cols, n_rows
from rosenblatt.linalg.error_free import read_rows
from rosenblatt.losses.conjugate import distance_to_bounds
from rosenblatt.losses.margin_losses import SQUARED_HINGE
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Codes, Floats

EXACT_BITS = 52  # a sum of fewer than 2⁵² multiples is exact, with a bit left for their rounding
SMALLEST_EXPONENT = -1074  # of a float64
MAX_SVD_OPERATIONS = 10**8  # rows × features² of a singular value decomposition


def feasible_for(objective: BinaryObjective, alpha: Floats) -> Floats:
    """Feasible dual variables of an objective near α."""
    signs, sample_C, loss = objective.signs, objective.sample_C, objective.loss
    return feasible(alpha, signs, sample_C, loss, fit_intercept=objective.fit_intercept)


def is_feasible_for(objective: BinaryObjective, alpha: Floats) -> bool:
    """Whether dual variables of an objective are exactly feasible."""
    signs, sample_C, loss = objective.signs, objective.sample_C, objective.loss
    return is_feasible(alpha, signs, sample_C, loss, fit_intercept=objective.fit_intercept)


def feasible(
    alpha: Floats, signs: Floats, sample_C: Floats, loss: int, *, fit_intercept: bool
) -> Floats:
    """Dual variables near α within their bounds, with Σ α y = 0 exactly if there is an intercept.

    The upper bound is C; a squared hinge has none, but rows without weight stay 0. Where no such α
    is found, it is 0.
    """
    inside = np.empty_like(alpha)
    total, excess, movable = clip_alpha(alpha, signs, sample_C, inside, loss)
    quantum = quantum_for(total)
    if not fit_intercept or quantum == 0.0:
        return inside if np.isfinite(total) else np.zeros_like(inside)
    within_bounds = abs(excess) <= 0.5 * movable
    share = excess / movable if within_bounds and movable > 0.0 else 0.0
    scale = 1.0 if within_bounds else 1.0 - abs(excess) / heavier_sum(inside, signs, excess)
    left = round_alpha(inside, signs, sample_C, (share, scale, excess), quantum, loss)
    if left != 0.0:
        left = balance_counts(inside, signs, sample_C / quantum, left, loss)
    inside *= quantum
    return inside if left == 0.0 else np.zeros_like(inside)


def is_feasible(
    alpha: Floats, signs: Floats, sample_C: Floats, loss: int, *, fit_intercept: bool
) -> bool:
    """Whether dual variables are within their bounds, and Σ α y = 0 exactly where it must be."""
    upper = np.where(sample_C > 0.0, np.inf, 0.0) if loss == SQUARED_HINGE else sample_C
    if not bool(((alpha >= 0.0) & (alpha <= upper) & np.isfinite(alpha)).all()):
        return False
    return not fit_intercept or sums_to_zero(alpha * signs)


def sums_to_zero(values: Floats) -> bool:
    """Whether numbers sum to zero exactly; the rounded sum settles most cases."""
    rounded = float(values.sum())
    if abs(rounded) > len(values) * 2.0**-52 * float(np.abs(values).sum()):
        return False
    return math.fsum(values.tolist()) == 0.0


def heavier_sum(alpha: Floats, signs: Floats, excess: float) -> float:
    """Σ α over the class whose sum exceeds that of the other."""
    return float(alpha[signs * excess > 0.0].sum())


@njit(cache=True, nogil=True, error_model="numpy")
def clip_alpha(
    alpha: Floats, signs: Floats, sample_C: Floats, out: Floats, loss: int
) -> tuple[float, float, float]:
    """Write α clipped to its bounds; give Σ α, Σ α y and the sum of the distances to the bounds."""
    total, excess, movable = 0.0, 0.0, 0.0
    for i in range(len(alpha)):
        c, a = sample_C[i], alpha[i]
        a = max(0.0, a)  # 0 for NaN
        a = (a if c > 0.0 else 0.0) if loss == SQUARED_HINGE else min(a, c)
        out[i] = a
        total += a
        excess += signs[i] * a
        movable += distance_to_bounds(loss, a, c)
    return total, excess, movable


@njit(cache=True, nogil=True, error_model="numpy")
def round_alpha(
    alpha: Floats,
    signs: Floats,
    sample_C: Floats,
    change: tuple[float, float, float],
    quantum: float,
    loss: int,
) -> float:
    """Balance α nearly, and write it in multiples of the quantum; give what is left of Σ α y.

    α changes in proportion to its distance to the bounds, or the heavier class is scaled down.
    """
    share, scale, excess = change
    left = 0.0
    for i in range(len(alpha)):
        a, c = alpha[i], sample_C[i]
        if share != 0.0:
            a -= signs[i] * share * distance_to_bounds(loss, a, c)
        elif scale != 1.0 and signs[i] * excess > 0.0:
            a *= scale
        count = np.rint(max(a, 0.0) / quantum)
        if loss != SQUARED_HINGE:
            count = min(count, np.floor(c / quantum))
        alpha[i] = count
        left += signs[i] * count
    return left


def quantum_for(total: float) -> float:
    """Power of two whose multiples up to this total are fewer than 2⁵²; 0 for an empty sum."""
    if not 0.0 < total < math.inf:
        return 0.0
    return math.ldexp(1.0, max(math.frexp(total)[1] - EXACT_BITS, SMALLEST_EXPONENT))


@njit(cache=True, nogil=True)
def balance_counts(counts: Floats, signs: Floats, upper: Floats, excess: float, loss: int) -> float:
    """Make Σ y k of whole numbers 0 ≤ k ≤ upper zero, in place; give what is left of it.

    Rows between their bounds change first, by an equal share each; then the heavier class.
    """
    unbounded, between = loss == SQUARED_HINGE, 0.0
    for i in range(len(counts)):
        between += 1.0 if counts[i] > 0.0 and (unbounded or counts[i] < np.floor(upper[i])) else 0.0
    share = np.ceil(abs(excess) / between) if between > 0.0 else 0.0
    for turn in range(2):
        for i in range(len(counts)):
            if excess == 0.0:
                return 0.0
            heavier = signs[i] * excess > 0.0
            movable = counts[i] if heavier else np.floor(upper[i]) - counts[i]
            if turn == 0 and counts[i] > 0.0 and (unbounded or counts[i] < np.floor(upper[i])):
                movable = share if unbounded and not heavier else movable
                move = min(share, movable, abs(excess))
            elif turn == 1 and heavier:
                move = min(movable, abs(excess))
            else:
                continue
            counts[i] += -move if heavier else move
            excess -= np.copysign(move, excess)
    return abs(excess)


def feasible_by_class(
    alpha: Floats, codes: Codes, sample_C: Floats, *, fit_intercept: bool
) -> Floats | None:
    """−α of each row and class but its own (0), feasible for the softmax and near a given α.

    With an intercept every class gives as much as it takes, exactly; None where that is impossible.
    """
    given = np.maximum(-alpha, 0.0)
    given[np.arange(len(codes)), codes] = 0.0
    rows = given.sum(axis=1)
    over = rows > sample_C
    if over.any():
        given[over] *= (sample_C[over] / rows[over] * (1.0 - 2.0**-40))[:, None]
    if not fit_intercept:  # the sum that a row takes must be exact, too
        quanta = np.ldexp(1.0, np.frexp(given.sum(axis=1))[1] - EXACT_BITS)[:, None]
        return np.asarray(np.floor(given / quanta) * quanta)
    quantum = quantum_for(float(given.sum()))
    if quantum == 0.0:
        return np.zeros_like(given)
    counts = np.floor(given / quantum)
    return counts * quantum if balance_class_counts(counts, codes, sample_C / quantum) else None


@njit(cache=True, nogil=True)
def balance_class_counts(counts: Floats, codes: Codes, upper: Floats) -> bool:
    """Make what each class takes and gives equal, in whole numbers, in place; give whether it is.

    The rows of a class that takes too much take less from one that gives too much.
    """
    n, n_classes = counts.shape
    excess = np.zeros(n_classes)
    taken = np.zeros(n)
    for i in range(n):
        for k in range(n_classes):
            taken[i] += counts[i, k]
            excess[k] -= counts[i, k]
        excess[codes[i]] += taken[i]
    for i in range(n):
        own = codes[i]
        for k in range(n_classes):
            if k == own or excess[own] == 0.0 or excess[k] == 0.0:
                continue
            if excess[own] > 0.0 > excess[k]:
                move = min(counts[i, k], excess[own], -excess[k])
                counts[i, k] -= move
                taken[i] -= move
            elif excess[own] < 0.0 < excess[k]:
                move = min(np.floor(upper[i]) - taken[i], -excess[own], excess[k])
                move = -move if move > 0.0 else 0.0
                counts[i, k] -= move
                taken[i] -= move
            else:
                continue
            excess[own] -= move
            excess[k] += move
    return bool((excess == 0.0).all())


def is_small_enough_to_refine(objective: BinaryObjective) -> bool:
    """Whether the rows are few enough for a singular value decomposition."""
    rows = objective.blocks.problem.rows
    return n_rows(rows) * (n_cols(rows) + 1) ** 2 <= MAX_SVD_OPERATIONS


@np.errstate(over="ignore", invalid="ignore")
def refined(objective: BinaryObjective, w: Floats, alpha: Floats) -> Floats:
    """Dual variables whose sum Σ α y x is closer to ρ w; they may leave their bounds."""
    total = read_rows(objective.blocks, w, alpha * objective.signs).total
    missing = (objective.l2 * w[:-1] - total.value) - total.correction
    movable = alpha.copy()
    if objective.loss != SQUARED_HINGE:
        movable *= 1.0 - np.divide(
            alpha, objective.sample_C, out=np.ones_like(alpha), where=alpha > 0.0
        )
    used = np.flatnonzero(movable > 0.0)
    rows = objective.blocks.problem.rows
    X = matrix_of(rows)[used].toarray() if isinstance(rows, CSR) else rows[used]
    root = np.sqrt(movable[used])
    A = (root * objective.signs[used])[:, None] * np.column_stack([X, np.ones(len(used))])
    if not objective.fit_intercept:
        A[:, -1] = 0.0
    if not (len(used) and np.isfinite(A).all() and np.isfinite(missing).all()):
        return alpha
    change, *_ = np.linalg.lstsq(A.T, np.append(missing, 0.0), rcond=np.finfo(np.float64).eps)
    closer = alpha.copy()
    closer[used] += root * change
    return closer
