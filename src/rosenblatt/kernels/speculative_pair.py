"""Two perceptron updates at once, without a branch: the second row is scored speculatively.

Where every third row is a mistake, no branch predictor foresees which, and a misprediction costs
more than a short row. But the perceptron's step size is known before the margin: so the second row
of a pair is scored by w and also by w + τ y x, the weights after a mistake at the first. Both
scores are ready together with the first margin, and the right one is selected without a branch.
The sums are those of dot.py, in the same order: the bits are those of one row after the other.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.llvm import (
    FLOAT64_SUMS,
    Accumulators,
    MemoryRows,
    data_pointer,
    first_lane,
    for_each_vector,
    lane_numbers,
    load,
    splat,
)

LANES, NUMBER = FLOAT64_SUMS.lanes, FLOAT64_SUMS.number
BITS = ir.VectorType(ir.IntType(64), LANES)
SIGN_BIT = ir.Constant(BITS, [-(2**63)] * LANES)
FIRST, SECOND, SECOND_UPDATED = range(3)  # the three products of a pair


@intrinsic
def perceptron_pair_steps(
    _typing: Any, X: Any, rows: Any, signs: Any, steps: Any, bias: Any, w: Any
) -> Any:
    """Margins of two dense rows, with an update at each mistake: see `rows.perceptron_pair`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        weights = data_pointer(context, builder, signature.args[5], args[5])
        pair = _Pair(builder, X_rows, *(cgutils.unpack_tuple(builder, t) for t in args[1:4]))
        margins = pair.update(splat(builder, args[4], LANES), weights)
        return context.make_tuple(builder, signature.return_type, margins)

    two = types.UniTuple(types.float64, 2)
    return two(X, types.UniTuple(types.int64, 2), two, two, types.float64, w), codegen


class _Pair:
    """Two rows, their signs and their steps. Scalars are held in all lanes."""

    def __init__(self, builder: Any, X: MemoryRows, rows: Any, signs: Any, steps: Any) -> None:
        self.builder, self.n_features = builder, X.n_features
        self.rows = [X.values_at(row) for row in rows]
        self.signs = [self._sign_bits(splat(builder, sign, LANES)) for sign in signs]
        self.steps = [splat(builder, step, LANES) for step in steps]

    def update(self, unit: Any, weights: Any) -> list[Any]:
        builder = self.builder
        products = self._products(weights)
        place = builder.gep(weights, [self.n_features])
        bias = splat(builder, builder.load(place), LANES)
        updated_bias = self._updated(0, bias, unit)
        first = self._margin(0, products.sum(FIRST), unit, bias)
        second = self._margin(1, products.sum(SECOND), unit, bias)
        second_updated = self._margin(1, products.sum(SECOND_UPDATED), unit, updated_bias)
        wrong = [self._wrong(first)]
        second = builder.select(wrong[0], second_updated, second)
        wrong.append(self._wrong(second))
        builder.store(first_lane(builder, self._selected(wrong, bias, [unit, unit])), place)

        def step(_part: int, j: Any, width: int) -> None:
            w = self._selected(wrong, self._load(weights, j, width), self._entries(j, width))
            builder.store(w, builder.bitcast(builder.gep(weights, [j]), w.type.as_pointer()), 8)

        for_each_vector(builder, FLOAT64_SUMS, self.n_features, step)
        return [first_lane(builder, first), first_lane(builder, second)]

    def _products(self, weights: Any) -> Accumulators:
        products = Accumulators(self.builder, FLOAT64_SUMS, 3)

        def take(part: int, j: Any, width: int) -> None:
            w, (x, z) = self._load(weights, j, width), self._entries(j, width)
            products.add(part, FIRST, x, w)
            products.add(part, SECOND, z, w)
            products.add(part, SECOND_UPDATED, z, self._updated(0, w, x))

        for_each_vector(self.builder, FLOAT64_SUMS, self.n_features, take)
        return products

    def _margin(self, r: int, product: Any, unit: Any, bias: Any) -> Any:
        score = self.builder.fadd(product, self.builder.fmul(unit, bias))
        flipped = self.builder.xor(self.builder.bitcast(score, BITS), self.signs[r])
        return self.builder.bitcast(flipped, score.type)

    def _sign_bits(self, numbers: Any) -> Any:
        """Bits to flip in a score to multiply it by ±1, which has less latency than the product."""
        return self.builder.and_(self.builder.bitcast(numbers, BITS), SIGN_BIT)

    def _wrong(self, margin: Any) -> Any:
        return self.builder.fcmp_ordered("<=", margin, ir.Constant(margin.type, [0.0] * LANES))

    def _selected(self, wrong: list[Any], w: Any, entries: list[Any]) -> Any:
        for r, x in enumerate(entries):
            w = self.builder.select(self._narrow(wrong[r], w), self._updated(r, w, x), w)
        return w

    def _updated(self, r: int, w: Any, x: Any) -> Any:
        return self.builder.fadd(w, self.builder.fmul(self._narrow(self.steps[r], w), x))

    def _narrow(self, vector: Any, like: Any) -> Any:
        """The first lanes of a vector, as many as another has."""
        return self.builder.shuffle_vector(vector, vector, lane_numbers(range(like.type.count)))

    def _entries(self, j: Any, width: int) -> list[Any]:
        return [self._load(row, j, width) for row in self.rows]

    def _load(self, start: Any, j: Any, width: int) -> Any:
        return load(self.builder, start, j, NUMBER, width)
