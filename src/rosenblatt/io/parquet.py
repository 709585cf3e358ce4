"""Parquet and Arrow files, which hold typed columns: chunks of them through polars.

Both are read as a stream, so a file may be far larger than memory. Packed ones are unpacked into
a temporary file, since their reader begins at the end.
"""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, some_rows
from rosenblatt.io.files import name_of, unpacked

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


MAGIC = b"ARROW1"
CONTINUES = 0xFFFFFFFF  # stands before the length of the metadata in newer files
MAX_BATCH_BYTES = 1 << 32  # of a compressed record batch, unpacked
MAX_NULL_ROWS = 1 << 24  # of a batch whose columns have no bytes: then nothing else bounds them
MAX_LZ4_RATIO, MAX_ZSTD_RATIO = 255, 1 << 15  # of plain to packed bytes, by their formats
SLACK_BYTES = 1 << 16  # beyond these ratios, for headers
LZ4_CODEC = 0
NOT_COMPRESSED = -1  # as an unpacked length
DICTIONARY, BATCH = 2, 3  # kinds of messages


class BadLayoutError(Exception):
    """Sizes of an Arrow file that cannot be meant, and why."""


class Block(NamedTuple):
    """Where a message stands: its metadata, then its body."""

    offset: int
    metadata: int
    body: int


def check_arrow(path: str) -> None:
    """Refuse an Arrow file whose announced sizes do not fit it."""
    with Path(path).open("rb") as stream:
        size = stream.seek(0, 2)
        if size < 2 * len(MAGIC) + 4:
            raise BadLayoutError("it is too short for an Arrow file")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                _check_file(content, size)
            except (struct.error, IndexError) as error:
                raise BadLayoutError("its metadata point outside the file") from error


def _check_file(content: mmap.mmap, size: int) -> None:
    if content[: len(MAGIC)] != MAGIC or content[size - len(MAGIC) :] != MAGIC:
        raise BadLayoutError("it does not begin and end as an Arrow file does")
    end = size - len(MAGIC) - 4
    length = struct.unpack_from("<i", content, end)[0]
    if not 0 < length <= end:
        raise BadLayoutError(f"its footer has {length:,} bytes, in a file of {size:,}")
    start = end - length
    footer = FlatTable.root(content[start:end])
    for block in (*_blocks(footer, 2), *_blocks(footer, 3)):
        fits = min(block) >= 0 and sum(block) <= start and block.metadata >= 8
        if not fits:
            raise BadLayoutError(f"a block of {sum(block[1:]):,} bytes is not within the file")
        _check_block(content, block)


class FlatTable(NamedTuple):
    """A table of FlatBuffers: its bytes, and where in them it stands."""

    content: bytes
    place: int

    @classmethod
    def root(cls, content: bytes) -> "FlatTable":
        """The table that some bytes begin with a reference to."""
        return cls(content, _unpacked("<I", content, 0))

    def field(self, k: int) -> int | None:
        """Where field k stands, if it is not left out."""
        fields = self.place - _unpacked("<i", self.content, self.place)
        if 4 + 2 * k >= _unpacked("<H", self.content, fields):
            return None
        offset = _unpacked("<H", self.content, fields + 4 + 2 * k)
        return self.place + offset if offset else None

    def number(self, k: int, kind: str) -> int:
        """A number in field k; 0 if it is left out."""
        at = self.field(k)
        return 0 if at is None else _unpacked(kind, self.content, at)

    def table(self, k: int) -> "FlatTable | None":
        """The table that field k refers to."""
        at = self.field(k)
        return (
            None if at is None else FlatTable(self.content, at + _unpacked("<I", self.content, at))
        )

    def structs(self, k: int, kind: str) -> Iterator[tuple[Any, ...]]:
        """The structs in the vector that field k refers to."""
        at = self.field(k)
        if at is None:
            return iter(())
        at += _unpacked("<I", self.content, at)
        n, first = _unpacked("<I", self.content, at), at + 4
        stop = first + n * struct.calcsize(kind)
        if stop > len(self.content):
            raise BadLayoutError("its metadata point outside the file")
        return struct.iter_unpack(kind, self.content[first:stop])


def _unpacked(kind: str, content: bytes, at: int) -> int:
    if at < 0:
        raise BadLayoutError("its metadata point outside the file")
    return int(struct.unpack_from(kind, content, at)[0])


def _blocks(footer: FlatTable, k: int) -> Iterator[Block]:
    return (Block(*found) for found in footer.structs(k, "<qi4xq"))


def _check_block(content: mmap.mmap, block: Block) -> None:
    """The message of a block, which must be a record batch, or a dictionary, which holds one."""
    begin, body = block.offset, block.offset + block.metadata
    if _unpacked("<I", content[begin : begin + 4], 0) == CONTINUES:
        begin += 4
    message = FlatTable.root(content[begin + 4 : body])
    batch, kind = message.table(2), message.number(1, "<B")
    if batch is not None and kind == DICTIONARY:
        batch = batch.table(1)
    if batch is None or kind not in (DICTIONARY, BATCH):
        raise BadLayoutError("a block of it holds no rows")
    _check_batch(content, Body(body, block.body), batch)


class Body(NamedTuple):
    """Where the buffers of a block stand in its file."""

    start: int
    size: int


def _check_batch(content: mmap.mmap, body: Body, batch: FlatTable) -> None:
    compression = batch.table(3)
    ratio = 1
    if compression is not None:
        is_lz4 = compression.number(0, "<b") == LZ4_CODEC
        ratio = MAX_LZ4_RATIO if is_lz4 else MAX_ZSTD_RATIO
    total = sum(_unpacked_size(content, body, at, n, ratio) for at, n in batch.structs(2, "<qq"))
    if compression is not None and total > MAX_BATCH_BYTES:
        raise BadLayoutError(
            f"a batch of its rows takes {total / 1e9:,.1f} GB unpacked; write batches of less than"
            f" {MAX_BATCH_BYTES / 1e9:.1f} GB"
        )
    rows = batch.number(0, "<q")
    most = max(8 * total, MAX_NULL_ROWS)  # a value takes a bit at least
    for length, nulls in ((rows, 0), *batch.structs(1, "<qq")):
        if not 0 <= nulls <= length <= most:
            raise BadLayoutError(f"it announces {length:,} rows, of which {nulls:,} are missing")


def _unpacked_size(content: mmap.mmap, body: Body, at: int, n: int, ratio: int) -> int:
    """How many bytes a buffer has, unpacked if need be."""
    if at < 0 or n < 0 or at + n > body.size:
        raise BadLayoutError(f"a buffer of {n:,} bytes is not within its block")
    if ratio == 1 or n == 0:
        return n
    size = int(struct.unpack_from("<q", content, body.start + at)[0])
    if size == NOT_COMPRESSED:
        return n - 8
    if not 0 <= size <= ratio * n + SLACK_BYTES:
        raise BadLayoutError(f"a buffer of {n:,} bytes announces {size:,} bytes unpacked")
    return size
