"""The products of second-order rules for many units at once: X W, Xᵀ U and Xᵀ Θ X P.

Weights stand with a row a feature and a column a unit, the last row for the bias, so that an entry
of a sparse row meets the weights of all units side by side. Rows are taken a cacheful at a time:
each is read once for all units, and for both halves of Xᵀ Θ X P. Dense float32 rows are widened on
the way. Blocks are cut by place alone and added in order: the number of threads changes no bit.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import CSR, UINT, Rows, entry, n_cols, n_entries, n_rows, screens
from rosenblatt.data.storage import rows_part
from rosenblatt.kernel_cache import njit

CACHEFUL = 1 << 20  # bytes, of rows or of their scores
LEAST_ROWS = 32

Bend = Callable[..., None]


def scores(blocks: Blocks, W: Floats) -> Floats:
    """Scores of every row by every unit."""
    out = np.empty((n_rows(blocks.problem.rows), W.shape[1]))

    def here(block: Problem, part: Floats) -> None:
        for span, few in cachefuls(block.rows, W.shape[1]):
            forward(few, W, part[span])

    for _ in blocks.each(here, out):
        pass
    return out


def sums(blocks: Blocks, U: Floats) -> Floats:
    """Σ (x, 1) uᵀ, with a factor a row and unit."""

    def here(block: Problem, part: Floats) -> Floats:
        total = np.zeros((n_cols(block.rows) + 1, U.shape[1]))
        for span, few in cachefuls(block.rows, U.shape[1]):
            backward(few, part[span], total)
        return total

    return blocks.total(here, U)


def curved(blocks: Blocks, P: Floats, bend: Bend, *beside: Array, rough: bool = False) -> Floats:
    """Σ (x, 1) uᵀ where `bend` makes u from the scores (x, 1)·P of some rows, in place.

    `bend` is given the scores, and the matching part of every array beside the rows. `rough`
    products of dense float32 rows are good to float32, and more than twice as quick.
    """
    kind = np.float32 if rough and screens(blocks.problem.rows) else np.float64
    weights = P.astype(kind)

    def here(block: Problem, *parts: Array) -> Floats:
        total = np.zeros_like(P)
        for span, few in cachefuls(block.rows, P.shape[1], kind):
            U = np.empty((n_rows(few), P.shape[1]), kind)
            forward(few, weights, U)
            bend(U, *(part[span] for part in parts))
            backward(few, U, total)
        return total

    return blocks.total(here, *beside)


def cachefuls(rows: Rows, n_units: int, kind: Any = np.float64) -> Iterator[tuple[slice, Rows]]:
    """Cut rows into parts that stay in the cache: dense ones of a kind of float, or sparse."""
    wide = n_units if isinstance(rows, CSR) else max(n_units, n_cols(rows))
    step = max(LEAST_ROWS, CACHEFUL // (wide * np.dtype(kind).itemsize))
    for start in range(0, n_rows(rows), step):
        few = rows_part(rows, start, start + step)
        if not isinstance(few, CSR):
            few = few.astype(kind, copy=False)
        yield slice(start, start + step), few


def forward(rows: Rows, W: Array, out: Array) -> None:
    """Write (x, 1)·W of each row."""
    if isinstance(rows, CSR):
        forward_rows(rows, W, out)
    else:
        np.matmul(rows, W[:-1], out=out)
        out += W[-1]


def backward(rows: Rows, U: Array, total: Floats) -> None:
    """Add Σ (x, 1) uᵀ."""
    if isinstance(rows, CSR):
        backward_rows(rows, U, total)
    else:
        total[:-1] += rows.T @ U
        total[-1] += U.sum(axis=0)


@njit(cache=True, nogil=True)
def forward_rows(X: Rows, W: Floats, out: Floats) -> None:
    """Write (x, 1)·W of each row, entry by entry."""
    bias, n_units = W[n_cols(X)], UINT(W.shape[1])
    for i in range(n_rows(X)):
        scores = out[i]
        for k in range(n_units):
            scores[k] = bias[k]
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            for k in range(n_units):
                scores[k] += value * W[j, k]


@njit(cache=True, nogil=True)
def backward_rows(X: Rows, U: Floats, total: Floats) -> None:
    """Add (x, 1) uᵀ of each row, entry by entry."""
    bias, n_units = total[n_cols(X)], UINT(U.shape[1])
    for i in range(n_rows(X)):
        u = U[i]
        for k in range(n_units):
            bias[k] += u[k]
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            for k in range(n_units):
                total[j, k] += value * u[k]
