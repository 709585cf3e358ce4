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

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 4
UNROLL = 4  # vectors a step: 16 features, one cache line of float32
CACHE_LINE = 64

_BYTE = ir.IntType(8)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_FLOAT64 = ir.DoubleType()


@intrinsic
def product(_typing: Any, X: Any, i: Any, w: Any) -> Any:
    """Inner product of row i of a dense X with the first d entries of w."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows = _Rows(context, builder, signature.args[0], args[0])
        weights = _data(context, builder, signature.args[2], args[2])
        return _product_of_rows(builder, rows, [args[1]], weights, [])[0]

    return types.float64(X, types.int64, w), codegen


@intrinsic
def product4(_typing: Any, X: Any, rows: Any, w: Any, fetch: Any) -> Any:
    """Inner products of four rows of a dense X with w; `fetch` names four wanted later, or None."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = _Rows(context, builder, signature.args[0], args[0])
        weights = _data(context, builder, signature.args[2], args[2])
        now = cgutils.unpack_tuple(builder, args[1])
        wanted = not isinstance(signature.args[3], types.NoneType)
        later = cgutils.unpack_tuple(builder, args[3]) if wanted else []
        products = _product_of_rows(builder, X_rows, now, weights, later)
        return context.make_tuple(builder, signature.return_type, products)

    four = types.UniTuple(types.int64, 4)
    later = types.none if isinstance(fetch, types.NoneType) else four
    return types.UniTuple(types.float64, 4)(X, four, w, later), codegen


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


def _product_of_rows(builder: Any, X: _Rows, now: Any, weights: Any, later: Any) -> list[Any]:
    d = X.n_features
    whole_steps = builder.and_(d, _int(-LANES * UNROLL))
    whole_vectors = builder.and_(d, _int(-LANES))
    rows = [X.values_at(row) for row in now]
    coming = [X.bytes_at(row) for row in later]
    even, odd = _zeros(builder, rows, LANES), _zeros(builder, rows, LANES)
    rest = _zeros(builder, rows, 1)

    def accumulate(sums: list[Any], j: Any, lanes: int) -> None:
        w = _load(builder, weights, j, _FLOAT64, lanes)
        for row, total in zip(rows, sums, strict=True):
            x = _load(builder, row, j, X.element, lanes)
            builder.store(_fma(builder, x, w, builder.load(total), lanes), total)

    def fetch(first_byte: Any) -> None:
        for row in coming:
            _prefetch(builder, builder.gep(row, [first_byte]))

    with _steps(builder, _int(0), whole_steps, LANES * UNROLL) as j:
        for u in range(UNROLL):
            accumulate(odd if u % 2 else even, builder.add(j, _int(LANES * u)), LANES)
        first_byte = builder.mul(j, _int(X.element_bytes))
        for line in range(0, LANES * UNROLL * X.element_bytes, CACHE_LINE):
            fetch(builder.add(first_byte, _int(line)))
    with _steps(builder, whole_steps, whole_vectors, LANES) as j:
        accumulate(even, j, LANES)
    with _steps(builder, whole_vectors, d, 1) as j:
        accumulate(rest, j, 1)
    if coming:
        size = _int(X.element_bytes)
        with _steps(builder, builder.mul(whole_steps, size), builder.mul(d, size), CACHE_LINE) as b:
            fetch(b)
    return [_add_lanes(builder, *sums) for sums in zip(even, odd, rest, strict=True)]


def _add_lanes(builder: Any, even: Any, odd: Any, rest: Any) -> Any:
    four = builder.fadd(builder.load(even), builder.load(odd))
    low = builder.shuffle_vector(four, four, _mask(0, 1))
    high = builder.shuffle_vector(four, four, _mask(2, 3))
    two = builder.fadd(low, high)
    one = builder.fadd(_lane(builder, two, 0), _lane(builder, two, 1))
    return builder.fadd(one, _lane(builder, builder.load(rest), 0))


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


def _zeros(builder: Any, rows: list[Any], lanes: int) -> list[Any]:
    zero = ir.Constant(ir.VectorType(_FLOAT64, lanes), [0.0] * lanes)
    sums = [cgutils.alloca_once(builder, zero.type) for _ in rows]
    for total in sums:
        builder.store(zero, total)
    return sums


def _load(builder: Any, start: Any, j: Any, element: Any, lanes: int) -> Any:
    vector = ir.VectorType(element, lanes)
    place = builder.bitcast(builder.gep(start, [j]), vector.as_pointer())
    is_single = isinstance(element, ir.FloatType)
    values = builder.load(place, align=4 if is_single else 8)
    return builder.fpext(values, ir.VectorType(_FLOAT64, lanes)) if is_single else values


def _fma(builder: Any, x: Any, w: Any, total: Any, lanes: int) -> Any:
    vector = ir.VectorType(_FLOAT64, lanes)
    kind = ir.FunctionType(vector, [vector] * 3)
    fma = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{lanes}f64")
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


def _mask(*lanes: int) -> Any:
    return ir.Constant(ir.VectorType(_INT32, len(lanes)), list(lanes))


def _lane(builder: Any, vector: Any, lane: int) -> Any:
    return builder.extract_element(vector, _INT32(lane))
