"""The cells of delimited text one by one: slow and sure, for types and for what is wrong."""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Options, Place, Table
from rosenblatt.io.column_stack import by_cells, n_cells, unnamed
from rosenblatt.io.csv_dialect import Layout, bare_return, is_blank
from rosenblatt.io.files import Piece

if TYPE_CHECKING:
    import polars as pl

QUOTES = "Take the quote away, or write it twice within quotes."
MOSTLY = 0.9  # of the cells are numbers: then the others are errors, not words


def as_words(file: str, piece: Piece, layout: Layout, options: Options) -> Table:
    """Every cell as a word, blanks around it taken off, missing ones as none; blank lines skipped.

    Slow and sure: a line with too few or too many cells is named.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    cells, lines = [], []
    for line, record in _records(file, piece, layout):
        if len(record) != len(layout.names):
            raise _ragged(file, line, record, layout)
        cells.append(record)
        lines.append(line)
    frame = pl.DataFrame(cells, schema=dict.fromkeys(layout.names, pl.String), orient="row")
    place = Place(file, piece.line, numbers=np.array(lines, np.int64))
    return Table(with_given_words(frame, options), place)


def with_given_words(frame: "pl.DataFrame", options: Options) -> "pl.DataFrame":
    """Words without blanks around them, and none where they stand for a missing cell."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    words = pl.all().str.strip_chars()
    given = pl.when(~words.is_in(list(options.missing))).then(words).name.keep()
    texts = [column for column in frame.get_columns() if column.dtype == pl.String]
    done = {column.name: column for column in by_cells(texts, given)}
    return pl.DataFrame([done.get(column.name, column) for column in frame.get_columns()])


def _records(file: str, piece: Piece, layout: Layout) -> Iterator[tuple[int, list[str]]]:
    """The records of a piece that are not blank, and the lines where they begin."""
    text = StringIO(decoded(file, piece))
    ended: list[bool] = []
    own_lines: list[str] = []

    def lines() -> Iterator[str]:
        for line in text:
            own_lines.append(line)
            yield line
        ended.append(True)

    reader, line = layout.records(lines()), piece.line
    try:
        for record in reader:
            if ended:
                raise SourceError(
                    f"{file}, line {line}: a cell begins with a quote that never ends. {QUOTES}"
                )
            if len(own_lines) > 1:
                _require_closed_quotes(file, line, own_lines, layout)
            if not is_blank(record):
                yield line, record
            line = piece.line + reader.line_num
            own_lines.clear()
    except csv.Error:
        raise bare_return(f"{file}, line {line}") from None


def _require_closed_quotes(file: str, first: int, lines: list[str], layout: Layout) -> None:
    """Refuse a record of several lines that are one only because of two stray quotes."""
    reader = layout.records(lines, strict=True)
    try:
        next(reader)
    except csv.Error:
        raise SourceError(
            f"{file}, line {first}: a cell begins with a quote, and the next one, in line"
            f" {first + reader.line_num - 1}, does not end it. {QUOTES}"
        ) from None


def types_of(words: "pl.DataFrame", *, decimal_comma: bool) -> "dict[str, pl.DataType]":
    """Type of each column by its words: numbers, booleans or words."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    columns = words.get_columns()
    given = n_cells(columns, pl.all().is_not_null())
    booleans = n_cells(columns, pl.all().str.to_lowercase().is_in(["true", "false"]))
    numbers = n_cells(columns, _numbers(pl.all(), decimal_comma=decimal_comma).is_not_null())
    types: dict[str, pl.DataType] = {}
    for name, n, n_booleans, n_numbers in zip(
        words.columns, given.tolist(), booleans.tolist(), numbers.tolist(), strict=True
    ):
        if n and n == n_booleans:
            types[name] = pl.Boolean()
        else:  # an empty column: whatever it is, it tells nothing yet
            mostly = n - n_numbers <= (1 - MOSTLY) * n
            types[name] = pl.Float64() if mostly else pl.String()
    return types


def typed(
    words: Table, types: "Mapping[str, pl.DataType]", *, decimal_comma: bool
) -> "pl.DataFrame":
    """Columns of words as their types have them; the first word of another type is named."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    numbers = _numbers(pl.all(), decimal_comma=decimal_comma)
    lower = pl.all().str.to_lowercase()
    booleans = lower.replace_strict({"true": True, "false": False}, default=None)
    cast = {column.name: column for column in words.frame.get_columns()}
    for kind, cells in ((pl.Float64, numbers), (pl.Boolean, booleans)):
        own = [column for name, column in cast.items() if types[name] == kind]
        done = by_cells(own, cells.cast(kind))
        cast |= {column.name: column for column in done}
    for column in words.frame.get_columns():
        if cast[column.name].null_count() > column.null_count():
            wanted = "true or false" if types[column.name] == pl.Boolean else "a number"
            raise _wrong_cell(words, column, cast[column.name], wanted)
    return pl.DataFrame([cast[name] for name in types])


def _wrong_cell(words: Table, column: "pl.Series", cast: "pl.Series", wanted: str) -> SourceError:
    row = int((unnamed(cast).is_null() & unnamed(column).is_not_null()).arg_max() or 0)
    return SourceError(
        f"{words.place.at(row)}, column {column.name!r}: {column[row]!r} is not {wanted}, as the"
        " cells before are. Mend the cell, name it as missing with --missing, or read the"
        f" column as words with --category {column.name}."
    )


def _numbers(words: Any, *, decimal_comma: bool) -> Any:
    """Words of a column, or of several, as numbers."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if decimal_comma:
        words = words.str.replace(",", ".", literal=True)
    return words.cast(pl.Float64, strict=False)


def decoded(file: str, piece: Piece) -> str:
    """Some lines as text; bytes that are none are named with their line."""
    try:
        return piece.text.decode()
    except UnicodeDecodeError as error:
        line = piece.line + piece.text.count(b"\n", 0, error.start)
        raise SourceError(
            f"{file}, line {line}: not UTF-8 text ({piece.text[error.start : error.end]!r})."
            " Write the file as UTF-8 first."
        ) from None


def _ragged(file: str, line: int, record: list[str], layout: Layout) -> SourceError:
    wanted = len(layout.names)
    quoted = layout.separator.join(record)
    shown = quoted if len(quoted) <= 60 else quoted[:60] + "…"
    return SourceError(
        f"{file}, line {line}: {len(record)} cells where {wanted} were wanted: {shown!r}. Mend the"
        " line, or name the separator with --separator."
    )
