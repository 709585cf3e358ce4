"""Quotes around the cells of delimited text.

A quote opens a cell if it stands at the beginning of a line or after a separator; within the cell
two quotes are one, and a single one closes it. Any other quote is text. If all quotes open, close
or are written twice, they take turns: those with an even number, counted from 0, open a cell or
are the second of two, and the others close one or are the first of two.
"""

import re
from functools import cache

import numpy as np

QUOTE, NEWLINE, RETURN = (ord(sign) for sign in '"\n\r')


def cells_end_with_quotes(text: bytes, separators: str) -> bool:
    """Whether every cell that a quote opens is closed by one, and ends there."""
    if quotes_take_turns(text, separators):
        return text.count(QUOTE) % 2 == 0
    return _closed_cells(separators).fullmatch(text) is not None


def last_record_end(text: bytes, separators: str) -> int:
    """Where the last whole record ends; 0 if none does."""
    if not quotes_take_turns(text, separators):
        whole = _whole_records(separators).match(text)
        return whole.end() if whole else 0
    end = text.rfind(b"\n") + 1
    open_quotes = text.count(QUOTE, 0, end) % 2
    while open_quotes and end:  # this end of line is inside quotes
        before = text.rfind(b"\n", 0, text.rfind(b'"', 0, end) + 1) + 1
        open_quotes = (open_quotes + text.count(QUOTE, before, end)) % 2
        end = before
    return end


def quotes_take_turns(text: bytes, separators: str) -> bool:
    """Whether every quote opens a cell, closes one and so ends it, or is written twice in one.

    The last cell may be open still.
    """
    if QUOTE not in text:
        return True
    signs = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(signs == QUOTE)
    before = np.zeros(256, np.bool_)
    before[[NEWLINE, QUOTE, *separators.encode()]] = True
    after = before.copy()
    after[RETURN] = True
    opening = places[2 * int(places[0] == 0) :: 2]  # nothing stands before the first sign
    closing = places[1 : len(places) - int(places[-1] == len(text) - 1) : 2]
    return bool(before[signs[opening - 1]].all() and after[signs[closing + 1]].all())


@cache
def _closed_cells(separators: str) -> re.Pattern[bytes]:
    """Text with quotes only around whole cells, and within cells that begin otherwise."""
    ends = re.escape(separators) + "\n"
    quoted, other_quote = _quotes(ends)
    closed = rf"{quoted}(?=[{ends}]|\r\n|\r?\Z)"
    return re.compile(rf'(?:[^"]++|{closed}|{other_quote})*+'.encode())


@cache
def _whole_records(separators: str) -> re.Pattern[bytes]:
    """Records from the beginning of a text; text may follow the closing quote of a cell."""
    quoted, other_quote = _quotes(re.escape(separators) + "\n")
    return re.compile(rf'(?:(?:[^"\n]++|{quoted}|{other_quote})*+\n)*+'.encode())


def _quotes(ends: str) -> tuple[str, str]:
    """Patterns of a cell in quotes, and of a quote that opens none, by what ends a cell."""
    return rf'(?<![^{ends}])"(?:[^"]++|"")*+"', rf'(?!\A)(?<![{ends}])"'
