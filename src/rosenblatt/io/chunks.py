"""Sources of rows, the chunks they give, and sources that wrap another one.

A chunk is a table with named columns, or a matrix of numbers. A source can be iterated more than
once, each time from the beginning, and holds one chunk at a time: it may be far larger than memory.
A wrapper caches the chunks, reports progress, runs a background task or selects rows.

Elementwise polars expressions are evaluated on many columns at once: a call takes microseconds, and
a query more, however few rows there are, which on 100,000 columns would dominate. So columns of one
type are concatenated, up to MAX_STACKED_CELLS cells. Methods of a series or a frame find columns by
name, and polars takes `*` and names between `^` and `$` for patterns: expressions are evaluated on
columns renamed to numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows, rows_take
from rosenblatt.errors import BadCellError, SourceError
from rosenblatt.io.rounded_cells import RoundedCells
from rosenblatt.types import Array, Ints

if TYPE_CHECKING:
    import polars as pl


MAX_CACHED_BYTES = 1 << 28  # a larger source is read again
MAX_STACKED_CELLS = 1 << 16
FEW_COLUMNS = 16  # queried in parallel without concatenation


class Place(NamedTuple):
    """Where a chunk comes from: its file, and the line of its first row where rows have lines.

    `row` is the index of the first row in its file. `numbers` are the lines (or rows) of all rows,
    where they are not consecutive.
    """

    file: str
    line: int | None = None
    row: int = 0
    numbers: Ints | None = None

    def at(self, row: int) -> str:
        """File and line (or row) of a row of the chunk, for messages."""
        unit = "row" if self.line is None else "line"
        first = self.row if self.line is None else self.line
        number = first + row if self.numbers is None else int(self.numbers[row])
        return f"{self.file}, {unit} {number}"

    def take(self, chosen: Array) -> "Place":
        """The place of the rows where a mask is true."""
        first = self.row if self.line is None else self.line
        numbers = self.numbers if self.numbers is not None else first + np.arange(len(chosen))
        return self._replace(numbers=numbers[chosen])


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with named columns; all chunks of a source have the same columns and types.

    `rounded` are cells that were rounded as they were read, if the source counts them.
    """

    frame: "pl.DataFrame"
    place: Place
    rounded: RoundedCells = field(default_factory=dict)

    def __len__(self) -> int:
        """How many rows."""
        return self.frame.height

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.frame.columns)

    @cached_property
    def columns(self) -> "dict[str, pl.Series]":
        """The columns by their names."""
        return {column.name: column for column in self.frame.get_columns()}

    @contextmanager
    def locating_bad_cells(self) -> Iterator[None]:
        """Add file and line to the error of a cell that cannot be used."""
        try:
            yield
        except BadCellError as error:
            raise SourceError(
                f"{self.place.at(error.row)}, column {error.column!r}: {error}"
                " Correct the cell, or declare the marker of a missing value with --missing."
            ) from None

    def take(self, chosen: Array) -> "Table":
        """The rows where a mask is true."""
        import polars as pl  # noqa: PLC0415 (slow to import, and not needed for matrices)

        frame = self.frame.filter(pl.Series(chosen))
        return Table(frame, self.place.take(chosen))


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rows of numbers with their labels, if there are any.

    A chunk of sparse rows has as many columns as features seen so far: later ones may have more.
    `rounded` are entries that were rounded as they were read, by the index of their column.
    """

    rows: Rows
    labels: Array | None
    place: Place
    rounded: Mapping[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        """How many rows."""
        return n_rows(self.rows)

    def take(self, chosen: Array) -> "Matrix":
        """The rows where a mask is true."""
        labels = None if self.labels is None else self.labels[chosen]
        rows = rows_take(self.rows, np.flatnonzero(chosen))
        return Matrix(rows, labels, self.place.take(chosen))


Chunk = Table | Matrix
ChunkType = TypeVar("ChunkType", Table, Matrix)


class Source(Protocol):
    """A sequence of chunks that starts from the beginning at every iteration."""

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        ...

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        ...


class _Wrapper:
    """Attributes of the wrapped source."""

    source: Source

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return self.source.name

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features of a matrix, if it has names."""
        names: tuple[str, ...] | None = getattr(self.source, "feature_names", None)
        return names

    @property
    def max_pixel_value(self) -> float | None:
        """The largest possible value of a pixel, where the rows are images."""
        value: float | None = getattr(self.source, "max_pixel_value", None)
        return value


class CachedSource(_Wrapper):
    """A source whose chunks are cached as they are read, unless they are too large.

    An interrupted iteration continues from the cache.
    """

    def __init__(self, source: Source, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self.source, self.max_bytes = source, max_bytes
        self._cache: list[Chunk] = []
        self._n_read, self._n_bytes = 0, 0  # chunks and bytes read so far
        self._rest: Iterator[Chunk] | None = None  # the chunks after them
        self._at_end = False

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        k = 0
        while k < len(self._cache) or self._cache_next():
            yield self._cache[k]
            k += 1
        if self._n_bytes > self.max_bytes:
            yield from self._uncached(k)

    @property
    def is_cached(self) -> bool:
        """Whether all chunks are cached, so that the wrapped source is not read again."""
        return self._at_end and self._n_bytes <= self.max_bytes

    def _cache_next(self) -> bool:
        """Cache one more chunk; whether there was one, within the limit."""
        if self._n_bytes > self.max_bytes:
            self._cache = []
        if self._n_bytes > self.max_bytes or self._at_end:
            return False
        rest = self._rest or islice(self.source, self._n_read, None)
        self._rest = None  # so that after an error the next iteration reads, and fails, again
        chunk = next(rest, None)
        if chunk is None:
            self._at_end = True
            return False
        self._rest = rest
        self._cache.append(chunk)
        self._n_read += 1
        self._n_bytes += size_of(chunk)
        return True

    def _uncached(self, k: int) -> Iterator[Chunk]:
        """Chunks from number k on, none of which is cached."""
        rest, self._rest = self._rest, None
        if rest is not None and k == self._n_read:
            return rest
        return islice(self.source, k, None)


@dataclass(frozen=True)
class ProgressSource(_Wrapper):
    """A source that reports how many rows have been read so far."""

    source: Source
    report: Callable[[int], None] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        rows = 0
        for chunk in self.source:
            rows += len(chunk)
            self.report(rows)
            yield chunk


@dataclass(frozen=True)
class BackgroundTaskSource(_Wrapper):
    """A source during whose iteration a task runs in another thread, unless it has one chunk."""

    source: Source
    task: Callable[[], object] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning; at the end, the task is done."""
        worker = Thread(target=self.task)
        for k, chunk in enumerate(self.source):
            if k == 1:  # errors in the first chunk come first
                worker.start()
            yield chunk
        if worker.ident is not None:
            worker.join()


@dataclass(frozen=True)
class SelectedRows(_Wrapper):
    """Rows of a source that a function of their 0-based indices chooses."""

    source: Source
    chosen: Callable[[Ints], Array] = field(repr=False)

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        first = 0
        for chunk in self.source:
            mask = self.chosen(np.arange(first, first + len(chunk)))
            first += len(chunk)
            if mask.any():
                yield chunk if mask.all() else chunk.take(mask)


def size_of(chunk: Chunk) -> int:
    """Approximate bytes of a chunk in memory."""
    if isinstance(chunk, Table):
        return int(chunk.frame.estimated_size())
    rows = chunk.rows
    parts = (rows.data, rows.indices, rows.indptr) if isinstance(rows, CSR) else (rows,)
    return sum(int(part.nbytes) for part in parts)


def non_empty(name: str, chunks: Iterator[ChunkType]) -> Iterator[ChunkType]:
    """Chunks that have rows; a source without any rows is an error."""
    found = False
    for chunk in chunks:
        if len(chunk):
            found = True
            yield chunk
    if not found:
        raise SourceError(f"{name} has no rows: there is nothing to train on.")


Columns = Sequence["pl.Series"]


def unnamed(cells: "pl.Series") -> "pl.Series":
    """The same column with an empty name, which no method takes for a pattern."""
    return cells.alias("")


def map_cells(columns: Columns, expression: "pl.Expr") -> "list[pl.Series]":
    """Columns transformed by an elementwise expression of `pl.all()`."""
    done: list[pl.Series] = []
    for part in _parts(columns):
        if not _are_stacked(part):
            made_columns = _numbered(part).select(expression).get_columns()
            done += [cells.alias(own.name) for own, cells in zip(part, made_columns, strict=True)]
            continue
        height = len(part[0])
        cells = _stack(part).select(expression).to_series()
        done += [
            cells.slice(k * height, height).alias(column.name) for k, column in enumerate(part)
        ]
    return done


def count_cells(columns: Columns, wanted: "pl.Expr") -> Ints:
    """Number of cells in each column where an elementwise expression of `pl.all()` is true."""
    found: list[Ints] = [np.zeros(0, np.int64)]
    for part in _parts(columns):
        if not _are_stacked(part):
            frame = _numbered(part).select(wanted.sum())
            found.append(np.array(frame.row(0), np.int64))
            continue
        true = _stack(part).select(wanted.fill_null(value=False)).to_series().to_numpy()
        found.append(true.reshape(len(part), -1).sum(axis=1, dtype=np.int64))
    return np.concatenate(found)


def _parts(columns: Columns) -> Iterator[Columns]:
    """Groups of columns to evaluate together: few columns, or few cells."""
    if not len(columns):
        return
    most = max(FEW_COLUMNS, MAX_STACKED_CELLS // max(1, len(columns[0])))
    for first in range(0, len(columns), most):
        yield columns[first : first + most]


def _are_stacked(part: Columns) -> bool:
    return len(part) > FEW_COLUMNS and len(part[0]) > 0


def _stack(part: Columns) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([unnamed(pl.concat(part, rechunk=True))])


def _numbered(part: Columns) -> "pl.DataFrame":
    """Columns named by their numbers."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([column.alias(str(k)) for k, column in enumerate(part)])
