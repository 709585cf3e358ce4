"""LLVM IR builder helpers: loops, vector loads and sums in a fixed order.

A product is summed in three parts: whole vectors go to one or two accumulators in turn, and a
scalar accumulator takes the remaining features. `Accumulators` holds the parts of some sums, and
adds their lanes in one fixed tree.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils

UNROLL = 4  # vectors an iteration: one or two cache lines of float32
CACHE_LINE = 64

BYTE = ir.IntType(8)
INT32 = ir.IntType(32)
INT64 = ir.IntType(64)
FLOAT32 = ir.FloatType()
FLOAT64 = ir.DoubleType()


class SumLayout(NamedTuple):
    """Type in which products are summed, lanes of a vector, and number of vector accumulators."""

    number: Any
    lanes: int
    n_accumulators: int
    name: str


FLOAT64_SUMS = SumLayout(FLOAT64, 4, 2, "f64")
FLOAT32_SUMS = SumLayout(FLOAT32, 8, 2, "f32")
FLOAT32_SUMS_OF_12 = FLOAT32_SUMS._replace(n_accumulators=1)  # twelve sums fill the registers


class MemoryRows:
    """Addresses of the rows of a C-ordered matrix."""

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
        """Byte pointer to a row."""
        return self.builder.gep(self._start, [self.builder.mul(row, self._stride)])

    def values_at(self, row: Any) -> Any:
        """Pointer to the entries of a row."""
        return self.builder.bitcast(self.bytes_at(row), self.element.as_pointer())


EVEN, ODD, REMAINDER = range(3)  # the parts of a sum


class Accumulators:
    """Running sums of some products, each in three parts."""

    def __init__(self, builder: Any, sums: SumLayout, n: int) -> None:
        self._builder, self._sums = builder, sums
        widths = {EVEN: sums.lanes, ODD: sums.lanes, REMAINDER: 1}
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
        even, odd, remainder = (builder.load(place) for place in self._parts[r])
        vector, half = builder.fadd(even, odd), lanes // 2
        while half:  # add one half to the other
            others = lane_numbers(k ^ half for k in range(lanes))
            swapped = builder.shuffle_vector(vector, vector, others)
            vector, half = builder.fadd(vector, swapped), half // 2
        return builder.fadd(
            vector, builder.shuffle_vector(remainder, remainder, lane_numbers([0] * lanes))
        )


def for_each_vector(builder: Any, sums: SumLayout, d: Any, take: Any) -> None:
    """Emit loops over d features, vector by vector: `take(part, first, width)`."""
    unrolled_loop(builder, sums, d, take)
    remainder_loop(builder, sums, d, take)


def unrolled_loop(builder: Any, sums: SumLayout, d: Any, take: Any, after_step: Any = None) -> None:
    """Emit the unrolled loop over whole vectors; `after_step(first)` follows each iteration."""
    step = sums.lanes * UNROLL
    with steps(builder, int64(0), builder.and_(d, int64(-step)), step) as j:
        for u in range(UNROLL):
            take(u % sums.n_accumulators, builder.add(j, int64(sums.lanes * u)), sums.lanes)
        if after_step:
            after_step(j)


def remainder_loop(builder: Any, sums: SumLayout, d: Any, take: Any) -> None:
    """Emit the loops over what the unrolled loop leaves: vectors, then single features."""
    lanes, step = sums.lanes, sums.lanes * UNROLL
    first, whole_vectors = builder.and_(d, int64(-step)), builder.and_(d, int64(-lanes))
    with steps(builder, first, whole_vectors, lanes) as j:
        take(EVEN, j, lanes)
    with steps(builder, whole_vectors, d, 1) as j:
        take(REMAINDER, j, 1)


def steps(builder: Any, start: Any, stop: Any, step: int) -> Any:
    """A counted loop, as a context manager that gives the counter."""
    return Steps(cgutils.for_range_slice(builder, start, stop, int64(step), inc=True))


class Steps:
    """Context manager of a counted loop, which gives the counter."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop

    def __enter__(self) -> Any:
        return self._loop.__enter__()[0]

    def __exit__(self, *exception: Any) -> Any:
        return self._loop.__exit__(*exception)


def load(builder: Any, start: Any, j: Any, number: Any, lanes: int) -> Any:
    """A vector of entries from the j-th on, widened where they are of a smaller type."""
    element = start.type.pointee
    vector = ir.VectorType(element, lanes)
    place = builder.bitcast(builder.gep(start, [j]), vector.as_pointer())
    values = builder.load(place, align=4 if element == FLOAT32 else 8)
    return values if element == number else builder.fpext(values, ir.VectorType(number, lanes))


def store(builder: Any, values: Any, start: Any, j: Any) -> None:
    """Store a vector from the j-th entry on."""
    place = builder.bitcast(builder.gep(start, [j]), values.type.as_pointer())
    builder.store(values, place, align=4 if values.type.element == FLOAT32 else 8)


def prefetch(builder: Any, place: Any) -> None:
    """Prefetch the cache line at an address."""
    kind = ir.FunctionType(ir.VoidType(), [BYTE.as_pointer(), INT32, INT32, INT32])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, keep_in_all_caches, data = INT32(0), INT32(3), INT32(1)
    builder.call(prefetch, [place, read, keep_in_all_caches, data])


def data_pointer(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    """Pointer to the entries of an array."""
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
    """A constant."""
    return ir.Constant(INT64, value)


def lane_numbers(lanes: Iterable[int]) -> Any:
    """Mask of a shuffle."""
    lanes = list(lanes)
    return ir.Constant(ir.VectorType(INT32, len(lanes)), lanes)
