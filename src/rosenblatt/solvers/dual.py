"""The perceptron in dual form: the weights are a sum of rows, w = Σ_j δ_j Φ(x_j).

A mistake at row i adds ± Φ(x_i), so all there is to know are the numbers δ, and a score needs the
kernel alone: f(x) = w·Φ(x) = Σ_j δ_j κ(x_j, x). In a Memory of this file `W` holds δ: a row a unit,
a column a row of the data.

While rows are learned from, the scores of all of them are kept; a mistake at row i adds one column
κ(x_i, ·) to them. So a pass costs one look at every score, and one column a mistake.

With a budget, once there are more rows in the sum than that, one goes, but never the newest:
the one with the smallest |δ| over all units (ties to the oldest), or the oldest.
"""

import itertools
import math
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.blocks import BLOCK_ROWS
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.data.visits import Shape, visits
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.kernels import TOGETHER, Kernel, Points
from rosenblatt.solvers.correct import Rule, Sample, balance, correct_all, worst_margin
from rosenblatt.solvers.memory import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    UPDATES,
    Memory,
)
from rosenblatt.solvers.online import book_mistakes
from rosenblatt.solvers.state import State

TABLE_BYTES = 4 * 1024 * 1024  # of kernel values at a time while rows are scored
LOOK = 256  # visits ahead for rows that are mistakes as things stand
STREAM_ROWS = 256  # of a stream are scored at a time


class Budget(NamedTuple):
    """Most rows the sum may have, and which goes first: the "smallest" or the "oldest"."""

    most: float = np.inf
    forget: str = "smallest"

    def victim(self, deltas: Floats) -> int:
        """Which column of the numbers δ, oldest first, has to go; never the last."""
        if self.forget == "oldest":
            return 0
        return int(np.abs(deltas[:, :-1]).sum(axis=0).argmin())


class Weighed(NamedTuple):
    """Numbers δ of all training rows, and the scores they give these rows."""

    deltas: Floats
    scores: Floats


class Columns:
    """Columns κ(x_i, ·) over all rows; those used last are kept, up to a limit of memory."""

    def __init__(self, kernel: Kernel, points: Points, n_jobs: int, cache_bytes: float) -> None:
        self._kernel, self._points, self._n_jobs = kernel, points, n_jobs
        n = n_rows(points.rows)
        self._parts = [points.part(i, i + BLOCK_ROWS) for i in range(0, n, BLOCK_ROWS)]
        self._room = int(cache_bytes / (8 * n))
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    def of(self, i: int, likely: Callable[[], Ints]) -> Floats:
        """Column of row i; those that are `likely` to be wanted next are made along with it."""
        if i in self._kept:
            self._kept.move_to_end(i)
            return self._kept[i]
        if self._room < TOGETHER or not self._kernel.shares_reading:
            wanted = [i]
        else:
            wanted = [i, *(j for j in likely().tolist() if j not in self._kept)]
        columns = self._made(np.array(wanted))
        if self._room:
            self._kept |= zip(reversed(wanted), reversed(columns), strict=True)
            while len(self._kept) > self._room:
                self._kept.popitem(last=False)
        return columns[0]

    def _made(self, wanted: Ints) -> list[Floats]:
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
    """Learns from rows whose scores are all kept. The memory is worked on in place."""

    def __init__(
        self, problem: Problem, rule: Rule, memory: Memory, columns: Columns, scores: Floats
    ) -> None:
        # the kernels below want labels and weights only: one compilation for all kinds of rows
        self._labels, self._rows = problem._replace(rows=_NO_ROWS), problem.rows
        self._rule, self._memory, self._columns = rule, memory, columns
        self.scores = scores
        self.pocketed = scores.copy() if len(memory.pocket) else scores
        self.joined: list[int] = []  # rows in the sum, oldest first
        self._inside = np.zeros(len(problem.codes), bool)
        self._amounts = np.zeros(len(memory.W))

    @property
    def shape(self) -> Shape:
        """What the plan of a pass has to know; it visits scores, which are all at hand."""
        return Shape(len(self.scores), n_cols(self._rows), row_bytes=8)

    def learn(self, order: Ints, room: float = np.inf) -> int:
        """Visit rows until `room` is overrun by one; give how many were visited."""
        memory, seen = self._memory, 0
        while seen < len(order):
            place = next_mistake(self._labels, order[seen:], self.scores, self._rule, memory.counts)
            memory.clock[ROWS] += min(place + 1, len(order) - seen)
            seen += place + 1
            if seen > len(order):
                break
            self._correct(int(order[seen - 1]), order[seen:])
            if len(self.joined) > room:
                return seen
        return len(order)

    def forget(self, budget: Budget) -> None:
        """Take rows out of the sum until it is within the budget."""
        W = self._memory.W
        while len(self.joined) > budget.most:
            i = self.joined.pop(budget.victim(W[:, self.joined]))
            add_column(self._columns.of(i, _nothing), -W[:, i], self.scores)
            W[:, i], self._inside[i] = 0.0, False

    def length(self) -> float:
        """|w| over all units, by |w|² = Σ δ_i f(x_i); for rows that started at w = 0."""
        square = sum(float(w @ f) for w, f in zip(self._memory.W, self.scores.T, strict=True))
        return math.sqrt(max(0.0, square))

    def _correct(self, i: int, coming: Ints) -> None:
        memory, amounts = self._memory, self._amounts
        if not np.isfinite(self.scores[i]).all():
            raise not_finite(self._rows)
        longest = book_row(self._labels, i, self.scores[i], self._rule, memory, amounts)
        if longest and len(memory.pocket):
            memory.pocket[:], self.pocketed[:] = memory.W, self.scores
        likely = partial(likely_mistakes, self._labels, coming, self.scores, self._rule)
        add_column(self._columns.of(i, likely), amounts, self.scores)
        memory.W[:, i] += amounts
        if len(memory.late):
            memory.late[:, i] += (memory.clock[ROWS] - 1) * amounts
        memory.clock[UPDATES] += np.count_nonzero(amounts)
        if not self._inside[i]:
            self._inside[i] = True
            self.joined.append(i)


def dual_passes(
    learner: Learner, memory: Memory, *, seed: int | None, budget: Budget
) -> Iterator[State]:
    """Learn row after row, pass after pass, without an end: a State after each pass."""
    clock, sums, n = memory.clock, memory.sums, memory.W.shape[1]
    for passes in itertools.count(1):
        before, sums[LOSS] = clock.copy(), 0.0
        for visit in visits(learner.shape, None if seed is None else (seed, passes)):
            seen = 0
            while seen < len(visit.order):
                seen += learner.learn(visit.order[seen:], budget.most)
                learner.forget(budget)
        yield State(
            passes=passes,
            rows=n,
            mistakes=int(clock[MISTAKES] - before[MISTAKES]),
            changes=int(clock[UPDATES] - before[UPDATES]),
            loss=float(sums[LOSS]) / n,
            all_mistakes=int(clock[MISTAKES]),
            all_changes=int(clock[UPDATES]),
            last=lambda: Weighed(memory.last(), learner.scores.copy()),
            weights=lambda: _kept(learner, memory),
            norm=learner.length(),
        )


def _kept(learner: Learner, memory: Memory) -> Weighed:
    run = memory.clock[ROWS] - memory.clock[LAST_MISTAKE]
    ended = memory.keep == "pocket" and run <= memory.clock[LONGEST_RUN]
    scores = learner.pocketed if ended else learner.scores
    return Weighed(memory.kept(), scores.copy())


class StreamLearner:
    """Learns from each row once, in order; the rows in the sum are its `supports`.

    A row is scored by the supports it finds, one after the other in the order they joined: its
    score has the same bits however the stream is cut.
    """

    def __init__(self, kernel: Kernel, supports: Points, budget: Budget, skipped: int) -> None:
        self.supports = supports
        self._kernel, self._budget = kernel, budget
        self._skipped = skipped  # visits that brought no new row: further passes of a fit

    def learn(self, problem: Problem, rule: Rule, memory: Memory) -> Memory:
        """Learn from every row once; give the memory, grown by the rows that joined the sum."""
        start, size = 0, STREAM_ROWS
        while start < len(problem.codes):
            part = problem.part(start, start + size)
            seen, memory = self._learn_some(part, rule, memory)
            start += seen
            # scores of the rows after one that made another go are of no more use
            size = min(2 * size, STREAM_ROWS) if seen == len(part.codes) else 1
        return memory

    def _learn_some(self, part: Problem, rule: Rule, memory: Memory) -> tuple[int, Memory]:
        """Learn until a row has to go: how many rows that were, and the memory after them."""
        points = self._kernel.points(part.rows, int(memory.clock[ROWS]) - self._skipped)
        scores = kernel_scores(self._kernel, self.supports, memory.W, points)
        new = np.zeros((len(memory.W), len(part.codes)))
        grown = memory._replace(
            W=new, late=new[: len(memory.late)].copy(), pocket=new[: len(memory.pocket)].copy()
        )
        columns = Columns(self._kernel, points, n_jobs=1, cache_bytes=0)
        longest = memory.clock[LONGEST_RUN]
        learner = Learner(part, rule, grown, columns, scores)
        room = self._budget.most - memory.W.shape[1]
        seen = learner.learn(np.arange(len(part.codes)), room)
        if learner.joined:
            chosen = np.array(learner.joined)
            pocket = memory.pocket if memory.clock[LONGEST_RUN] == longest else memory.W
            memory = memory._replace(
                W=np.hstack([memory.W, grown.W[:, chosen]]),
                late=np.hstack([memory.late, grown.late[:, chosen]]),
                pocket=np.hstack([pocket[: len(memory.pocket)], grown.pocket[:, chosen]]),
            )
            joined = self._kernel.centres(points, chosen)
            self.supports = self.supports.joined(joined) if len(self.supports.numbers) else joined
        return seen, self._within_budget(memory)

    def _within_budget(self, memory: Memory) -> Memory:
        while memory.W.shape[1] > self._budget.most:
            stay = np.delete(np.arange(memory.W.shape[1]), self._budget.victim(memory.W))
            self.supports = self._kernel.centres(self.supports, stay)
            memory = memory._replace(W=memory.W[:, stay])
        return memory


def kernel_scores(kernel: Kernel, centres: Points, deltas: Floats, points: Points) -> Floats:
    """Scores Σ_j δ_j κ(x_j, x) of every point, a column a unit, summed in the order of centres."""
    n, m = n_rows(points.rows), deltas.shape[1]
    scores = np.zeros((n, len(deltas)))
    size = max(64, TABLE_BYTES // (8 * max(1, m)))
    for start in range(0, n if m else 0, size):
        table = kernel.between(centres, points.part(start, start + size))
        add_columns(table, deltas, scores[start : start + size])
    return scores


_NO_ROWS = np.zeros((0, 0))


def _nothing() -> Ints:
    return np.zeros(0, np.int64)


@njit(cache=True, nogil=True)
def next_mistake(labels: Problem, order: Ints, scores: Floats, rule: Rule, counts: Ints) -> int:
    """Place of the first row in an order that is a mistake at its scores (none: the length)."""
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
def likely_mistakes(labels: Problem, order: Ints, scores: Floats, rule: Rule) -> Ints:
    """The next few rows of an order that would be mistakes if nothing changed till then."""
    _, codes, weights, class_weights = labels
    found, n_found = np.empty(TOGETHER - 1, np.int64), 0
    for i in order[:LOOK]:
        weight = weights[i] * class_weights[codes[i]]
        if weight > 0.0 and not worst_margin(scores[i], codes[i], rule) > 0.0:
            found[n_found] = i
            n_found += 1
            if n_found == len(found):
                break
    return found[:n_found]


@njit(cache=True, nogil=True)
def book_row(
    labels: Problem, i: int, scores: Floats, rule: Rule, memory: Memory, amounts: Floats
) -> bool:
    """Book the mistakes of row i and write how much each unit gains of it.

    Tells whether it ended the longest run of correct rows.
    """
    _, codes, weights, class_weights = labels
    n = memory.clock[ROWS]
    weight = weights[i] * class_weights[codes[i]] * balance(rule, memory.counts, codes[i], n)
    mistakes, loss = correct_all(scores, Sample(codes[i], weight, n, 0.0), rule, amounts)
    memory.sums[LOSS] += loss
    return book_mistakes(mistakes, n, memory.clock)


@njit(cache=True, nogil=True)
def add_column(column: Floats, amounts: Floats, scores: Floats) -> None:
    """Add a column, times what each unit gains, to the scores of all rows."""
    for k in range(len(amounts)):
        if amounts[k] != 0.0:
            for i in range(len(scores)):
                scores[i, k] += amounts[k] * column[i]


@njit(cache=True, nogil=True)
def add_columns(table: Floats, deltas: Floats, scores: Floats) -> None:
    """Add one column after the other, in the very order and bits of `add_column`."""
    for j in range(len(table)):
        add_column(table[j], deltas[:, j], scores)
