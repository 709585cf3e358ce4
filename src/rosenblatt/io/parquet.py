"""Parquet and Arrow files, which hold typed columns: chunks of them through polars.

Both are read as a stream, so a file may be far larger than memory. Packed ones are unpacked into
a temporary file, since their reader begins at the end.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rosenblatt.errors import SourceError
from rosenblatt.io.arrow_layout import BadLayoutError, check_arrow
from rosenblatt.io.chunks import Place, Table
from rosenblatt.io.reader import name_of, some_rows, unpacked

if TYPE_CHECKING:
    import polars as pl

STREAM = b"\xff\xff\xff\xff"  # how an Arrow stream begins, which is another format
MOST_ROWS, MOST_CELLS = 1 << 16, 1 << 22  # of a chunk: tens of megabytes, be it long or wide


@dataclass(frozen=True)
class Columnar:
    """Tables of one kind, "Parquet" or "Arrow", one after another."""

    files: tuple[str, ...]
    kind: str
    most_rows: int = MOST_ROWS

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Table]:
        """Read the chunks from the beginning."""
        return some_rows(self.name, self._tables())

    def _tables(self) -> Iterator[Table]:
        first: pl.Schema | None = None
        for file in self.files:
            with unpacked(file) as path, _told(file, self.kind):
                if self.kind == "Arrow":
                    _refuse_stream(file, path)
                    check_arrow(path)
                scan = _scan(self.kind, path)
                schema = scan.collect_schema()
                if first is None:
                    first = schema
                _check_same(self.files[0], first, file, schema)
                yield from self._chunks(_in_order(scan, schema, first), file, len(first))

    def _chunks(self, scan: "pl.LazyFrame", file: str, width: int) -> Iterator[Table]:
        row, most_rows = 0, min(self.most_rows, max(1, MOST_CELLS // max(1, width)))
        for frame in scan.collect_batches(chunk_size=most_rows, maintain_order=True):
            yield Table(frame, Place(file, row=row))
            row += frame.height
        announced = _announced_rows(scan)
        if row != announced:
            raise SourceError(
                f"{file} is damaged: it announces {announced:,} rows, of which {row:,} can be read."
                " Fetch it again, or write it again."
            )


def _announced_rows(scan: "pl.LazyFrame") -> int:
    """How many rows the metadata of a file announce.

    Where decoding fails in a thread of its own, polars may just end with the rows before.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    return int(scan.select(pl.len()).collect().item())


def _scan(kind: str, path: str) -> "pl.LazyFrame":
    import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

    scan = pl.scan_parquet if kind == "Parquet" else pl.scan_ipc
    return scan(path, glob=False, hive_partitioning=False)


def _in_order(scan: "pl.LazyFrame", found: "pl.Schema", wanted: "pl.Schema") -> "pl.LazyFrame":
    """Columns in the order of the first file, by their numbers: a name may look like a pattern."""
    import polars as pl  # noqa: PLC0415

    if list(found) == list(wanted):
        return scan
    places = {name: place for place, name in enumerate(found)}
    return scan.select(pl.nth([places[name] for name in wanted]))


def _refuse_stream(file: str, path: str) -> None:
    with Path(path).open("rb") as opened:
        if opened.read(len(STREAM)) == STREAM:
            raise SourceError(
                f"{file} is an Arrow stream. Write it as an Arrow file, for instance with"
                " polars.read_ipc_stream(…).write_ipc(…)."
            )


@contextmanager
def _told(file: str, kind: str) -> Iterator[None]:
    """Trouble of the reader, as a sentence about the file."""
    import polars as pl  # noqa: PLC0415

    try:
        yield
    except (
        BadLayoutError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
    ) as error:
        reason = str(error).splitlines()[0]
        raise SourceError(
            f"{file} cannot be read as {kind}: {reason}. Is it whole, and of that kind?"
        ) from error


def _check_same(first: str, wanted: "pl.Schema", file: str, found: "pl.Schema") -> None:
    """Later files may have their columns in another order, but must have the same ones."""
    for column, kind in wanted.items():
        if column not in found:
            raise SourceError(f"{file} has no column {column!r}, which {first} has. {SAME}")
        if found[column] != kind:
            raise SourceError(
                f"{file}, column {column!r}: {found[column]}, where {first} has {kind}. {SAME}"
            )
    for column in found:
        if column not in wanted:
            raise SourceError(f"{file} has a column {column!r}, which {first} has not. {SAME}")


SAME = "Files that are read together must have the same columns."
