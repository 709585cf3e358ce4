"""Whether the first line of a delimited text is a header: the odds of a row against names.

A row is like the other rows: its cells have the form of the cells below them (a number, a date …),
and its words occur again. A header has words above anything, which seldom occur below. Each column
multiplies the odds by the probability of its first cell in a row, as estimated from the cells
below, over that of such a name. So one word that occurs again, such as `colour` for an unknown
colour, does not hide a header where other columns speak for it, and neither does one column of
words whose first happens to be new make a header of a row.

Numbers may be names (`0,1,2,target`): such a line must also look like a header of numbers.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple

from rosenblatt.io.files import USUAL_TARGETS, Options

NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
LETTER = re.compile(r"[^\W\d_]")
NOT_FINITE = re.compile(r"[+-]?(inf|infinity|nan)", re.IGNORECASE)
BOOLEAN = re.compile(r"true|false", re.IGNORECASE)
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?")
MIN_NUMBERS = 2  # below a string, for it to be a column name

# probabilities that a name has such a form, or occurs again: rough, as only their order matters
NAMES = {"word": 1.0, "date": 0.05, "blank": 0.2, "missing": 0.002, "boolean": 0.002}
NAME_RECURS = 0.02
NAME_TWICE = 0.02  # that two columns have the same name: an error, if it is a header


class Column(NamedTuple):
    """The sampled cells of a column, the first one apart."""

    head: str
    cells: tuple[str, ...]


def has_header(cells: list[list[str]], options: Options, names: Collection[str] = ()) -> bool:
    """Whether the first line holds column names, as it does if all known names are in it."""
    first, *rest = ([cell.strip() for cell in line] for line in cells)
    if not any(first):
        return False
    if names and set(names) <= set(first):
        return True
    even = [line for line in rest if len(line) == len(first) and line != first]
    below = zip(*even, strict=True) if even else [()] * len(first)
    columns = [Column(*pair) for pair in zip(first, below, strict=True)]
    twice = len(first) - len(set(first)) - max(0, first.count("") - 1)
    log_odds = sum(_log_odds(column, options) for column in columns) - twice * log(NAME_TWICE)
    if log_odds >= 0:
        return False
    return not any(map(NUMBER.fullmatch, first)) or _has_numeric_header(columns, options)


def _log_odds(column: Column, options: Options) -> float:
    """Logarithm of the odds that the first cell is one of a row; 0 if it is a number."""
    form = _form(column.head, options)
    if form == "number":
        return 0.0
    like = [cell for cell in column.cells if _form(cell, options) == form]
    odds = _share(len(like), len(column.cells)) / NAMES[form]
    if form == "word":
        times = Counter(like)
        again = times[column.head]
        if again:
            odds *= _share(again, len(like)) / NAME_RECURS
        else:
            odds *= _share(sum(n == 1 for n in times.values()), len(like))
    return log(odds)


def _share(some: int, all_: int) -> float:
    """The probability of a kind of cell, estimated from its number: never 0, nor 1."""
    return (some + 0.5) / (all_ + 1)


def _form(cell: str, options: Options) -> str:
    """The form of a stripped cell."""
    if not cell:
        return "blank"
    if NUMBER.fullmatch(cell):
        return "number"
    if cell in options.missing or NOT_FINITE.fullmatch(cell):
        return "missing"
    if BOOLEAN.fullmatch(cell):
        return "boolean"
    return "date" if DATE.fullmatch(cell) else "word"


def _has_numeric_header(columns: Sequence[Column], options: Options) -> bool:
    """Whether a first line that has numbers is a header, as `0,1,2,target` is.

    The numbers must be monotonic, as column numbers, years or wavelengths are. Also needed is a
    string above a column of numbers; or the numbers count from 0, and another cell is a usual name
    of a target, or empty above the row numbers. Else it may be a row, such as `5.1,3.5,setosa`.
    """
    heads = [column.head for column in columns]
    numbers = [float(head.replace(",", ".")) for head in heads if NUMBER.fullmatch(head)]
    rise = [after > before for before, after in pairwise(numbers)]
    if (any(rise) and not all(rise)) or len(set(numbers)) < len(numbers):
        return False
    if any(_is_string_above_numbers(column, options) for column in columns):
        return True
    if numbers != list(range(len(numbers))):
        return False
    counts_rows = tuple(map(str, range(len(columns[0].cells))))
    is_index = not heads[0] and columns[0].cells == counts_rows and len(counts_rows) >= MIN_NUMBERS
    return is_index or any(head.lower() in USUAL_TARGETS for head in heads)


def _is_string_above_numbers(column: Column, options: Options) -> bool:
    """Whether a string, other than a marker of a missing value, stands above numbers."""
    if LETTER.search(column.head) is None or _form(column.head, options) not in ("word", "date"):
        return False
    given = [cell for cell in column.cells if cell not in options.missing]
    return len(given) >= MIN_NUMBERS and all(map(NUMBER.fullmatch, given))
