"""Cell-by-cell reading of delimited text: slow, but strict. It infers types and locates errors."""

import csv
from collections.abc import Iterator, Mapping
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, count_cells, map_cells, unnamed
from rosenblatt.io.csv_dialect import Dialect, bare_return, is_blank
from rosenblatt.io.files import Piece
from rosenblatt.io.options import Options

if TYPE_CHECKING:
    import polars as pl

FIX_QUOTES = "Remove the quote, or double it within quotes."
MIN_NUMERIC_SHARE = 0.9  # of the cells: then the others are errors, and the column is numeric


def read_strings(file: str, piece: Piece, dialect: Dialect, options: Options) -> Table:
    """Every cell as a stripped string, null where missing; blank lines are skipped.

    A line with too few or too many cells is an error.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    cells, lines = [], []
    for line, record in _records(file, piece, dialect):
        if len(record) != len(dialect.names):
            raise _ragged(file, line, record, dialect)
        cells.append(record)
        lines.append(line)
    frame = pl.DataFrame(cells, schema=dict.fromkeys(dialect.names, pl.String), orient="row")
    place = Place(file, piece.line, numbers=np.array(lines, np.int64))
    return Table(with_missing_values(frame, options), place)


def with_missing_values(frame: "pl.DataFrame", options: Options) -> "pl.DataFrame":
    """String columns stripped of blanks, with null in the place of missing values."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    stripped = pl.all().str.strip_chars()
    present = pl.when(~stripped.is_in(list(options.missing))).then(stripped).name.keep()
    texts = [column for column in frame.get_columns() if column.dtype == pl.String]
    done = {column.name: column for column in map_cells(texts, present)}
    return pl.DataFrame([done.get(column.name, column) for column in frame.get_columns()])


def _records(file: str, piece: Piece, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """The non-blank records of a piece, each with the line where it begins."""
    text = StringIO(decoded(file, piece))
    ended: list[bool] = []
    own_lines: list[str] = []

    def lines() -> Iterator[str]:
        for line in text:
            own_lines.append(line)
            yield line
        ended.append(True)

    reader, line = dialect.records(lines()), piece.line
    try:
        for record in reader:
            if ended:
                raise SourceError(
                    f"{file}, line {line}: a cell begins with a quote that is never closed."
                    f" {FIX_QUOTES}"
                )
            if len(own_lines) > 1:
                _require_closed_quotes(file, line, own_lines, dialect)
            if not is_blank(record):
                yield line, record
            line = piece.line + reader.line_num
            own_lines.clear()
    except csv.Error:
        raise bare_return(f"{file}, line {line}") from None


def _require_closed_quotes(file: str, first: int, lines: list[str], dialect: Dialect) -> None:
    """Refuse a record that spans several lines only because of two stray quotes."""
    reader = dialect.records(lines, strict=True)
    try:
        next(reader)
    except csv.Error:
        raise SourceError(
            f"{file}, line {first}: a cell begins with a quote, and the next one, in line"
            f" {first + reader.line_num - 1}, does not close it. {FIX_QUOTES}"
        ) from None


def infer_types(strings: "pl.DataFrame", *, decimal_comma: bool) -> "dict[str, pl.DataType]":
    """Type of each column of strings: number, boolean or string."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    columns = strings.get_columns()
    present = count_cells(columns, pl.all().is_not_null())
    booleans = count_cells(columns, pl.all().str.to_lowercase().is_in(["true", "false"]))
    numbers = count_cells(columns, _numbers(pl.all(), decimal_comma=decimal_comma).is_not_null())
    types: dict[str, pl.DataType] = {}
    for name, n, n_booleans, n_numbers in zip(
        strings.columns, present.tolist(), booleans.tolist(), numbers.tolist(), strict=True
    ):
        if n and n == n_booleans:
            types[name] = pl.Boolean()
        else:  # an empty column counts as numeric
            numeric = n - n_numbers <= (1 - MIN_NUMERIC_SHARE) * n
            types[name] = pl.Float64() if numeric else pl.String()
    return types


def cast_columns(
    strings: Table, types: "Mapping[str, pl.DataType]", *, decimal_comma: bool
) -> "pl.DataFrame":
    """Columns of strings cast to their types; the first cell that cannot be cast is an error."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    numbers = _numbers(pl.all(), decimal_comma=decimal_comma)
    lower = pl.all().str.to_lowercase()
    booleans = lower.replace_strict({"true": True, "false": False}, default=None)
    cast = {column.name: column for column in strings.frame.get_columns()}
    for kind, cells in ((pl.Float64, numbers), (pl.Boolean, booleans)):
        own = [column for name, column in cast.items() if types[name] == kind]
        done = map_cells(own, cells.cast(kind))
        cast |= {column.name: column for column in done}
    for column in strings.frame.get_columns():
        if cast[column.name].null_count() > column.null_count():
            wanted = "true or false" if types[column.name] == pl.Boolean else "a number"
            raise _wrong_cell(strings, column, cast[column.name], wanted)
    return pl.DataFrame([cast[name] for name in types])


def _wrong_cell(strings: Table, column: "pl.Series", cast: "pl.Series", wanted: str) -> SourceError:
    row = int((unnamed(cast).is_null() & unnamed(column).is_not_null()).arg_max() or 0)
    return SourceError(
        f"{strings.place.at(row)}, column {column.name!r}: {column[row]!r} is not {wanted} like"
        " the cells before it. Correct the cell, declare it missing with --missing, or read the"
        f" column as strings with --category {column.name}."
    )


def _numbers(strings: Any, *, decimal_comma: bool) -> Any:
    """Strings as numbers, null where they are none."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if decimal_comma:
        strings = strings.str.replace(",", ".", literal=True)
    return strings.cast(pl.Float64, strict=False)


def decoded(file: str, piece: Piece) -> str:
    """Lines as text; bytes that are not UTF-8 are an error."""
    try:
        return piece.text.decode()
    except UnicodeDecodeError as error:
        line = piece.line + piece.text.count(b"\n", 0, error.start)
        raise SourceError(
            f"{file}, line {line}: not UTF-8 text ({piece.text[error.start : error.end]!r})."
            " Convert the file to UTF-8 first."
        ) from None


def _ragged(file: str, line: int, record: list[str], dialect: Dialect) -> SourceError:
    wanted = len(dialect.names)
    quoted = dialect.separator.join(record)
    shown = quoted if len(quoted) <= 60 else quoted[:60] + "…"
    return SourceError(
        f"{file}, line {line}: {len(record)} cells where {wanted} were expected: {shown!r}. Correct"
        " the line, or give the separator with --separator."
    )
