"""Delimited text whose cells are all plain numbers, straight into a matrix: one compiled pass.

A cell is a decimal number, with blanks around it or not, or it is empty: a missing one, NaN. At
anything else the pass gives up the whole text: at a quote, a word, an empty line, a line of too few
or too many cells. Such text is read in another way, which also finds words for what is wrong.
"""

import re
from typing import Any

import numpy as np

from rosenblatt.io.csv_dialect import Layout
from rosenblatt.io.options import Options
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.parse_float import (
    BAD,
    LONG,
    NOWHERE,
    REACH,
    long_numbers,
    number_at,
    quick_number,
)
from rosenblatt.kernels.rows import ONE, UINT
from rosenblatt.types import Array, Floats

SPACE, TAB, RETURN, NEWLINE = (ord(sign) for sign in " \t\r\n")
GIVEN_UP = -1
EMPTY = 3  # what a cell may be beside GOOD, LONG and BAD
CELLS_A_LONG_ONE = 16  # where Python has more to read, others are quicker
PART_OF_A_NUMBER = re.compile(r"[\w.+\-\s]")


def may_be_grid(layout: Layout, options: Options) -> bool:
    """Whether a text so laid out can be read here, if its cells are plain numbers."""
    separator = layout.separator
    plain = separator == "\t" or PART_OF_A_NUMBER.match(separator) is None
    words = options.as_words.isdisjoint(layout.names) and not any(map(_is_number, options.missing))
    return plain and separator.isascii() and words and not layout.decimal_comma


def grid_values(text: bytes, layout: Layout, options: Options) -> Floats | None:
    """All cells of a text, or none if one of them is no plain number."""
    signs = np.frombuffer(text, np.uint8)
    values = np.empty((n_lines(signs), len(layout.names)))
    long = np.empty((values.size // CELLS_A_LONG_ONE + 1, 3), np.int64)
    empty = "" in options.missing and len(layout.names) > 1  # else it is a line that is empty
    n_long = read_cells(signs, ord(layout.separator), empty, values, long)
    if n_long == GIVEN_UP:
        return None
    starts, stops, places = long[:n_long].T
    numbers = long_numbers(signs, starts, stops)
    values.reshape(-1)[places] = numbers
    return values if np.isfinite(numbers).all() else None


def _is_number(word: str) -> bool:
    try:
        return bool(np.isfinite(float(word)))
    except ValueError:
        return False


@njit(cache=True, nogil=True)
def n_lines(text: Array) -> int:
    """How many lines there are; the last one may lack its end."""
    lines = 0
    for sign in text:
        lines += sign == NEWLINE
    return lines + (len(text) > 0 and text[-1] != NEWLINE)


@njit(cache=True, nogil=True)
def read_cells(text: Array, separator: int, empty: bool, values: Floats, long: Array) -> int:  # noqa: FBT001
    """Fill a matrix row by row; how many numbers are left to Python, or GIVEN_UP.

    Of those, where each begins and ends and its place in the matrix are written down.
    """
    at, stop, n_long = UINT(0), UINT(len(text)), 0
    width = UINT(values.shape[1])
    for row in range(UINT(len(values))):
        for column in range(width):
            wanted = NEWLINE if column + ONE == width else separator
            if at + REACH < stop:
                value, end = quick_number(text, at)
                if end != NOWHERE and text[end] == wanted:
                    values[row, column] = value
                    at = end + ONE
                    continue
            start = after_blanks(text, at, stop, separator)
            value, end, kind = cell_at(text, start, stop, separator)
            at, ended = after_cell(text, end, stop, separator, wanted)
            if kind == BAD or not ended or (kind == EMPTY and not empty):
                return GIVEN_UP
            if kind == LONG:
                if n_long == len(long):
                    return GIVEN_UP
                long[n_long, 0], long[n_long, 1], long[n_long, 2] = start, end, row * width + column
                n_long += 1
            values[row, column] = value
    return n_long if at == stop else GIVEN_UP


@njit(cache=True, nogil=True)
def cell_at(text: Array, at: int, stop: int, separator: int) -> tuple[float, int, int]:
    """The number at a place, where it ends, and what it is."""
    if at == stop or text[at] == separator or text[at] == NEWLINE or text[at] == RETURN:
        return np.nan, at, EMPTY
    return number_at(text, at, stop)


@njit(cache=True, nogil=True)
def after_blanks(text: Array, at: int, stop: int, separator: int) -> Any:
    """The next place that is no blank."""
    while at < stop and text[at] in (SPACE, TAB) and text[at] != separator:
        at += ONE
    return at


@njit(cache=True, nogil=True)
def after_cell(text: Array, at: int, stop: int, separator: int, wanted: int) -> tuple[int, bool]:
    """Where the next cell begins, and whether this one ended as wanted."""
    at = after_blanks(text, at, stop, separator)
    if wanted == NEWLINE:
        if at == stop:
            return at, True
        if text[at] == RETURN and at + ONE < stop:
            at += ONE
    return at + ONE, at < stop and text[at] == wanted
