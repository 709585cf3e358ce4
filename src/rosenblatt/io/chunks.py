"""What a source gives: chunks of rows, as columns with names or as numbers ready for a kernel.

A source is iterated as often as needed, each time from the beginning, and holds one chunk at a
time; so what it reads may be far larger than memory.
"""

from collections.abc import Iterator, Sequence
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

USUAL_TARGETS = ("target", "label", "class", "y")
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")


@dataclass(frozen=True)
class Options:
    """How to read: None leaves it to the reader.

    `as_words` are columns whose cells are words even where they look like numbers. Where the source
    `teaches`, so is the target if it holds codes, such as 01: as numbers, classes would be lost.
    """

    format: str | None = None
    separator: str | None = None
    header: bool | None = None
    decimal_comma: bool | None = None
    missing: tuple[str, ...] = MISSING
    as_words: frozenset[str] = frozenset()
    zero_based: bool = False
    teaches: bool = False


def usual_target(names: Sequence[str]) -> str:
    """The column that is usually predicted: one called target, label, class or y, or the last."""
    return next((name for name in names if name.lower() in USUAL_TARGETS), names[-1])


class Place(NamedTuple):
    """Where a chunk comes from: its file, and the line of its first row where rows have lines.

    `row` is the number of the first row in its file. `numbers`, if given, are the lines (or rows)
    of all: where they do not simply count on.
    """

    file: str
    line: int | None = None
    row: int = 0
    numbers: Ints | None = None

    def at(self, row: int) -> str:
        """Where a row of the chunk stands, in words."""
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
    """Rows with named columns; all chunks of a source have the same columns of the same types."""

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
    def naming_cells(self) -> Iterator[None]:
        """Tell where a cell stands that cannot be taken."""
        try:
            yield
        except BadCellError as error:
            raise SourceError(
                f"{self.place.at(error.row)}, column {error.column!r}: {error}"
                " Mend the cell, or name what stands for a missing one with --missing."
            ) from None

    def take(self, chosen: Array) -> "Table":
        """The rows where a mask is true."""
        import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

        frame = self.frame.filter(pl.Series(chosen))
        return Table(frame, self.place.take(chosen))


@dataclass(frozen=True, eq=False)
class Matrix:
    """Rows of numbers with their labels, if there are any.

    A chunk of sparse rows is as wide as the features seen so far: later ones may be wider.
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
Kind = TypeVar("Kind", Table, Matrix)


class Source(Protocol):
    """A run of chunks that begins anew at every iteration."""

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        ...

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        ...


def some_rows(name: str, chunks: Iterator[Kind]) -> Iterator[Kind]:
    """Chunks that have rows; a source without any is an error."""
    found = False
    for chunk in chunks:
        if len(chunk):
            found = True
            yield chunk
    if not found:
        raise SourceError(f"{name} has no rows: there is nothing to learn from.")
