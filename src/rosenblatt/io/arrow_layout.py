"""What an Arrow file says of its own sizes, checked before polars allocates by them.

polars trusts the lengths that a file announces, and a length that no memory holds ends the whole
process, where an exception could be told. So the announced sizes are followed first: the footer
names blocks (offset, length of the metadata, length of the body), the metadata of each block are a
record batch (rows, nodes, buffers), and a compressed buffer begins with its unpacked length. All
must lie within the file, and no codec may unpack its bytes to more than it can.

Metadata are FlatBuffers: tables of fields, found by offsets. A table stands at a place t; its list
of fields at t − i32[t], where u16[4 + 2k] is the offset of field k from t, or 0 if it is left out.
"""

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

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
    footer = Table.root(content[start:end])
    for block in (*_blocks(footer, 2), *_blocks(footer, 3)):
        fits = min(block) >= 0 and sum(block) <= start and block.metadata >= 8
        if not fits:
            raise BadLayoutError(f"a block of {sum(block[1:]):,} bytes is not within the file")
        _check_block(content, block)


class Table(NamedTuple):
    """A table of FlatBuffers: its bytes, and where in them it stands."""

    content: bytes
    place: int

    @classmethod
    def root(cls, content: bytes) -> "Table":
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

    def table(self, k: int) -> "Table | None":
        """The table that field k refers to."""
        at = self.field(k)
        return None if at is None else Table(self.content, at + _unpacked("<I", self.content, at))

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


def _blocks(footer: Table, k: int) -> Iterator[Block]:
    return (Block(*found) for found in footer.structs(k, "<qi4xq"))


def _check_block(content: mmap.mmap, block: Block) -> None:
    """The message of a block, which must be a record batch, or a dictionary, which holds one."""
    begin, body = block.offset, block.offset + block.metadata
    if _unpacked("<I", content[begin : begin + 4], 0) == CONTINUES:
        begin += 4
    message = Table.root(content[begin + 4 : body])
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


def _check_batch(content: mmap.mmap, body: Body, batch: Table) -> None:
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
