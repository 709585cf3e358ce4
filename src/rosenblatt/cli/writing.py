"""Predictions written as they come: CSV, JSON lines or Parquet; a file is whole or not there."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.writing import written_whole

FORMATS = ("csv", "jsonl", "parquet")
Write = Callable[[dict[str, Any]], None]


@contextmanager
def writer_for(output: str | None, to: str | None) -> Iterator[Write]:
    """What writes columns of predictions, chunk after chunk, to a file or standard output."""
    kind = _kind(output, to)
    if output is None:
        yield _text_writer(sys.stdout.buffer, kind)
        sys.stdout.buffer.flush()
        return
    try:
        with written_whole(output) as file:
            if kind == "parquet":
                with _parquet_writer(file) as write:
                    yield write
            else:
                yield _text_writer(file, kind)
    except OSError as error:
        raise SourceError(f"{output} cannot be written: {error.strerror or error}.") from error


def _kind(output: str | None, to: str | None) -> str:
    """The format asked for, or that of the file's suffix, or CSV."""
    suffix = "" if output is None else Path(output).suffix.removeprefix(".").lower()
    kind = to or {"ndjson": "jsonl", "pq": "parquet"}.get(suffix, suffix) or "csv"
    if kind not in FORMATS:
        raise ParameterError(
            f"Predictions are written as {', '.join(FORMATS)}; got {kind!r}. Choose with --to."
        )
    if kind == "parquet" and output is None:
        raise ParameterError("Parquet goes to a file: name one with -o.")
    return kind


def _text_writer(file: IO[bytes], kind: str) -> Write:
    import polars as pl

    def write(columns: dict[str, Any]) -> None:
        frame = pl.DataFrame(columns)
        if kind == "jsonl":
            frame.write_ndjson(file)
        else:
            frame.write_csv(file, include_header=not written)
        written.append(len(frame))

    written: list[int] = []
    return write


@contextmanager
def _parquet_writer(file: IO[bytes]) -> Iterator[Write]:
    """Parquet is written at once, from chunks that wait in a folder: memory stays flat."""
    import polars as pl

    with TemporaryDirectory(prefix="rosenblatt-") as folder:

        def write(columns: dict[str, Any]) -> None:
            parts.append(Path(folder) / f"{len(parts)}.arrow")
            pl.DataFrame(columns).write_ipc(parts[-1])

        parts: list[Path] = []
        yield write
        pl.scan_ipc(parts).sink_parquet(file)
