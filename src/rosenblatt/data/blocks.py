"""Training data in blocks of rows: map and sum over blocks, on several threads.

``each(f)`` yields f of every block, in order; ``total(f)`` returns their sum. Both pass f the
matching part of every array that is given with the rows. The blocks are cut by row number alone and
added in order, so the number of threads never changes a bit of the result.

Binary problems that share their rows share their blocks: what ``known`` computes of the rows is
cached.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from operator import add
from threading import RLock
from typing import Any, TypeVar, cast

from rosenblatt.data.training_data import TrainingData, entries_in
from rosenblatt.kernels.rows import Rows, n_cols, n_rows
from rosenblatt.parallel import map_in_pool
from rosenblatt.types import Array, Ints

BLOCK_ROWS = 16_384  # at least,
BLOCK_ENTRIES = 1 << 21  # and more if they are short: the work must outweigh the overhead
MIN_THREADED_ENTRIES = 1 << 20  # fewer are read before another thread has started

S = TypeVar("S")
T = TypeVar("T")


def block_rows(rows: Rows) -> int:
    """Number of rows of a block: by their width alone, so that no sum depends on the storage."""
    return max(BLOCK_ROWS, BLOCK_ENTRIES // n_cols(rows))


class Blocks:
    """The rows of training data, block by block.

    Parameters
    ----------
    problem : TrainingData
        The validated samples.
    n_jobs : int
        Number of threads that work on blocks; `f` must release the GIL to gain from it.
    """

    def __init__(self, problem: TrainingData, n_jobs: int = 1) -> None:
        self.problem = problem
        self.n_jobs = n_jobs if entries_in(problem.rows) >= MIN_THREADED_ENTRIES else 1
        self._step = block_rows(problem.rows)
        self._known: dict[Any, Any] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        """Number of blocks."""
        return math.ceil(n_rows(self.problem.rows) / self._step)

    def __iter__(self) -> Iterator[TrainingData]:
        """Yield the blocks in order, without copies."""
        return iter(self._parts)

    def each(self, f: Callable[..., T], *arrays: Array) -> Iterator[T]:
        """Results of f on each block and its part of the arrays, in block order."""
        work = map if len(self) == 1 else self.over
        return work(lambda parts: f(*parts), self._with(arrays))

    def total(self, f: Callable[..., T], *arrays: Array) -> T:
        """Sum of f over the blocks, added in block order."""
        return reduce(add, self.each(f, *arrays))

    def over(self, f: Callable[[S], T], items: Iterable[S]) -> Iterator[T]:
        """Results of f on each item, in order, computed by the threads of these blocks."""
        if self.n_jobs == 1:
            return map(f, items)
        return map_in_pool(self._pool, f, items, max_pending=2 * self.n_jobs)

    def known(self, f: Callable[..., T], *arguments: Any) -> T:
        """Result of f on these blocks and further arguments, computed once and cached."""
        with self._lock:
            if (f, arguments) not in self._known:
                self._known[f, arguments] = f(self, *arguments)
            return cast("T", self._known[f, arguments])

    def take(self, chosen: Ints) -> "Blocks":
        """Blocks of the chosen rows, copied."""
        return Blocks(self.problem.take(chosen), self.n_jobs)

    def _with(self, arrays: tuple[Array, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield each block with its part of every array."""
        if len(self) == 1:
            yield self.problem, *arrays
            return
        for start, block in zip(itertools.count(0, self._step), self._parts, strict=False):
            span = slice(start, start + self._step)
            yield block, *(array[span] for array in arrays)

    @cached_property
    def _parts(self) -> list[TrainingData]:
        """The blocks, cut once: cutting takes longer than a kernel on a few rows."""
        starts = range(0, n_rows(self.problem.rows), self._step)
        return [self.problem.part(start, start + self._step) for start in starts]

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        """Threads that live as long as these blocks: starting them costs more than a short pass."""
        return ThreadPoolExecutor(self.n_jobs)
