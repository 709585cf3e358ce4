"""Least squares to any targets, by a triangular factor of the rows: no squares, no lost digits.

A matrix of rows A = Q R has the same least squares solutions as its upper triangle R, and two
sets of rows are merged by factoring one triangle on top of the other (TSQR, Demmel et al. 2012).
So one reading of the rows gives R, a block at a time. Moments, as the classifiers in closed form
have them, are less work, but being squares they resolve only half the digits: of the powers
x, x², … x⁹ of a feature in [0, 1] they tell only seven apart.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr, solve_triangular

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.data.validation import require_finite
from rosenblatt.errors import DataError, TooLargeError
from rosenblatt.kernels.rows import Rows, n_cols, n_rows
from rosenblatt.linalg.products import one_thread, write_weighted_rows
from rosenblatt.types import Floats

MIN_PIVOT = 1e-12  # of a column: with less, values w·x + b would lose all but four digits
MIN_CHUNK_ROWS = 1024
CHUNK_ENTRIES = 1 << 25
MAX_BYTES = 8 << 30  # of a factor with the rows to be merged: more is refused


class RowFactor(NamedTuple):
    """The triangle R of the rows √weight (x − c, 1, t − c′), t being the targets of a row.

    The origins c and c′ are a row of the data and its targets: so data far from 0 lose no digits,
    and constant columns are 0.
    """

    origin: Floats
    target_origin: Floats
    R: Floats

    def __add__(self, other: "RowFactor") -> "RowFactor":  # type: ignore[override]
        """Factor of both sets of rows, of the same origins."""
        return self._replace(R=triangle(self.R, other.R))


class Solution(NamedTuple):
    """Weights (w, b), a row for each output, and the rank of the features."""

    W: Floats
    rank: int


def first_row(rows: Rows) -> Floats:
    """The first row, to be the origin of a factor."""
    row = np.empty((1, n_cols(rows) + 1))
    write_weighted_rows(rows, np.zeros(1, np.int64), np.ones(1), np.zeros(n_cols(rows)), row)
    return row[0, :-1]


def factor_of(blocks: Blocks, targets: Floats, start: RowFactor) -> RowFactor:
    """Factor of all rows with their targets, a column for each output, after those of `start`."""
    require_memory(start.R.shape[1])
    # the bits must not depend on the number of BLAS threads; blocks run in threads instead
    with one_thread(), np.errstate(over="ignore", invalid="ignore"):
        try:
            found = blocks.total(partial(_factor_of_block, start=start), targets)
            return start + found if len(start.R) else found
        except np.linalg.LinAlgError:
            require_finite(blocks.problem.rows)
            raise TooLargeError(
                "X or y holds numbers so large that float64 cannot hold the length of a column."
                " Scale them."
            ) from None


def no_rows(origin: Floats, target_origin: Floats) -> RowFactor:
    """Factor of no rows at all."""
    return RowFactor(origin, target_origin, np.zeros((0, len(origin) + 1 + len(target_origin))))


def least_squares(factor: RowFactor, *, alpha: float, fit_intercept: bool) -> Solution:
    """Weights with the least Σ (t − w·x − b)² + α‖w‖², the shortest where several have it."""
    (origin, target_origin, R), d = factor, len(factor.origin)
    X, ones, T = R[:, :d], R[:, d : d + 1], R[:, d + 1 :]
    if not fit_intercept:
        w, rank = _shortest(X + ones * origin, T + ones * target_origin, alpha)
        return Solution(np.column_stack([w, np.zeros(len(w))]), rank)
    # the constant goes first: what lies below it is the part of X and T orthogonal to it
    F = triangle(np.column_stack([ones, X, T]))
    w, rank = _shortest(F[1:, 1 : d + 1], F[1:, d + 1 :], alpha)
    b = (F[0, d + 1 :] - w @ F[0, 1 : d + 1]) / F[0, 0]
    return Solution(np.column_stack([w, b + target_origin - w @ origin]), rank)


def _shortest(A: Floats, B: Floats, alpha: float) -> Solution:
    """Least squares solution w of A w = b, with the penalty α‖w‖², for each column of B."""
    d = A.shape[1]
    if alpha > 0:  # one more row for each weight; on top, or a large α would cost the others digits
        A = np.concatenate([np.sqrt(alpha) * np.eye(d), A])
        B = np.concatenate([np.zeros((d, B.shape[1])), B])
    lengths = _lengths(A)
    order = np.argsort(-lengths, kind="stable")[: np.count_nonzero(lengths)]  # the longest first
    w = np.zeros((B.shape[1], d))
    if not len(order):
        return Solution(w, 0)
    Q, U, places = qr(A[:, order] / lengths[order], mode="economic", pivoting=True)
    pivots = np.abs(np.diag(U))
    rank = int(np.count_nonzero(pivots > MIN_PIVOT * pivots[0]))
    # of all w with U diag(lengths) w = QᵀB the shortest: w in the range of (U diag(lengths))ᵀ.
    # Its rows differ in size as the columns of A do; sorted by size, each keeps its own digits.
    features = order[places]
    by_length = np.argsort(-lengths[features], kind="stable")
    transposed = (U[:rank] * lengths[features]).T[by_length]
    V, L, inner = qr(transposed, mode="economic", pivoting=True)
    coordinates = solve_triangular(L, (Q[:, :rank].T @ B)[inner], trans="T")
    w[:, features[by_length]] = (V @ coordinates).T
    return Solution(w, rank)


def _lengths(A: Floats) -> Floats:
    """Length of every column, also where its square would overflow."""
    largest = np.abs(A).max(axis=0, initial=0.0)
    scaled = np.divide(A, largest, out=np.zeros_like(A), where=largest > 0)
    return np.asarray(largest * np.linalg.norm(scaled, axis=0))


def triangle(*parts: Floats) -> Floats:
    """The upper triangle R of matrices on top of each other; a LinAlgError if it overflows."""
    R: Any = np.linalg.qr(np.concatenate(parts), mode="r")
    if not np.isfinite(R).all():
        raise np.linalg.LinAlgError
    return np.asarray(R)


def require_memory(width: int) -> None:
    """Raise a DataError for so many features that their factor does not fit into memory."""
    size = 8 * width * (width + _chunk_rows(width)) * 2  # numpy factors a copy
    if size > MAX_BYTES:
        raise DataError(
            f"The triangular factor of {width - 1:,} columns takes {size / 2**30:,.0f} GiB: too"
            " many for a closed form. Use `LMSRegressor`, or fewer features."
        )


def _chunk_rows(width: int) -> int:
    """Rows factored at once: several times as many as the triangle that they are merged with."""
    return max(MIN_CHUNK_ROWS, width, min(4 * width, CHUNK_ENTRIES // width))


def _factor_of_block(block: TrainingData, targets: Floats, start: RowFactor) -> RowFactor:
    """Factor of the rows of a block, from the same origins."""
    d, n, width = len(start.origin), n_rows(block.rows), start.R.shape[1]
    roots, R = np.sqrt(block.weights), start.R[:0]
    step = _chunk_rows(width)
    Z = np.empty((min(step, n), width))
    for first in range(0, n, step):
        chosen = np.arange(first, min(first + step, n))
        part = Z[: len(chosen)]
        write_weighted_rows(block.rows, chosen, roots[chosen], start.origin, part)
        np.subtract(targets[chosen], start.target_origin, out=part[:, d + 1 :])
        part[:, d + 1 :] *= roots[chosen, None]
        R = triangle(R, part)
    return start._replace(R=R)
