"""Inner products and sums of rows with a proved bound of their rounding error.

s = w·x + b and v = Σ a_i x_i in one reading of the rows, by plain or compensated sums (Higham,
*Accuracy and Stability of Numerical Algorithms*, §3.1; Ogita, Rump & Oishi 2005, algorithm Dot2).
With u = 2⁻⁵³ and k terms in a sum, in any order of summation,

===========  =========================  ==================================================
sum          value                      error at most
===========  =========================  ==================================================
plain        ŝ                          γ_k ‖x‖ ‖w‖,  γ_k = k u / (1 − k u)
compensated  ŝ + ĉ, kept as two floats  γ_k² Σ |x_j w_j|
===========  =========================  ==================================================

Each product or sum below the normal range adds at most `UNDERFLOW`. The bounds are computed with
2⁻⁵² for u, which includes their own rounding.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT, Rows, entry, n_cols, n_entries, n_rows
from rosenblatt.types import Floats

EPSILON = 2.0**-52
UNDERFLOW = 2.0**-1070  # more than one product and its error term lose by it
SQUARES_UNDERFLOW = 1e-150  # a row so short may have entries whose squares underflow
LENGTH_ROUNDING = 1.0 + 2.0**-31  # more than a sum of up to 2²⁰ squares and its root lose
SPLITTER = 134217729.0  # 2²⁷ + 1, Veltkamp's constant


class Enclosed(NamedTuple):
    """Numbers within value + correction ± error."""

    value: Floats
    correction: Floats
    error: Floats


class Reading(NamedTuple):
    """Scores w·x + b and the sum Σ a x, from one reading of the rows."""

    scores: Enclosed
    total: Enclosed


def read_rows(blocks: Blocks, w: Floats, factors: Floats) -> Reading:
    """Scores of all rows by (w, b), and the sum of the rows times their factors, compensated."""
    rows = blocks.problem.rows
    found = np.empty((3, n_rows(rows)))

    def on_block(block: TrainingData, *parts: Floats) -> Floats:
        sums = np.zeros((3, n_cols(rows)))
        read_compensated(block.rows, w, parts, sums)
        return sums

    total = added(blocks.each(on_block, factors, *found))
    error = error_of(found[2], terms_in_a_row(rows), compensated=True)
    return Reading(Enclosed(found[0], found[1], error), total_of(blocks, total))


def added(parts: Iterable[Floats]) -> Floats:
    """Sum of (values, corrections, sizes) over blocks, the values by compensated sums."""
    first, *others = parts
    total = np.array(first)
    for sums in others:
        value, lost = two_sum(total[0], sums[0])
        total[1] += sums[1] + lost
        total[0] = value
        total[2] += sums[2]
    return total


def total_of(blocks: Blocks, total: Floats) -> Enclosed:
    """Compensated sum over all rows with its error."""
    error = error_of(total[2], terms_of_a_sum(blocks), compensated=True)
    return Enclosed(total[0], total[1], error)


def terms_of_a_sum(blocks: Blocks) -> int:
    """Largest number of terms in a sum over all rows, added up in blocks."""
    return len(blocks) + max((len(block.codes) for block in blocks), default=0)


def terms_in_a_row(rows: Rows) -> int:
    """Largest number of terms in a score."""
    if isinstance(rows, CSR):
        return int(np.diff(rows.indptr).max(initial=0)) + 1
    return n_cols(rows) + 1


def error_of(sizes: Floats, terms: int, *, compensated: bool) -> Floats:
    """Bound of the error of a sum of so many terms whose absolute values sum to `sizes`."""
    relative, absolute = error_coefficients(terms, compensated=compensated)
    return np.asarray(relative * sizes + absolute)


def error_coefficients(terms: int, *, compensated: bool) -> tuple[float, float]:
    """Relative error of a sum, against the sum of absolute values, and absolute error."""
    gamma = (terms + 4) * EPSILON
    return (gamma * gamma if compensated else gamma), terms * UNDERFLOW


@njit(cache=True, nogil=True)
def read_compensated(X: Rows, w: Floats, parts: tuple[Floats, ...], sums: Floats) -> None:
    """Write w·x + b of each row, its correction and size; add each row times its factor."""
    factors, value, correction, size = parts
    for i in range(len(factors)):
        value[i], correction[i], size[i] = score_compensated(X, i, w)
        if factors[i] != 0.0:
            add_compensated(X, i, factors[i], sums)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def score_plain(X: Rows, i: int, w: Floats) -> tuple[float, float]:
    """Score w·x + b of a row, and ‖x‖ rounded up."""
    score, square = w[n_cols(X)], 0.0
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, UINT(e))
        score += x * w[j]
        square += x * x
    return score, rounded_up_length(square)


@njit(cache=True, forceinline=True)
def rounded_up_length(square: float) -> float:
    """Upper bound of ‖x‖ from ‖x‖², a computed sum of up to 2²⁰ terms."""
    return float(np.sqrt(square) * LENGTH_ROUNDING + SQUARES_UNDERFLOW)


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def add_plain(X: Rows, i: int, factor: float, sums: Floats) -> None:
    """Add a row times its factor to the sums."""
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, UINT(e))
        sums[0, j] += factor * x


@njit(cache=True, nogil=True)
def score_compensated(X: Rows, i: int, w: Floats) -> tuple[float, float, float]:
    """Score w·x + b of a row, its correction, and the sum of the absolute values of its terms."""
    intercept = w[n_cols(X)]
    score, lost, size = intercept, 0.0, abs(intercept)
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, UINT(e))
        term, term_error = two_product(x, w[j])
        score, sum_error = two_sum(score, term)
        lost += term_error + sum_error
        size += abs(term)
    return score, lost, size


@njit(cache=True, nogil=True)
def add_compensated(X: Rows, i: int, factor: float, sums: Floats) -> None:
    """Add a row times its factor to values, corrections and sizes."""
    for e in range(n_entries(X, i)):
        j, x = entry(X, i, UINT(e))
        term, term_error = two_product(x, factor)
        sums[0, j], sum_error = two_sum(sums[0, j], term)
        sums[1, j] += term_error + sum_error
        sums[2, j] += abs(term)


@njit(cache=True, forceinline=True)
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Rounded sum and its rounding error, exactly (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@njit(cache=True, forceinline=True)
def two_product(a: float, b: float) -> tuple[float, float]:
    """Rounded product and its rounding error, exactly (Dekker's TwoProduct)."""
    product = a * b
    a_high, a_low = halves(a)
    b_high, b_low = halves(b)
    rest = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return product, rest


@njit(cache=True, forceinline=True)
def halves(a: float) -> tuple[float, float]:
    """Two numbers of half the digits whose sum is a (Veltkamp's splitting)."""
    scaled = SPLITTER * a
    high = scaled - (scaled - a)
    return high, a - high
