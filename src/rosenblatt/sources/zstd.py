"""Zstandard files, all frames of them, and none cut short: its own reader stops in silence."""

import io
from pathlib import Path

import zstandard

BLOCK = 1 << 14  # packed bytes at a time: few, since they may become ten thousand times as many
BUFFER = 1 << 17


class _Unpacked(io.RawIOBase):
    """The plain bytes of a file."""

    def __init__(self, path: str) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115 (closed with this)
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._packed, self._plain = b"", memoryview(b"")
        self._within = False  # a frame

    def readable(self) -> bool:
        """Tell that it can be read from."""
        return True

    def readinto(self, room: memoryview) -> int:  # type: ignore[override]
        """Fill some room with the next bytes; 0 at the end."""
        while not self._plain and self._read_on():
            self._unpack()
        n = min(len(room), len(self._plain))
        room[:n], self._plain = self._plain[:n], self._plain[n:]
        return n

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _read_on(self) -> bool:
        self._packed = self._packed or self._file.read(BLOCK)
        if not self._packed and self._within:
            raise EOFError("it ends within a frame")
        return bool(self._packed)

    def _unpack(self) -> None:
        self._plain = memoryview(self._frame.decompress(self._packed))
        self._packed, self._within = b"", not self._frame.eof
        if self._frame.eof:
            self._packed = self._frame.unused_data
            self._frame = zstandard.ZstdDecompressor().decompressobj()


def open_zstd(path: str) -> io.BufferedReader:
    """The plain bytes of a file."""
    return io.BufferedReader(_Unpacked(path), BUFFER)
