"""The inner product of dense rows with a weight vector, its order of summation fixed by us.

A compiler that may reorder sums gives other bits in every loop it inlines a product into. Here the
order is written down as LLVM vector code: two accumulators of four float64 lanes take the features
four at a time in turn, a last lane takes what is left over, and the lanes are added in one fixed
tree. So a row scored alone, in a group of four, ahead of time or on another thread gives the *same
bits*, and float32 rows are widened to float64 on the way without a copy.

``_products`` emits that code for any number of rows and units at once. Four rows share each load of
the weights, which is what makes a pass run at the speed of memory, and each step also asks for a
piece of four rows that will be needed later (``fetch``): a shuffled pass then costs little more
than one in file order, where rows are long, and that costs no more than the memory's own pace.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

UNROLL = 4  # vectors a step: a cache line of float32, or two
CACHE_LINE = 64
LONG_ROW, VERY_LONG_ROW = 256, 4096  # bytes

_BYTE = ir.IntType(8)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT32 = ir.FloatType()
_FLOAT64 = ir.DoubleType()


class Sums(NamedTuple):
    """In what numbers products are summed, how many at a time, and in how many turns."""

    number: Any
    lanes: int
    turns: int
    name: str


EXACT = Sums(_FLOAT64, 4, 2, "f64")
ROUGH = Sums(_FLOAT32, 8, 2, "f32")
ROUGH_MANY = ROUGH._replace(turns=1)  # twelve sums at once need no second turn


@intrinsic
def product(_typing: Any, X: Any, i: Any, w: Any) -> Any:
    """Inner product of row i of a dense X with the first d entries of w."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        weights = data_of(context, builder, signature.args[2], args[2])
        return _products(builder, EXACT, rows, [args[1]], [weights], [])[0]

    return types.float64(X, types.int64, w), codegen


@intrinsic
def product4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four rows of a dense X with w; `fetch` names four wanted later, or None."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data_of(context, builder, signature.args[2], args[2])
        return _four_rows(context, builder, signature, args, EXACT, [weights])

    return types.UniTuple(types.float64, 4)(X, _FOUR, w, _four_or_none(fetch)), codegen


@intrinsic
def rough4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four float32 rows with float32 weights, summed in float32."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        weights = data_of(context, builder, signature.args[2], args[2])
        return _four_rows(context, builder, signature, args, ROUGH, [weights])

    return types.UniTuple(types.float64, 4)(X, _FOUR, w, _four_or_none(fetch)), codegen


@intrinsic
def rough12(_typing: Any, X: Any, rows: Any, W: Any, fetch: Any, k: Any) -> Any:
    """Inner products of four float32 rows with unit k of W, then with k + 1, then with k + 2."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        W_rows = MemoryRows(context, builder, signature.args[2], args[2])
        units = [W_rows.values_at(builder.add(args[4], int64(u))) for u in range(3)]
        return _four_rows(context, builder, signature, args, ROUGH_MANY, units)

    twelve = types.UniTuple(types.float64, 12)
    return twelve(X, _FOUR, W, _four_or_none(fetch), types.int64), codegen


_FOUR = types.UniTuple(types.int64, 4)


def _four_or_none(fetch: Any) -> Any:
    return types.none if isinstance(fetch, types.NoneType) else _FOUR


def _four_rows(
    context: Any, builder: Any, signature: Any, args: Any, sums: Sums, units: list[Any]
) -> Any:
    """Products of the rows args[1] of args[0] with some units; args[3] are to be fetched."""
    X_rows = MemoryRows(context, builder, signature.args[0], args[0])
    now = cgutils.unpack_tuple(builder, args[1])
    wanted = not isinstance(signature.args[3], types.NoneType)
    later = cgutils.unpack_tuple(builder, args[3]) if wanted else []
    products = _products(builder, sums, X_rows, now, units, later)
    if sums is not EXACT:
        products = [builder.fpext(p, _FLOAT64) for p in products]
    return context.make_tuple(builder, signature.return_type, products)


@intrinsic
def row_square(_typing: Any, X: Any, i: Any) -> Any:
    """Squared length of row i of a dense X."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        return _squares(builder, EXACT, X_rows, [args[1]])[0]

    return types.float64(X, types.int64), codegen


@intrinsic
def rough_squares4(_typing: Any, X: Any, rows: Any) -> Any:
    """Squared lengths of four float32 rows, summed in float32."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        squares = _squares(builder, ROUGH, X_rows, cgutils.unpack_tuple(builder, args[1]))
        widened = [builder.fpext(square, _FLOAT64) for square in squares]
        return context.make_tuple(builder, signature.return_type, widened)

    return types.UniTuple(types.float64, 4)(X, _FOUR), codegen


def _squares(builder: Any, sums: Sums, X: "MemoryRows", rows: list[Any]) -> list[Any]:
    """Squared lengths of some rows."""
    starts = [X.values_at(row) for row in rows]
    totals = Totals(builder, sums, len(rows))

    def take(part: int, j: Any, width: int) -> None:
        for r, start in enumerate(starts):
            x = load(builder, start, j, sums.number, width)
            totals.add(part, r, x, x)

    each_piece(builder, sums, X.n_features, take)
    return [first_lane(builder, totals.sum(r)) for r in range(len(rows))]


@intrinsic
def sparse_product(_typing: Any, values: Any, columns: Any, start: Any, stop: Any, w: Any) -> Any:
    """Sum of values[k] w[columns[k]] over k = start … stop − 1.

    Four lanes take the entries in turn; what is left over goes to the first, one by one.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        entries, places, weights = (
            data_of(context, builder, signature.args[a], args[a]) for a in (0, 1, 4)
        )
        start, stop = args[2], args[3]
        lanes = cgutils.alloca_once(builder, ir.VectorType(_FLOAT64, 4))
        builder.store(ir.Constant(lanes.type.pointee, [0.0] * 4), lanes)
        whole = builder.add(start, builder.and_(builder.sub(stop, start), int64(-4)))

        def add(total: Any, k: Any, width: int) -> Any:
            gathered = ir.Constant(ir.VectorType(_FLOAT64, width), ir.Undefined)
            for lane in range(width):
                place = builder.load(builder.gep(places, [builder.add(k, int64(lane))]))
                place = builder.zext(place, _INT64) if place.type.width < _INT64.width else place
                weight = builder.load(builder.gep(weights, [place]))
                gathered = builder.insert_element(gathered, weight, _INT32(lane))
            x = load(builder, entries, k, _FLOAT64, width)
            return builder.fadd(total, builder.fmul(x, gathered))

        with _steps(builder, start, whole, 4) as k:
            builder.store(add(builder.load(lanes), k, 4), lanes)
        sums = builder.load(lanes)
        first = cgutils.alloca_once(builder, ir.VectorType(_FLOAT64, 1))
        builder.store(builder.shuffle_vector(sums, sums, lane_numbers([0])), first)
        with _steps(builder, whole, stop, 1) as k:
            builder.store(add(builder.load(first), k, 1), first)
        b, c, d = (builder.extract_element(sums, _INT32(lane)) for lane in (1, 2, 3))
        a = first_lane(builder, builder.load(first))
        return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))

    signature = types.float64(values, columns, types.int64, types.int64, w)
    return signature, codegen


@intrinsic
def shift_row(_typing: Any, X: Any, i: Any, c: Any, z: Any, a: Any, total: Any) -> Any:
    """Write row i of a dense X less c to z, and add a times that to a total."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        row, shares = rows.values_at(args[1]), args[4]
        shift, written, summed = (
            data_of(context, builder, signature.args[q], args[q]) for q in (2, 3, 5)
        )

        def take(_: int, j: Any, width: int) -> None:
            x = load(builder, row, j, _FLOAT64, width)
            value = builder.fsub(x, load(builder, shift, j, _FLOAT64, width))
            more = builder.fmul(splat(builder, shares, width), value)
            store(builder, value, written, j)
            store(builder, builder.fadd(load(builder, summed, j, _FLOAT64, width), more), summed, j)

        each_piece(builder, EXACT, rows.n_features, take)
        return context.get_dummy_value()

    return types.void(X, types.int64, c, z, types.float64, total), codegen


@intrinsic
def fetch_whole_row(_typing: Any, X: Any, i: Any) -> Any:
    """Ask for all cache lines of row i, which will be read soon."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = MemoryRows(context, builder, signature.args[0], args[0])
        start = rows.bytes_at(args[1])
        with _steps(builder, int64(0), rows.row_bytes, CACHE_LINE) as byte:
            _prefetch(builder, builder.gep(start, [byte]))
        return context.get_dummy_value()

    return types.void(X, types.int64), codegen


@intrinsic
def fetch_entry(_typing: Any, values: Any, index: Any) -> Any:
    """Ask for the cache line of values[index], which will be read soon."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_of(context, builder, signature.args[0], args[0])
        _prefetch(builder, builder.bitcast(builder.gep(data, [args[1]]), _BYTE.as_pointer()))
        return context.get_dummy_value()

    return types.void(values, types.int64), codegen


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
        self._start = builder.bitcast(array.data, _BYTE.as_pointer())

    def bytes_at(self, row: Any) -> Any:
        """Where a row begins, in bytes."""
        return self.builder.gep(self._start, [self.builder.mul(row, self._stride)])

    def values_at(self, row: Any) -> Any:
        """Where the entries of a row begin."""
        return self.builder.bitcast(self.bytes_at(row), self.element.as_pointer())


def _products(
    builder: Any, sums: Sums, X: MemoryRows, now: Any, units: list[Any], later: Any
) -> list[Any]:
    """Products of all rows with the first unit, then with the next …; `later` is fetched."""
    totals = products_of(builder, sums, X, now, units, later)
    return [first_lane(builder, totals.sum(q)) for q in range(len(now) * len(units))]


def products_of(
    builder: Any, sums: Sums, X: MemoryRows, now: Any, units: list[Any], later: Any
) -> "Totals":
    """Do the same, and leave each product in its parts."""
    rows = [X.values_at(row) for row in now]
    totals = Totals(builder, sums, len(rows) * len(units))

    def take(part: int, j: Any, width: int) -> None:
        weights = [load(builder, unit, j, sums.number, width) for unit in units]
        for r, row in enumerate(rows):
            x = load(builder, row, j, sums.number, width)
            for u, w in enumerate(weights):
                totals.add(part, u * len(rows) + r, x, w)

    if not later:
        each_piece(builder, sums, X.n_features, take)
    elif len(units) == 1:
        _steps_of_rows(builder, sums, X, Visited(now, later), take)
        _rest(builder, sums, X.n_features, take)
    else:  # what takes long leaves time for pieces
        _steps_with_lines(builder, sums, X, take, [X.bytes_at(row) for row in later], 1)
        _rest(builder, sums, X.n_features, take)
    return totals


class Visited(NamedTuple):
    """Rows that are read now, and rows that will be read later."""

    now: Any
    later: Any


def _steps_of_rows(builder: Any, sums: Sums, X: MemoryRows, rows: Visited, take: Any) -> None:
    """Take whole steps, and ask for the matching piece of each row needed later.

    But rows read in turn are one stream in memory, to which the hardware sees if they are short or
    very long. Of others, four at a time, it sees pieces here and there: these are asked for from
    end to end, as the stream they are.
    """
    starts = [X.bytes_at(row) for row in rows.later]
    lines = [builder.gep(starts[0], [int64(CACHE_LINE * r)]) for r in range(len(starts))]
    in_turn = builder.and_(*(_side_by_side(builder, each) for each in rows))
    beyond = builder.sub(X.row_bytes, int64(LONG_ROW))
    long = builder.icmp_unsigned("<", beyond, int64(VERY_LONG_ROW - LONG_ROW))
    with builder.if_else(in_turn) as (as_stream, as_pieces):
        with as_stream, builder.if_else(long) as (asked_for, left_alone):
            with asked_for:
                _steps_with_lines(builder, sums, X, take, lines, len(lines))
            with left_alone:
                _whole_steps(builder, sums, X.n_features, take)
        with as_pieces:
            _steps_with_lines(builder, sums, X, take, starts, 1)


def _side_by_side(builder: Any, rows: Any) -> Any:
    return builder.icmp_signed("==", builder.sub(rows[-1], rows[0]), int64(len(rows) - 1))


def _steps_with_lines(
    builder: Any, sums: Sums, X: MemoryRows, take: Any, places: list[Any], pace: int
) -> None:
    """Take whole steps, and ask for as many bytes of a row, times the pace, from each place on."""
    step_bytes = sums.lanes * UNROLL * X.element_bytes

    def fetch(byte: Any) -> None:
        for place in places:
            _prefetch(builder, builder.gep(place, [builder.mul(byte, int64(pace))]))

    def fetch_step(j: Any) -> None:
        first_byte = builder.mul(j, int64(X.element_bytes))
        for line in range(0, step_bytes, CACHE_LINE):
            fetch(builder.add(first_byte, int64(line)))

    _whole_steps(builder, sums, X.n_features, take, fetch_step)
    whole = builder.and_(X.row_bytes, int64(-step_bytes))
    with _steps(builder, whole, X.row_bytes, CACHE_LINE) as byte:
        fetch(byte)


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

    def four_sums(self) -> Any:
        """The first four sums, a lane each: the same additions, four at a time."""
        builder = self._builder
        parts = [[builder.load(place) for place in total] for total in self._parts[:4]]
        a, b, c, d = (builder.fadd(total[EVEN], total[ODD]) for total in parts)
        left, right = self._folded(a, c, [0, 1, 4, 5], 2), self._folded(b, d, [0, 1, 4, 5], 2)
        rests = ir.Constant(ir.VectorType(self._sums.number, 4), ir.Undefined)
        for lane, total in enumerate(parts):
            rest = first_lane(builder, total[REST])
            rests = builder.insert_element(rests, rest, _INT32(lane))
        return builder.fadd(self._folded(left, right, [0, 4, 2, 6], 1), rests)

    def _folded(self, u: Any, v: Any, lanes: list[int], distance: int) -> Any:
        """Some lanes of two vectors, each plus the lane some way beside it."""
        others = lane_numbers(lane + distance for lane in lanes)
        chosen = self._builder.shuffle_vector(u, v, lane_numbers(lanes))
        return self._builder.fadd(chosen, self._builder.shuffle_vector(u, v, others))


def each_piece(builder: Any, sums: Sums, d: Any, take: Any) -> None:
    """Emit loops that take d features piece by piece: `take(part, first, width)`."""
    _whole_steps(builder, sums, d, take)
    _rest(builder, sums, d, take)


def _whole_steps(builder: Any, sums: Sums, d: Any, take: Any, after_step: Any = None) -> None:
    """Take steps of some vectors, as long as they are whole; `after_step(first)` follows each."""
    step = sums.lanes * UNROLL
    with _steps(builder, int64(0), builder.and_(d, int64(-step)), step) as j:
        for u in range(UNROLL):
            take(u % sums.turns, builder.add(j, int64(sums.lanes * u)), sums.lanes)
        if after_step:
            after_step(j)


def _rest(builder: Any, sums: Sums, d: Any, take: Any) -> None:
    """Take what whole steps leave: vectors, then single features."""
    lanes, step = sums.lanes, sums.lanes * UNROLL
    whole_steps, whole_vectors = builder.and_(d, int64(-step)), builder.and_(d, int64(-lanes))
    with _steps(builder, whole_steps, whole_vectors, lanes) as j:
        take(EVEN, j, lanes)
    with _steps(builder, whole_vectors, d, 1) as j:
        take(REST, j, 1)


def _steps(builder: Any, start: Any, stop: Any, step: int) -> Any:
    return _Steps(cgutils.for_range_slice(builder, start, stop, int64(step), inc=True))


class _Steps:
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
    values = builder.load(place, align=4 if element == _FLOAT32 else 8)
    return values if element == number else builder.fpext(values, ir.VectorType(number, lanes))


def store(builder: Any, values: Any, start: Any, j: Any) -> None:
    """Write some entries from the j-th on."""
    place = builder.bitcast(builder.gep(start, [j]), values.type.as_pointer())
    builder.store(values, place, align=4 if values.type.element == _FLOAT32 else 8)


def _prefetch(builder: Any, place: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _INT32, _INT32, _INT32])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, keep_in_all_caches, data = _INT32(0), _INT32(3), _INT32(1)
    builder.call(prefetch, [place, read, keep_in_all_caches, data])


def data_of(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    """Where the entries of an array begin."""
    return context.make_array(array_type)(context, builder, value).data


def splat(builder: Any, number: Any, lanes: int) -> Any:
    """A number in every lane of a vector."""
    vector = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    for lane in range(lanes):
        vector = builder.insert_element(vector, number, _INT32(lane))
    return vector


def first_lane(builder: Any, vector: Any) -> Any:
    """The number in the first lane."""
    return builder.extract_element(vector, _INT32(0))


def int64(value: int) -> Any:
    """A number in emitted code."""
    return ir.Constant(_INT64, value)


def lane_numbers(lanes: Iterable[int]) -> Any:
    """Which lanes a shuffle takes."""
    lanes = list(lanes)
    return ir.Constant(ir.VectorType(_INT32, len(lanes)), lanes)
