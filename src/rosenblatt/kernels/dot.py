"""Deterministic SIMD dot products of dense rows with weight vectors.

A compiler that may reorder sums gives other bits in every loop it inlines a product into. Here the
order is fixed in LLVM vector code: two accumulators of four float64 lanes take the features four at
a time in turn, a scalar one takes the remainder, and the lanes are added in one fixed tree. So a
row scored alone, in a group of four or on another thread gives the *same bits*, and float32 rows
are widened to float64 on the way without a copy. dot_schedule.py chooses the order of the loads.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.dot_schedule import Operands, Products
from rosenblatt.kernels.llvm import (
    BYTE,
    CACHE_LINE,
    FLOAT32_SUMS,
    FLOAT32_SUMS_OF_12,
    FLOAT64,
    FLOAT64_SUMS,
    INT32,
    INT64,
    Accumulators,
    MemoryRows,
    SumLayout,
    data_pointer,
    first_lane,
    for_each_vector,
    int64,
    lane_numbers,
    load,
    prefetch,
    splat,
    steps,
    store,
)


@intrinsic
def product(_typing: Any, X: Any, i: Any, w: Any) -> Any:
    """Inner product of row i of a dense X with the first d entries of w."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        weights = data_pointer(context, builder, signature.args[2], args[2])
        return Products(builder, FLOAT64_SUMS, rows, Operands([args[1]], [weights], [])).values()[0]

    return types.float64(X, types.int64, w), codegen


@intrinsic
def product4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four rows of a dense X with w; `fetch`: four rows to prefetch, or None."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data_pointer(context, builder, signature.args[2], args[2])
        return _four_rows(context, builder, signature, args, FLOAT64_SUMS, [weights])

    return types.UniTuple(types.float64, 4)(X, _FOUR, w, _four_or_none(fetch)), codegen


@intrinsic
def float32_product4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four float32 rows with float32 weights, summed in float32."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data_pointer(context, builder, signature.args[2], args[2])
        return _four_rows(context, builder, signature, args, FLOAT32_SUMS, [weights])

    return types.UniTuple(types.float64, 4)(X, _FOUR, w, _four_or_none(fetch)), codegen


@intrinsic
def float32_product12(_typing: Any, X: Any, rows: Any, W: Any, fetch: Any, k: Any) -> Any:
    """Inner products of four float32 rows with row k of W, then with k + 1, then with k + 2."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W_rows = MemoryRows(context, builder, signature.args[2], args[2])
        vectors = [W_rows.values_at(builder.add(args[4], int64(u))) for u in range(3)]
        return _four_rows(context, builder, signature, args, FLOAT32_SUMS_OF_12, vectors)

    twelve = types.UniTuple(types.float64, 12)
    return twelve(X, _FOUR, W, _four_or_none(fetch), types.int64), codegen


_FOUR = types.UniTuple(types.int64, 4)


def _four_or_none(fetch: Any) -> Any:
    return types.none if isinstance(fetch, types.NoneType) else _FOUR


def _four_rows(
    context: Any, builder: Any, signature: Any, args: Any, sums: SumLayout, vectors: list[Any]
) -> Any:
    """Products of the rows args[1] of args[0] with weight vectors; args[3] are prefetched."""
    X_rows = MemoryRows(context, builder, signature.args[0], args[0])
    now = cgutils.unpack_tuple(builder, args[1])
    wanted = not isinstance(signature.args[3], types.NoneType)
    later = cgutils.unpack_tuple(builder, args[3]) if wanted else []
    products = Products(builder, sums, X_rows, Operands(now, vectors, later)).values()
    if sums is not FLOAT64_SUMS:
        products = [builder.fpext(p, FLOAT64) for p in products]
    return context.make_tuple(builder, signature.return_type, products)


@intrinsic
def row_square(_typing: Any, X: Any, i: Any) -> Any:
    """Squared norm of row i of a dense X."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        return _squares(builder, FLOAT64_SUMS, X_rows, [args[1]])[0]

    return types.float64(X, types.int64), codegen


@intrinsic
def float32_squares4(_typing: Any, X: Any, rows: Any) -> Any:
    """Squared norms of four float32 rows, summed in float32."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        squares = _squares(builder, FLOAT32_SUMS, X_rows, cgutils.unpack_tuple(builder, args[1]))
        widened = [builder.fpext(square, FLOAT64) for square in squares]
        return context.make_tuple(builder, signature.return_type, widened)

    return types.UniTuple(types.float64, 4)(X, _FOUR), codegen


def _squares(builder: Any, sums: SumLayout, X: MemoryRows, rows: list[Any]) -> list[Any]:
    """Squared norms of some rows."""
    starts = [X.values_at(row) for row in rows]
    totals = Accumulators(builder, sums, len(rows))

    def take(part: int, j: Any, width: int) -> None:
        for r, start in enumerate(starts):
            x = load(builder, start, j, sums.number, width)
            totals.add(part, r, x, x)

    for_each_vector(builder, sums, X.n_features, take)
    return [first_lane(builder, totals.sum(r)) for r in range(len(rows))]


@intrinsic
def sparse_product(_typing: Any, values: Any, columns: Any, start: Any, stop: Any, w: Any) -> Any:
    """Sum of values[k] w[columns[k]] over k = start … stop − 1.

    Four lanes take the entries in turn; the remainder goes to the first lane, one by one.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        entries, places, weights = (
            data_pointer(context, builder, signature.args[a], args[a]) for a in (0, 1, 4)
        )
        start, stop = args[2], args[3]
        lanes = cgutils.alloca_once(builder, ir.VectorType(FLOAT64, 4))
        builder.store(ir.Constant(lanes.type.pointee, [0.0] * 4), lanes)
        whole = builder.add(start, builder.and_(builder.sub(stop, start), int64(-4)))

        def add(total: Any, k: Any, width: int) -> Any:
            gathered = ir.Constant(ir.VectorType(FLOAT64, width), ir.Undefined)
            for lane in range(width):
                place = builder.load(builder.gep(places, [builder.add(k, int64(lane))]))
                place = builder.zext(place, INT64) if place.type.width < INT64.width else place
                weight = builder.load(builder.gep(weights, [place]))
                gathered = builder.insert_element(gathered, weight, INT32(lane))
            x = load(builder, entries, k, FLOAT64, width)
            return builder.fadd(total, builder.fmul(x, gathered))

        with steps(builder, start, whole, 4) as k:
            builder.store(add(builder.load(lanes), k, 4), lanes)
        sums = builder.load(lanes)
        first = cgutils.alloca_once(builder, ir.VectorType(FLOAT64, 1))
        builder.store(builder.shuffle_vector(sums, sums, lane_numbers([0])), first)
        with steps(builder, whole, stop, 1) as k:
            builder.store(add(builder.load(first), k, 1), first)
        b, c, d = (builder.extract_element(sums, INT32(lane)) for lane in (1, 2, 3))
        a = first_lane(builder, builder.load(first))
        return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))

    signature = types.float64(values, columns, types.int64, types.int64, w)
    return signature, codegen


@intrinsic
def shift_row(_typing: Any, X: Any, i: Any, c: Any, z: Any, a: Any, total: Any) -> Any:
    """Write z = x_i − c for row i of a dense X, and add a z to `total`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        row, shares = rows.values_at(args[1]), args[4]
        shift, written, summed = (
            data_pointer(context, builder, signature.args[q], args[q]) for q in (2, 3, 5)
        )

        def take(_: int, j: Any, width: int) -> None:
            x = load(builder, row, j, FLOAT64, width)
            value = builder.fsub(x, load(builder, shift, j, FLOAT64, width))
            more = builder.fmul(splat(builder, shares, width), value)
            store(builder, value, written, j)
            store(builder, builder.fadd(load(builder, summed, j, FLOAT64, width), more), summed, j)

        for_each_vector(builder, FLOAT64_SUMS, rows.n_features, take)
        return context.get_dummy_value()

    return types.void(X, types.int64, c, z, types.float64, total), codegen


@intrinsic
def prefetch_whole_row(_typing: Any, X: Any, i: Any) -> Any:
    """Prefetch all cache lines of row i."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        start = rows.bytes_at(args[1])
        with steps(builder, int64(0), rows.row_bytes, CACHE_LINE) as byte:
            prefetch(builder, builder.gep(start, [byte]))
        return context.get_dummy_value()

    return types.void(X, types.int64), codegen


@intrinsic
def prefetch_entry(_typing: Any, values: Any, index: Any) -> Any:
    """Prefetch the cache line of values[index]."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_pointer(context, builder, signature.args[0], args[0])
        prefetch(builder, builder.bitcast(builder.gep(data, [args[1]]), BYTE.as_pointer()))
        return context.get_dummy_value()

    return types.void(values, types.int64), codegen
