"""Buffers for rows that arrive in parts: in memory while they are small, else in a mapped file.

The file has no name, so nothing is left behind however the process ends. It is mapped into memory:
a kernel reads it like any array, and the system caches as much of it as fits. So every rule can be
trained on data larger than memory.
"""

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import SourceError
from rosenblatt.types import Array

MAX_MEMORY_BYTES = 1 << 28
GROWTH_FACTOR = 1.5  # of the capacity, when it is exhausted


class GrowableArray:
    """A one-dimensional array that grows at its end; its final size may be given.

    It has the type of its first part, and is promoted for a part that this type cannot hold.
    """

    def __init__(self, max_bytes: int = MAX_MEMORY_BYTES, expected: int = 0) -> None:
        self._max_bytes, self._expected = max_bytes, expected
        self._array: Array = np.zeros(0)
        self.size = 0
        self.on_disk = False

    def add(self, part: Array) -> None:
        """Append a part."""
        wanted = part.dtype if not self.size else np.promote_types(self._array.dtype, part.dtype)
        end = self.size + part.size
        if end > len(self._array) or wanted != self._array.dtype:
            self._reallocate(wanted, max(end, self._expected, int(GROWTH_FACTOR * self.size)))
        self._array[self.size : end] = part.reshape(-1)
        self.size = end

    def array(self) -> Array:
        """The elements so far."""
        return self._array[: self.size]

    def _reallocate(self, kind: np.dtype[Any], size: int) -> None:
        """Allocate room for `size` numbers of a type, and copy the elements there."""
        before = self.array()
        self.on_disk = size * kind.itemsize > self._max_bytes
        self._array = _mapped_array(size, kind) if self.on_disk else np.empty(size, kind)
        for start in range(0, len(before), self._max_bytes):
            part = before[start : start + self._max_bytes]
            self._array[start : start + len(part)] = part


class RowBuffer:
    """Rows, dense or sparse, that arrive in parts; their final number may be given."""

    def __init__(self, expected: int = 0, max_bytes: int = MAX_MEMORY_BYTES) -> None:
        self._expected, self._max_bytes = expected, max_bytes
        self._values, self._indices, self._lengths = (GrowableArray(max_bytes) for _ in range(3))
        self._width = 0
        self._sparse = False
        self.n_rows = 0

    @property
    def on_disk(self) -> bool:
        """Whether the values are in a file."""
        return self._values.on_disk

    def add(self, rows: Rows) -> None:
        """Append rows."""
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
                self._values = GrowableArray(self._max_bytes, self._expected * self._width)
            self._values.add(rows)
            self.n_rows += len(rows)

    def rows(self) -> Rows:
        """The rows so far."""
        values = self._values.array()
        if not self._sparse:
            return values.reshape(self.n_rows, self._width)
        kind = np.int32 if max(len(values), self._width) <= np.iinfo(np.int32).max else np.int64
        ends = np.zeros(self.n_rows + 1, kind)
        np.cumsum(self._lengths.array(), out=ends[1:])
        return CSR(values, self._indices.array().astype(kind, copy=False), ends, self._width)


def _mapped_array(size: int, kind: np.dtype[Any]) -> Array:
    """An array in an unnamed, memory-mapped file."""
    try:
        with tempfile.TemporaryFile(prefix="rosenblatt-") as file:
            _allocate(file.fileno(), size * kind.itemsize)
            return np.frombuffer(mmap.mmap(file.fileno(), 0), kind)
    except OSError as error:
        raise SourceError(
            f"The rows do not fit into memory, and {size * kind.itemsize:,} bytes in"
            f" {tempfile.gettempdir()} were refused: {error.strerror}. Set TMPDIR to a folder with"
            " more room."
        ) from error


def _allocate(file: int, size: int) -> None:
    """Set the size of a file; where the system can reserve it, a full disk is an error here."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)
