"""Parquet and Arrow files, read by polars in chunks.

A file may be far larger than memory. Compressed ones are decompressed into a temporary file, since
their metadata are at the end.

The sizes in an Arrow file are checked before polars allocates by them: a length that no memory
holds would end the process instead of raising an exception. The footer names blocks (offset, length
of the metadata, length of the body); the metadata of each block are a record batch (rows, nodes,
buffers), and a compressed buffer begins with its uncompressed length. All must lie within the file,
and no compression ratio may exceed what its codec can reach.

Metadata are FlatBuffers: tables of fields, found by offsets. A table at position t has its list of
fields at t − i32[t], where u16[4 + 2k] is the offset of field k from t, or 0 if it is omitted.
"""

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, non_empty
from rosenblatt.io.files import name_of, unpacked

if TYPE_CHECKING:
    import polars as pl

STREAM_MAGIC = b"\xff\xff\xff\xff"  # an Arrow stream is another format
MAX_CHUNK_ROWS, MAX_CHUNK_CELLS = 1 << 16, 1 << 22  # tens of megabytes, be it long or wide


@dataclass(frozen=True)
class ColumnarSource:
    """Tables of one format, "Parquet" or "Arrow", one after another."""

    files: tuple[str, ...]
    kind: str
    max_rows: int = MAX_CHUNK_ROWS

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Table]:
        """Read the chunks from the beginning."""
        return non_empty(self.name, self._tables())

    def _tables(self) -> Iterator[Table]:
        first: pl.Schema | None = None
        for file in self.files:
            with unpacked(file) as path, _naming_file(file, self.kind):
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
        row, max_rows = 0, min(self.max_rows, max(1, MAX_CHUNK_CELLS // max(1, width)))
        for frame in scan.collect_batches(chunk_size=max_rows, maintain_order=True):
            yield Table(frame, Place(file, row=row))
            row += frame.height
        expected = _rows_by_metadata(scan)
        if row != expected:
            raise SourceError(
                f"{file} is damaged: it claims {expected:,} rows, of which {row:,} can be read."
                " Fetch it again, or write it again."
            )


def _rows_by_metadata(scan: "pl.LazyFrame") -> int:
    """Number of rows according to the metadata of a file.

    Where decoding fails in another thread, polars may just stop after the rows before.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    return int(scan.select(pl.len()).collect().item())


def _scan(kind: str, path: str) -> "pl.LazyFrame":
    import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

    scan = pl.scan_parquet if kind == "Parquet" else pl.scan_ipc
    return scan(path, glob=False, hive_partitioning=False)


def _in_order(scan: "pl.LazyFrame", found: "pl.Schema", wanted: "pl.Schema") -> "pl.LazyFrame":
    """Columns in the order of the first file, by number: a name may look like a pattern."""
    import polars as pl  # noqa: PLC0415

    if list(found) == list(wanted):
        return scan
    places = {name: place for place, name in enumerate(found)}
    return scan.select(pl.nth([places[name] for name in wanted]))


def _refuse_stream(file: str, path: str) -> None:
    with Path(path).open("rb") as opened:
        if opened.read(len(STREAM_MAGIC)) == STREAM_MAGIC:
            raise SourceError(
                f"{file} is an Arrow stream. Write it as an Arrow file, for instance with"
                " polars.read_ipc_stream(…).write_ipc(…)."
            )


@contextmanager
def _naming_file(file: str, kind: str) -> Iterator[None]:
    """Raise errors of polars as errors about the file."""
    import polars as pl  # noqa: PLC0415

    try:
        yield
    except (
        BadArrowError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
    ) as error:
        reason = str(error).splitlines()[0]
        raise SourceError(
            f"{file} cannot be read as {kind}: {reason}. Is it a complete {kind} file?"
        ) from error


def _check_same(first: str, wanted: "pl.Schema", file: str, found: "pl.Schema") -> None:
    """Refuse a file with other columns or types than the first; their order may differ."""
    for column, kind in wanted.items():
        if column not in found:
            raise SourceError(f"{file} has no column {column!r}, which {first} has. {SAME}")
        if found[column] != kind:
            raise SourceError(
                f"{file}, column {column!r}: {found[column]}, where {first} has {kind}. {SAME}"
            )
    for column in found:
        if column not in wanted:
            raise SourceError(
                f"{file} has a column {column!r}, which {first} does not have. {SAME}"
            )


SAME = "Files that are read together must have the same columns."


MAGIC = b"ARROW1"
CONTINUATION_MARKER = 0xFFFFFFFF  # before the length of the metadata in newer files
MAX_BATCH_BYTES = 1 << 32  # of a compressed record batch, uncompressed
MAX_NULL_ROWS = 1 << 24  # of a batch whose columns have no bytes, so that nothing else bounds them
MAX_LZ4_RATIO, MAX_ZSTD_RATIO = 255, 1 << 15  # of uncompressed to compressed bytes
HEADER_BYTES = 1 << 16  # allowed beyond these ratios
LZ4_CODEC = 0
NOT_COMPRESSED = -1  # in the place of an uncompressed length
DICTIONARY, BATCH = 2, 3  # kinds of messages


class BadArrowError(Exception):
    """Impossible sizes in an Arrow file, and why."""


class Block(NamedTuple):
    """Position of a message: its metadata, then its body."""

    offset: int
    metadata: int
    body: int


def check_arrow(path: str) -> None:
    """Refuse an Arrow file whose metadata contradict its size."""
    with Path(path).open("rb") as stream:
        size = stream.seek(0, 2)
        if size < 2 * len(MAGIC) + 4:
            raise BadArrowError("it is too short for an Arrow file")
        with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                _check_file(content, size)
            except (struct.error, IndexError) as error:
                raise BadArrowError("its metadata point outside the file") from error


def _check_file(content: mmap.mmap, size: int) -> None:
    if content[: len(MAGIC)] != MAGIC or content[size - len(MAGIC) :] != MAGIC:
        raise BadArrowError("it does not begin and end as an Arrow file does")
    end = size - len(MAGIC) - 4
    length = struct.unpack_from("<i", content, end)[0]
    if not 0 < length <= end:
        raise BadArrowError(f"its footer has {length:,} bytes, in a file of {size:,}")
    start = end - length
    footer = FlatTable.root(content[start:end])
    for block in (*_blocks(footer, 2), *_blocks(footer, 3)):
        fits = min(block) >= 0 and sum(block) <= start and block.metadata >= 8
        if not fits:
            raise BadArrowError(f"a block of {sum(block[1:]):,} bytes is not within the file")
        _check_block(content, block)


class FlatTable(NamedTuple):
    """A table of FlatBuffers: its bytes, and its position in them."""

    content: bytes
    place: int

    @classmethod
    def root(cls, content: bytes) -> "FlatTable":
        """The table that the first offset of some bytes refers to."""
        return cls(content, _read_number("<I", content, 0))

    def field(self, k: int) -> int | None:
        """Position of field k, or None if it is omitted."""
        fields = self.place - _read_number("<i", self.content, self.place)
        if 4 + 2 * k >= _read_number("<H", self.content, fields):
            return None
        offset = _read_number("<H", self.content, fields + 4 + 2 * k)
        return self.place + offset if offset else None

    def number(self, k: int, kind: str) -> int:
        """The number in field k; 0 if it is omitted."""
        at = self.field(k)
        return 0 if at is None else _read_number(kind, self.content, at)

    def table(self, k: int) -> "FlatTable | None":
        """The table that field k refers to."""
        at = self.field(k)
        return (
            None
            if at is None
            else FlatTable(self.content, at + _read_number("<I", self.content, at))
        )

    def structs(self, k: int, kind: str) -> Iterator[tuple[Any, ...]]:
        """The structs in the vector that field k refers to."""
        at = self.field(k)
        if at is None:
            return iter(())
        at += _read_number("<I", self.content, at)
        n, first = _read_number("<I", self.content, at), at + 4
        stop = first + n * struct.calcsize(kind)
        if stop > len(self.content):
            raise BadArrowError("its metadata point outside the file")
        return struct.iter_unpack(kind, self.content[first:stop])


def _read_number(kind: str, content: bytes, at: int) -> int:
    if at < 0:
        raise BadArrowError("its metadata point outside the file")
    return int(struct.unpack_from(kind, content, at)[0])


def _blocks(footer: FlatTable, k: int) -> Iterator[Block]:
    return (Block(*found) for found in footer.structs(k, "<qi4xq"))


def _check_block(content: mmap.mmap, block: Block) -> None:
    """Check the message of a block: a record batch, or a dictionary, which holds one."""
    begin, body = block.offset, block.offset + block.metadata
    if _read_number("<I", content[begin : begin + 4], 0) == CONTINUATION_MARKER:
        begin += 4
    message = FlatTable.root(content[begin + 4 : body])
    batch, kind = message.table(2), message.number(1, "<B")
    if batch is not None and kind == DICTIONARY:
        batch = batch.table(1)
    if batch is None or kind not in (DICTIONARY, BATCH):
        raise BadArrowError("one of its blocks holds no rows")
    _check_batch(content, Body(body, block.body), batch)


class Body(NamedTuple):
    """Position of the buffers of a block in the file."""

    start: int
    size: int


def _check_batch(content: mmap.mmap, body: Body, batch: FlatTable) -> None:
    compression = batch.table(3)
    ratio = 1
    if compression is not None:
        is_lz4 = compression.number(0, "<b") == LZ4_CODEC
        ratio = MAX_LZ4_RATIO if is_lz4 else MAX_ZSTD_RATIO
    total = sum(
        _uncompressed_size(content, body, at, n, ratio) for at, n in batch.structs(2, "<qq")
    )
    if compression is not None and total > MAX_BATCH_BYTES:
        raise BadArrowError(
            f"a batch of its rows takes {total / 1e9:,.1f} GB uncompressed; write batches of less"
            f" than {MAX_BATCH_BYTES / 1e9:.1f} GB"
        )
    rows = batch.number(0, "<q")
    max_rows = max(8 * total, MAX_NULL_ROWS)  # a value takes at least one bit
    for length, nulls in ((rows, 0), *batch.structs(1, "<qq")):
        if not 0 <= nulls <= length <= max_rows:
            raise BadArrowError(f"it claims {length:,} rows, of which {nulls:,} are missing")


def _uncompressed_size(content: mmap.mmap, body: Body, at: int, n: int, ratio: int) -> int:
    """Bytes of a buffer, uncompressed."""
    if at < 0 or n < 0 or at + n > body.size:
        raise BadArrowError(f"a buffer of {n:,} bytes is not within its block")
    if ratio == 1 or n == 0:
        return n
    size = int(struct.unpack_from("<q", content, body.start + at)[0])
    if size == NOT_COMPRESSED:
        return n - 8
    if not 0 <= size <= ratio * n + HEADER_BYTES:
        raise BadArrowError(f"a buffer of {n:,} bytes claims {size:,} bytes uncompressed")
    return size
