"""Texts in arrays of numpy: bytes (``S``), which must be UTF-8, and code points (``U``).

numpy stores four bytes a character and looks at none of them: what is no character of Unicode, or
one half of a pair (a surrogate), can be neither made into a string of Python nor written to a file.
"""

from collections.abc import Callable

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.types import Array

LAST_CODE_POINT = 0x10FFFF
FIRST_SURROGATE, LAST_SURROGATE = 0xD800, 0xDFFF


def texts_of(stored: Array, what: Callable[[int], str]) -> Array:
    """Texts of an array with one dimension; a bad one is refused as `what` calls its place."""
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
            f"{what(row)} holds {codes[row, place]:#x} as a character, which is none of Unicode."
            " Is the file damaged?"
        )
