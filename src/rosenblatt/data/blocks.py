"""A re-iterable run of row blocks, with the two verbs everything larger is written in.

``each(f)`` gives f of every block, in order; ``total(f)`` gives their sum. The blocks are cut by
row number alone and added in order, so the number of threads never changes a bit of the result.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import reduce
from operator import add
from typing import TypeVar

from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import Rows, n_cols, n_rows

BLOCK_ROWS = 16_384  # at least,
BLOCK_ENTRIES = 1 << 21  # and more if they are short: a block should outweigh its handling

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
    """

    def __init__(self, problem: Problem, n_jobs: int = 1) -> None:
        self.problem = problem
        self.n_jobs = n_jobs
        self._step = block_rows(problem.rows)

    def __len__(self) -> int:
        """How many blocks."""
        return math.ceil(n_rows(self.problem.rows) / self._step)

    def __iter__(self) -> Iterator[Problem]:
        """Give the blocks in order, none of them copied."""
        for start in range(0, n_rows(self.problem.rows), self._step):
            yield self.problem.part(start, start + self._step)

    def each(self, f: Callable[[Problem], T]) -> Iterator[T]:
        """Give f of each block, in block order."""
        if self.n_jobs == 1 or len(self) == 1:
            yield from map(f, self)
            return
        with ThreadPoolExecutor(self.n_jobs) as pool:
            waiting: deque[Future[T]] = deque()
            for block in self:
                waiting.append(pool.submit(f, block))
                if len(waiting) > 2 * self.n_jobs:  # results are not piled up
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()

    def total(self, f: Callable[[Problem], T]) -> T:
        """Sum of f over the blocks, added in block order."""
        return reduce(add, self.each(f))
