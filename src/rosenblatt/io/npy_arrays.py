"""Arrays by name from an NPZ file, or from an NPY file, which holds one.

They are mapped, not read: what is packed goes through a temporary file that is unlinked at once
and lives as long as the array. Python objects in them are never loaded.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tokenize import TokenError
from zipfile import BadZipFile, ZipFile

import numpy as np

from rosenblatt.atomic_write import temporary_file
from rosenblatt.csr import CSR
from rosenblatt.errors import SourceError
from rosenblatt.io.files import copy_to, opened
from rosenblatt.io.reader import unpacked
from rosenblatt.io.scipy_sparse import checked_rows
from rosenblatt.types import Array

ZIP = b"PK"
WHOLE = "the array"  # name of what an NPY file holds
HEADER_ERRORS = (TokenError, SyntaxError, TypeError, OverflowError, MemoryError)  # from damage


@dataclass(frozen=True)
class ArrayFile:
    """An NPY or NPZ file."""

    file: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        with opened(self.file) as stream:
            if stream.read(len(ZIP)) != ZIP:
                return (WHOLE,)
        with unpacked(self.file) as path, _told(self.file), ZipFile(path) as archive:
            return tuple(member.removesuffix(".npy") for member in archive.namelist())

    def __getitem__(self, name: str) -> Array:
        """An array, mapped."""
        with unpacked(self.file) as path, _told(self.file):
            if name == WHOLE:
                return _mapped(path)
            with (
                temporary_file() as spool,
                ZipFile(path) as archive,
                archive.open(f"{name}.npy") as packed,
            ):
                copy_to(spool, packed, self.file)
                return _mapped(spool.name)

    @property
    def is_sparse(self) -> bool:
        """Whether it is what scipy's save_npz writes."""
        return {"format", "shape", "data"} <= set(self.names)

    def sparse_rows(self) -> CSR:
        """The rows of a sparse matrix: mapped, or converted in memory if not stored by rows."""
        return checked_rows(self.file, self.__getitem__)


def _mapped(path: str) -> Array:
    array: Array = np.lib.format.open_memmap(path, mode="r")
    return array


@contextmanager
def _told(file: str) -> Iterator[None]:
    """Trouble with an array, as a sentence about its file."""
    try:
        yield
    except (ValueError, KeyError, BadZipFile, RuntimeError, *HEADER_ERRORS) as error:
        if "Python objects" in str(error):
            raise SourceError(
                f"{file} holds Python objects (a pickle), which are never loaded, since they could"
                " run code. Save arrays of numbers, with labels as numbers or as text."
            ) from error
        reason = str(error).splitlines()[0].rstrip(".")
        raise SourceError(
            f"{file} cannot be read as arrays: {reason}. Is it whole, and an NPY or NPZ file?"
        ) from error
