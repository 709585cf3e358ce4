"""Replay of a run, step by step or epoch by epoch: what a page or a lecture goes through."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.data.shuffle import SampleOrder, Shape, epoch_order
from rosenblatt.data.training_data import Blocks, TrainingData, row_bytes
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.base import clone_with, iterations_of
from rosenblatt.estimators.sklearn_interface import outcomes_alone
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.online.epochs import batch_order, batch_step, run_epoch
from rosenblatt.online.result import EpochResult, counted
from rosenblatt.online.state import MISTAKES, UPDATES, OptimiserState
from rosenblatt.online.update import Rule
from rosenblatt.trace.trace import row_margins
from rosenblatt.types import Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.optim.solve import Step as SolverStep

MAX_BYTES = 2**26  # of optimiser states


class ReplayedStep(NamedTuple):
    """One step of a run: its row, or the rows of its batch, and weights (w, b) before and after it.

    `row` is None for a batch. `mistakes` are its rows with a margin ≤ 0 before the step. `kept` are
    the weights the run would keep at this point: the last, an average or a pocket.
    """

    row: int | None
    before: Floats
    after: Floats
    kept: Floats
    mistake: bool
    changed: bool
    rows: tuple[int, ...]
    mistakes: tuple[int, ...]


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

    Iterating yields the weights (w, b), a row an output: those of the start first, then those after
    each step. A step is one row, or with another `batch_size` one batch (None: the whole set). A
    `seed` has shuffled every epoch; None has kept the file order.
    """

    data: TrainingData
    rule: Rule
    history: StateHistory
    seed: int | None = None
    batch_size: int | None = 1
    n_jobs: int = 1

    def __iter__(self) -> Iterator[Floats]:
        """Yield the weights at the start and after each step."""
        yield self.start()
        for epoch in range(1, self.n_epochs + 1):
            yield from self.path(epoch)

    def __len__(self) -> int:
        """One more than the number of steps."""
        return 1 + self.n_epochs * self.n_places

    @property
    def n_epochs(self) -> int:
        """How many epochs the run made."""
        return self.history.n_epochs

    @property
    def n_rows(self) -> int:
        """How many rows an epoch has."""
        return n_rows(self.data.rows)

    @property
    def n_places(self) -> int:
        """How many steps an epoch has."""
        return math.ceil(self.n_rows / (self.batch_size or self.n_rows))

    def start(self) -> Floats:
        """Weights before the first step."""
        return self.history.kept[0].last()

    def order(self, epoch: int) -> Ints:
        """Rows of an epoch in the order in which they were learned from."""
        n, key = self.n_rows, None if self.seed is None else (self.seed, epoch)
        if self.batch_size == 1:
            rows = self.data.rows
            return epoch_order(Shape(n, n_cols(rows), row_bytes(rows)), key)
        order = batch_order(n, self.batch_size, key)
        return np.arange(n) if order is None else order

    def visit(self, epoch: int, place: int) -> ReplayedStep:
        """What the step at a place of an epoch did; epochs count from 1 and places from 0."""
        if not (1 <= epoch <= self.n_epochs and 0 <= place < self.n_places):
            raise ParameterError(
                f"The run has {counted(self.n_epochs, 'epoch', 'epochs')} of"
                f" {counted(self.n_places, 'step', 'steps')}; there is no step {place} in epoch"
                f" {epoch}. Epochs count from 1, steps from 0."
            )
        state = self._before(epoch)
        self._run(state, epoch, 0, place)
        before, counters = state.last(), state.counters.copy()
        self._run(state, epoch, place, place + 1)
        rows = self._rows_at(epoch, place)
        mistake = bool(state.counters[MISTAKES] > counters[MISTAKES])
        of_one_row = self.batch_size == 1
        mistakes = rows[: int(mistake)] if of_one_row else self._mistakes(rows, before)
        return ReplayedStep(
            int(rows[0]) if of_one_row else None,
            before,
            state.last(),
            state.kept(),
            mistake,
            bool(state.counters[UPDATES] > counters[UPDATES]),
            tuple(rows.tolist()),
            tuple(mistakes.tolist()),
        )

    def path(self, epoch: int) -> Iterator[Floats]:
        """Weights after each step of an epoch."""
        state = self._before(epoch)
        for place in range(self.n_places):
            self._run(state, epoch, place, place + 1)
            yield state.last()

    def ends(self) -> list[Floats]:
        """Weights before the first epoch, between some epochs, and after the last."""
        between = [state.last() for state in self.history.kept[:-1]]
        return [*between, self.visit(self.n_epochs, self.n_places - 1).after]

    def _before(self, epoch: int) -> OptimiserState:
        state, n_later = self.history.before(epoch)
        for earlier in range(epoch - n_later, epoch):
            self._run(state, earlier, 0, self.n_places)
        return state

    def _rows_at(self, epoch: int, place: int) -> Ints:
        size = self.batch_size or self.n_rows
        return self.order(epoch)[place * size : (place + 1) * size]

    def _mistakes(self, rows: Ints, W: Floats) -> Ints:
        """The rows of a batch with a margin ≤ 0 for some output, unless they weigh nothing."""
        batch = self.data.take(rows)
        margins = row_margins(scores_of(batch.rows, W), batch, kesler=self.rule.kesler)
        weights = batch.weights * batch.class_weights[batch.codes]
        mistakes: Ints = rows[(margins.min(axis=1) <= 0) & (weights > 0)]
        return mistakes

    def _run(self, state: OptimiserState, epoch: int, start: int, stop: int) -> None:
        if self.batch_size == 1:
            if start < stop:
                rows = self.order(epoch)[start:stop]
                run_epoch(self.data, SampleOrder(rows, rows), self.rule, state)
            return
        for place in range(start, stop):
            batch = self.data.take(self._rows_at(epoch, place))
            n = (epoch - 1) * self.n_places + place + 1
            batch_step(Blocks(batch, self.n_jobs), self.rule, state, n)


@dataclass(frozen=True, eq=False)
class StepReplay:
    """Weights of a run, copied as it ran: before the first step or epoch, and after each.

    Iterating yields the weights, those of the start first; with `dual` they are coefficients of the
    training rows. Of a run whose weights are too large, only some are copied: `steps` says which.
    """

    steps: tuple[int, ...]
    weights: tuple[Floats, ...]
    dual: bool = False

    def __iter__(self) -> Iterator[Floats]:
        """Yield the weights at the start and after each step."""
        return iter(self.weights)

    def __len__(self) -> int:
        """The number of weights."""
        return len(self.weights)

    def start(self) -> Floats:
        """Weights before the first step."""
        return self.weights[0]


class EpochRecorder:
    """Copies the weights after each epoch or, if these would be too large, every few epochs."""

    def __init__(self, max_bytes: int = MAX_BYTES, *, dual: bool = False) -> None:
        self._kept: list[Floats] = []
        self._stride, self._n_epochs = 1, 0
        self._most_bytes, self._dual = max_bytes, dual

    def recorded(
        self,
        results: Iterable[EpochResult],
        start: Floats,
        weights_of: Callable[[Any], Floats] = np.asarray,
    ) -> Iterator[EpochResult]:
        """Results of a run from a start, whose last weights are copied after each."""
        self._kept, self._last = [start], start
        for result in results:
            self._n_epochs += 1
            self._last = weights_of(result.last())
            if self._n_epochs % self._stride == 0:
                self._kept.append(self._last)
            if len(self._kept) * self._last.nbytes > self._most_bytes:
                self._kept, self._stride = self._kept[::2], 2 * self._stride
            yield result

    def replay(self) -> StepReplay:
        """The weights at the start, after some epochs, and after the last."""
        steps = list(range(0, self._n_epochs + 1, self._stride))
        weights = list(self._kept)
        if steps[-1] != self._n_epochs:
            steps, weights = [*steps, self._n_epochs], [*weights, self._last]
        return StepReplay(tuple(steps), tuple(weights), self._dual)


class StepRecorder:
    """Copies the weights after each step of a convex solver; its runs may be on threads."""

    def __init__(self, start: Floats) -> None:
        self._start = start.copy()
        self._seen: list[tuple[int, int, Floats]] = []  # output, step, weights of a run

    def wants_end(
        self, output: int, step: "SolverStep", fitted: Callable[[], dict[str, Floats]]
    ) -> bool:
        """Copy the weights after a step; it never asks for the end."""
        if step.number > 0:
            self._seen.append((output, step.number, fitted()["_W"].copy()))
        return False

    def replay(self, final: Floats) -> StepReplay:
        """The weights at the start and after each step; the last are those that were kept."""
        numbers = sorted({number for _, number, _ in self._seen})
        W, weights = self._start.copy(), [self._start]
        for number in numbers:
            for output, _, w in (seen for seen in self._seen if seen[1] == number):
                W[output : output + len(w)] = w
            weights.append(W.copy())
        if numbers:
            weights[-1] = final.copy()
        return StepReplay((0, *numbers), tuple(weights))


def with_history(
    results: Iterable[EpochResult], state: OptimiserState, history: StateHistory
) -> Iterator[EpochResult]:
    """Results of a run whose state is copied before its first epoch and after each."""
    history.add(state)
    for result in results:
        history.add(state)
        yield result


MAX_FRAMES = 24
STARTING_POINT = {"coef_init", "intercept_init", "sample_weight"}  # what it may depend on
FIRST_EPOCHS = 10  # epochs that are all replayed; later ones ever more rarely


class Frame(NamedTuple):
    """The weights after an epoch (0: at the start): coef (units × features), intercept (units)."""

    n_iter: int
    coef: Floats
    intercept: Floats


def replay(
    estimator: Any, X: Any, y: Any, *, most: int = MAX_FRAMES, work: float = np.inf, **fit: Any
) -> list[Frame]:
    """The weights of a fitted estimator at its start, after the first epochs, some later, the last.

    Parameters
    ----------
    estimator
        A fitted linear classifier. One without epochs has no frames; one that chose its C is played
        from the start at that C.
    X, y
        The rows and labels it was fitted to.
    most
        At most so many frames after the start.
    work
        How many epochs may be made in all; fewer frames are played where that is too little.
    fit
        What else `fit` was given, such as `coef_init`.

    Returns
    -------
    list of Frame
        The start first, where the estimator has a method `replay` that knows it. Empty where there
        are no epochs, or where the run cannot be repeated, as one that started from other weights
        or was shuffled without a seed.
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
    return [*_start(estimator, X, y, fit), *frames]


def _start(estimator: Any, X: Any, y: Any, fit: dict[str, Any]) -> list[Frame]:
    """The frame of the weights before the first epoch."""
    if not hasattr(estimator, "replay") or getattr(estimator, "early_stopping", False):
        return []
    given = {name: value for name, value in fit.items() if name in STARTING_POINT}
    with outcomes_alone():
        run = _cut_short(estimator, 1).replay(X, y, **given)
    if isinstance(run, StepReplay) and run.dual:  # which are zero at the start
        return [Frame(0, np.zeros_like(estimator.coef_), np.zeros_like(estimator.intercept_))]
    return [Frame(0, run.start()[:, :-1], run.start()[:, -1])]


def from_the_start(estimator: Any, X: Any, y: Any, **fit: Any) -> Any:
    """The estimator itself, or one fitted at the C that it chose: its own run began elsewhere."""
    if estimator.get_params().get("C") != "cv":
        return estimator
    return clone_with(estimator, C=estimator.C_).fit(X, y, **fit)


def _frame(estimator: Any, X: Any, y: Any, n_iter: int, fit: dict[str, Any]) -> Frame:
    """The run ended after so many epochs."""
    model = _cut_short(estimator, n_iter)
    with outcomes_alone():  # that it is cut short is meant
        model.fit(X, y, **fit)
    return Frame(n_iter, model.coef_.copy(), model.intercept_.copy())


def _cut_short(estimator: Any, n_iter: int) -> Any:
    """An unfitted copy that makes so many epochs, in silence and however long they take."""
    known = estimator.get_params()
    still: dict[str, Any] = {"verbose": 0, "time_limit": None}
    settings = {name: value for name, value in still.items() if name in known}
    return clone_with(estimator, **settings, max_iter=n_iter)


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
