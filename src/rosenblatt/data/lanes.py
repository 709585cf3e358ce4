"""The inner product of dense rows with a weight vector, its order of summation fixed by us.

A compiler that may reorder sums gives other bits in every loop it inlines a product into. Here the
order is written down as LLVM vector code: two accumulators of four float64 lanes take the features
four at a time in turn, a last lane takes what is left over, and the lanes are added in one fixed
tree. So a row scored alone, in a group of four, ahead of time or on another thread gives the *same
bits*, and float32 rows are widened to float64 on the way without a copy.

``product_of_rows`` emits that code for any number of rows at once. Four rows share each load of
the weights, which is what makes a pass run at the speed of memory, and each step also asks for the
matching piece of four rows that will be needed later (``fetch``): a shuffled pass then costs
little more than one in file order.
"""

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

UNROLL = 4  # vectors a step: a cache line of float32, or two
CACHE_LINE = 64

_BYTE = ir.IntType(8)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT32 = ir.FloatType()
_FLOAT64 = ir.DoubleType()


class Sums(NamedTuple):
    """In what numbers products are summed, and how many at a time."""

    number: Any
    lanes: int
    name: str


EXACT = Sums(_FLOAT64, 4, "f64")
ROUGH = Sums(_FLOAT32, 8, "f32")


@intrinsic
def product(_typing: Any, X: Any, i: Any, w: Any) -> Any:
    """Inner product of row i of a dense X with the first d entries of w."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[0], args[0])
        weights = _data(context, builder, signature.args[2], args[2])
        return _product_of_rows(builder, EXACT, rows, [args[1]], weights, [])[0]

    return types.float64(X, types.int64, w), codegen


@intrinsic
def product4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four rows of a dense X with w; `fetch` names four wanted later, or None."""
    return _four_products(EXACT, X, w, fetch)


@intrinsic
def rough4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four float32 rows with float32 weights, summed in float32."""
    return _four_products(ROUGH, X, w, fetch)


def _four_products(sums: Sums, X: Any, w: Any, fetch: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = _Rows(context, builder, signature.args[0], args[0])
        weights = _data(context, builder, signature.args[2], args[2])
        now = cgutils.unpack_tuple(builder, args[1])
        wanted = not isinstance(signature.args[3], types.NoneType)
        later = cgutils.unpack_tuple(builder, args[3]) if wanted else []
        products = _product_of_rows(builder, sums, X_rows, now, weights, later)
        if sums is ROUGH:
            products = [builder.fpext(p, _FLOAT64) for p in products]
        return context.make_tuple(builder, signature.return_type, products)

    four = types.UniTuple(types.int64, 4)
    later = types.none if isinstance(fetch, types.NoneType) else four
    return types.UniTuple(types.float64, 4)(X, four, w, later), codegen


@intrinsic
def rough_square(_typing: Any, X: Any, i: Any) -> Any:
    """Squared length of a float32 row, summed in float32."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[0], args[0])
        itself = rows.values_at(args[1])
        square = _product_of_rows(builder, ROUGH, rows, [args[1]], itself, [])[0]
        return builder.fpext(square, _FLOAT64)

    return types.float64(X, types.int64), codegen


@intrinsic
def fetch_entry(_typing: Any, values: Any, index: Any) -> Any:
    """Ask for the cache line of values[index], which will be read soon."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = _data(context, builder, signature.args[0], args[0])
        _prefetch(builder, builder.bitcast(builder.gep(data, [args[1]]), _BYTE.as_pointer()))
        return context.get_dummy_value()

    return types.void(values, types.int64), codegen


class _Rows:
    """Where each row of a C-ordered matrix begins, in emitted code."""

    def __init__(self, context: Any, builder: Any, array_type: Any, value: Any) -> None:
        array = context.make_array(array_type)(context, builder, value)
        self.builder = builder
        self.n_features = builder.extract_value(array.shape, 1)
        self.element = context.get_data_type(array_type.dtype)
        self.element_bytes = array_type.dtype.bitwidth // 8
        self._stride = builder.extract_value(array.strides, 0)
        self._start = builder.bitcast(array.data, _BYTE.as_pointer())

    def bytes_at(self, row: Any) -> Any:
        return self.builder.gep(self._start, [self.builder.mul(row, self._stride)])

    def values_at(self, row: Any) -> Any:
        return self.builder.bitcast(self.bytes_at(row), self.element.as_pointer())


def _product_of_rows(
    builder: Any, sums: Sums, X: _Rows, now: Any, weights: Any, later: Any
) -> list[Any]:
    d, lanes, step = X.n_features, sums.lanes, sums.lanes * UNROLL
    whole_steps = builder.and_(d, _int(-step))
    whole_vectors = builder.and_(d, _int(-lanes))
    rows = [X.values_at(row) for row in now]
    coming = [X.bytes_at(row) for row in later]
    even, odd = _zeros(builder, sums, rows, lanes), _zeros(builder, sums, rows, lanes)
    rest = _zeros(builder, sums, rows, 1)

    def accumulate(totals: list[Any], j: Any, width: int) -> None:
        w = _load(builder, weights, j, sums.number, sums.number, width)
        for row, total in zip(rows, totals, strict=True):
            x = _load(builder, row, j, X.element, sums.number, width)
            builder.store(_fma(builder, sums, x, w, builder.load(total), width), total)

    def fetch(first_byte: Any) -> None:
        for row in coming:
            _prefetch(builder, builder.gep(row, [first_byte]))

    with _steps(builder, _int(0), whole_steps, step) as j:
        for u in range(UNROLL):
            accumulate(odd if u % 2 else even, builder.add(j, _int(lanes * u)), lanes)
        first_byte = builder.mul(j, _int(X.element_bytes))
        for line in range(0, step * X.element_bytes, CACHE_LINE):
            fetch(builder.add(first_byte, _int(line)))
    with _steps(builder, whole_steps, whole_vectors, lanes) as j:
        accumulate(even, j, lanes)
    with _steps(builder, whole_vectors, d, 1) as j:
        accumulate(rest, j, 1)
    if coming:
        size = _int(X.element_bytes)
        with _steps(builder, builder.mul(whole_steps, size), builder.mul(d, size), CACHE_LINE) as b:
            fetch(b)
    return [_add_lanes(builder, lanes, *parts) for parts in zip(even, odd, rest, strict=True)]


def _add_lanes(builder: Any, lanes: int, even: Any, odd: Any, rest: Any) -> Any:
    vector = builder.fadd(builder.load(even), builder.load(odd))
    while lanes > 1:  # one half onto the other
        lanes //= 2
        low = builder.shuffle_vector(vector, vector, _mask(range(lanes)))
        high = builder.shuffle_vector(vector, vector, _mask(range(lanes, 2 * lanes)))
        vector = builder.fadd(low, high)
    return builder.fadd(_only(builder, vector), _only(builder, builder.load(rest)))


def _steps(builder: Any, start: Any, stop: Any, step: int) -> Any:
    return _Steps(cgutils.for_range_slice(builder, start, stop, _int(step), inc=True))


class _Steps:
    """A counted loop in emitted code, as a context that gives the counter."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop

    def __enter__(self) -> Any:
        return self._loop.__enter__()[0]

    def __exit__(self, *exception: Any) -> Any:
        return self._loop.__exit__(*exception)


def _zeros(builder: Any, sums: Sums, rows: list[Any], lanes: int) -> list[Any]:
    zero = ir.Constant(ir.VectorType(sums.number, lanes), [0.0] * lanes)
    totals = [cgutils.alloca_once(builder, zero.type) for _ in rows]
    for total in totals:
        builder.store(zero, total)
    return totals


def _load(builder: Any, start: Any, j: Any, element: Any, number: Any, lanes: int) -> Any:
    vector = ir.VectorType(element, lanes)
    place = builder.bitcast(builder.gep(start, [j]), vector.as_pointer())
    values = builder.load(place, align=4 if element == _FLOAT32 else 8)
    return values if element == number else builder.fpext(values, ir.VectorType(number, lanes))


def _fma(builder: Any, sums: Sums, x: Any, w: Any, total: Any, lanes: int) -> Any:
    vector = ir.VectorType(sums.number, lanes)
    kind = ir.FunctionType(vector, [vector] * 3)
    name = f"llvm.fma.v{lanes}{sums.name}"
    fma = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(fma, [x, w, total])


def _prefetch(builder: Any, place: Any) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _INT32, _INT32, _INT32])
    prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    read, keep_in_all_caches, data = _INT32(0), _INT32(3), _INT32(1)
    builder.call(prefetch, [place, read, keep_in_all_caches, data])


def _data(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    return context.make_array(array_type)(context, builder, value).data


def _int(value: int) -> Any:
    return ir.Constant(_INT64, value)


def _mask(lanes: range) -> Any:
    return ir.Constant(ir.VectorType(_INT32, len(lanes)), list(lanes))


def _only(builder: Any, vector: Any) -> Any:
    return builder.extract_element(vector, _INT32(0))
