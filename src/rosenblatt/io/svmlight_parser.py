"""Compiled parser of svmlight text into sparse rows, in one pass over its bytes.

``label index:value index:value … # comment``; ``qid:7`` is skipped. It stops at the first invalid
token and returns its position; svmlight.py makes the error message.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.parse_float import (
    BAD,
    FIRST,
    GOOD,
    LAST,
    LONG,
    NOWHERE,
    REACH,
    TEN,
    eight_digits,
    number_at,
    quick_number,
)
from rosenblatt.kernels.rows import ONE, UINT
from rosenblatt.types import Array, Floats

BAD_LABEL, BAD_ENTRY, TWICE = range(1, 4)  # why the parser stopped; GOOD at the end of the text
SKIPPED = 3  # a token that is not an entry of the row
SPACE, TAB, RETURN, NEWLINE, HASH, COLON = (ord(character) for character in " \t\r\n#:")
QUERY = np.frombuffer(b"qid:", np.uint8)
LARGEST_INDEX = UINT(2**31 - 2)  # so that the number of columns is an int32 too


class Buffers(NamedTuple):
    """Output arrays of the parser."""

    values: Floats
    indices: Array
    indptr: Array
    labels: Floats
    lines: Array
    """0-based line of each row."""
    long: Array
    """Numbers left to Python: start, end, and the index of the entry, or −1 − row for a label."""


class ParseResult(NamedTuple):
    """What the parser returns besides the arrays."""

    status: int
    position: int
    """Of the invalid token."""
    rows: int
    entries: int
    lines: int
    long: int
    width: int
    ordered: bool
    """Whether the features of every row are sorted."""
    single: bool
    """Whether float32 represents every value exactly."""


@njit(cache=True, nogil=True)
def count(text: Array) -> tuple[int, int]:
    """Number of colons and newlines: bounds for entries and rows (but for an unended line)."""
    colons, lines = 0, 0
    for character in text:
        colons += character == COLON
        lines += character == NEWLINE
    return colons, lines


@njit(cache=True, nogil=True)
def read_rows(text: Array, labelled: bool, base: int, buffers: Buffers) -> Any:  # noqa: FBT001
    """Fill the buffers with the rows of a text whose features are numbered from `base`."""
    values, indices, indptr, labels, lines, long = buffers
    at, stop, first, status = UINT(0), UINT(len(text)), UINT(base), GOOD
    row, n, n_long, line = UINT(0), UINT(0), UINT(0), 0
    width, ordered, single = UINT(0), True, True
    indptr[0] = 0
    while at < stop:
        at = after_blanks(text, at, stop)
        if not is_row(text, at, stop, labelled):
            at = next_line(text, at, stop)
            line += 1
            continue
        if labelled:
            value, end, kind = number_at(text, at, stop)
            if kind == BAD or not ends_token(text, end, stop):
                status = BAD_LABEL
                break
            if kind == LONG:
                long[n_long, 0], long[n_long, 1], long[n_long, 2] = at, end, -1 - np.int64(row)
                n_long += ONE
            labels[row] = value
            at = end
        next_index = first
        while not ends_line(text, at, stop):
            index, value, end, kind = entry_at(text, at, stop)
            if kind != GOOD:
                if kind == SKIPPED:
                    at = end
                    continue
                if kind == BAD:
                    status = BAD_ENTRY
                    break
                long[n_long, 0], long[n_long, 1], long[n_long, 2] = value_start(text, at), end, n
                n_long += ONE
            if index < next_index:
                if index < first or index + ONE == next_index:
                    status = BAD_ENTRY if index < first else TWICE
                    break
                ordered = False
            next_index = index + ONE
            indices[n] = index - first
            values[n] = value
            if single:
                single = np.float64(np.float32(value)) == value
            width = max(width, next_index - first)
            n += ONE
            at = end
            if at < stop and text[at] == SPACE:  # mostly one blank; more are skipped
                at += ONE
        if status != GOOD:
            break
        lines[row] = line
        row += ONE
        indptr[row] = n
        at = next_line(text, at, stop)
        line += 1
    return status, at, row, UINT(indptr[row]), line, n_long, width, ordered, single


@njit(cache=True, nogil=True, forceinline=True)
def entry_at(text: Array, at: int, stop: int) -> tuple[int, float, int, int]:
    """Feature index and value of the token at a position, its end, and its kind."""
    if at + REACH < stop:
        index, digits = eight_digits(text, at)
        if digits and text[at + digits] == COLON:
            value, end = quick_number(text, at + digits + ONE)
            if end != NOWHERE and (text[end] == SPACE or text[end] == NEWLINE):
                return index, value, end, GOOD
    return any_entry_at(text, at, stop)


@njit(cache=True, nogil=True)
def any_entry_at(text: Array, at: int, stop: int) -> tuple[int, float, int, int]:
    """The same for any token, or for blanks."""
    if is_blank(text[at]):
        return UINT(0), 0.0, after_blanks(text, at, stop), SKIPPED
    if is_query(text, at, stop):
        return UINT(0), 0.0, token_end(text, at, stop), SKIPPED
    start, index = at, UINT(0)
    while at < stop and FIRST <= text[at] <= LAST and index <= LARGEST_INDEX:
        index = index * TEN + UINT(text[at] - FIRST)
        at += ONE
    if at in (start, stop) or text[at] != COLON or index > LARGEST_INDEX:
        return index, 0.0, at, BAD
    value, end, kind = number_at(text, at + ONE, stop)
    if not ends_token(text, end, stop):
        kind = BAD
    return index, value, end, kind


@njit(cache=True, nogil=True)
def is_query(text: Array, at: int, stop: int) -> bool:
    """Whether a token is a query id (of ranking data)."""
    if at + UINT(len(QUERY)) > stop:
        return False
    for k in range(len(QUERY)):  # noqa: SIM110 (no generator compiles)
        if text[at + UINT(k)] != QUERY[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def token_end(text: Array, at: int, stop: int) -> int:
    """End of the token at a position."""
    while not ends_token(text, at, stop):
        at += ONE
    return at


@njit(cache=True, nogil=True)
def value_start(text: Array, at: int) -> Any:
    """Start of the value of a valid entry."""
    while text[at] != COLON:
        at += ONE
    return at + ONE


@njit(cache=True, nogil=True, forceinline=True)
def after_blanks(text: Array, at: int, stop: int) -> int:
    """Position of the next non-blank."""
    while at < stop and is_blank(text[at]):
        at += ONE
    return at


@njit(cache=True, nogil=True, forceinline=True)
def is_blank(character: int) -> bool:
    """Whether a character separates tokens; a carriage return does."""
    return character in (SPACE, TAB, RETURN)


@njit(cache=True, nogil=True, forceinline=True)
def is_row(text: Array, at: int, stop: int, labelled: bool) -> bool:  # noqa: FBT001
    """Whether the line that begins here is a row; empty lines are, if there are no labels."""
    return not ends_line(text, at, stop) or not (labelled or (at < stop and text[at] == HASH))


@njit(cache=True, nogil=True, forceinline=True)
def ends_line(text: Array, at: int, stop: int) -> bool:
    """Whether the row ends here, at a newline or a comment."""
    return at >= stop or text[at] == NEWLINE or text[at] == HASH


@njit(cache=True, nogil=True, forceinline=True)
def ends_token(text: Array, at: int, stop: int) -> bool:
    """Whether a token ends here."""
    return ends_line(text, at, stop) or is_blank(text[at])


@njit(cache=True, nogil=True, forceinline=True)
def next_line(text: Array, at: int, stop: int) -> Any:
    """Start of the next line."""
    while at < stop and text[at] != NEWLINE:
        at += ONE
    return min(at + ONE, stop)
