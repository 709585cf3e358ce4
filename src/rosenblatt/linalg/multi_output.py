"""Products with the rows for several outputs at once: X W, Xᵀ U and Xᵀ Θ X P.

Matrices of weights have a row for each feature, the last one for the intercepts, and a column for
each output, so that an entry of a sparse row meets the weights of all outputs side by side. Rows
are taken in parts that fit the cache: each is read once for all outputs, and for both halves of
Xᵀ Θ X P. Dense float32 rows are converted on the way. Blocks are cut by row numbers alone and added
in order, so that the number of threads changes no bit.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.csr import rows_part
from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT, Rows, can_screen, entry, n_cols, n_entries, n_rows
from rosenblatt.types import Array, Floats

CACHE_BYTES = 1 << 20  # for a part of the rows, or for their scores
MIN_PART_ROWS = 32

ApplyHessian = Callable[..., None]  # overwrites scores of rows by the losses' Hessian times them


def scores(blocks: Blocks, W: Floats) -> Floats:
    """Scores X W of every row for every output."""
    out = np.empty((n_rows(blocks.problem.rows), W.shape[1]))

    def on_block(block: TrainingData, part: Floats) -> None:
        for span, part_rows in cache_sized_parts(block.rows, W.shape[1]):
            forward(part_rows, W, part[span])

    for _ in blocks.each(on_block, out):
        pass
    return out


def sums(blocks: Blocks, U: Floats) -> Floats:
    """Xᵀ U = Σ (x, 1) uᵀ over all rows, with a factor for each row and output."""

    def on_block(block: TrainingData, part: Floats) -> Floats:
        total = np.zeros((n_cols(block.rows) + 1, U.shape[1]))
        for span, part_rows in cache_sized_parts(block.rows, U.shape[1]):
            backward(part_rows, part[span], total)
        return total

    return blocks.total(on_block, U)


def hessian_vector_product(
    blocks: Blocks,
    P: Floats,
    apply_hessian: ApplyHessian,
    *arrays: Array,
    use_float32: bool = False,
) -> Floats:
    """The Hessian-vector product Σ (x, 1) uᵀ, where `apply_hessian` makes u from (x, 1)·P.

    It is given the scores of some rows, to overwrite, and the matching part of every array. With
    `use_float32` dense float32 rows are multiplied in float32, more than twice as fast.
    """
    kind = np.float32 if use_float32 and can_screen(blocks.problem.rows) else np.float64
    weights = P.astype(kind)

    def on_block(block: TrainingData, *parts: Array) -> Floats:
        total = np.zeros_like(P)
        for span, part_rows in cache_sized_parts(block.rows, P.shape[1], kind):
            U = np.empty((n_rows(part_rows), P.shape[1]), kind)
            forward(part_rows, weights, U)
            apply_hessian(U, *(part[span] for part in parts))
            backward(part_rows, U, total)
        return total

    return blocks.total(on_block, *arrays)


def cache_sized_parts(
    rows: Rows, n_outputs: int, kind: Any = np.float64
) -> Iterator[tuple[slice, Rows]]:
    """Parts of the rows that fit the cache; dense ones converted to a kind of float."""
    width = n_outputs if isinstance(rows, CSR) else max(n_outputs, n_cols(rows))
    step = max(MIN_PART_ROWS, CACHE_BYTES // (width * np.dtype(kind).itemsize))
    for start in range(0, n_rows(rows), step):
        part_rows = rows_part(rows, start, start + step)
        if not isinstance(part_rows, CSR):
            part_rows = part_rows.astype(kind, copy=False)
        yield slice(start, start + step), part_rows


def forward(rows: Rows, W: Array, out: Array) -> None:
    """Write (x, 1)·W of each row."""
    if isinstance(rows, CSR):
        forward_rows(rows, W, out)
    else:
        np.matmul(rows, W[:-1], out=out)
        out += W[-1]


def backward(rows: Rows, U: Array, total: Floats) -> None:
    """Add Σ (x, 1) uᵀ over the rows."""
    if isinstance(rows, CSR):
        backward_rows(rows, U, total)
    else:
        total[:-1] += rows.T @ U
        total[-1] += U.sum(axis=0)


@njit(cache=True, nogil=True)
def forward_rows(X: Rows, W: Floats, out: Floats) -> None:
    """Write (x, 1)·W of each row, entry by entry."""
    intercepts, n_outputs = W[n_cols(X)], UINT(W.shape[1])
    for i in range(n_rows(X)):
        scores = out[i]
        for k in range(n_outputs):
            scores[k] = intercepts[k]
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            for k in range(n_outputs):
                scores[k] += value * W[j, k]


@njit(cache=True, nogil=True)
def backward_rows(X: Rows, U: Floats, total: Floats) -> None:
    """Add (x, 1) uᵀ of each row, entry by entry."""
    intercepts, n_outputs = total[n_cols(X)], UINT(U.shape[1])
    for i in range(n_rows(X)):
        u = U[i]
        for k in range(n_outputs):
            intercepts[k] += u[k]
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            for k in range(n_outputs):
                total[j, k] += value * u[k]
