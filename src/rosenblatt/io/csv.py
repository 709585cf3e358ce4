"""CSV, TSV and other delimited text, a piece at a time.

The types of the columns are inferred from the first piece and hold for all: numbers (float64),
booleans or strings. A piece that polars cannot read with these types is read as strings and
converted cell by cell, which is slow but strict: so blanks around numbers do no harm, and an
invalid cell is located.
"""

import csv
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, count_cells, map_cells, unnamed
from rosenblatt.io.csv_dialect import (
    SEPARATORS,
    TAB,
    Dialect,
    bare_return,
    cells_end_with_quotes,
    check_width,
    detect_dialect,
    is_blank,
    last_record_end,
)
from rosenblatt.io.files import BOM, PIECE_BYTES, Options, Piece, name_of, pieces, usual_target
from rosenblatt.io.rounded_cells import RoundedCells, rounded_in_text

if TYPE_CHECKING:
    import polars as pl

HEAD_BYTES = 1 << 16  # from which the dialect is detected
SAMPLE_BYTES = 1 << 20  # from which the types are inferred, and whether quotes are text

CODE = "^[+-]?(0[0-9]+|[0-9]{16,})$"  # digits that a float64 does not preserve

Types = dict[str, "pl.DataType"]
FIX_QUOTES = "Remove the quote, or double it within quotes."
MIN_NUMERIC_SHARE = 0.9  # of the cells: then the others are errors, and the column is numeric


@dataclass(frozen=True)
class CsvSource:
    """Tables of delimited text with the same columns, one after another."""

    files: tuple[str, ...]
    given: Options
    target: str | None = None
    size: int = PIECE_BYTES
    """Approximate bytes of a chunk; no record is cut."""

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Table]:
        """Read the chunks from the beginning."""
        rows = 0
        for file in self.files:
            for piece in self._pieces(file):
                chunk = self._chunk(file, piece)
                rows += len(chunk)
                if len(chunk):
                    yield chunk
        if not rows:
            raise SourceError(f"{self.name} has a header but no rows.")

    @cached_property
    def dialect(self) -> Dialect:
        """Dialect of the first file, which all others must share."""
        known = self.given.string_columns | ({self.target} if self.target else frozenset())
        return self._dialect(self.files[0], known)

    @cached_property
    def options(self) -> Options:
        """Options as given, except that a target of codes is read as strings."""
        piece = self._first if self.given.for_training else None
        target = self.target or usual_target(self.dialect.names)
        if piece is None or target not in self.dialect.names or not self._are_codes(target, piece):
            return self.given
        return replace(self.given, string_columns=self.given.string_columns | {target})

    def _are_codes(self, column: str, piece: Piece) -> bool:
        """Whether a column holds codes, such as 01, which float64 does not preserve."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        sample = _sample(piece, self.dialect)
        strings: Types = dict.fromkeys(self.dialect.names, pl.String())
        frame = _parsed(sample.text, self.dialect, strings, self.given)
        if frame is None:
            frame = read_strings(self.files[0], sample, self.dialect, self.given).frame
        return bool(unnamed(frame[column]).str.contains(CODE).any())

    @cached_property
    def types(self) -> Types:
        """Type of each column, inferred from the first piece of the first file."""
        piece = self._first
        if piece is None:
            raise SourceError(f"{self.name} has a header but no rows.")
        return _types(self.files[0], piece, self.dialect, self.options)

    @cached_property
    def _first(self) -> Piece | None:
        """The first piece of the first file, from which types are inferred."""
        return next(self._pieces(self.files[0]), None)

    def _dialect(self, file: str, names: Collection[str]) -> Dialect:
        """Dialect of a file; a first line with all of these names is a header."""
        head = _start(file, HEAD_BYTES, self.given.separator or SEPARATORS)
        _require_text(file, head)
        check_width(file, Piece(head, 1), self.given.separator or SEPARATORS)
        sample = _start(file, SAMPLE_BYTES) if TAB.encode() in head else head
        texts = (decoded(file, Piece(text, 1)) for text in (head, sample))
        return detect_dialect(file, next(texts), self.given, next(texts), names)

    def _pieces(self, file: str) -> Iterator[Piece]:
        """Pieces without the header, which must equal that of the first file."""
        dialect = self.dialect
        if file != self.files[0]:
            dialect = self._dialect(file, dialect.names)
        if dialect.names != self.dialect.names:
            raise SourceError(
                f"{file} has different columns from {self.files[0]}: {', '.join(dialect.names[:8])}"
                f" instead of {', '.join(self.dialect.names[:8])}. Read such files separately."
            )
        last_end = partial(last_record_end, separators=_separators(self.dialect))
        for piece in pieces(file, size=self.size, last_end=last_end):
            check_width(file, piece, dialect.separator)
            text = piece.text.removeprefix(BOM) if piece.line == 1 else piece.text
            skipped = _header_length(text, dialect) if piece.line == 1 and dialect.header else 0
            if len(text) > skipped:
                yield Piece(text[skipped:], piece.line + text.count(b"\n", 0, skipped))

    def _chunk(self, file: str, piece: Piece) -> Table:
        if b"\0" in piece.text:
            _require_text(file, piece.text)
        lines = piece.text.count(b"\n") + (not piece.text.endswith(b"\n"))
        frame = _parsed(piece.text, self.dialect, self.types, self.options)
        if (
            frame is None
            or frame.height != lines
            or _may_be_ragged(piece.text, frame, self.dialect)
        ):
            return self._chunk_by_cells(file, piece)
        strings = partial(self._strings, file, piece, frame.height)
        return Table(frame, Place(file, piece.line), self._rounded(piece, frame, strings))

    def _chunk_by_cells(self, file: str, piece: Piece) -> Table:
        """A piece that polars cannot read with the types: strings first, then cell by cell."""
        strings = read_strings(file, piece, self.dialect, self.options)
        frame = cast_columns(strings, self.types, decimal_comma=self.dialect.decimal_comma)
        rounded = self._rounded(piece, frame, lambda: strings.frame)
        return Table(frame, strings.place, rounded)

    def _strings(self, file: str, piece: Piece, height: int) -> "pl.DataFrame":
        """The cells of a piece, of so many rows, as they are written."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        strings: Types = dict.fromkeys(self.dialect.names, pl.String())
        frame = _parsed(piece.text, self.dialect, strings, self.options)
        if frame is None or frame.height != height:
            frame = read_strings(file, piece, self.dialect, self.options).frame
        return frame

    def _rounded(
        self, piece: Piece, frame: "pl.DataFrame", strings: "Callable[[], pl.DataFrame]"
    ) -> RoundedCells:
        """The numbers of a piece that float64 does not tell apart, if they are to be counted."""
        if not self.given.counts_rounded:
            return {}
        comma = self.dialect.decimal_comma
        return rounded_in_text(piece.text, frame, strings, decimal_comma=comma)


def _parsed(text: bytes, dialect: Dialect, types: Types, options: Options) -> "pl.DataFrame | None":
    """Rows as polars reads them; None if it cannot, or would read quotes as no other reader does.

    Without a final newline, polars would ignore a surplus cell at the very end.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    if dialect.quote is not None and not cells_end_with_quotes(text, dialect.separator):
        return None
    try:
        frame = pl.read_csv(
            text if text.endswith(b"\n") else text + b"\n",
            has_header=False,
            schema=types,
            separator=dialect.separator,
            quote_char=dialect.quote,
            null_values=list(options.missing),
            decimal_comma=dialect.decimal_comma,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    return with_missing_values(frame, options)


def _types(file: str, piece: Piece, dialect: Dialect, options: Options) -> Types:
    """Types inferred from all lines of a sample; numbers are float64."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    strings = read_strings(file, _sample(piece, dialect), dialect, options).frame
    types = infer_types(strings, decimal_comma=dialect.decimal_comma)
    return types | {name: pl.String() for name in types if name in options.string_columns}


def _sample(piece: Piece, dialect: Dialect) -> Piece:
    """The first records of a piece, or all of a short one."""
    if len(piece.text) <= SAMPLE_BYTES:
        return piece
    end = last_record_end(piece.text[:SAMPLE_BYTES], _separators(dialect)) or len(piece.text)
    return Piece(piece.text[:end], piece.line)


def _may_be_ragged(text: bytes, frame: "pl.DataFrame", dialect: Dialect) -> bool:
    """Whether a line may be blank or have too few cells, which polars accepts silently."""
    if frame[frame.columns[-1]].null_count() == 0:
        return False
    if frame.width == 1:
        return True
    if dialect.quote is not None and dialect.quote.encode() in text:
        return True
    return text.count(dialect.separator.encode()) != frame.height * (frame.width - 1)


def _separators(dialect: Dialect) -> str:
    """Separators before a quote that opens a cell; none where quotes are text."""
    return "" if dialect.quote is None else dialect.separator


def _start(file: str, size: int, separators: str = "") -> bytes:
    """The first lines of a file, or records if there are separators."""
    records = pieces(file, size=size, last_end=partial(last_record_end, separators=separators))
    return next(records, Piece(b"", 1)).text.removeprefix(BOM)


def _header_length(text: bytes, dialect: Dialect) -> int:
    """Bytes of the first record and the blank lines before it."""
    lengths: list[int] = []

    def lines() -> Iterator[str]:
        for line in BytesIO(text):
            lengths.append(len(line))
            yield line.decode()

    next((record for record in dialect.records(lines()) if not is_blank(record)), None)
    return sum(lengths)


def _require_text(file: str, text: bytes) -> None:
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{file} is UTF-16 text; convert it to UTF-8 first.")
    if b"\0" in text:
        raise SourceError(f"{file} is not a text table: it holds zero bytes.")


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
