"""Vector code for the processor, emitted piece by piece: loops, loads and sums in a fixed order.

A product is summed in three parts: whole vectors go to one or two accumulators of some lanes in
turn, and a last lane takes the features that are left over. `Totals` holds the parts of some sums,
and adds their lanes in one fixed tree.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils

UNROLL = 4  # vectors a step: a cache line of float32, or two
CACHE_LINE = 64

BYTE = ir.IntType(8)
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)
FLOAT32 = ir.FloatType()
FLOAT64 = ir.DoubleType()


class Sums(NamedTuple):
    """In what numbers products are summed, how many at a time, and in how many turns."""

    number: Any
    lanes: int
    turns: int
    name: str


FLOAT64_SUMS = Sums(FLOAT64, 4, 2, "f64")
FLOAT32_SUMS = Sums(FLOAT32, 8, 2, "f32")
FLOAT32_SUMS_OF_12 = FLOAT32_SUMS._replace(turns=1)  # twelve sums at once need no second turn


class MemoryRows:
    """Where each row of a C-ordered matrix begins, in emitted code."""

    def __init__(self, context: Any, builder: Any, array_type: Any, value: Any) -> None:
        array = context.make_array(array_type)(context, builder, value)
        self.builder = builder
        self.n_rows, self.n_features = cgutils.unpack_tuple(builder, array.shape)
        self.element = context.get_data_type(array_type.dtype)
        self.element_bytes = array_type.dtype.bitwidth // 8
        self.row_bytes = builder.mul(self.n_features, int64(self.element_bytes))
        self._stride = builder.extract_value(array.strides, 0)
        self._start = builder.bitcast(array.data, BYTE.as_pointer())

    def bytes_at(self, row: Any) -> Any:
        """Where a row begins, in bytes."""
        return self.builder.gep(self._start, [self.builder.mul(row, self._stride)])

    def values_at(self, row: Any) -> Any:
        """Where the entries of a row begin."""
        return self.builder.bitcast(self.bytes_at(row), self.element.as_pointer())


EVEN, ODD, REST = range(3)  # the parts of a sum


class Totals:
    """Running sums of some products, each in its three parts, in emitted code."""

    def __init__(self, builder: Any, sums: Sums, n: int) -> None:
        self._builder, self._sums = builder, sums
        widths = {EVEN: sums.lanes, ODD: sums.lanes, REST: 1}
        self._parts = [[self._zero(widths[part]) for part in widths] for _ in range(n)]

    def _zero(self, lanes: int) -> Any:
        zero = ir.Constant(ir.VectorType(self._sums.number, lanes), [0.0] * lanes)
        place = cgutils.alloca_once(self._builder, zero.type)
        self._builder.store(zero, place)
        return place

    def add(self, part: int, r: int, x: Any, w: Any) -> None:
        """Add x w to a part of the r-th sum."""
        place = self._parts[r][part]
        total = self._builder.load(place)
        kind = ir.FunctionType(x.type, [x.type] * 3)
        name = f"llvm.fma.v{x.type.count}{self._sums.name}"
        fma = cgutils.get_or_insert_function(self._builder.module, kind, name)
        self._builder.store(self._builder.call(fma, [x, w, total]), place)

    def sum(self, r: int) -> Any:
        """The r-th sum, in every lane of a vector."""
        builder, lanes = self._builder, self._sums.lanes
        even, odd, rest = (builder.load(place) for place in self._parts[r])
        vector, half = builder.fadd(even, odd), lanes // 2
        while half:  # one half onto the other
            others = lane_numbers(k ^ half for k in range(lanes))
            swapped = builder.shuffle_vector(vector, vector, others)
            vector, half = builder.fadd(vector, swapped), half // 2
        return builder.fadd(vector, builder.shuffle_vector(rest, rest, lane_numbers([0] * lanes)))


def each_piece(builder: Any, sums: Sums, d: Any, take: Any) -> None:
    """Emit loops that take d features piece by piece: `take(part, first, width)`."""
    whole_steps(builder, sums, d, take)
    rest_of_row(builder, sums, d, take)


def whole_steps(builder: Any, sums: Sums, d: Any, take: Any, after_step: Any = None) -> None:
    """Take steps of some vectors, as long as they are whole; `after_step(first)` follows each."""
    step = sums.lanes * UNROLL
    with steps(builder, int64(0), builder.and_(d, int64(-step)), step) as j:
        for u in range(UNROLL):
            take(u % sums.turns, builder.add(j, int64(sums.lanes * u)), sums.lanes)
        if after_step:
            after_step(j)


def rest_of_row(builder: Any, sums: Sums, d: Any, take: Any) -> None:
    """Take what whole steps leave: vectors, then single features."""
    lanes, step = sums.lanes, sums.lanes * UNROLL
    first, whole_vectors = builder.and_(d, int64(-step)), builder.and_(d, int64(-lanes))
    with steps(builder, first, whole_vectors, lanes) as j:
        take(EVEN, j, lanes)
    with steps(builder, whole_vectors, d, 1) as j:
        take(REST, j, 1)


def steps(builder: Any, start: Any, stop: Any, step: int) -> Any:
    """A counted loop, for a `with`."""
    return Steps(cgutils.for_range_slice(builder, start, stop, int64(step), inc=True))


class Steps:
    """A counted loop in emitted code, as a context that gives the counter."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop

    def __enter__(self) -> Any:
        return self._loop.__enter__()[0]

    def __exit__(self, *exception: Any) -> Any:
        return self._loop.__exit__(*exception)


def load(builder: Any, start: Any, j: Any, number: Any, lanes: int) -> Any:
    """Some entries from the j-th on, widened where they are of a smaller type."""
    element = start.type.pointee
    vector = ir.VectorType(element, lanes)
    place = builder.bitcast(builder.gep(start, [j]), vector.as_pointer())
    values = builder.load(place, align=4 if element == FLOAT32 else 8)
    return values if element == number else builder.fpext(values, ir.VectorType(number, lanes))


def store(builder: Any, values: Any, start: Any, j: Any) -> None:
    """Write some entries from the j-th on."""
    place = builder.bitcast(builder.gep(start, [j]), values.type.as_pointer())
    builder.store(values, place, align=4 if values.type.element == FLOAT32 else 8)


def prefetch(builder: Any, place: Any) -> None:
    """Ask for the cache line at a place in memory."""
    kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), INT32, INT32, INT32])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, keep_in_all_caches, data = INT32(0), INT32(3), INT32(1)
    builder.call(prefetch, [place, read, keep_in_all_caches, data])


def data_of(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    """Where the entries of an array begin."""
    return context.make_array(array_type)(context, builder, value).data


def splat(builder: Any, number: Any, lanes: int) -> Any:
    """A number in every lane of a vector."""
    vector = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    for lane in range(lanes):
        vector = builder.insert_element(vector, number, INT32(lane))
    return vector


def first_lane(builder: Any, vector: Any) -> Any:
    """The number in the first lane."""
    return builder.extract_element(vector, INT32(0))


def int64(value: int) -> Any:
    """A number in emitted code."""
    return ir.Constant(INT64, value)


def lane_numbers(lanes: Iterable[int]) -> Any:
    """Which lanes a shuffle takes."""
    lanes = list(lanes)
    return ir.Constant(ir.VectorType(INT32, len(lanes)), lanes)
