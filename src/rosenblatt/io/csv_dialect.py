"""Dialect of delimited text (separator, quotes, header), detected from its first lines.

=============  ================================================================================
separator      the first of tab ; | , that gives every line the same number of cells, at least two
quoting        " around cells; in a TSV it may be text: see _quote
header         the first line, if its cells fit names better than rows: see csv_header.py
decimal comma  if the cells hold numbers such as 1,5 and none such as 1.5
=============  ================================================================================

A quote opens a cell if it stands at the beginning of a line or after a separator; within the cell
two quotes are one, and a single one closes it. Any other quote is text. If all quotes open, close
or are doubled, they alternate: those with an even number, counted from 0, open a cell or are the
second of two, and the others close one or are the first of two.
"""

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from io import StringIO
from itertools import islice
from typing import Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.csv_header import NUMBER, has_header
from rosenblatt.io.files import (
    BOM,
    PIECE_BYTES,
    Options,
    Piece,
    last_line_end,
    long_lines,
)

TAB = "\t"
SEPARATORS = TAB + ";|,"
NO_SEPARATORS = '"\r\n'
MAX_SAMPLED_RECORDS = 200
MAX_COLUMNS = 1 << 20
MAX_CELL_BYTES = 2**31 - 1  # the largest limit that the csv module accepts
QUOTE = '"'
QUOTE_BYTE, NEWLINE_BYTE, RETURN_BYTE = (ord(sign) for sign in '"\n\r')
MAX_QUOTED_BYTES = 4 * PIECE_BYTES  # a longer quoted cell is taken for a stray quote
QUOTED = re.compile(r'\s*".*"\s*')
OPENED_CELL = re.compile(  # the cell that a quote opens, and its closing quote if there is one
    r'(?:^|(?<=\t))"(?P<text>[^"]*+(?:""[^"]*+)*+)(?P<end>"(?=\t|\r?\n|\r?\Z))?', re.MULTILINE
)
WITH_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
WITH_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")

Cells = list[list[str]]


@dataclass(frozen=True)
class Dialect:
    """How lines are split into cells, and the names of the columns."""

    separator: str
    quote: str | None
    header: bool
    decimal_comma: bool
    names: tuple[str, ...]

    def records(self, lines: Iterable[str], *, strict: bool = False) -> Any:
        """A csv reader of the records; its `line_num` counts the lines read."""
        return records(lines, self.separator, self.quote, strict=strict)


def records(
    lines: Iterable[str], separator: str, quote: str | None, *, strict: bool = False
) -> Any:
    """A csv reader of some lines; if strict, nothing may follow a closing quote."""
    csv.field_size_limit(MAX_CELL_BYTES)
    if quote is None:
        return csv.reader(lines, delimiter=separator, quoting=csv.QUOTE_NONE)
    return csv.reader(lines, delimiter=separator, quotechar=quote, strict=strict)


def check_width(file: str, piece: Piece, separators: str) -> None:
    """Refuse a line with far too many cells, for each of which polars would allocate memory.

    Lines with quotes are not checked: their separators may stand within a long text.
    """
    for text, number in long_lines(piece, MAX_COLUMNS):
        n_cells = 1 + max(text.count(separator.encode()) for separator in separators)
        if n_cells > MAX_COLUMNS and QUOTE.encode() not in text:
            raise SourceError(
                f"{file}, line {number}: {n_cells:,} cells; a table may have at most"
                f" {MAX_COLUMNS:,} columns. Write the rows as svmlight or NPY."
            )


def is_blank(record: list[str]) -> bool:
    """Whether a record is a blank line."""
    return len(record) < 2 and not "".join(record).strip()


def detect_dialect(
    file: str,
    head: str,
    options: Options,
    sample: str | None = None,
    names: Collection[str] = (),
) -> Dialect:
    """Dialect of a file by its first records; a longer sample shows whether quotes are text.

    A first line with the given `names` of columns is a header.
    """
    try:
        return _dialect(file, head, options, head if sample is None else sample, names)
    except csv.Error:
        raise bare_return(file) from None


def bare_return(where: str) -> SourceError:
    """The error where the csv module gives up."""
    return SourceError(f"{where}: a carriage return within a line. End each line with a newline.")


def _dialect(
    file: str, head: str, options: Options, sample: str, names: Collection[str]
) -> Dialect:
    separator = _checked(options.separator) or _separator(file, head, sample)
    quote = _quote(sample, separator)
    cells = _cells(head, separator, quote)
    if not cells:
        raise SourceError(f"{file} is empty. A table has at least one row.")
    header = options.header
    if header is None:
        header = has_header(cells, options, names)
    comma = options.decimal_comma
    if comma is None:
        comma = separator != "," and _has_commas(cells[1:] if header else cells)
    return Dialect(separator, quote, header, comma, _names(file, cells[0], header=header))


def _checked(separator: str | None) -> str | None:
    if separator is not None and (len(separator.encode()) != 1 or separator in NO_SEPARATORS):
        raise SourceError(
            f"{separator!r} is not a separator: give one ASCII character, such as ; or a tab, not"
            " a quote or a line break."
        )
    return separator


def _separator(file: str, head: str, sample: str) -> str:
    for separator in SEPARATORS:
        quote = _quote(sample, separator)
        widths = {len(line) for line in _cells(head, separator, quote)}
        if len(widths) == 1 and widths != {1}:
            return separator
    return "\t" if ".tsv" in file.lower() else ","


def _quote(sample: str, separator: str) -> str | None:
    """The quote character; None for a TSV file in which quotes are text.

    They are text if every line then has the same number of cells, and a quote that opens a cell
    does not close it, or only after tabs and newlines. Where all strings of the first line are
    quoted, quotes are quotes.
    """
    if separator != TAB or QUOTE not in sample:
        return QUOTE
    lines = [line for line in sample.split("\n") if line.strip()]
    if len({line.count(TAB) for line in lines}) != 1 or TAB not in lines[0]:
        return QUOTE
    words = [cell for cell in lines[0].split(TAB) if not NUMBER.fullmatch(cell)]
    if words and all(QUOTED.fullmatch(word) for word in words):
        return QUOTE
    return None if any(map(_is_stray, OPENED_CELL.finditer(sample))) else QUOTE


def _is_stray(opened: re.Match[str]) -> bool:
    """Whether a quote that opens a cell seems to be text; the sample may end within the cell."""
    if opened["end"] is None and opened.end() < len(opened.string):
        return True
    text = opened["text"].rstrip("\r\n")
    return TAB in text or "\n" in text


def _cells(head: str, separator: str, quote: str | None) -> Cells:
    first = islice(records(StringIO(head), separator, quote), MAX_SAMPLED_RECORDS)
    return [record for record in first if not is_blank(record)]


def _has_commas(cells: Cells) -> bool:
    flat = [cell for line in cells for cell in line]
    commas = any(WITH_COMMA.fullmatch(cell) for cell in flat)
    return commas and not any(WITH_POINT.fullmatch(cell) for cell in flat)


def _names(file: str, first: Sequence[str], *, header: bool) -> tuple[str, ...]:
    """Column names from the header; x1, x2, … where it has none."""
    given = [name.strip() if header else "" for name in first]
    names = tuple(name or f"x{j}" for j, name in enumerate(given, 1))
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise SourceError(
            f"{file}, line 1: two columns are called {min(twice)!r}. Column names must be"
            " unique: rename one, or use --no-header if the file has no header."
        )
    return names


def cells_end_with_quotes(text: bytes, separators: str) -> bool:
    """Whether every quoted cell is closed, and nothing follows its closing quote."""
    if quotes_alternate(text, separators):
        return text.count(QUOTE_BYTE) % 2 == 0
    return _closed_cells(separators).fullmatch(text) is not None


def last_record_end(text: bytes, separators: str) -> int:
    """End of the last complete record, or line if there are no separators; 0 if there is none."""
    if not separators or QUOTE_BYTE not in text or len(text) > MAX_QUOTED_BYTES:
        return last_line_end(text)
    own = text.removeprefix(BOM)
    end = _last_quoted_record_end(own, separators)
    return end and end + len(text) - len(own)


def _last_quoted_record_end(text: bytes, separators: str) -> int:
    if not quotes_alternate(text, separators):
        whole = _whole_records(separators).match(text)
        return whole.end() if whole else 0
    end = text.rfind(b"\n") + 1
    open_quotes = text.count(QUOTE_BYTE, 0, end) % 2
    while open_quotes and end:  # this end of line is inside quotes
        before = text.rfind(b"\n", 0, text.rfind(b'"', 0, end) + 1) + 1
        open_quotes = (open_quotes + text.count(QUOTE_BYTE, before, end)) % 2
        end = before
    return end


def quotes_alternate(text: bytes, separators: str) -> bool:
    """Whether every quote opens a cell, closes and ends one, or is doubled within one.

    The last cell may still be open.
    """
    if QUOTE_BYTE not in text:
        return True
    signs = np.frombuffer(text, np.uint8)
    places = np.flatnonzero(signs == QUOTE_BYTE)
    before = np.zeros(256, np.bool_)
    before[[NEWLINE_BYTE, QUOTE_BYTE, *separators.encode()]] = True
    after = before.copy()
    after[RETURN_BYTE] = True
    opening = places[2 * int(places[0] == 0) :: 2]  # nothing stands before the first sign
    closing = places[1 : len(places) - int(places[-1] == len(text) - 1) : 2]
    return bool(before[signs[opening - 1]].all() and after[signs[closing + 1]].all())


@cache
def _closed_cells(separators: str) -> re.Pattern[bytes]:
    """Text with quotes only around whole cells, or within cells that do not begin with one."""
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
    """Patterns of a quoted cell and of a quote that opens none, given what ends a cell."""
    return rf'(?<![^{ends}])"(?:[^"]++|"")*+"', rf'(?!\A)(?<![{ends}])"'
