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
    return (
        quotes_take_turns(text, separators) or _closed_cells(separators).fullmatch(text) is not None
    )


def quotes_take_turns(text: bytes, separators: str) -> bool:
    """Whether every quote opens a cell, closes one and so ends it, or is written twice in one."""
    signs = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(signs == QUOTE)
    if not len(places):
        return True
    if len(places) % 2:
        return False
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
    quoted = rf'(?<![^{ends}])"(?:[^"]++|"")*+"(?=[{ends}]|\r\n|\r?\Z)'
    return re.compile(rf'(?:[^"]++|{quoted}|(?!\A)(?<![{ends}])")*+'.encode())
