"""Decompression of zstd files in bounded memory; a truncated frame is an error.

A frame is a header, then blocks of at most 128 KB uncompressed, then perhaps a checksum (RFC 8878).
Blocks are passed to the library a few at a time, so that the memory is bounded for every file::

    magic 4 | descriptor 1 | window 0-1 | dictionary 0-4 | content size 0-8 | blocks | checksum 0-4
    block:  3 bytes (last block: bit 0, kind: bits 1-2, size: the others), then `size` bytes, or
            one byte if its kind is a run of one byte
"""

from io import RawIOBase, UnsupportedOperation
from pathlib import Path
from typing import IO, Any

import zstandard

BLOCKS_AT_A_TIME = 8  # at most 1 MB uncompressed
BUFFER_BYTES = 1 << 20  # read from the file at a time
MAGIC = b"\x28\xb5\x2f\xfd"
SKIPPABLE = range(0x184D2A50, 0x184D2A60)  # frames of other content
RUN = 1  # a block of one byte, repeated
DICTIONARY_BYTES = (0, 1, 2, 4)
CONTENT_SIZE_BYTES = (0, 2, 4, 8)


class Frames(RawIOBase):
    """The decompressed bytes of a file; one that ends within a frame is an EOFError, as in gzip."""

    def __init__(self, path: str) -> None:
        self._file: IO[bytes] = Path(path).open("rb", BUFFER_BYTES)  # noqa: SIM115 (closed below)
        self._decompressor = zstandard.ZstdDecompressor()  # one for all frames: slow to create
        self._frame: Any = None
        self._checksum = 0  # its bytes after the last block
        self._plain = memoryview(b"")  # decompressed, but not read yet

    def readable(self) -> bool:
        """Whether there is anything to read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or a part of it; 0 at the end."""
        while not self._plain:
            packed = self._blocks() if self._frame is not None else self._header()
            if not packed:
                return 0
            self._plain = memoryview(self._frame.decompress(packed))
            if self._frame.eof:
                self._frame = None
        n = min(len(buffer), len(self._plain))
        buffer[:n], self._plain = self._plain[:n], self._plain[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _header(self) -> bytes:
        """The header of the next frame, now the current one; empty at the end of the file."""
        magic = self._file.read(len(MAGIC))
        while len(magic) == len(MAGIC) and int.from_bytes(magic, "little") in SKIPPABLE:
            self._skip(int.from_bytes(self._exactly(4), "little"))
            magic = self._file.read(len(MAGIC))
        if not magic:
            return b""
        if magic != MAGIC:
            raise zstandard.ZstdError(f"{magic!r} where a frame should begin")
        descriptor = self._exactly(1)[0]
        single, self._checksum = descriptor & 0x20, 4 if descriptor & 4 else 0
        size = CONTENT_SIZE_BYTES[descriptor >> 6] or (1 if single else 0)
        rest = (0 if single else 1) + DICTIONARY_BYTES[descriptor & 3] + size
        header = magic + bytes([descriptor]) + self._exactly(rest)
        _refuse_dictionary(header, len(header) - size, DICTIONARY_BYTES[descriptor & 3])
        self._frame = self._decompressor.decompressobj()
        return header

    def _blocks(self) -> bytes:
        """The next few blocks, up to the end of the frame."""
        blocks: list[bytes] = []
        for _ in range(BLOCKS_AT_A_TIME):
            start = self._exactly(3)
            header = int.from_bytes(start, "little")
            blocks += start, self._exactly(1 if header >> 1 & 3 == RUN else header >> 3)
            if header & 1:
                blocks.append(self._exactly(self._checksum))
                break
        return b"".join(blocks)

    def _skip(self, n: int) -> None:
        for start in range(0, n, BUFFER_BYTES):
            self._exactly(min(BUFFER_BYTES, n - start))

    def _exactly(self, n: int) -> bytes:
        found = self._file.read(n)
        if len(found) < n:
            raise EOFError("it ends within a frame")
        return found


def _refuse_dictionary(header: bytes, end: int, length: int) -> None:
    """Refuse a frame that needs a dictionary; its number ends at `end`, and 0 means none."""
    number = int.from_bytes(header[end - length : end], "little")
    if number:
        raise UnsupportedOperation(
            f"it is compressed with a dictionary (number {number}), which the file does not"
            " contain. Decompress it first, with zstd -d -D DICTIONARY"
        )
