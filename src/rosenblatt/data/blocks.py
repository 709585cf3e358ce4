"""A re-iterable run of row blocks, with the two verbs everything larger is written in.

``each(f)`` gives f of every block, in order; ``total(f)`` gives their sum. Both hand f the matching
part of every array given beside the rows. The blocks are cut by row number alone and added in
order, so the number of threads never changes a bit of the result.

Units that learn from the same rows share their blocks: what is ``known`` of the rows is found out
once, and units that meet read them ``together``.
"""

import itertools
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, reduce
from operator import add
from threading import RLock
from typing import Any, TypeVar, cast

from rosenblatt.arrays import Array, Ints
from rosenblatt.data.meeting import Meeting
from rosenblatt.data.problem import Problem, entries_in
from rosenblatt.data.rows import Rows, n_cols, n_rows

BLOCK_ROWS = 16_384  # at least,
BLOCK_ENTRIES = 1 << 21  # and more if they are short: a block should outweigh its handling
WORTH_THREADS = 1 << 20  # entries: a pass over fewer is done before another thread has begun

S = TypeVar("S")
T = TypeVar("T")


def block_rows(rows: Rows) -> int:
    """How many rows a block has: by their width alone, so that the storage changes no sum."""
    return max(BLOCK_ROWS, BLOCK_ENTRIES // n_cols(rows))


class Blocks:
    """The rows of a problem in memory, block by block.

    Parameters
    ----------
    problem : Problem
        The checked samples.
    n_jobs : int
        How many threads may work on blocks at once; `f` must release the GIL to gain from it.
    meeting : Meeting, optional
        Where the units that share these blocks meet.
    """

    def __init__(self, problem: Problem, n_jobs: int = 1, meeting: Meeting | None = None) -> None:
        self.problem = problem
        self.n_jobs = n_jobs if entries_in(problem.rows) >= WORTH_THREADS else 1
        self.meeting = meeting
        # a pass for all who meet: no unit works meanwhile, and every thread is free for it
        self._at_leisure = None if meeting is None else Blocks(problem, meeting.n_jobs)
        self._step = block_rows(problem.rows)
        self._known: dict[Any, Any] = {}
        self._one_asks = RLock()

    def __len__(self) -> int:
        """How many blocks."""
        return math.ceil(n_rows(self.problem.rows) / self._step)

    def __iter__(self) -> Iterator[Problem]:
        """Give the blocks in order, none of them copied."""
        return iter(self._parts)

    def each(self, f: Callable[..., T], *beside: Array) -> Iterator[T]:
        """Give f of each block and its part of the arrays beside it, in block order."""
        work = map if len(self) == 1 else self.over
        return work(lambda parts: f(*parts), self._with(beside))

    def total(self, f: Callable[..., T], *beside: Array) -> T:
        """Sum of f over the blocks, added in block order."""
        return reduce(add, self.each(f, *beside))

    def over(self, f: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """Give f of each item in order, worked on by the threads of these blocks."""
        if self.n_jobs == 1:
            yield from map(f, items)
            return
        waiting: deque[Future[T]] = deque()
        for item in items:
            waiting.append(self._pool.submit(f, item))
            if len(waiting) > 2 * self.n_jobs:  # results are not piled up
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def known(self, f: Callable[..., T], *about: Any) -> T:
        """Give f of these blocks and what else it is about, found out once."""
        with self._one_asks:
            if (f, about) not in self._known:
                self._known[f, about] = f(self, *about)
            return cast("T", self._known[f, about])

    def shared(self, f: Callable[..., T], *about: Any) -> T:
        """Give the same; but what takes memory is kept only for units that meet."""
        return f(self, *about) if self.meeting is None else self.known(f, *about)

    def together(self, f: Callable[["Blocks", list[S]], Iterable[T]], wish: S) -> T:
        """Give what f answers to a wish; it may be asked about those of several units at once."""
        if self.meeting is not None:
            return cast("T", self.meeting.ask(f, self._at_leisure, wish))
        (answer,) = f(self, [wish])
        return answer

    def take(self, chosen: Ints) -> "Blocks":
        """Blocks of some of the rows, copied, for the same units."""
        return Blocks(self.problem.take(chosen), self.n_jobs, self.meeting)

    def _with(self, beside: tuple[Array, ...]) -> Iterator[tuple[Any, ...]]:
        """Give each block with its part of every array."""
        if len(self) == 1:
            yield self.problem, *beside
            return
        for start, block in zip(itertools.count(0, self._step), self._parts, strict=False):
            span = slice(start, start + self._step)
            yield block, *(array[span] for array in beside)

    @cached_property
    def _parts(self) -> list[Problem]:
        """The blocks, cut once: that takes longer than many a short pass."""
        starts = range(0, n_rows(self.problem.rows), self._step)
        return [self.problem.part(start, start + self._step) for start in starts]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """Threads that wait for work as long as these blocks live: a short pass is soon over."""
        return ThreadPoolExecutor(self.n_jobs)
