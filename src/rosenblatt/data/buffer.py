"""Rows that come in parts and go on as one: in memory while they are few, else in a file.

The file has no name, so nothing stays behind however the process ends. It is mapped into memory:
a kernel reads it as it reads any array, the same bits, and the system keeps as much of it at hand
as there is room for. So every rule learns from data that are larger than memory.
"""

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import SourceError
from rosenblatt.types import Array

MOST_IN_MEMORY = 1 << 28  # bytes
GROWTH = 1.5  # how much room is made when there is too little


class Growing:
    """A one-dimensional array that grows at its end, to a size that may be known beforehand.

    It has the type of its first part; a part that this type cannot hold widens what is there.
    """

    def __init__(self, most: int = MOST_IN_MEMORY, expected: int = 0) -> None:
        self._most, self._expected = most, expected
        self._room: Array = np.zeros(0)
        self.size = 0
        self.on_disk = False

    def add(self, part: Array) -> None:
        """Put a part at the end."""
        wanted = part.dtype if not self.size else np.promote_types(self._room.dtype, part.dtype)
        end = self.size + part.size
        if end > len(self._room) or wanted != self._room.dtype:
            self._move(wanted, max(end, self._expected, int(GROWTH * self.size)))
        self._room[self.size : end] = part.reshape(-1)
        self.size = end

    def array(self) -> Array:
        """All of it."""
        return self._room[: self.size]

    def _move(self, kind: np.dtype[Any], size: int) -> None:
        """Make room for so many numbers of a type, and take along what is there."""
        before = self.array()
        self.on_disk = size * kind.itemsize > self._most
        self._room = _on_disk(size, kind) if self.on_disk else np.empty(size, kind)
        for start in range(0, len(before), self._most):
            part = before[start : start + self._most]
            self._room[start : start + len(part)] = part


class Store:
    """Rows, dense or sparse, that come in parts; how many rows may be known beforehand."""

    def __init__(self, expected: int = 0, most: int = MOST_IN_MEMORY) -> None:
        self._expected, self._most = expected, most
        self._values, self._indices, self._lengths = (Growing(most) for _ in range(3))
        self._width = 0
        self._sparse = False
        self.n_rows = 0

    @property
    def on_disk(self) -> bool:
        """Whether there was too much for memory."""
        return self._values.on_disk

    def add(self, rows: Rows) -> None:
        """Put rows at the end."""
        self._width = max(self._width, n_cols(rows))
        if isinstance(rows, CSR):
            self._sparse = True
            entries = slice(int(rows.indptr[0]), int(rows.indptr[-1]))
            self._values.add(rows.data[entries])
            self._indices.add(rows.indices[entries])
            self._lengths.add(np.diff(rows.indptr).astype(np.int32))
            self.n_rows += len(rows.indptr) - 1
        else:
            if not self.n_rows:
                self._values = Growing(self._most, self._expected * self._width)
            self._values.add(rows)
            self.n_rows += len(rows)

    def rows(self) -> Rows:
        """All rows."""
        values = self._values.array()
        if not self._sparse:
            return values.reshape(self.n_rows, self._width)
        kind = np.int32 if max(len(values), self._width) <= np.iinfo(np.int32).max else np.int64
        ends = np.zeros(self.n_rows + 1, kind)
        np.cumsum(self._lengths.array(), out=ends[1:])
        return CSR(values, self._indices.array().astype(kind, copy=False), ends, self._width)


def _on_disk(size: int, kind: np.dtype[Any]) -> Array:
    """An array in a file without a name."""
    try:
        with tempfile.TemporaryFile(prefix="rosenblatt-") as file:
            _make_room(file.fileno(), size * kind.itemsize)
            return np.frombuffer(mmap.mmap(file.fileno(), 0), kind)
    except OSError as error:
        raise SourceError(
            f"The rows do not fit into memory, and {size * kind.itemsize:,} bytes in"
            f" {tempfile.gettempdir()} were refused: {error.strerror}. Set TMPDIR to a folder with"
            " more room."
        ) from error


def _make_room(file: int, size: int) -> None:
    """Give a file its size; where the system can, a disk too small for it is told now."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)
