"""The margin test: which of four dense rows have a margin above a threshold, in one comparison.

A row is *clear* if its margin y s is above a level beyond which nothing is to be learned. Where
rows mostly are, the time of an epoch goes into this test: the four sums of a group are finished in
the lanes of one vector (with the additions of dot.py), compared at once, and the answers are read
as bits, so that no branch depends on which of the four is the first that is not clear.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from rosenblatt.kernels.dot_schedule import Operands, Products
from rosenblatt.kernels.llvm import FLOAT64_SUMS, MemoryRows, data_of, int64, splat

GROUP = 4
BITS = ir.IntType(GROUP)
INFINITY = ir.Constant(FLOAT64_SUMS.number, float("inf"))


@intrinsic
def clear_rows(
    _typing: Any, X: Any, rows: Any, w: Any, fetch: Any, levels: Any, positive: Any
) -> Any:
    """How many of four rows in turn are clear, and the score of the next: see `rows.clear4`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        X_rows = MemoryRows(context, builder, signature.args[0], args[0])
        weights = data_of(context, builder, signature.args[2], args[2])
        now, later, levels = (cgutils.unpack_tuple(builder, args[a]) for a in (1, 3, 4))
        operands = Operands(now, [weights], later)
        products = Products(
            builder, FLOAT64_SUMS, X_rows, operands, lambda totals: [totals.four_sums()]
        )
        [sums] = products.values()
        scores = builder.fadd(sums, splat(builder, levels[0], GROUP))
        above = _between(builder, levels[1], scores, INFINITY)
        below = _between(builder, builder.fneg(INFINITY), scores, builder.fneg(levels[1]))
        ones = builder.trunc(args[5], BITS)
        clear = builder.xor(below, builder.and_(ones, builder.xor(above, below)))
        first = _first_zero(builder, clear)
        return context.make_tuple(
            builder, signature.return_type, [first, _lane_at(builder, scores, first)]
        )

    four, two = types.UniTuple(types.int64, GROUP), types.UniTuple(types.float64, 2)
    answer = types.Tuple((types.int64, types.float64))
    return answer(X, four, w, four, two, types.int64), codegen


def _between(builder: Any, low: Any, scores: Any, high: Any) -> Any:
    """A bit for each score: whether it lies between two numbers, neither included."""
    above = builder.fcmp_ordered(">", scores, splat(builder, low, GROUP))
    below = builder.fcmp_ordered("<", scores, splat(builder, high, GROUP))
    return builder.bitcast(builder.and_(above, below), BITS)


def _first_zero(builder: Any, bits: Any) -> Any:
    """Number of the first bit that is not set; 4 if all are."""
    zeros = builder.zext(builder.not_(bits), ir.IntType(64))
    stop = builder.or_(zeros, int64(1 << GROUP))
    return builder.cttz(stop, ir.Constant(ir.IntType(1), 1))


def _lane_at(builder: Any, scores: Any, lane: Any) -> Any:
    """The score in a lane, or in the last where there is no such lane."""
    last = int64(GROUP - 1)
    within = builder.select(builder.icmp_unsigned("<", lane, last), lane, last)
    return builder.extract_element(scores, within)
