"""Validated training data (rows, classes or targets, weights), and its blocks.

``Blocks.each(f)`` yields f of every block of rows, in order; ``total(f)`` returns their sum, on
several threads. Both pass f the matching part of every array that is given with the rows. The
blocks are cut by row number alone and added in order, so the number of threads never changes a bit
of the result. Binary problems that share their rows share their blocks: what ``known`` computes of
the rows is cached.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, reduce
from operator import add
from threading import RLock
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part, rows_take
from rosenblatt.parallel import map_in_pool
from rosenblatt.types import Array, Codes, Floats, Ints

BLOCK_ROWS = 16_384  # of a block, at least,
BLOCK_ENTRIES = 1 << 21  # and more if they are short: the work must outweigh the overhead
MIN_THREADED_ENTRIES = 1 << 20  # fewer are read before another thread has started

S = TypeVar("S")
T = TypeVar("T")


class TrainingData(NamedTuple):
    """Validated samples, as a kernel takes them.

    `codes` are the classes 0 … K−1 of the rows, `weights` their sample weights and `class_weights`
    the weight of each class; the weight of a row is the product of the two.
    """

    rows: Rows
    codes: Codes
    weights: Floats
    class_weights: Floats

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_weights)

    @property
    def class_sizes(self) -> Floats:
        """Weight of all rows of each class."""
        counts = np.bincount(self.codes, self.weights, self.n_classes)
        return np.asarray(counts * self.class_weights)

    @property
    def all_weigh_one(self) -> bool:
        """Whether every row has the weight 1."""
        unweighted = self.weights.strides == (0,) or (self.weights == 1).all()
        return bool(unweighted and (self.class_weights == 1).all())

    def part(self, start: int, stop: int) -> "TrainingData":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            codes=self.codes[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "TrainingData":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            codes=self.codes[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


class MultiOutputData(NamedTuple):
    """Validated samples of several outputs: rows, a matrix of targets, and sample weights.

    A score and a target on different sides of `middle` are a mistake.
    """

    rows: Rows
    targets: Floats
    weights: Floats
    middle: float

    def part(self, start: int, stop: int) -> "MultiOutputData":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            targets=self.targets[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "MultiOutputData":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            targets=self.targets[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


def no_weights(n: int) -> Floats:
    """Weight 1 for each of n rows, by strides of 0, in the memory of one number."""
    ones: Floats = np.lib.stride_tricks.as_strided(np.ones(1), (n,), (0,))
    return ones


def unlabelled(rows: Rows) -> TrainingData:
    """Rows as training data of a single class, where no labels are needed."""
    n = n_rows(rows)
    return TrainingData(rows, np.zeros(n, np.int8), no_weights(n), np.ones(1))


def rows_joined(first: Rows, second: Rows) -> Rows:
    """Rows of both, stored like the first."""
    if not isinstance(first, CSR):
        dense = matrix_of(second).toarray() if isinstance(second, CSR) else second
        both: Array = np.concatenate([first, dense])
        return both
    if not isinstance(second, CSR):
        second = CSR(*_entries_of(second), second.shape[1])
    entries = slice(second.indptr[0], second.indptr[-1])
    return CSR(
        np.concatenate([first.data, second.data[entries]]),
        np.concatenate([first.indices, second.indices[entries]]),
        np.concatenate([first.indptr, second.indptr[1:] + (first.indptr[-1] - entries.start)]),
        first.n_cols,
    )


def matrix_of(rows: Rows) -> Any:
    """Rows as a numpy array or a scipy CSR array."""
    if not isinstance(rows, CSR):
        return rows
    from scipy import sparse  # noqa: PLC0415 (slow to import, and dense rows do without)

    entries = slice(rows.indptr[0], rows.indptr[-1])
    parts = (rows.data[entries], rows.indices[entries], rows.indptr - entries.start)
    return sparse.csr_array(parts, shape=(n_rows(rows), rows.n_cols))


def _entries_of(rows: Array) -> tuple[Array, Array, Array]:
    from scipy import sparse  # noqa: PLC0415 (slow to import, and dense rows do without)

    matrix = sparse.csr_array(rows)
    return matrix.data, matrix.indices, matrix.indptr


def entries_in(rows: Rows) -> int:
    """Number of stored entries."""
    return int(rows.indptr[-1] - rows.indptr[0]) if isinstance(rows, CSR) else int(rows.size)


def row_bytes(rows: Rows) -> int:
    """Bytes a row, on average."""
    if isinstance(rows, CSR):
        entries = entries_in(rows) / max(1, n_rows(rows))
        return int(entries * (rows.data.itemsize + rows.indices.itemsize))
    return int(rows.strides[0])


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
        self._n_blocks = math.ceil(n_rows(problem.rows) / self._step)
        self._known: dict[Any, Any] = {}
        self._lock = RLock()

    def __len__(self) -> int:
        """Number of blocks."""
        return self._n_blocks

    def __iter__(self) -> Iterator[TrainingData]:
        """Yield the blocks in order, without copies."""
        return iter(self._parts)

    def each(self, f: Callable[..., T], *arrays: Array) -> Iterator[T]:
        """Results of f on each block and its part of the arrays, in block order."""
        if self._n_blocks == 1:
            return iter([f(self.problem, *arrays)])
        return self.over(lambda parts: f(*parts), self._with(arrays))

    def total(self, f: Callable[..., T], *arrays: Array) -> T:
        """Sum of f over the blocks, added in block order."""
        if self._n_blocks == 1:
            return f(self.problem, *arrays)
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
