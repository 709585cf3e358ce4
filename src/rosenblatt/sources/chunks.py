"""What a source gives: chunks of rows, as columns with names or as numbers ready for a kernel.

A source is iterated as often as needed, each time from the beginning, and holds one chunk at a
time; so what it reads may be far larger than memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rosenblatt.arrays import Array
from rosenblatt.data.storage import Rows, n_rows, rows_take

if TYPE_CHECKING:
    import polars as pl


class Place(NamedTuple):
    """Where a chunk begins: its file, and the line of its first row where rows have lines.

    Where lines without a row stand between them, `lines` has that of every row.
    """

    file: str
    line: int | None = None
    lines: Array | None = None

    def at(self, row: int) -> str:
        """Where a row of the chunk stands, in words."""
        if self.lines is not None:
            return f"{self.file}, line {self.lines[row]}"
        if self.line is None:
            return f"{self.file}, row {row}"
        return f"{self.file}, line {self.line + row}"


@dataclass(frozen=True, eq=False)
class Table:
    """Rows with named columns; all chunks of a source have the same columns of the same types."""

    frame: "pl.DataFrame"
    place: Place

    def __len__(self) -> int:
        """How many rows."""
        return self.frame.height

    def take(self, chosen: Array) -> "Table":
        """The rows where a mask is true."""
        import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

        return replace(self, frame=self.frame.filter(pl.Series(chosen)))


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
        return replace(self, rows=rows_take(self.rows, chosen.nonzero()[0]), labels=labels)


Chunk = Table | Matrix


class Source(Protocol):
    """A run of chunks that begins anew at every iteration."""

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        ...

    def __iter__(self) -> Iterator[Chunk]:
        """Read the chunks from the beginning."""
        ...
