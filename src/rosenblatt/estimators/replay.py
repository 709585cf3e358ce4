"""Replay of a run, sample by sample or epoch by epoch: what a page or a lecture steps through."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.shuffle import SampleOrder, Shape, epoch_order
from rosenblatt.data.training_data import TrainingData, row_bytes
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.base import clone_with, iterations_of
from rosenblatt.estimators.sklearn_interface import outcomes_alone
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.online.epochs import run_epoch
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
        self.stride, self.n_epochs = 1, -1  # the first copy is made before there is an epoch
        self._most_bytes = max_bytes

    def add(self, state: OptimiserState) -> None:
        """Keep a copy of the state after one more epoch, if its turn comes."""
        self.n_epochs += 1
        if self.n_epochs % self.stride:
            return
        self.kept.append(state.copy())
        if len(self.kept) * sum(part.nbytes for part in state) > self._most_bytes:
            self.kept, self.stride = self.kept[::2], 2 * self.stride

    def before(self, epoch: int) -> tuple[OptimiserState, int]:
        """A copy from before an epoch, and how many epochs before."""
        place, n_later = divmod(epoch - 1, self.stride)
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
        """How many epochs the run made."""
        return self.history.n_epochs

    @property
    def n_rows(self) -> int:
        """How many rows an epoch has."""
        return n_rows(self.data.rows)

    def start(self) -> Floats:
        """Weights before the first row."""
        return self.history.kept[0].last()

    def order(self, epoch: int) -> Ints:
        """Rows of an epoch in the order in which they were learned from."""
        rows = self.data.rows
        shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        return epoch_order(shape, None if self.seed is None else (self.seed, epoch))

    def visit(self, epoch: int, place: int) -> ReplayedSample:
        """What the row at a place of an epoch did; epochs count from 1 and places from 0."""
        if not (1 <= epoch <= self.n_epochs and 0 <= place < self.n_rows):
            raise ParameterError(
                f"The run has {self.n_epochs} epochs over {self.n_rows} rows; there is no row"
                f" {place} in epoch {epoch}."
            )
        state = self._before(epoch)
        self._run(state, epoch, 0, place)
        before, counters = state.last(), state.counters.copy()
        self._run(state, epoch, place, place + 1)
        return ReplayedSample(
            int(self.order(epoch)[place]),
            before,
            state.last(),
            state.kept(),
            mistake=bool(state.counters[MISTAKES] > counters[MISTAKES]),
            changed=bool(state.counters[UPDATES] > counters[UPDATES]),
        )

    def path(self, epoch: int) -> Iterator[Floats]:
        """Weights after each row of an epoch."""
        state = self._before(epoch)
        for place in range(self.n_rows):
            self._run(state, epoch, place, place + 1)
            yield state.last()

    def ends(self) -> list[Floats]:
        """Weights before the first epoch, between some epochs, and after the last."""
        between = [state.last() for state in self.history.kept[:-1]]
        return [*between, self.visit(self.n_epochs, self.n_rows - 1).after]

    def _before(self, epoch: int) -> OptimiserState:
        state, n_later = self.history.before(epoch)
        for earlier in range(epoch - n_later, epoch):
            self._run(state, earlier, 0, self.n_rows)
        return state

    def _run(self, state: OptimiserState, epoch: int, start: int, stop: int) -> None:
        if start < stop:
            rows = self.order(epoch)[start:stop]
            run_epoch(self.data, SampleOrder(rows, rows), self.rule, state)


def with_history(
    results: Iterable[EpochResult], state: OptimiserState, history: StateHistory
) -> Iterator[EpochResult]:
    """Results of a run whose state is copied before its first epoch and after each."""
    history.add(state)
    for result in results:
        history.add(state)
        yield result


MAX_FRAMES = 24
FIRST_EPOCHS = 10  # epochs that are all replayed; later ones ever more rarely


class Frame(NamedTuple):
    """The weights after an epoch: coef (units × features) and intercept (units)."""

    n_iter: int
    coef: Floats
    intercept: Floats


def replay(
    estimator: Any, X: Any, y: Any, *, most: int = MAX_FRAMES, work: float = np.inf, **fit: Any
) -> list[Frame]:
    """The weights of a fitted estimator after the first epochs, some later ones, and the last.

    Parameters
    ----------
    estimator
        A fitted linear classifier. One without epochs has no frames; one that chose its C is played
        from the start at that C.
    X, y
        The rows and labels it was fitted to.
    most
        At most so many frames.
    work
        How many epochs may be made in all; fewer frames are played where that is too little.
    fit
        What else `fit` was given, such as `coef_init`.

    Returns
    -------
    list of Frame
        Empty where there are no epochs, or where the run cannot be repeated, as one that started
        from other weights or was shuffled without a seed.
    """
    estimator = from_the_start(estimator, X, y, **fit)
    n_iter = iterations_of(estimator)
    if (
        n_iter is None
        or "max_iter" not in estimator.get_params()
        or not hasattr(estimator, "coef_")
    ):
        return []
    frames = [_frame(estimator, X, y, k, fit) for k in _chosen(n_iter, most, work)]
    if not frames or not _same(frames[-1], estimator):
        return []
    return frames


def from_the_start(estimator: Any, X: Any, y: Any, **fit: Any) -> Any:
    """The estimator itself, or one fitted at the C that it chose: its own run began elsewhere."""
    if estimator.get_params().get("C") != "cv":
        return estimator
    return clone_with(estimator, C=estimator.C_).fit(X, y, **fit)


def _frame(estimator: Any, X: Any, y: Any, n_iter: int, fit: dict[str, Any]) -> Frame:
    """The run ended after so many epochs, in silence and however long they take."""
    known = estimator.get_params()
    still: dict[str, Any] = {"verbose": 0, "time_limit": None}
    settings = {name: value for name, value in still.items() if name in known}
    settings["max_iter"] = n_iter
    model = clone_with(estimator, **settings)
    with outcomes_alone():  # that it is cut short is meant
        model.fit(X, y, **fit)
    return Frame(n_iter, model.coef_.copy(), model.intercept_.copy())


def _chosen(epoch: int, most: int, work: float) -> Sequence[int]:
    """Passes that are played; the last always, if there is time for any."""
    if epoch < 1 or epoch > work:
        return []
    for wanted in range(most, 0, -1):
        first = list(range(1, min(epoch, FIRST_EPOCHS, wanted) + 1))
        later = np.geomspace(first[-1], epoch, wanted - len(first) + 1)[1:]
        chosen = sorted({*first[: wanted - 1], *np.rint(later).astype(int).tolist(), epoch})
        if sum(chosen) <= work:
            return chosen
    return [epoch]


def _same(frame: Frame, estimator: Any) -> bool:
    return np.array_equal(frame.coef, estimator.coef_) and np.array_equal(
        frame.intercept, estimator.intercept_
    )
