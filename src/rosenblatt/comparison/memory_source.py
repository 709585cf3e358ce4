"""Rows and labels in memory, as a source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rosenblatt.csr import n_rows
from rosenblatt.data.labels import labels_of
from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.io.chunks import Chunk, Matrix, Table
from rosenblatt.persist.frames import HERE, chunk_of


@dataclass(frozen=True)
class MemorySource:
    """A source of one chunk."""

    chunk: Chunk
    name: str = "X"

    def __iter__(self) -> Iterator[Chunk]:
        """Give the chunk."""
        yield self.chunk


def memory_source(X: Any, y: Any) -> tuple[MemorySource, str | None]:
    """Rows with their labels; those of a frame become a column, whose name is returned too."""
    chunk = chunk_of(X) if hasattr(X, "columns") else None
    if isinstance(chunk, Table):
        import polars as pl  # noqa: PLC0415 (slow to import)

        name = "y"
        while name in chunk.names:
            name += "_"
        labels = pl.Series(name, labels_of(y, len(chunk)))
        return MemorySource(Table(chunk.frame.with_columns(labels), HERE)), name
    rows = rows_of(X)
    require_finite(rows)
    return MemorySource(Matrix(rows, labels_of(y, n_rows(rows)), HERE)), None
