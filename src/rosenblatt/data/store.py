"""Rows that come in parts and go on as one: in memory while they are few, else in a file.

The file has no name, so nothing stays behind however the process ends. It is mapped into memory:
a kernel reads it as it reads any array, the same bits, and the system keeps as much of it at hand
as there is room for. So every rule learns from data that are larger than memory.
"""

import mmap
import tempfile
from typing import IO, Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.data.storage import CSR, Rows, n_cols
from rosenblatt.errors import SourceError

MOST_IN_MEMORY = 1 << 28  # bytes


class Growing:
    """A one-dimensional array that grows at its end.

    It has the type of its first part; a part that this type cannot hold widens what is there.
    """

    def __init__(self, most: int = MOST_IN_MEMORY) -> None:
        self._most = most
        self._parts: list[Array] = []
        self._file: IO[bytes] | None = None
        self._type: np.dtype[Any] | None = None
        self.size = 0

    @property
    def on_disk(self) -> bool:
        """Whether there was too much for memory."""
        return self._file is not None

    def add(self, part: Array) -> None:
        """Put a part at the end."""
        wanted = part.dtype if self._type is None else np.promote_types(self._type, part.dtype)
        if self._type is not None and wanted != self._type:
            self._widen(wanted)
        self._type = wanted
        part = np.ascontiguousarray(part, wanted).reshape(-1)
        self.size += part.size
        if self._file is None:
            self._parts.append(part)
            if self.size * wanted.itemsize > self._most:
                self._move_to_disk()
        else:
            _write(self._file, part)

    def array(self) -> Array:
        """All of it."""
        if self._file is not None:
            self._file.flush()
            mapped = mmap.mmap(self._file.fileno(), 0)
            return np.frombuffer(mapped, self._type)
        if len(self._parts) != 1:
            self._parts = [np.concatenate(self._parts) if self._parts else np.zeros(0)]
        return self._parts[0]

    def _move_to_disk(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="rosenblatt-")  # noqa: SIM115 (lives on)
        for part in self._parts:
            _write(self._file, part)
        self._parts = []

    def _widen(self, wanted: np.dtype[Any]) -> None:
        if self._file is None:
            self._parts = [part.astype(wanted) for part in self._parts]
            return
        narrow, before = self.array(), self._file
        self._file = tempfile.TemporaryFile(prefix="rosenblatt-")  # noqa: SIM115 (lives on)
        for start in range(0, len(narrow), self._most):
            _write(self._file, narrow[start : start + self._most].astype(wanted))
        before.close()


class Store:
    """Rows, dense or sparse, that come in parts."""

    def __init__(self, most: int = MOST_IN_MEMORY) -> None:
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
            self._values.add(rows)
            self.n_rows += len(rows)

    def rows(self) -> Rows:
        """All rows."""
        values = self._values.array()
        if not self._sparse:
            return values.reshape(self.n_rows, self._width)
        kind = np.int32 if len(values) <= np.iinfo(np.int32).max else np.int64
        ends = np.zeros(self.n_rows + 1, kind)
        np.cumsum(self._lengths.array(), out=ends[1:])
        return CSR(values, self._indices.array().astype(kind, copy=False), ends, self._width)


def _write(file: IO[bytes], part: Array) -> None:
    try:
        file.write(part.data)
    except OSError as error:
        raise SourceError(
            f"The rows do not fit into memory, and writing them to {tempfile.gettempdir()} failed:"
            f" {error.strerror}. Set TMPDIR to a folder with more room."
        ) from error
