"""Arrays by name from an NPZ file, or from an NPY file, which holds one.

They are memory-mapped; compressed ones through a temporary file that is unlinked at once and lives
as long as the array. Python objects in them are never loaded.

Texts are bytes (``S``), which must be UTF-8, or code points (``U``). numpy checks neither: an
invalid code point or a surrogate can be neither made into a Python string nor written to a file.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from tokenize import TokenError
from zipfile import BadZipFile, ZipFile

import numpy as np

from rosenblatt.atomic_write import temporary_file
from rosenblatt.errors import SourceError
from rosenblatt.io.files import copy_to, opened, unpacked
from rosenblatt.types import Array

ZIP = b"PK"
UNNAMED_ARRAY = "the array"  # name of what an NPY file holds
HEADER_ERRORS = (TokenError, SyntaxError, TypeError, OverflowError, MemoryError)  # if damaged
LAST_CODE_POINT = 0x10FFFF
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF


@dataclass(frozen=True)
class ArrayFile:
    """An NPY or NPZ file."""

    file: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the arrays."""
        with opened(self.file) as stream:
            if stream.read(len(ZIP)) != ZIP:
                return (UNNAMED_ARRAY,)
        with unpacked(self.file) as path, _naming_file(self.file), ZipFile(path) as archive:
            return tuple(member.removesuffix(".npy") for member in archive.namelist())

    def __getitem__(self, name: str) -> Array:
        """A memory-mapped array."""
        with unpacked(self.file) as path, _naming_file(self.file):
            if name == UNNAMED_ARRAY:
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
        """Whether it was written by scipy's save_npz."""
        return {"format", "shape", "data"} <= set(self.names)


def _mapped(path: str) -> Array:
    array: Array = np.lib.format.open_memmap(path, mode="r")
    return array


@contextmanager
def _naming_file(file: str) -> Iterator[None]:
    """Raise errors of numpy and zipfile as errors about the file."""
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
            f"{file} cannot be read as arrays: {reason}. Is it complete, and an NPY or NPZ file?"
        ) from error


def texts_of(stored: Array, what: Callable[[int], str]) -> Array:
    """A one-dimensional array of texts; `what` names the place of an invalid one in its error."""
    if stored.dtype.kind == "S":
        return _decoded(stored, what)
    if stored.dtype.kind != "U":
        return stored.astype(str)
    native = np.array(stored, stored.dtype.newbyteorder("="))
    if native.dtype.itemsize and len(native):
        _check_characters(native.view(np.uint32).reshape(len(native), -1), what)
    return native


def _decoded(stored: Array, what: Callable[[int], str]) -> Array:
    try:
        return np.strings.decode(stored, "utf-8")
    except UnicodeDecodeError:
        row = next(row for row, text in enumerate(stored.tolist()) if not _is_utf8(text))
        raise SourceError(
            f"{what(row)} {bytes(stored[row])!r} is not UTF-8 text. Save texts as str, or encode"
            " them as UTF-8."
        ) from None


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _check_characters(codes: Array, what: Callable[[int], str]) -> None:
    bad = (codes > LAST_CODE_POINT) | ((codes >= FIRST_SURROGATE) & (codes <= LAST_SURROGATE))
    if bad.any():
        row, place = (int(at) for at in np.argwhere(bad)[0])
        raise SourceError(
            f"{what(row)} holds {codes[row, place]:#x} as a character, which is not in Unicode."
            " Is the file damaged?"
        )
