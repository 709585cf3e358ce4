"""Sources of rows, and the chunks they give.

A chunk is a table with named columns, or a matrix of numbers. A source can be iterated more than
once, each time from the beginning, and holds one chunk at a time: it may be far larger than memory.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np

from rosenblatt.csr import Rows, n_rows, rows_take
from rosenblatt.errors import BadCellError, SourceError
from rosenblatt.types import Array, Ints

if TYPE_CHECKING:
    import polars as pl


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
    """Rows with named columns; all chunks of a source have the same columns and types."""

    frame: "pl.DataFrame"
    place: Place

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
    """

    rows: Rows
    labels: Array | None
    place: Place

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


def non_empty(name: str, chunks: Iterator[ChunkType]) -> Iterator[ChunkType]:
    """Chunks that have rows; a source without any rows is an error."""
    found = False
    for chunk in chunks:
        if len(chunk):
            found = True
            yield chunk
    if not found:
        raise SourceError(f"{name} has no rows: there is nothing to train on.")
