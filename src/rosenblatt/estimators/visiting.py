"""A run that can be entered at any place of any pass: what a page or a lecture steps through.

The memory of the run is kept as it was before each pass, or before every few of them where that
would take too much; from there the rows are walked again by the same kernel, so what is shown is
what happened, bit for bit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.problem import Problem, row_bytes
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.data.visits import Shape, Visit, order_of
from rosenblatt.errors import ParameterError
from rosenblatt.solvers.correct import Rule
from rosenblatt.solvers.memory import MISTAKES, UPDATES, Memory
from rosenblatt.solvers.state import State
from rosenblatt.solvers.walk import walk

MOST_BYTES = 2**26  # of memories


class Visited(NamedTuple):
    """One row as it was learned from: its number, and weights (w, b) before and after it.

    `kept` are the weights the run would keep at this point: the last, an average or a pocket.
    """

    row: int
    before: Floats
    after: Floats
    kept: Floats
    mistake: bool
    changed: bool


class Memories:
    """Copies of a memory before every pass or, if these would be too large, every few passes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.kept: list[Memory] = []
        self.stride, self.n_passes = 1, -1  # the first copy is made before there is a pass
        self._most_bytes = most_bytes

    def add(self, memory: Memory) -> None:
        """Keep the memory after one more pass, if its turn comes."""
        self.n_passes += 1
        if self.n_passes % self.stride:
            return
        self.kept.append(memory.copy())
        if len(self.kept) * sum(part.nbytes for part in memory) > self._most_bytes:
            self.kept, self.stride = self.kept[::2], 2 * self.stride

    def before(self, passes: int) -> tuple[Memory, int]:
        """A copy from before a pass, and how many passes before."""
        place, late = divmod(passes - 1, self.stride)
        return self.kept[place].copy(), late


@dataclass(frozen=True, eq=False)
class Replay:
    """The passes of a run, and memories from which they can be entered.

    A `seed` has shuffled every pass anew; None has kept the file order.
    """

    problem: Problem
    rule: Rule
    memories: Memories
    seed: int | None = None

    @property
    def n_passes(self) -> int:
        """How many passes the run made."""
        return self.memories.n_passes

    @property
    def n_rows(self) -> int:
        """How many rows a pass has."""
        return n_rows(self.problem.rows)

    def start(self) -> Floats:
        """Weights before the first row."""
        return self.memories.kept[0].last()

    def order(self, passes: int) -> Ints:
        """Rows of a pass in the order of their visit."""
        rows = self.problem.rows
        shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        return order_of(shape, None if self.seed is None else (self.seed, passes))

    def visit(self, passes: int, place: int) -> Visited:
        """What the row at a place of a pass did; passes count from 1 and places from 0."""
        if not (1 <= passes <= self.n_passes and 0 <= place < self.n_rows):
            raise ParameterError(
                f"The run has {self.n_passes} passes over {self.n_rows} rows; there is no row"
                f" {place} in pass {passes}."
            )
        memory = self._before(passes)
        self._walk(memory, passes, 0, place)
        before, clock = memory.last(), memory.clock.copy()
        self._walk(memory, passes, place, place + 1)
        return Visited(
            int(self.order(passes)[place]),
            before,
            memory.last(),
            memory.kept(),
            mistake=bool(memory.clock[MISTAKES] > clock[MISTAKES]),
            changed=bool(memory.clock[UPDATES] > clock[UPDATES]),
        )

    def path(self, passes: int) -> Iterator[Floats]:
        """Weights after each row of a pass."""
        memory = self._before(passes)
        for place in range(self.n_rows):
            self._walk(memory, passes, place, place + 1)
            yield memory.last()

    def ends(self) -> list[Floats]:
        """Weights before the first pass, between some passes, and after the last."""
        between = [memory.last() for memory in self.memories.kept[:-1]]
        return [*between, self.visit(self.n_passes, self.n_rows - 1).after]

    def _before(self, passes: int) -> Memory:
        memory, late = self.memories.before(passes)
        for earlier in range(passes - late, passes):
            self._walk(memory, earlier, 0, self.n_rows)
        return memory

    def _walk(self, memory: Memory, passes: int, start: int, stop: int) -> None:
        if start < stop:
            rows = self.order(passes)[start:stop]
            walk(self.problem, Visit(rows, rows), self.rule, memory)


def remembered(states: Iterable[State], memory: Memory, memories: Memories) -> Iterator[State]:
    """Copy the memory of a run before its first pass and after each."""
    memories.add(memory)
    for state in states:
        memories.add(memory)
        yield state
