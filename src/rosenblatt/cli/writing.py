"""Predictions written as they come: CSV, JSON lines or Parquet; a file is whole or not there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rosenblatt.errors import ParameterError, SourceError

if TYPE_CHECKING:
    import polars as pl

FORMATS = ("csv", "jsonl", "parquet")
Write = Callable[[dict[str, Any]], None]


@contextmanager
def writer_for(output: str | None, to: str | None) -> Iterator[Write]:
    """What writes columns of predictions, chunk after chunk, to a file or standard output."""
    kind = _kind(output, to)
    if output is None:
        yield _Writer(sys.stdout.buffer, kind).write
        return
    with whole_file(output) as file:
        writer = _Writer(file, kind)
        yield writer.write
        writer.close()
