"""The kernel perceptron: the weights are a sum of training rows, w = Σ_j δ_j Φ(x_j).

A mistake at row i adds ± Φ(x_i), so only the dual coefficients δ are stored, and a score needs the
kernel alone: f(x) = w·Φ(x) = Σ_j δ_j κ(x_j, x). The `W` of an OptimiserState here is δ: a row an
output, one column per row of the data.

The scores of all training rows are stored; a mistake at row i adds one column κ(x_i, ·) of the
kernel matrix to them. So an epoch reads every score once, and computes one column per mistake.

With a budget, once there are more support vectors, one is removed, never the newest: the one with
the smallest |δ| over all outputs (ties to the oldest), or the oldest.
"""

import itertools
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import Shape, sample_orders
from rosenblatt.data.training_data import BLOCK_ROWS, TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.losses.kernel_functions import CENTRES_PER_READING, Kernel, Points
from rosenblatt.online.result import EpochResult
from rosenblatt.online.sample_loop import count_mistakes
from rosenblatt.online.state import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    UPDATES,
    OptimiserState,
)
from rosenblatt.online.update import Rule, Sample, balanced_weight, update_all, worst_margin
from rosenblatt.types import Floats, Ints

KERNEL_BLOCK_BYTES = 4 * 1024 * 1024  # of kernel values computed at a time
LOOKAHEAD = 256  # samples ahead that are searched for rows that are mistakes now
STREAM_ROWS = 256  # rows of a stream scored at a time


class Budget(NamedTuple):
    """Largest number of support vectors, and which is removed: the "smallest" or the "oldest"."""

    most: float = np.inf
    forget: str = "smallest"

    def removed_column(self, deltas: Floats) -> int:
        """Column of δ (oldest first) to remove; never the last."""
        if self.forget == "oldest":
            return 0
        return int(np.abs(deltas[:, :-1]).sum(axis=0).argmin())


class DualWeights(NamedTuple):
    """Dual coefficients δ of all training rows, and the scores of these rows."""

    deltas: Floats
    scores: Floats


class Columns:
    """Columns κ(x_i, ·) of the kernel matrix, in an LRU cache."""

    def __init__(self, kernel: Kernel, points: Points, n_jobs: int, cache_bytes: float) -> None:
        self._kernel, self._points, self._n_jobs = kernel, points, n_jobs
        n = n_rows(points.rows)
        self._parts = [points.part(i, i + BLOCK_ROWS) for i in range(0, n, BLOCK_ROWS)]
        self._max_columns = int(cache_bytes / (8 * n))
        self._cache: OrderedDict[int, Floats] = OrderedDict()

    def of(self, i: int, likely: Callable[[], Ints]) -> Floats:
        """Column of row i; those `likely` to be needed next are computed together with it."""
        if i in self._cache:
            self._cache.move_to_end(i)
            return self._cache[i]
        if self._max_columns < CENTRES_PER_READING or not self._kernel.shares_reading:
            wanted = [i]
        else:
            wanted = [i, *(j for j in likely().tolist() if j not in self._cache)]
        columns = self._computed(np.array(wanted))
        if self._max_columns:
            self._cache |= zip(reversed(wanted), reversed(columns), strict=True)
            while len(self._cache) > self._max_columns:
                self._cache.popitem(last=False)
        return columns[0]

    def _computed(self, wanted: Ints) -> list[Floats]:
        centres = self._kernel.centres(self._points, wanted)
        if self._n_jobs == 1 or len(self._parts) == 1:
            parts = [self._kernel.between(centres, part) for part in self._parts]
        else:
            with ThreadPoolExecutor(self._n_jobs) as pool:
                parts = list(pool.map(lambda p: self._kernel.between(centres, p), self._parts))
        table = np.concatenate(parts, axis=1) if len(parts) > 1 else parts[0]
        if not np.isfinite(table).all():
            raise not_finite(self._points.rows)
        return [column.copy() for column in table] if len(table) > 1 else [table[0]]


class Learner:
    """Trains on rows whose scores are all stored. `state` is updated in place."""

    def __init__(
        self,
        data: TrainingData,
        rule: Rule,
        state: OptimiserState,
        columns: Columns,
        scores: Floats,
    ) -> None:
        # the kernels below take labels and weights only: one compilation for all storages
        self._labels, self._rows = data._replace(rows=_NO_ROWS), data.rows
        self._rule, self._state, self._columns = rule, state, columns
        self.scores = scores
        self.pocketed = scores.copy() if len(state.pocket) else scores
        self.support: list[int] = []  # support vectors, oldest first
        self._in_support = np.zeros(len(data.codes), bool)
        self._amounts = np.zeros(len(state.W))

    @property
    def shape(self) -> Shape:
        """Shape for the order of an epoch, which reads scores instead of rows."""
        return Shape(len(self.scores), n_cols(self._rows), row_bytes=8)

    def learn(self, order: Ints, max_support: float = np.inf) -> int:
        """Number of rows trained on until there were more than `max_support` support vectors."""
        state, seen = self._state, 0
        while seen < len(order):
            place = next_mistake(self._labels, order[seen:], self.scores, self._rule, state.counts)
            state.counters[ROWS] += min(place + 1, len(order) - seen)
            seen += place + 1
            if seen > len(order):
                break
            self._update(int(order[seen - 1]), order[seen:])
            if len(self.support) > max_support:
                return seen
        return len(order)

    def forget(self, budget: Budget) -> None:
        """Remove support vectors until they fit the budget."""
        W = self._state.W
        while len(self.support) > budget.most:
            i = self.support.pop(budget.removed_column(W[:, self.support]))
            add_column(self._columns.of(i, _nothing), -W[:, i], self.scores)
            W[:, i], self._in_support[i] = 0.0, False

    def length(self) -> float:
        """Norm of w over all outputs, by ‖w‖² = Σ δ_i f(x_i); for a start at w = 0."""
        square = sum(float(w @ f) for w, f in zip(self._state.W, self.scores.T, strict=True))
        return math.sqrt(max(0.0, square))

    def _update(self, i: int, coming: Ints) -> None:
        state, amounts = self._state, self._amounts
        if not np.isfinite(self.scores[i]).all():
            raise not_finite(self._rows)
        longest = update_row(self._labels, i, self.scores[i], self._rule, state, amounts)
        if longest and len(state.pocket):
            state.pocket[:], self.pocketed[:] = state.W, self.scores
        likely = partial(likely_mistakes, self._labels, coming, self.scores, self._rule)
        add_column(self._columns.of(i, likely), amounts, self.scores)
        state.W[:, i] += amounts
        if len(state.weighted_update_sum):
            state.weighted_update_sum[:, i] += (state.counters[ROWS] - 1) * amounts
        state.counters[UPDATES] += np.count_nonzero(amounts)
        if not self._in_support[i]:
            self._in_support[i] = True
            self.support.append(i)


def kernel_epochs(
    learner: Learner, state: OptimiserState, *, seed: int | None, budget: Budget
) -> Iterator[EpochResult]:
    """Results of training sample by sample, one an epoch, endless."""
    counters, sums, n = state.counters, state.sums, state.W.shape[1]
    for epoch in itertools.count(1):
        before, sums[LOSS] = counters.copy(), 0.0
        for sampling in sample_orders(learner.shape, None if seed is None else (seed, epoch)):
            seen = 0
            while seen < len(sampling.order):
                seen += learner.learn(sampling.order[seen:], budget.most)
                learner.forget(budget)
        yield EpochResult(
            epoch=epoch,
            rows=n,
            mistakes=int(counters[MISTAKES] - before[MISTAKES]),
            updates=int(counters[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / n,
            all_mistakes=int(counters[MISTAKES]),
            all_updates=int(counters[UPDATES]),
            last=lambda: DualWeights(state.last(), learner.scores.copy()),
            weights=lambda: _kept(learner, state),
            norm=learner.length(),
        )


def _kept(learner: Learner, state: OptimiserState) -> DualWeights:
    run = state.counters[ROWS] - state.counters[LAST_MISTAKE]
    ended = state.keep == "pocket" and run <= state.counters[LONGEST_RUN]
    scores = learner.pocketed if ended else learner.scores
    return DualWeights(state.kept(), scores.copy())


class StreamLearner:
    """Trains on each row once, in order; `supports` are the support vectors.

    A row is scored by the support vectors so far, one after the other in the order they were added:
    its score has the same bits however the stream is cut into chunks.
    """

    def __init__(self, kernel: Kernel, supports: Points, budget: Budget, skipped: int) -> None:
        self.supports = supports
        self._kernel, self._budget = kernel, budget
        self._skipped = skipped  # samples without a new row: further epochs of a fit

    def learn(self, data: TrainingData, rule: Rule, state: OptimiserState) -> OptimiserState:
        """State after training on every row once, with the new support vectors."""
        start, size = 0, STREAM_ROWS
        while start < len(data.codes):
            part = data.part(start, start + size)
            seen, state = self._learn_some(part, rule, state)
            start += seen
            # a removal invalidates the scores of the rows after it
            size = min(2 * size, STREAM_ROWS) if seen == len(part.codes) else 1
        return state

    def _learn_some(
        self, part: TrainingData, rule: Rule, state: OptimiserState
    ) -> tuple[int, OptimiserState]:
        """Number of rows trained on until one must be removed, and the state after them."""
        points = self._kernel.points(part.rows, int(state.counters[ROWS]) - self._skipped)
        scores = kernel_scores(self._kernel, self.supports, state.W, points)
        new = np.zeros((len(state.W), len(part.codes)))
        grown = state._replace(
            W=new,
            weighted_update_sum=new[: len(state.weighted_update_sum)].copy(),
            pocket=new[: len(state.pocket)].copy(),
        )
        columns = Columns(self._kernel, points, n_jobs=1, cache_bytes=0)
        longest = state.counters[LONGEST_RUN]
        learner = Learner(part, rule, grown, columns, scores)
        max_support = self._budget.most - state.W.shape[1]
        seen = learner.learn(np.arange(len(part.codes)), max_support)
        if learner.support:
            chosen = np.array(learner.support)
            pocket = state.pocket if state.counters[LONGEST_RUN] == longest else state.W
            state = state._replace(
                W=np.hstack([state.W, grown.W[:, chosen]]),
                weighted_update_sum=np.hstack(
                    [state.weighted_update_sum, grown.weighted_update_sum[:, chosen]]
                ),
                pocket=np.hstack([pocket[: len(state.pocket)], grown.pocket[:, chosen]]),
            )
            joined = self._kernel.centres(points, chosen)
            self.supports = self.supports.joined(joined) if len(self.supports.indices) else joined
        return seen, self._within_budget(state)

    def _within_budget(self, state: OptimiserState) -> OptimiserState:
        while state.W.shape[1] > self._budget.most:
            stay = np.delete(np.arange(state.W.shape[1]), self._budget.removed_column(state.W))
            self.supports = self._kernel.centres(self.supports, stay)
            state = state._replace(W=state.W[:, stay])
        return state


def kernel_scores(kernel: Kernel, centres: Points, deltas: Floats, points: Points) -> Floats:
    """Scores Σ_j δ_j κ(x_j, x) of all points, one column per output, summed in order of centres."""
    n, m = n_rows(points.rows), deltas.shape[1]
    scores = np.zeros((n, len(deltas)))
    size = max(64, KERNEL_BLOCK_BYTES // (8 * max(1, m)))
    for start in range(0, n if m else 0, size):
        table = kernel.between(centres, points.part(start, start + size))
        add_columns(table, deltas, scores[start : start + size])
    return scores


_NO_ROWS = np.zeros((0, 0))


def _nothing() -> Ints:
    return np.zeros(0, np.int64)


@njit(cache=True, nogil=True)
def next_mistake(
    labels: TrainingData, order: Ints, scores: Floats, rule: Rule, counts: Ints
) -> int:
    """Position of the first row in an order that is a mistake at its scores (none: the length)."""
    _, codes, weights, class_weights = labels
    for place in range(len(order)):
        i = order[place]
        if rule.balanced:
            counts[codes[i]] += 1
        counts_at_all = weights[i] * class_weights[codes[i]] > 0.0
        if counts_at_all and not 0.0 < worst_margin(scores[i], codes[i], rule) < np.inf:
            return place
    return len(order)


@njit(cache=True, nogil=True)
def likely_mistakes(labels: TrainingData, order: Ints, scores: Floats, rule: Rule) -> Ints:
    """The next few rows of an order that are mistakes at the present scores."""
    _, codes, weights, class_weights = labels
    found, n_found = np.empty(CENTRES_PER_READING - 1, np.int64), 0
    for i in order[:LOOKAHEAD]:
        weight = weights[i] * class_weights[codes[i]]
        if weight > 0.0 and not worst_margin(scores[i], codes[i], rule) > 0.0:
            found[n_found] = i
            n_found += 1
            if n_found == len(found):
                break
    return found[:n_found]


@njit(cache=True, nogil=True)
def update_row(
    labels: TrainingData, i: int, scores: Floats, rule: Rule, state: OptimiserState, amounts: Floats
) -> bool:
    """Count a mistake at row i; return whether it ended the longest run of correct rows.

    The step of each output is written to `amounts`.
    """
    _, codes, weights, class_weights = labels
    n = state.counters[ROWS]
    weight = weights[i] * class_weights[codes[i]] * balanced_weight(rule, state.counts, codes[i], n)
    mistakes, loss = update_all(scores, Sample(codes[i], weight, n, 0.0), rule, amounts)
    state.sums[LOSS] += loss
    return count_mistakes(mistakes, n, state.counters)


@njit(cache=True, nogil=True)
def add_column(column: Floats, amounts: Floats, scores: Floats) -> None:
    """Add a column, times the step of each output, to the scores of all rows."""
    for k in range(len(amounts)):
        if amounts[k] != 0.0:
            for i in range(len(scores)):
                scores[i, k] += amounts[k] * column[i]


@njit(cache=True, nogil=True)
def add_columns(table: Floats, deltas: Floats, scores: Floats) -> None:
    """Add one column after the other, with the bits of `add_column`."""
    for j in range(len(table)):
        add_column(table[j], deltas[:, j], scores)
