"""The lines of an svmlight text as sparse rows: one compiled pass over its bytes.

``label index:value index:value … # comment``; ``qid:7`` is passed over. The pass stops at the first
token that is not so, and says where it stands; words for it are found elsewhere, at leisure.
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

BAD_LABEL, BAD_ENTRY, TWICE = range(1, 4)  # why a pass stopped; GOOD if it came to the end
PASSED_OVER = 3  # a token that is no entry of the row
SPACE, TAB, RETURN, NEWLINE, HASH, COLON = (ord(sign) for sign in " \t\r\n#:")
QUERY = np.frombuffer(b"qid:", np.uint8)
LARGEST_INDEX = UINT(2**31 - 2)  # so that the width is an int32 too


class Room(NamedTuple):
    """Where the rows go."""

    values: Floats
    indices: Array
    indptr: Array
    labels: Floats
    lines: Array
    """The line of each row, counted from 0."""
    long: Array
    """Numbers left to Python: where each begins and ends, and its entry, or −1 − row of a label."""


class Ending(NamedTuple):
    """How a pass over a text ended."""

    why: int
    place: int
    """Of the token that stopped it."""
    rows: int
    entries: int
    lines: int
    long: int
    width: int
    ordered: bool
    """Whether every row has its features in order."""
    single: bool
    """Whether every value is a float32 exactly."""


@njit(cache=True, nogil=True)
def count(text: Array) -> tuple[int, int]:
    """How many colons and ends of lines there are: no fewer than entries and rows, but one."""
    colons, lines = 0, 0
    for sign in text:
        colons += sign == COLON
        lines += sign == NEWLINE
    return colons, lines


@njit(cache=True, nogil=True)
def read_rows(text: Array, labelled: bool, base: int, room: Room) -> Any:  # noqa: FBT001
    """Fill the room with the rows of a text whose features are counted from `base`."""
    values, indices, indptr, labels, lines, long = room
    at, stop, first, why = UINT(0), UINT(len(text)), UINT(base), GOOD
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
                why = BAD_LABEL
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
                if kind == PASSED_OVER:
                    at = end
                    continue
                if kind == BAD:
                    why = BAD_ENTRY
                    break
                long[n_long, 0], long[n_long, 1], long[n_long, 2] = value_place(text, at), end, n
                n_long += ONE
            if index < next_index:
                if index < first or index + ONE == next_index:
                    why = BAD_ENTRY if index < first else TWICE
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
            if at < stop and text[at] == SPACE:  # one, most often; more are passed over
                at += ONE
        if why != GOOD:
            break
        lines[row] = line
        row += ONE
        indptr[row] = n
        at = next_line(text, at, stop)
        line += 1
    return why, at, row, UINT(indptr[row]), line, n_long, width, ordered, single


@njit(cache=True, nogil=True, forceinline=True)
def entry_at(text: Array, at: int, stop: int) -> tuple[int, float, int, int]:
    """Feature and value of the token at a place, where it ends, and what it is."""
    if at + REACH < stop:
        index, digits = eight_digits(text, at)
        if digits and text[at + digits] == COLON:
            value, end = quick_number(text, at + digits + ONE)
            if end != NOWHERE and (text[end] == SPACE or text[end] == NEWLINE):
                return index, value, end, GOOD
    return any_entry_at(text, at, stop)


@njit(cache=True, nogil=True)
def any_entry_at(text: Array, at: int, stop: int) -> tuple[int, float, int, int]:
    """The same for a token of any form, or for blanks."""
    if is_blank(text[at]):
        return UINT(0), 0.0, after_blanks(text, at, stop), PASSED_OVER
    if is_query(text, at, stop):
        return UINT(0), 0.0, token_end(text, at, stop), PASSED_OVER
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
    """Whether a token names the query of a ranking."""
    if at + UINT(len(QUERY)) > stop:
        return False
    for k in range(len(QUERY)):  # noqa: SIM110 (no generator compiles)
        if text[at + UINT(k)] != QUERY[k]:
            return False
    return True


@njit(cache=True, nogil=True)
def token_end(text: Array, at: int, stop: int) -> int:
    """Where the token at a place ends."""
    while not ends_token(text, at, stop):
        at += ONE
    return at


@njit(cache=True, nogil=True)
def value_place(text: Array, at: int) -> Any:
    """Where the value of a good entry begins."""
    while text[at] != COLON:
        at += ONE
    return at + ONE


@njit(cache=True, nogil=True, forceinline=True)
def after_blanks(text: Array, at: int, stop: int) -> int:
    """The next place that is no blank."""
    while at < stop and is_blank(text[at]):
        at += ONE
    return at


@njit(cache=True, nogil=True, forceinline=True)
def is_blank(sign: int) -> bool:
    """Whether a sign parts tokens; the end of a Windows line has one that does."""
    return sign in (SPACE, TAB, RETURN)


@njit(cache=True, nogil=True, forceinline=True)
def is_row(text: Array, at: int, stop: int, labelled: bool) -> bool:  # noqa: FBT001
    """Whether a line whose first sign is here makes a row: an empty one does without a label."""
    return not ends_line(text, at, stop) or not (labelled or (at < stop and text[at] == HASH))


@njit(cache=True, nogil=True, forceinline=True)
def ends_line(text: Array, at: int, stop: int) -> bool:
    """Whether nothing of a row is left: a comment is nothing."""
    return at >= stop or text[at] == NEWLINE or text[at] == HASH


@njit(cache=True, nogil=True, forceinline=True)
def ends_token(text: Array, at: int, stop: int) -> bool:
    """Whether a token ends here."""
    return ends_line(text, at, stop) or is_blank(text[at])


@njit(cache=True, nogil=True, forceinline=True)
def next_line(text: Array, at: int, stop: int) -> Any:
    """Where the next line begins."""
    while at < stop and text[at] != NEWLINE:
        at += ONE
    return min(at + ONE, stop)
