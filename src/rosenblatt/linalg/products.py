"""Products with the rows X, each row standing for (x, 1), so that the intercept is the last weight.

========================  ==================================  ==============================
`scores`                  X w                                 all rows
`hessian_vector_product`  Xᵀ Θ X p                            chosen rows
`gram`, `gram_diagonal`   Xᵀ Θ X, centred, and its diagonal   chosen rows
`weighted_row_sum`        Xᵀ u                                chosen rows
========================  ==================================  ==============================

Θ is diagonal: the curvatures of the chosen rows, which are few late in a run. Sums are cut by row
numbers alone and added in order, so that the number of threads changes no bit. BLAS has one thread
(`one_thread`), and its symmetric rank-k update is called without the GIL (`add_gram_by_blas`).
"""

import ctypes
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from rosenblatt.data.training_data import Blocks, TrainingData, entries_in
from rosenblatt.kernels import gram as tiles
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    CSR,
    UINT,
    Four,
    Rows,
    add,
    add4,
    can_screen,
    dot,
    dot4,
    entry,
    in_groups,
    n_cols,
    n_entries,
    n_rows,
    shift,
    square,
)
from rosenblatt.linalg.scores import score_rows
from rosenblatt.types import Floats, Ints

PART_ENTRIES = 1 << 20  # entries of the rows that a thread takes at a time
MEAN_SAMPLE_ROWS = 1024
SPARSE_GRAM_SPEEDUP, NARROW_GRAM_SPEEDUP, WIDE_GRAM_SPEEDUP = 1.0, 1.5, 4.0  # measured
BUFFER_ROWS = 512  # weighted, centred rows multiplied at a time for a Gram matrix
MIN_PART_ROWS = 256
SPARSE_ENTRIES_PER_ROW = 64  # assumed where rows are cut into parts


def scores(blocks: Blocks, w: Floats, out: Floats) -> None:
    """Write w·(x, 1) of every row."""
    W = w[None]

    def on_part(block: TrainingData, part: Floats) -> None:
        score_rows(block.rows, W, part[:, None])

    for _ in blocks.each(on_part, out):
        pass


def hessian_vector_product(blocks: Blocks, chosen: Ints, curvatures: Floats, p: Floats) -> Floats:
    """The Hessian-vector product Xᵀ Θ X p = Σ θ (x, 1) (x, 1)·p over the chosen rows."""
    rows = blocks.problem.rows

    def on_part(part: slice) -> Floats:
        total = np.zeros(len(p))
        add_hessian_products(rows, chosen[part], curvatures[part], p, total)
        return total

    return _summed(blocks, on_part, len(chosen), (len(p),))


def gram_diagonal(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Diagonal of Xᵀ Θ X = Σ θ (x, 1) (x, 1)ᵀ over the chosen rows."""
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1

    def on_part(part: slice) -> Floats:
        total = np.zeros(width)
        add_squares(rows, chosen[part], curvatures[part], total)
        return total

    return _summed(blocks, on_part, len(chosen), (width,))


def mean_row(blocks: Blocks, chosen: Ints, curvatures: Floats) -> Floats:
    """Mean of a sample of the chosen rows, weighted by their curvatures."""
    every = max(1, len(chosen) // MEAN_SAMPLE_ROWS)
    rows, weights = chosen[::every], curvatures[::every]
    total = np.zeros(n_cols(blocks.problem.rows))
    add_rows(blocks.problem.rows, rows, weights, total)
    return total / max(float(weights.sum()), np.finfo(float).tiny)


def weighted_row_sum(blocks: Blocks, chosen: Ints, factors: Floats) -> Floats:
    """Xᵀ u = Σ u (x, 1) over the chosen rows."""
    total = np.zeros(n_cols(blocks.problem.rows) + 1)
    add_rows(blocks.problem.rows, chosen, factors, total)
    total[-1] = factors.sum()
    return total


def evenly_spread_rows(blocks: Blocks) -> Ints:
    """Numbers of a sample of the rows, evenly spread."""
    n = n_rows(blocks.problem.rows)
    return np.arange(0, n, max(1, n // MEAN_SAMPLE_ROWS))


def mean_square(blocks: Blocks) -> float:
    """Mean squared norm of a sample of the rows."""
    return blocks.known(_mean_square)


def _mean_square(blocks: Blocks) -> float:
    some = evenly_spread_rows(blocks)
    return float(gram_diagonal(blocks, some, np.ones(len(some)))[:-1].sum()) / len(some)


def row_squared_norms(blocks: Blocks) -> Floats:
    """Squared norm ‖x‖² of every row."""
    squares = np.empty(n_rows(blocks.problem.rows))

    def on_block(block: TrainingData, part: Floats) -> None:
        write_row_squared_norms(block.rows, part)

    for _ in blocks.each(on_block, squares):
        pass
    return squares


def gram(
    blocks: Blocks,
    chosen: Ints,
    curvatures: Floats,
    center: Floats,
    use_float32: bool = False,  # noqa: FBT001, FBT002
) -> Floats:
    """Lower triangle of the Gram matrix Σ θ (x − centre, 1) (x − centre, 1)ᵀ over the chosen rows.

    The centre of sparse rows must be 0. `use_float32` is for rows `gram_may_use_float32`.
    """
    rows, width = blocks.problem.rows, n_cols(blocks.problem.rows) + 1
    kind: Any = np.float32 if use_float32 else np.float64
    of_part = _sparse_gram if is_very_sparse(blocks) else partial(_dense_gram, kind)
    cut = max(1, -(-len(chosen) // (2 * BUFFER_ROWS))) * BUFFER_ROWS  # two parts, whole buffers
    parts = [slice(at, at + cut) for at in range(0, len(chosen), cut)]
    on_part = partial(of_part, rows, chosen, curvatures, center)
    total = np.zeros((tiles.padded(width), tiles.padded(width)))
    for G in blocks.over(on_part, parts):
        total += G
    return total[:width, :width]


def gram_may_use_float32(blocks: Blocks) -> bool:
    """Whether a Gram matrix of these rows is faster in float32, which they are stored in."""
    rows = blocks.problem.rows
    return can_screen(rows) and n_cols(rows) >= tiles.MAX_TILED_COLUMNS


def gram_speedup(blocks: Blocks) -> float:
    """Multiplications a second in a Gram matrix, against those in a Hessian-vector product."""
    rows = blocks.problem.rows
    if is_very_sparse(blocks):
        return SPARSE_GRAM_SPEEDUP
    return NARROW_GRAM_SPEEDUP if n_cols(rows) < tiles.MAX_TILED_COLUMNS else WIDE_GRAM_SPEEDUP


def is_very_sparse(blocks: Blocks) -> bool:
    """Whether pairs of entries of a row are few against pairs of features."""
    rows = blocks.problem.rows
    entries = entries_in(rows) / n_rows(rows)
    return isinstance(rows, CSR) and 8 * entries * entries < rows.n_cols**2


def _sparse_gram(
    rows: Rows, chosen: Ints, curvatures: Floats, _centre: Floats, part: slice
) -> Floats:
    """Gram matrix of a part of the rows, entry by entry."""
    width = tiles.padded(n_cols(rows) + 1)
    G = np.zeros((width, width))
    add_outer_products(rows, chosen[part], curvatures[part], G)
    return G


def _dense_gram(
    kind: Any, rows: Rows, chosen: Ints, curvatures: Floats, center: Floats, part: slice
) -> Floats:
    """Gram matrix of a part of the rows, by BLAS or small tiles, a buffer at a time."""
    width = n_cols(rows) + 1
    padded = tiles.padded(width)
    G: Floats = np.zeros((padded, padded), kind)
    Z: Floats = np.zeros((BUFFER_ROWS, padded), kind)
    numbers, roots = chosen[part], np.sqrt(curvatures[part])
    for start in range(0, len(numbers), BUFFER_ROWS):
        span = slice(start, start + BUFFER_ROWS)
        buffer = Z[: len(numbers[span])]
        write_weighted_rows(rows, numbers[span], roots[span], center, buffer)
        if width <= tiles.MAX_TILED_COLUMNS:
            tiles.add_gram(buffer, width, G)
        else:
            add_gram_by_blas(buffer, G)
    return G


def _summed(blocks: Blocks, f: Callable[[slice], Floats], n: int, shape: tuple[int, ...]) -> Floats:
    """Sum of f over parts of n chosen rows, each large enough for a thread."""
    step = max(MIN_PART_ROWS, PART_ENTRIES // _approximate_entries(blocks.problem.rows))
    if n <= step:
        return f(slice(0, n))
    total = np.zeros(shape)
    for part in blocks.over(f, (slice(start, start + step) for start in range(0, n, step))):
        total += part
    return total


def _approximate_entries(rows: Rows) -> int:
    """About how many entries a row has."""
    return SPARSE_ENTRIES_PER_ROW if isinstance(rows, CSR) else n_cols(rows)


@njit(cache=True, nogil=True)
def add_hessian_products(
    X: Rows, chosen: Ints, curvatures: Floats, p: Floats, total: Floats
) -> None:
    """Add θ ((x, 1)·p) (x, 1) of each chosen row; four rows share each reading of p and total."""
    n, last = len(chosen), len(total) - 1
    if not in_groups(X):
        for k in range(n):
            weighted_score = curvatures[k] * (dot(X, chosen[k], p) + p[last])
            add(X, chosen[k], weighted_score, total)
            total[last] += weighted_score
        return
    for k in range(0, n, 4):
        end = n - 1  # rows that fill up the last group count with factor 0
        a, b, c = min(k + 1, end), min(k + 2, end), min(k + 3, end)
        four = next_four(chosen, k)
        products = dot4(X, four, p, next_four(chosen, k + 4))
        weighted_scores = (
            curvatures[k] * (products[0] + p[last]),
            curvatures[a] * (products[1] + p[last]) if k + 1 < n else 0.0,
            curvatures[b] * (products[2] + p[last]) if k + 2 < n else 0.0,
            curvatures[c] * (products[3] + p[last]) if k + 3 < n else 0.0,
        )
        add4(X, four, weighted_scores, total)
        total[last] += (
            weighted_scores[0] + weighted_scores[1] + weighted_scores[2] + weighted_scores[3]
        )


@njit(cache=True, nogil=True, forceinline=True)
def next_four(rows: Ints, k: int) -> Four:
    """Four entries from the k-th on; past the end, the last one again."""
    end = len(rows) - 1
    return rows[min(k, end)], rows[min(k + 1, end)], rows[min(k + 2, end)], rows[min(k + 3, end)]


@njit(cache=True, nogil=True)
def add_squares(X: Rows, chosen: Ints, curvatures: Floats, total: Floats) -> None:
    """Add θ x² of each chosen row, feature by feature."""
    last = len(total) - 1
    for k in range(len(chosen)):
        total[last] += curvatures[k]
        for e in range(n_entries(X, chosen[k])):
            j, value = entry(X, chosen[k], UINT(e))
            total[j] += curvatures[k] * value * value


@njit(cache=True, nogil=True)
def write_weighted_rows(X: Rows, chosen: Ints, roots: Floats, center: Floats, Z: Floats) -> None:
    """Write each chosen row (x − centre, 1) times its root; columns beyond stay as they are."""
    d = n_cols(X)
    for k in range(len(chosen)):
        z, root = Z[k], roots[k]
        shift(X, chosen[k], center, z)
        for j in range(d):
            z[j] *= root
        z[d] = root


@njit(cache=True, nogil=True)
def write_row_squared_norms(X: Rows, squares: Floats) -> None:
    """Write ‖x‖² of each row."""
    for i in range(len(squares)):
        squares[i] = square(X, i)


@njit(cache=True, nogil=True)
def add_rows(X: Rows, chosen: Ints, factors: Floats, total: Floats) -> None:
    """Add each chosen row times its factor."""
    for k in range(len(chosen)):
        add(X, chosen[k], factors[k], total)


@njit(cache=True, nogil=True)
def add_outer_products(X: Rows, chosen: Ints, curvatures: Floats, G: Floats) -> None:
    """Add θ (x, 1) (x, 1)ᵀ of each chosen row to the lower triangle, entry by entry."""
    d = n_cols(X)
    for k in range(len(chosen)):
        i, theta = chosen[k], curvatures[k]
        G[d, d] += theta
        for e in range(n_entries(X, i)):
            j, value = entry(X, i, UINT(e))
            G[d, j] += theta * value
            for f in range(e + 1):
                m, other = entry(X, i, UINT(f))
                G[max(j, m), min(j, m)] += theta * value * other


def one_thread() -> AbstractContextManager[Any]:
    """Limit BLAS to one thread: the bits depend on their number, and small products are slower."""
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _controller() -> Any:
    """The loaded BLAS libraries, looked up once: that takes longer than many small problems."""
    import scipy.linalg.cython_blas  # noqa: PLC0415, F401 (numpy's BLAS is another, and loaded)

    return ThreadpoolController()


def add_gram_by_blas(Z: Floats, G: Floats) -> None:
    """Add ZᵀZ to the lower triangle of G (BLAS syrk), without the GIL that scipy's wrapper holds.

    To Fortran, which stores columns first, Z and G are their transposes.
    """
    n, d = (ctypes.byref(ctypes.c_int(size)) for size in Z.shape)
    is_float32 = Z.dtype == np.float32
    one = ctypes.byref(ctypes.c_float(1.0) if is_float32 else ctypes.c_double(1.0))
    update = _routine("ssyrk" if is_float32 else "dsyrk")
    update(b"U", b"N", d, n, one, Z.ctypes.data, d, one, G.ctypes.data, d)


@cache
def _routine(name: str) -> Any:
    """A routine of scipy's BLAS as a C function."""
    from numba.extending import get_cython_function_address  # noqa: PLC0415 (slow to import)

    kind = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p] * 8)
    return kind(get_cython_function_address("scipy.linalg.cython_blas", name))
