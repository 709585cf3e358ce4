"""How a table of delimited text is laid out, found out from its first lines.

=============  ================================================================================
separator      the first of tab ; | , by which every line has as many cells, and more than one
quoting        " around cells, unless the lines fall into cells as well without it in a TSV
header         the first line, if no cell of it is a number or comes again in its column
decimal comma  if the cells hold numbers such as 1,5 and none such as 1.5
=============  ================================================================================
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from rosenblatt.errors import SourceError
from rosenblatt.sources.options import Options

SEPARATORS = "\t;|,"
LOOKED_AT = 200  # lines
QUOTE = '"'
NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
WITH_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
WITH_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*")

Cells = list[list[str]]


@dataclass(frozen=True)
class Layout:
    """How lines become cells, and what the columns are called."""

    separator: str
    quote: str | None
    header: bool
    decimal_comma: bool
    names: tuple[str, ...]

    def records(self, text: str) -> Any:
        """The cells of each line, slowly; `line_num` counts the lines read."""
        return records(text, self.separator, self.quote)


def records(text: str, separator: str, quote: str | None) -> Any:
    """The cells of each line of some text."""
    if quote is None:
        return csv.reader(StringIO(text), delimiter=separator, quoting=csv.QUOTE_NONE)
    return csv.reader(StringIO(text), delimiter=separator, quotechar=quote)


def layout_of(file: str, head: str, options: Options) -> Layout:
    """Layout of a file by its first lines."""
    head = "".join(head.splitlines(keepends=True)[:LOOKED_AT])
    separator = options.separator or _separator(file, head)
    quote = _quote(head, separator)
    cells = _cells(head, separator, quote)
    if not cells:
        raise SourceError(f"{file} is empty. A table has at least one row.")
    header = _has_header(cells) if options.header is None else options.header
    comma = options.decimal_comma
    if comma is None:
        comma = separator != "," and _has_commas(cells[1:] if header else cells)
    return Layout(separator, quote, header, comma, _names(file, cells[0], header=header))


def _separator(file: str, head: str) -> str:
    for separator in SEPARATORS:
        quote = _quote(head, separator)
        widths = {len(line) for line in _cells(head, separator, quote)}
        if len(widths) == 1 and widths != {1}:
            return separator
    return "\t" if ".tsv" in file.lower() else ","


def _quote(head: str, separator: str) -> str | None:
    """A TSV often has stray quotes, and no need of any."""
    plain = {len(line) for line in _cells(head, separator, None)}
    return None if separator == "\t" and len(plain) == 1 else QUOTE


def _cells(head: str, separator: str, quote: str | None) -> Cells:
    try:
        lines = [line for line in records(head, separator, quote) if line]
    except csv.Error:  # a quote that does not end within the first lines
        return []
    return lines


def _has_header(cells: Cells) -> bool:
    first, *rest = cells
    if any(NUMBER.fullmatch(cell) for cell in first) or not any(map(str.strip, first)):
        return False
    columns = zip(*(line for line in rest if len(line) == len(first)), strict=True)
    again = (name in column for name, column in zip(first, columns, strict=False) if name.strip())
    return not any(again)


def _has_commas(cells: Cells) -> bool:
    flat = [cell for line in cells for cell in line]
    commas = any(WITH_COMMA.fullmatch(cell) for cell in flat)
    return commas and not any(WITH_POINT.fullmatch(cell) for cell in flat)


def _names(file: str, first: Sequence[str], *, header: bool) -> tuple[str, ...]:
    if not header:
        return tuple(f"x{j}" for j in range(1, len(first) + 1))
    names = tuple(name.strip() for name in first)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SourceError(
            f"{file}, line 1: two columns are called {min(twice)!r}. Columns are told apart"
            " by their names; rename one, or say that there is no header with --no-header."
        )
    return tuple(name or f"x{j}" for j, name in enumerate(names, 1))
