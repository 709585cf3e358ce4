"""Files packed by zstd: frames one after another, of which none may be cut short."""

from io import RawIOBase
from pathlib import Path
from typing import Any

import zstandard

PACKED = 1 << 17  # bytes that are unpacked at a time


class Frames(RawIOBase):
    """The plain bytes of a file; one that ends within a frame is an EOFError, as by gzip."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115 (closed with this)
        self._frame: Any = None
        self._ready = b""

    def readable(self) -> bool:
        """Whether there is anything to read."""
        return True

    def readinto(self, room: Any) -> int:
        """Fill some room, or a part of it; 0 at the end."""
        while not self._ready:
            packed = self._packed()
            if not packed:
                return 0
            if self._frame is None:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._ready = self._frame.decompress(packed)
        n = min(len(room), len(self._ready))
        room[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _packed(self) -> bytes:
        """What comes next: the rest of what was read, if a frame has ended within it."""
        rest = b""
        if self._frame is not None and self._frame.eof:
            rest, self._frame = self._frame.unused_data, None
        packed = rest or self._file.read(PACKED)
        if not packed and self._frame is not None:
            raise EOFError("it ends within a frame")
        return packed
