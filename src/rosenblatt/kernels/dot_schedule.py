"""Products of some rows with some weight vectors, and the order in which they are read from memory.

Rows are read interleaved, a vector of each at a time, so that they share each load of the weights;
meanwhile the same entries of rows needed later are prefetched: with long rows, a shuffled epoch
then costs little more than one in file order. But rows that follow each other in memory, unless
they are short, are read one after the other: that is one stream, which the hardware prefetches at
full bandwidth; it does not recognise four.
"""

from typing import Any, NamedTuple

from rosenblatt.kernels.llvm import (
    CACHE_LINE,
    UNROLL,
    Accumulators,
    MemoryRows,
    SumLayout,
    first_lane,
    for_each_vector,
    int64,
    load,
    prefetch,
    remainder_loop,
    steps,
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
