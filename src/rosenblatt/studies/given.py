"""Rows and labels in memory, as a source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rosenblatt.data.door import require_finite, rows_of
from rosenblatt.data.labels import labels_of
from rosenblatt.data.storage import n_rows
from rosenblatt.models.frames import HERE, chunk_of
from rosenblatt.sources.chunks import Chunk, Matrix, Table


@dataclass(frozen=True)
class Given:
    """A source of one chunk."""

    chunk: Chunk
    name: str = "X"

    def __iter__(self) -> Iterator[Chunk]:
        """Give the chunk."""
        yield self.chunk


def given_rows(X: Any, y: Any) -> tuple[Given, str | None]:
    """Rows with their labels; those of a frame become a column of it, whose name is told."""
    chunk = chunk_of(X) if hasattr(X, "columns") else None
    if isinstance(chunk, Table):
        import polars as pl  # noqa: PLC0415 (slow to import)

        name = "y"
        while name in chunk.names:
            name += "_"
        labels = pl.Series(name, labels_of(y, len(chunk)))
        return Given(Table(chunk.frame.with_columns(labels), HERE)), name
    rows = rows_of(X)
    require_finite(rows)
    return Given(Matrix(rows, labels_of(y, n_rows(rows)), HERE)), None
