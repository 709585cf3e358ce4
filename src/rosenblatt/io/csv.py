"""CSV, TSV and other delimited text, a piece at a time.

The types of the columns are settled by the first piece and hold for all: numbers are float64,
then come booleans and words. A piece that polars cannot read by these types is read as words and
looked at cell by cell: so blanks around numbers do no harm, and a cell that is wrong is named.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from io import BytesIO
from typing import TYPE_CHECKING

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Options, Place, Table, usual_target
from rosenblatt.io.column_stack import unnamed
from rosenblatt.io.csv_cells import as_words, decoded, typed, types_of, with_given_words
from rosenblatt.io.csv_dialect import (
    SEPARATORS,
    TAB,
    Layout,
    cells_end_with_quotes,
    check_width,
    is_blank,
    last_record_end,
    layout_of,
)
from rosenblatt.io.files import BOM, PIECE, Piece, name_of, pieces

if TYPE_CHECKING:
    import polars as pl

HEAD = 1 << 16  # bytes that tell the layout
SAMPLE = 1 << 20  # bytes that tell the types, and whether quotes are text

CODE = "^[+-]?(0[0-9]+|[0-9]{16,})$"  # which a float64 does not hold as it is written

Types = dict[str, "pl.DataType"]


@dataclass(frozen=True)
class Delimited:
    """Tables of delimited text with the same columns, one after another."""

    files: tuple[str, ...]
    given: Options
    target: str | None = None
    size: int = PIECE
    """How many bytes make a chunk; about so many, since no record is cut."""

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
    def layout(self) -> Layout:
        """How the first file is laid out; the others must be so, too."""
        return self._layout(self.files[0])

    @cached_property
    def options(self) -> Options:
        """Options as they were given, but for codes among the labels, which are words."""
        piece = self._first if self.given.teaches else None
        target = self.target or usual_target(self.layout.names)
        if piece is None or target not in self.layout.names or not self._are_codes(target, piece):
            return self.given
        return replace(self.given, as_words=self.given.as_words | {target})

    def _are_codes(self, column: str, piece: Piece) -> bool:
        """Whether whole numbers in a column are written as amounts are not, such as 01."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        sample = _sample(piece, self.layout)
        words: Types = dict.fromkeys(self.layout.names, pl.String())
        frame = _parsed(sample.text, self.layout, words, self.given)
        if frame is None:
            frame = as_words(self.files[0], sample, self.layout, self.given).frame
        return bool(unnamed(frame[column]).str.contains(CODE).any())

    @cached_property
    def types(self) -> Types:
        """Type of each column, by the first piece of the first file."""
        piece = self._first
        if piece is None:
            raise SourceError(f"{self.name} has a header but no rows.")
        return _types(self.files[0], piece, self.layout, self.options)

    @cached_property
    def _first(self) -> Piece | None:
        """The first piece of the first file, by which the rest is settled."""
        return next(self._pieces(self.files[0]), None)

    def _layout(self, file: str) -> Layout:
        head = _start(file, HEAD, self.given.separator or SEPARATORS)
        _require_text(file, head)
        check_width(file, Piece(head, 1), self.given.separator or SEPARATORS)
        sample = _start(file, SAMPLE) if TAB.encode() in head else head
        return layout_of(
            file, decoded(file, Piece(head, 1)), self.given, decoded(file, Piece(sample, 1))
        )

    def _pieces(self, file: str) -> Iterator[Piece]:
        """Pieces without the header, which must be that of the first file."""
        layout = self.layout if file == self.files[0] else self._layout(file)
        if layout.names != self.layout.names:
            raise SourceError(
                f"{file} has other columns than {self.files[0]}: {', '.join(layout.names[:8])}"
                f" instead of {', '.join(self.layout.names[:8])}. Read such files one by one."
            )
        last_end = partial(last_record_end, separators=_separators(self.layout))
        for piece in pieces(file, size=self.size, last_end=last_end):
            check_width(file, piece, layout.separator)
            text = piece.text.removeprefix(BOM) if piece.line == 1 else piece.text
            skipped = _header_length(text, layout) if piece.line == 1 and layout.header else 0
            if len(text) > skipped:
                yield Piece(text[skipped:], piece.line + text.count(b"\n", 0, skipped))

    def _chunk(self, file: str, piece: Piece) -> Table:
        if b"\0" in piece.text:
            _require_text(file, piece.text)
        lines = piece.text.count(b"\n") + (not piece.text.endswith(b"\n"))
        frame = _parsed(piece.text, self.layout, self.types, self.options)
        if frame is None or frame.height != lines or _may_be_ragged(piece.text, frame, self.layout):
            return self._carefully(file, piece)
        return Table(frame, Place(file, piece.line))

    def _carefully(self, file: str, piece: Piece) -> Table:
        """A piece that polars does not read by the types: words first, then cell by cell."""
        words = as_words(file, piece, self.layout, self.options)
        frame = typed(words, self.types, decimal_comma=self.layout.decimal_comma)
        return Table(frame, words.place)


def _parsed(text: bytes, layout: Layout, types: Types, options: Options) -> "pl.DataFrame | None":
    """Rows as polars reads them; none if it cannot, or would read quotes as others do not.

    A cell too many at the very end, where no line ends, would be passed over: hence the newline.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    if layout.quote is not None and not cells_end_with_quotes(text, layout.separator):
        return None
    try:
        frame = pl.read_csv(
            text if text.endswith(b"\n") else text + b"\n",
            has_header=False,
            schema=types,
            separator=layout.separator,
            quote_char=layout.quote,
            null_values=list(options.missing),
            decimal_comma=layout.decimal_comma,
            glob=False,
        )
    except pl.exceptions.PolarsError:
        return None
    return with_given_words(frame, options)


def _types(file: str, piece: Piece, layout: Layout, options: Options) -> Types:
    """Types by all lines of a sample: numbers as float64, whatever polars makes of them."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    words = as_words(file, _sample(piece, layout), layout, options).frame
    types = types_of(words, decimal_comma=layout.decimal_comma)
    return types | {name: pl.String() for name in types if name in options.as_words}


def _sample(piece: Piece, layout: Layout) -> Piece:
    """The first records of a piece, up to its end if it is short."""
    if len(piece.text) <= SAMPLE:
        return piece
    end = last_record_end(piece.text[:SAMPLE], _separators(layout)) or len(piece.text)
    return Piece(piece.text[:end], piece.line)


def _may_be_ragged(text: bytes, frame: "pl.DataFrame", layout: Layout) -> bool:
    """Whether a line may be blank or have too few cells, which polars passes over in silence."""
    if frame[frame.columns[-1]].null_count() == 0:
        return False
    if frame.width == 1:
        return True
    if layout.quote is not None and layout.quote.encode() in text:
        return True
    return text.count(layout.separator.encode()) != frame.height * (frame.width - 1)


def _separators(layout: Layout) -> str:
    """What stands before a quote that opens a cell; nothing where quotes are text."""
    return "" if layout.quote is None else layout.separator


def _start(file: str, size: int, separators: str = "") -> bytes:
    """The first lines of a file, or records if there are separators."""
    records = pieces(file, size=size, last_end=partial(last_record_end, separators=separators))
    return next(records, Piece(b"", 1)).text.removeprefix(BOM)


def _header_length(text: bytes, layout: Layout) -> int:
    """How many bytes the first record takes, and the blank lines before it."""
    lengths: list[int] = []

    def lines() -> Iterator[str]:
        for line in BytesIO(text):
            lengths.append(len(line))
            yield line.decode()

    next((record for record in layout.records(lines()) if not is_blank(record)), None)
    return sum(lengths)


def _require_text(file: str, text: bytes) -> None:
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise SourceError(f"{file} is UTF-16 text; write it as UTF-8 first.")
    if b"\0" in text:
        raise SourceError(f"{file} is not a text table: it holds zero bytes.")
