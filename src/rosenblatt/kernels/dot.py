"""Deterministic SIMD dot products of dense rows with weight vectors.

A compiler that may reorder sums gives other bits in every loop it inlines a product into. Here the
order is fixed in LLVM vector code: two accumulators of four float64 lanes take the features four at
a time in turn, a scalar one takes the remainder, and the lanes are added in one fixed tree. So a
row scored alone, in a group of four or on another thread gives the *same bits*, and float32 rows
are widened to float64 on the way without a copy.

Rows are read interleaved, a vector of each at a time, so that they share each load of the weights;
meanwhile the same entries of rows needed later are prefetched: with long rows, a shuffled epoch
then costs little more than one in file order. But rows that follow each other in memory, unless
they are short, are read one after the other: that is one stream, which the hardware prefetches at
full bandwidth; it does not recognise four.
"""

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.llvm import (
    BYTE,
    CACHE_LINE,
    FLOAT32_SUMS,
    FLOAT32_SUMS_OF_12,
    FLOAT64,
    FLOAT64_SUMS,
    INT32,
    INT64,
    UNROLL,
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
    remainder_loop,
    splat,
    steps,
    store,
    unrolled_loop,
)

MIN_STREAM_BYTES = 192  # of a row: four shorter rows, interleaved, are one stream as well
MAX_CACHED_WEIGHTS = 2048  # weights that stay in the L1 cache from row to row


class Operands(NamedTuple):
    """Rows multiplied now, the weight vectors to multiply them by, and rows to prefetch."""

    now: Any
    weights: list[Any]
    later: Any


class Products:
    """Emits the products of some rows with some weight vectors."""

    def __init__(self, builder: Any, sums: SumLayout, X: MemoryRows, operands: Operands) -> None:
        self.builder, self._sums, self._X = builder, sums, X
        self._now, self._weights, self._later = operands
        self._rows = [(r, X.values_at(row)) for r, row in enumerate(self._now)]

    def values(self) -> list[Any]:
        """Products of all rows with the first weight vector, then with the next ones."""
        if not self._later:
            return self._interleaved()
        if len(self._weights) > 1:  # enough arithmetic to hide the prefetches
            return self._interleaved_prefetching()
        consecutive = self.builder.and_(
            self._consecutive(self._now), self._consecutive(self._later)
        )
        return self._either(consecutive, self._in_file_order, self._interleaved_prefetching)

    def _in_file_order(self) -> list[Any]:
        builder, X = self.builder, self._X
        long = builder.icmp_unsigned(">=", X.row_bytes, int64(MIN_STREAM_BYTES))
        weights_cached = builder.icmp_unsigned("<=", X.n_features, int64(MAX_CACHED_WEIGHTS))
        return self._either(builder.and_(long, weights_cached), self._one_by_one, self._interleaved)

    def _one_by_one(self) -> list[Any]:
        totals = self._totals()
        for row in self._rows:
            for_each_vector(
                self.builder, self._sums, self._X.n_features, self._multiplier(totals, [row])
            )
        return self._sum(totals)

    def _interleaved(self) -> list[Any]:
        totals = self._totals()
        take = self._multiplier(totals, self._rows)
        for_each_vector(self.builder, self._sums, self._X.n_features, take)
        return self._sum(totals)

    def _interleaved_prefetching(self) -> list[Any]:
        totals = self._totals()
        take = self._multiplier(totals, self._rows)
        self._prefetching_steps(take)
        remainder_loop(self.builder, self._sums, self._X.n_features, take)
        return self._sum(totals)

    def _totals(self) -> Accumulators:
        return Accumulators(self.builder, self._sums, len(self._now) * len(self._weights))

    def _sum(self, totals: Accumulators) -> list[Any]:
        n = len(self._now) * len(self._weights)
        return [first_lane(self.builder, totals.sum(q)) for q in range(n)]

    def _multiplier(self, totals: Accumulators, rows: list[tuple[int, Any]]) -> Any:
        """Function that multiplies a vector of some rows: `take(part, first feature, width)`."""
        builder, number = self.builder, self._sums.number

        def take(part: int, j: Any, width: int) -> None:
            weights = [load(builder, w, j, number, width) for w in self._weights]
            for r, row in rows:
                x = load(builder, row, j, number, width)
                for u, w in enumerate(weights):
                    totals.add(part, u * len(self._now) + r, x, w)

        return take

    def _prefetching_steps(self, take: Any) -> None:
        """Emit the unrolled loop, which also prefetches the same entries of rows needed later."""
        builder, X = self.builder, self._X
        step_bytes = self._sums.lanes * UNROLL * X.element_bytes
        places = [X.bytes_at(row) for row in self._later]

        def fetch(byte: Any) -> None:
            for place in places:
                prefetch(builder, builder.gep(place, [byte]))

        def fetch_step(j: Any) -> None:
            first_byte = builder.mul(j, int64(X.element_bytes))
            for line in range(0, step_bytes, CACHE_LINE):
                fetch(builder.add(first_byte, int64(line)))

        unrolled_loop(builder, self._sums, X.n_features, take, fetch_step)
        whole = builder.and_(X.row_bytes, int64(-step_bytes))
        with steps(builder, whole, X.row_bytes, CACHE_LINE) as byte:
            fetch(byte)

    def _consecutive(self, rows: Any) -> Any:
        """Whether rows follow each other in memory; a false positive only costs time."""
        between = self.builder.sub(rows[-1], rows[0])
        return self.builder.icmp_signed("==", between, int64(len(rows) - 1))

    def _either(self, condition: Any, first: Any, second: Any) -> list[Any]:
        """Values of one of two branches."""
        builder = self.builder
        with builder.if_else(condition) as (then, otherwise):
            with then:
                ones, end = first(), builder.block
            with otherwise:
                others, other_end = second(), builder.block
        chosen = [builder.phi(value.type) for value in ones]
        for phi, one, other in zip(chosen, ones, others, strict=True):
            phi.add_incoming(one, end)
            phi.add_incoming(other, other_end)
        return chosen


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
