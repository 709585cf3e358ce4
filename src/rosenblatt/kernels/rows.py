"""Row operations of linear models, for dense and CSR rows alike: dot products, row updates.

=========================  ===============================================================
function                   meaning
=========================  ===============================================================
``n_rows(X)``              number of rows
``n_cols(X)``              number of features d
``dot(X, i, w)``           x_i · w over the d features
``dot4(X, …)``             the same for four rows at once, with the same bits
``in_groups(X)``           whether that is faster: for dense rows
``prefetchable4(X, …)``    which rows to prefetch meanwhile
``dot4_float32(X, …)``     ``dot4`` in float32; ``dot12_float32``: with three weight vectors
``can_screen(X)``          whether *that* is faster: for dense float32 rows
``prefetch_row(X, i)``     prefetch row i; ``prefetch_start(X, i)``: its entry in indptr
``prefetch_item(a, i)``    prefetch an entry of an array
``add(X, i, a, w)``        w ← w + a x_i;  ``add4``: the same for four rows at once
``shift(X, i, …)``         z ← x_i − c;  ``shift_and_add``: and total ← total + a z
``perceptron_pair(X, …)``  the perceptron's update for two dense rows in turn
``square(X, i)``           ‖x_i‖²
``apply_l1(X, …)``         the cumulative l1 penalty on the features of row i
``n_entries(X, i)``        number of stored entries of row i
``entry(X, i, e)``         feature and value of the e-th of them
=========================  ===============================================================

No kernel above this file depends on how rows are stored: it is compiled for each storage.
Under NUMBA_DISABLE_JIT the plain Python bodies run instead.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from rosenblatt.csr import CSR as CSR
from rosenblatt.csr import Rows as Rows
from rosenblatt.csr import n_cols as n_cols
from rosenblatt.csr import n_rows as n_rows
from rosenblatt.kernels import dot as dot_kernels
from rosenblatt.kernels import speculative_pair
from rosenblatt.kernels.cache import njit
from rosenblatt.types import Array, Floats

product: Any = dot_kernels.product
product4: Any = dot_kernels.product4
shift_row: Any = dot_kernels.shift_row
float32_product4: Any = dot_kernels.float32_product4
float32_product12: Any = dot_kernels.float32_product12
row_square: Any = dot_kernels.row_square
float32_squares4: Any = dot_kernels.float32_squares4
sparse_product: Any = dot_kernels.sparse_product
prefetch_entry: Any = dot_kernels.prefetch_entry
prefetch_whole_row: Any = dot_kernels.prefetch_whole_row
perceptron_pair_steps: Any = speculative_pair.perceptron_pair_steps


INLINE: Any = {"forceinline": True}  # a call would count references to its array arguments
# unsigned indices: a signed one is tested for being negative at every entry
UINT: Any = np.uint64
ONE, TWO, THREE, FOUR = UINT(1), UINT(2), UINT(3), UINT(4)
LINE_ENTRIES = UINT(16)  # of float32 in a cache line
PREFETCH_LINES = 5  # of a sparse row; the hardware prefetches the rest

Four = tuple[int, int, int, int]
Two = tuple[int, int]
TwoFloats = tuple[float, float]


def dot(X: Rows, i: int, w: Floats) -> float:
    """Inner product of row i with w."""
    features, values = _entries(X, i)
    return float(values @ w[features])


def dot4(X: Rows, now: Four, w: Floats, later: Four | None) -> tuple[float, ...]:  # noqa: ARG001
    """Inner products of four rows with w; `later` are four rows to prefetch, if any."""
    return tuple(dot(X, i, w) for i in now)


def in_groups(X: Rows) -> bool:
    """Whether four rows are scored faster together than one after the other."""
    return not isinstance(X, CSR)


def prefetchable4(X: Rows, rows: Four) -> Four | None:
    """Four rows for `dot4` to prefetch in file order; None for sparse rows, which gain nothing."""
    return None if isinstance(X, CSR) else rows


def prefetch_row(X: Rows, i: int) -> None:
    """Prefetch row i."""


def prefetch_start(X: Rows, i: int) -> None:
    """Prefetch the start of sparse row i, without which the row cannot be prefetched."""


def prefetch_item(values: Array, i: int) -> None:
    """Prefetch an entry of an array."""


def can_screen(X: Rows) -> bool:
    """Whether float32 products are faster than float64 ones: for dense float32 rows."""
    return isinstance(X, np.ndarray) and X.dtype == np.float32


def dot4_float32(X: Rows, now: Four, w: Array, later: Four | None) -> tuple[float, ...]:
    """Inner products of four rows with float32 weights, in float32 precision."""
    return dot4(X, now, w, later)


def dot12_float32(X: Rows, now: Four, W: Array, later: Four | None, k: int) -> tuple[float, ...]:
    """Inner products of four rows with rows k, k + 1 and k + 2 of W, in float32 precision."""
    two = (*dot4(X, now, W[k], later), *dot4(X, now, W[k + 1], None))
    return (*two, *dot4(X, now, W[k + 2], None))


def square4_float32(X: Rows, now: Four) -> tuple[float, ...]:
    """Squared norms of four rows, in float32 precision."""
    return tuple(square(X, i) for i in now)


def add(X: Rows, i: int, a: float, w: Floats) -> None:
    """Add a times row i to w."""
    features, values = _entries(X, i)
    w[features] += a * values


def add4(X: Rows, now: Four, a: tuple[float, ...], w: Floats) -> None:
    """Add four rows to w, each times its own factor."""
    for i, factor in zip(now, a, strict=True):
        add(X, i, factor, w)


def shift(X: Rows, i: int, c: Floats, z: Floats) -> None:
    """Write z = x_i − c."""
    features, values = _entries(X, i)
    z[: len(c)] = -c
    z[features] += values


def shift_and_add(X: Rows, i: int, c: Floats, z: Floats, a: float, total: Floats) -> None:
    """Write z = x_i − c, and add a z to `total`."""
    shift(X, i, c, z)
    total += a * z[: len(c)]


def perceptron_pair(
    X: Rows, rows: Two, signs: TwoFloats, steps: TwoFloats, bias: float, w: Floats
) -> TwoFloats:
    """Margins of two dense rows; w is updated by each with a margin ≤ 0.

    An update adds `step` times (x, bias) to w. The second margin is that after the first update.
    """
    first, second = 0.0, 0.0
    for i, sign, step in zip(rows, signs, steps, strict=True):
        first, second = second, sign * (dot(X, i, w) + bias * float(w[-1]))
        if second <= 0.0:
            add(X, i, step, w)
            w[-1] += step * bias
    return first, second


def square(X: Rows, i: int) -> float:
    """Squared norm of row i."""
    _, values = _entries(X, i)
    return float(values @ values)


def apply_l1(X: Rows, i: int, w: Floats, penalty: tuple[float, Floats]) -> None:
    """Apply the pending cumulative l1 penalty to every weight of row i, but never past zero.

    `penalty` holds the cumulative penalty and what was applied to each weight.
    """
    for j in np.arange(n_cols(X))[_entries(X, i)[0]]:
        w[j] = apply_cumulative_l1(w[j], penalty, j)


def n_entries(X: Rows, i: int) -> int:
    """Number of stored entries of row i."""
    return int(X.indptr[i + 1] - X.indptr[i]) if isinstance(X, CSR) else n_cols(X)


def entry(X: Rows, i: int, e: int) -> tuple[int, float]:
    """Feature and value of the e-th stored entry of row i."""
    if isinstance(X, CSR):
        place = X.indptr[i] + e
        return int(X.indices[place]), float(X.data[place])
    return e, float(X[i, e])


@njit(cache=True)
def apply_cumulative_l1(weight: float, penalty: tuple[float, Floats], j: int) -> float:
    """A weight clipped towards zero by its pending l1 penalty, which is recorded as applied."""
    cumulative, applied = penalty
    clipped = weight
    if weight > 0:
        clipped = max(0.0, weight - (cumulative + applied[j]))
    elif weight < 0:
        clipped = min(0.0, weight + (cumulative - applied[j]))
    applied[j] += clipped - weight
    return clipped


def _entries(X: Rows, i: int) -> tuple[Any, Array]:
    if isinstance(X, CSR):
        span = slice(X.indptr[i], X.indptr[i + 1])
        return X.indices[span], X.data[span].astype(np.float64)
    return slice(0, X.shape[1]), X[i].astype(np.float64)


def _is_dense(X: Any) -> bool:
    return isinstance(X, types.Array)


@overload(n_rows, strict=False, jit_options=INLINE)
def _n_rows(X: Any) -> Any:
    if _is_dense(X):
        return lambda X: X.shape[0]
    return lambda X: X.indptr.shape[0] - 1


@overload(n_cols, strict=False, jit_options=INLINE)
def _n_cols(X: Any) -> Any:
    if _is_dense(X):
        return lambda X: X.shape[1]
    return lambda X: X.n_cols


@overload(dot, strict=False, jit_options=INLINE)
def _dot(X: Any, i: Any, w: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i, w: product(X, i, w)  # noqa: PLW0108 (numba wants a function)

    def sparse(X: Any, i: Any, w: Any) -> Any:
        row = UINT(i)
        return sparse_product(X.data, X.indices, X.indptr[row], X.indptr[row + ONE], w)

    return sparse


@overload(dot4, strict=False, jit_options=INLINE)
def _dot4(X: Any, now: Any, w: Any, later: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, now, w, later: product4(X, now, w, later)  # noqa: PLW0108

    def sparse(X: Any, now: Any, w: Any, later: Any) -> Any:
        if later is not None:
            for i in later:
                prefetch_row(X, i)
        return dot(X, now[0], w), dot(X, now[1], w), dot(X, now[2], w), dot(X, now[3], w)

    return sparse


@overload(prefetchable4, strict=False, jit_options=INLINE)
def _prefetchable4(X: Any, rows: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, rows: rows  # noqa: ARG005
    return lambda X, rows: None  # noqa: ARG005


@overload(prefetch_row, strict=False, jit_options=INLINE)
def _prefetch_row(X: Any, i: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i: prefetch_whole_row(X, i)  # noqa: PLW0108

    def sparse(X: Any, i: Any) -> None:
        # a fixed number of lines: a loop of variable length would cost more than it saves
        start = UINT(X.indptr[UINT(i)])
        for line in range(PREFETCH_LINES):
            prefetch_entry(X.indices, start + LINE_ENTRIES * UINT(line))
            prefetch_entry(X.data, start + LINE_ENTRIES * UINT(line))

    return sparse


@overload(prefetch_start, strict=False, jit_options=INLINE)
def _prefetch_start(X: Any, i: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i: None  # noqa: ARG005
    return lambda X, i: prefetch_entry(X.indptr, i)


@overload(prefetch_item, strict=False, jit_options=INLINE)
def _prefetch_item(values: Any, i: Any) -> Any:  # noqa: ARG001
    return lambda values, i: prefetch_entry(values, i)  # noqa: PLW0108


@overload(can_screen, strict=False, jit_options=INLINE)
def _can_screen(X: Any) -> Any:
    yes = _is_dense(X) and X.dtype == types.float32
    return lambda X: yes  # noqa: ARG005


@overload(dot4_float32, strict=False, jit_options=INLINE)
def _dot4_float32(X: Any, now: Any, w: Any, later: Any) -> Any:  # noqa: ARG001
    if _is_dense(X) and X.dtype == types.float32:
        return lambda X, now, w, later: float32_product4(X, now, w, later)  # noqa: PLW0108
    return lambda X, now, w, later: (0.0, 0.0, 0.0, 0.0)  # noqa: ARG005 (never called)


@overload(dot12_float32, strict=False, jit_options=INLINE)
def _dot12_float32(X: Any, now: Any, W: Any, later: Any, k: Any) -> Any:  # noqa: ARG001
    if _is_dense(X) and X.dtype == types.float32:
        return lambda X, now, W, later, k: float32_product12(X, now, W, later, k)  # noqa: PLW0108
    return lambda X, now, W, later, k: (0.0,) * 12  # noqa: ARG005 (never called)


@overload(square4_float32, strict=False, jit_options=INLINE)
def _square4_float32(X: Any, now: Any) -> Any:  # noqa: ARG001
    if _is_dense(X) and X.dtype == types.float32:
        return lambda X, now: float32_squares4(X, now)  # noqa: PLW0108
    return lambda X, now: (0.0, 0.0, 0.0, 0.0)  # noqa: ARG005 (never called)


@overload(in_groups, strict=False, jit_options=INLINE)
def _in_groups(X: Any) -> Any:
    dense = _is_dense(X)
    return lambda X: dense  # noqa: ARG005


@overload(add, strict=False, jit_options=INLINE)
def _add(X: Any, i: Any, a: Any, w: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):

        def dense(X: Any, i: Any, a: Any, w: Any) -> None:
            for j in range(X.shape[1]):
                w[j] += a * X[i, j]

        return dense

    def sparse(X: Any, i: Any, a: Any, w: Any) -> None:
        for k in range(UINT(X.indptr[i]), UINT(X.indptr[i + 1])):
            w[UINT(X.indices[k])] += a * X.data[k]

    return sparse


@overload(add4, strict=False, jit_options=INLINE)
def _add4(X: Any, now: Any, a: Any, w: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):

        def dense(X: Any, now: Any, a: Any, w: Any) -> None:
            first, second, third, fourth = now
            for j in range(X.shape[1]):
                w[j] += (a[0] * X[first, j] + a[1] * X[second, j]) + (
                    a[2] * X[third, j] + a[3] * X[fourth, j]
                )

        return dense

    def sparse(X: Any, now: Any, a: Any, w: Any) -> None:
        for r in range(4):
            add(X, now[r], a[r], w)

    return sparse


@overload(shift, strict=False, jit_options=INLINE)
def _shift(X: Any, i: Any, c: Any, z: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):

        def dense(X: Any, i: Any, c: Any, z: Any) -> None:
            for j in range(X.shape[1]):
                z[j] = X[i, j] - c[j]

        return dense

    def sparse(X: Any, i: Any, c: Any, z: Any) -> None:
        for j in range(X.n_cols):
            z[j] = -c[j]
        add(X, i, 1.0, z)

    return sparse


@overload(shift_and_add, strict=False, jit_options=INLINE)
def _shift_and_add(X: Any, i: Any, c: Any, z: Any, a: Any, total: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i, c, z, a, total: shift_row(X, i, c, z, a, total)  # noqa: PLW0108

    def sparse(X: Any, i: Any, c: Any, z: Any, a: Any, total: Any) -> None:
        shift(X, i, c, z)
        for j in range(X.n_cols):
            total[j] += a * z[j]

    return sparse


@overload(perceptron_pair, strict=False, jit_options=INLINE)
def _perceptron_pair(X: Any, rows: Any, signs: Any, steps: Any, bias: Any, w: Any) -> Any:  # noqa: ARG001
    return lambda X, rows, signs, steps, bias, w: perceptron_pair_steps(  # noqa: PLW0108
        X, rows, signs, steps, bias, w
    )


@overload(square, strict=False, jit_options=INLINE)
def _square(X: Any, i: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i: row_square(X, i)  # noqa: PLW0108

    def sparse(X: Any, i: Any) -> Any:
        total = 0.0
        for k in range(X.indptr[i], X.indptr[i + 1]):
            total += np.float64(X.data[k]) * np.float64(X.data[k])
        return total

    return sparse


@overload(apply_l1, strict=False, jit_options=INLINE)
def _apply_l1(X: Any, i: Any, w: Any, penalty: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):

        def dense(X: Any, i: Any, w: Any, penalty: Any) -> None:  # noqa: ARG001
            for j in range(X.shape[1]):
                w[j] = apply_cumulative_l1(w[j], penalty, j)

        return dense

    def sparse(X: Any, i: Any, w: Any, penalty: Any) -> None:
        for k in range(X.indptr[i], X.indptr[i + 1]):
            j = X.indices[k]
            w[j] = apply_cumulative_l1(w[j], penalty, j)

    return sparse


@overload(n_entries, strict=False, jit_options=INLINE)
def _n_entries(X: Any, i: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i: UINT(X.shape[1])  # noqa: ARG005
    return lambda X, i: UINT(X.indptr[i + 1]) - UINT(X.indptr[i])


@overload(entry, strict=False, jit_options=INLINE)
def _entry(X: Any, i: Any, e: Any) -> Any:  # noqa: ARG001
    if _is_dense(X):
        return lambda X, i, e: (e, np.float64(X[i, e]))

    def sparse(X: Any, i: Any, e: Any) -> Any:
        place = UINT(X.indptr[i]) + e
        return UINT(X.indices[place]), np.float64(X.data[place])

    return sparse
