"""Replay of a run sample by sample: what a page or a lecture steps through.

The optimiser state is kept as it was before each epoch (pass), or before every few of them where
that would take too much; from there the same kernel learns again, so what is shown is what
happened, bit for bit.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rosenblatt.data.shuffle import SampleOrder, Shape, epoch_order
from rosenblatt.data.training_data import TrainingData, row_bytes
from rosenblatt.errors import ParameterError
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.online.dispatch import run_epoch
from rosenblatt.online.result import EpochResult
from rosenblatt.online.state import MISTAKES, UPDATES, OptimiserState
from rosenblatt.online.update import Rule
from rosenblatt.types import Floats, Ints

MAX_BYTES = 2**26  # of optimiser states


class ReplayedSample(NamedTuple):
    """One row as it was learned from: its number, and weights (w, b) before and after it.

    `kept` are the weights the run would keep at this point: the last, an average or a pocket.
    """

    row: int
    before: Floats
    after: Floats
    kept: Floats
    mistake: bool
    changed: bool


class StateHistory:
    """Copies of a state before every epoch or, if these would be too large, every few epochs."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self.kept: list[OptimiserState] = []
        self.stride, self.n_epochs = 1, -1  # the first copy is made before there is a pass
        self._most_bytes = max_bytes

    def add(self, state: OptimiserState) -> None:
        """Keep a copy of the state after one more epoch, if its turn comes."""
        self.n_epochs += 1
        if self.n_epochs % self.stride:
            return
        self.kept.append(state.copy())
        if len(self.kept) * sum(part.nbytes for part in state) > self._most_bytes:
            self.kept, self.stride = self.kept[::2], 2 * self.stride

    def before(self, passes: int) -> tuple[OptimiserState, int]:
        """A copy from before an epoch, and how many epochs before."""
        place, n_later = divmod(passes - 1, self.stride)
        return self.kept[place].copy(), n_later


@dataclass(frozen=True, eq=False)
class Replay:
    """The epochs of a run, and states from which they can be replayed.

    A `seed` has shuffled every epoch; None has kept the file order.
    """

    data: TrainingData
    rule: Rule
    history: StateHistory
    seed: int | None = None

    @property
    def n_epochs(self) -> int:
        """How many passes the run made."""
        return self.history.n_epochs

    @property
    def n_rows(self) -> int:
        """How many rows a pass has."""
        return n_rows(self.data.rows)

    def start(self) -> Floats:
        """Weights before the first row."""
        return self.history.kept[0].last()

    def order(self, passes: int) -> Ints:
        """Rows of an epoch in the order in which they were learned from."""
        rows = self.data.rows
        shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        return epoch_order(shape, None if self.seed is None else (self.seed, passes))

    def visit(self, passes: int, place: int) -> ReplayedSample:
        """What the row at a place of a pass did; passes count from 1 and places from 0."""
        if not (1 <= passes <= self.n_epochs and 0 <= place < self.n_rows):
            raise ParameterError(
                f"The run has {self.n_epochs} passes over {self.n_rows} rows; there is no row"
                f" {place} in pass {passes}."
            )
        state = self._before(passes)
        self._run(state, passes, 0, place)
        before, counters = state.last(), state.counters.copy()
        self._run(state, passes, place, place + 1)
        return ReplayedSample(
            int(self.order(passes)[place]),
            before,
            state.last(),
            state.kept(),
            mistake=bool(state.counters[MISTAKES] > counters[MISTAKES]),
            changed=bool(state.counters[UPDATES] > counters[UPDATES]),
        )

    def path(self, passes: int) -> Iterator[Floats]:
        """Weights after each row of a pass."""
        state = self._before(passes)
        for place in range(self.n_rows):
            self._run(state, passes, place, place + 1)
            yield state.last()

    def ends(self) -> list[Floats]:
        """Weights before the first pass, between some passes, and after the last."""
        between = [state.last() for state in self.history.kept[:-1]]
        return [*between, self.visit(self.n_epochs, self.n_rows - 1).after]

    def _before(self, passes: int) -> OptimiserState:
        state, n_later = self.history.before(passes)
        for earlier in range(passes - n_later, passes):
            self._run(state, earlier, 0, self.n_rows)
        return state

    def _run(self, state: OptimiserState, passes: int, start: int, stop: int) -> None:
        if start < stop:
            rows = self.order(passes)[start:stop]
            run_epoch(self.data, SampleOrder(rows, rows), self.rule, state)


def with_history(
    results: Iterable[EpochResult], state: OptimiserState, history: StateHistory
) -> Iterator[EpochResult]:
    """Results of a run whose state is copied before its first epoch and after each."""
    history.add(state)
    for result in results:
        history.add(state)
        yield result
