"""Products of some rows with some units, and in which order their pieces are read from memory.

Rows are read side by side, a piece of each at a time, so that they share each load of the weights;
meanwhile the same pieces are asked for of rows that will be needed later: a shuffled pass then
costs little more than one in file order, where rows are long. But rows that follow each other in
memory, unless they are short, are read from end to end, one after the other: that is one stream,
which the hardware reads ahead at the memory's own pace. Four are none.
"""

from typing import Any, NamedTuple

from rosenblatt.kernels.llvm import (
    CACHE_LINE,
    UNROLL,
    MemoryRows,
    Sums,
    Totals,
    each_piece,
    first_lane,
    int64,
    load,
    prefetch,
    rest_of_row,
    steps,
    whole_steps,
)

MIN_STREAM_BYTES = 192  # of a row: shorter rows, four at a time, are one stream as well
MAX_CACHED_WEIGHTS = 2048  # weights that stay in the nearest cache from row to row


class Operands(NamedTuple):
    """Rows that are multiplied now, the units they are multiplied with, and rows to prefetch."""

    now: Any
    units: list[Any]
    later: Any


class Products:
    """Products of rows with units, in emitted code."""

    def __init__(self, builder: Any, sums: Sums, X: MemoryRows, operands: Operands) -> None:
        self.builder, self._sums, self._X = builder, sums, X
        self._now, self._units, self._later = operands
        self._rows = [(r, X.values_at(row)) for r, row in enumerate(self._now)]

    def values(self) -> list[Any]:
        """Products of all rows with the first unit, then with the next …, in emitted code."""
        if not self._later:
            return self._interleaved()
        if len(self._units) > 1:  # what takes long leaves time for pieces
            return self._interleaved_prefetching()
        in_turn = self.builder.and_(self._in_turn(self._now), self._in_turn(self._later))
        return self._either(in_turn, self._in_file_order, self._interleaved_prefetching)

    def _in_file_order(self) -> list[Any]:
        builder, X = self.builder, self._X
        long = builder.icmp_unsigned(">=", X.row_bytes, int64(MIN_STREAM_BYTES))
        at_hand = builder.icmp_unsigned("<=", X.n_features, int64(MAX_CACHED_WEIGHTS))
        return self._either(builder.and_(long, at_hand), self._one_by_one, self._interleaved)

    def _one_by_one(self) -> list[Any]:
        totals = self._totals()
        for row in self._rows:
            each_piece(self.builder, self._sums, self._X.n_features, self._taking(totals, [row]))
        return self._sum(totals)

    def _interleaved(self) -> list[Any]:
        totals = self._totals()
        take = self._taking(totals, self._rows)
        each_piece(self.builder, self._sums, self._X.n_features, take)
        return self._sum(totals)

    def _interleaved_prefetching(self) -> list[Any]:
        totals = self._totals()
        take = self._taking(totals, self._rows)
        self._prefetching_steps(take)
        rest_of_row(self.builder, self._sums, self._X.n_features, take)
        return self._sum(totals)

    def _totals(self) -> Totals:
        return Totals(self.builder, self._sums, len(self._now) * len(self._units))

    def _sum(self, totals: Totals) -> list[Any]:
        n = len(self._now) * len(self._units)
        return [first_lane(self.builder, totals.sum(q)) for q in range(n)]

    def _taking(self, totals: Totals, rows: list[tuple[int, Any]]) -> Any:
        """How to take a piece of some rows: `take(part, first feature, width)`."""
        builder, number = self.builder, self._sums.number

        def take(part: int, j: Any, width: int) -> None:
            weights = [load(builder, unit, j, number, width) for unit in self._units]
            for r, row in rows:
                x = load(builder, row, j, number, width)
                for u, w in enumerate(weights):
                    totals.add(part, u * len(self._now) + r, x, w)

        return take

    def _prefetching_steps(self, take: Any) -> None:
        """Take whole steps, and ask for the matching piece of each row needed later."""
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

        whole_steps(builder, self._sums, X.n_features, take, fetch_step)
        whole = builder.and_(X.row_bytes, int64(-step_bytes))
        with steps(builder, whole, X.row_bytes, CACHE_LINE) as byte:
            fetch(byte)

    def _in_turn(self, rows: Any) -> Any:
        """Whether rows follow each other; to take others for such would only cost time."""
        between = self.builder.sub(rows[-1], rows[0])
        return self.builder.icmp_signed("==", between, int64(len(rows) - 1))

    def _either(self, condition: Any, first: Any, second: Any) -> list[Any]:
        """The values of one of two ways to get them."""
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
