"""JSON lines: one object per line, its keys the columns.

Types are inferred from the whole source in a first reading: a key may be missing or null anywhere,
and is a float if any line has it so. polars parses; where it fails, or would turn a number into
text, the lines are parsed one by one to find the first invalid one.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, count_cells, non_empty, unnamed
from rosenblatt.io.csv_dialect import MAX_COLUMNS
from rosenblatt.io.files import BOM, NEWLINE, PIECE_BYTES, Piece, long_lines, name_of, pieces
from rosenblatt.io.rounded_cells import RoundedCells, rounded_in_text
from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

# text that may have been a number, a boolean or an object before polars made text of it
VALUE_LIKE = r"^(-?\d[\d.eE+-]*$|true$|false$|[\[{])"

Types = dict[str, "pl.DataType"]
KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text"}
KEY_END = re.compile(rb'"\s*:')
MAX_QUOTED_CHARACTERS = 60  # of a line in a message
ONE_A_LINE = 'Every line must hold one object, such as {"age": 4, "kind": "dog"}.'


@dataclass(frozen=True)
class JsonLinesSource:
    """Tables of JSON lines, one after another."""

    files: tuple[str, ...]
    piece_bytes: int = PIECE_BYTES
    counts_rounded: bool = False

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Table]:
        """Read the chunks from the beginning."""
        return non_empty(self.name, self._tables())

    @cached_property
    def _types(self) -> Types:
        """Types of all columns, in the order in which the keys first occur."""
        types: Types = {}
        for file, piece in self._pieces():
            found = _types_of(file, piece, types)
            types = {key: _wider(types.get(key), found.get(key)) for key in {**types, **found}}
        return types

    def _tables(self) -> Iterator[Table]:
        types = self._types
        for file, piece in self._pieces() if types else ():
            frame = _frame(file, piece, types)
            place = Place(file, piece.line, numbers=_numbers(piece, frame.height))
            yield Table(frame, place, self._rounded(piece, frame))

    def _rounded(self, piece: Piece, frame: "pl.DataFrame") -> RoundedCells:
        """The numbers of a piece that float64 does not tell apart, if they are to be counted."""
        if not self.counts_rounded:
            return {}
        return rounded_in_text(piece.text, frame, partial(_strings, piece, frame.columns))

    def _pieces(self) -> Iterator[tuple[str, Piece]]:
        for file in self.files:
            for text, line in pieces(file, size=self.piece_bytes):
                if not text.isspace():
                    check_keys(file, Piece(text, line))
                    yield file, Piece(text.removeprefix(BOM), line)


def _numbers(piece: Piece, n: int) -> Ints | None:
    """Line of each of n rows, if there are blank lines between them."""
    lines = piece.text.count(NEWLINE) + (not piece.text.endswith(NEWLINE))
    if lines == n:
        return None
    return np.array([number for number, _ in lines_of(piece)], np.int64)


def _types_of(file: str, piece: Piece, before: Types) -> Types:
    """Types of the columns in some lines, which must agree with those before."""
    import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

    try:
        types = pl.scan_ndjson(piece.text, infer_schema_length=None).collect_schema()
    except pl.exceptions.PolarsError as error:
        explain(file, piece, before, str(error))
    if any(_clash(before.get(key), kind) for key, kind in types.items()):
        explain(file, piece, before, "its types change")
    return {key: types[key] for key in _keys_in_order(file, piece, before, types)}


def _keys_in_order(file: str, piece: Piece, before: Types, types: Mapping[str, Any]) -> list[str]:
    """Keys of some lines in order of first occurrence, which polars does not keep."""
    unseen = types.keys() - before.keys()
    keys = dict.fromkeys(before)
    for number, line in lines_of(piece) if unseen else ():
        found = object_of(f"{file}, line {number}", line)
        keys |= dict.fromkeys(found)
        unseen -= found.keys()
        if not unseen:
            break
    return [key for key in keys if key in types]


def _frame(file: str, piece: Piece, types: Types) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415

    try:
        frame = pl.read_ndjson(piece.text, schema=types)
    except pl.exceptions.PolarsError as error:
        explain(file, piece, {}, str(error))
    if _made_text(file, piece, frame):
        check_lines(file, piece, {})
    return frame


def _strings(piece: Piece, names: list[str]) -> "pl.DataFrame":
    """Numbers as they are written; of what is no number, anything."""
    import polars as pl  # noqa: PLC0415

    rows = [json.loads(line, parse_int=str, parse_float=str) for _, line in lines_of(piece)]
    cells = {name: [row.get(name) for row in rows] for name in names}
    return pl.DataFrame(
        [pl.Series(name, own, pl.String, strict=False) for name, own in cells.items()]
    )


def _made_text(file: str, piece: Piece, frame: "pl.DataFrame") -> bool:
    """Whether polars turned a value that is not text into text."""
    import polars as pl  # noqa: PLC0415

    texts = [column for column in frame.get_columns() if column.dtype == pl.String]
    like = pl.all().str.contains(VALUE_LIKE)
    doubtful = [texts[k] for k in np.flatnonzero(count_cells(texts, like))]
    if not doubtful:
        return False
    some = unnamed(pl.DataFrame(doubtful).select(pl.any_horizontal(like)).to_series())
    lines = list(lines_of(piece))
    objects = (
        object_of(f"{file}, line {number}", line)
        for number, line in map(lines.__getitem__, some.arg_true())
    )
    names = [column.name for column in doubtful]
    return any(not isinstance(row.get(key), str | None) for row in objects for key in names)


def _clash(before: "pl.DataType | None", kind: "pl.DataType") -> bool:
    if kind.is_nested():
        return True
    kinds = {kind_of(kind), None if before is None else kind_of(before)}
    return len(kinds - {None}) > 1


def _wider(before: "pl.DataType | None", now: "pl.DataType | None") -> "pl.DataType":
    """The common type of two that do not clash."""
    import polars as pl  # noqa: PLC0415

    known = [kind for kind in (before, now) if kind not in (None, pl.Null)]
    if not known:
        return pl.Null()
    if known[0] == known[-1] and known[0] in (pl.Int64, pl.String, pl.Boolean):
        return known[0]
    return pl.Float64()  # one number has decimals, or more digits than an int64


def kind_of(type_: "pl.DataType") -> str | None:
    """The kind of a column for messages; None if it is not known yet."""
    if type_.is_numeric():
        return KINDS[float]
    return {"String": KINDS[str], "Boolean": KINDS[bool]}.get(str(type_))


def lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    for number, line in enumerate(piece.text.split(NEWLINE), piece.line):
        if not line.isspace() and line:
            yield number, line


def check_keys(file: str, piece: Piece) -> None:
    """Refuse a line with far too many keys, each of which would become a column."""
    for text, number in long_lines(piece, MAX_COLUMNS):
        n_keys = sum(1 for _ in KEY_END.finditer(text))
        if n_keys > MAX_COLUMNS:
            raise SourceError(
                f"{file}, line {number}: {n_keys:,} keys; a table may have at most"
                f" {MAX_COLUMNS:,} columns. Write the rows as svmlight or NPY."
            )


def explain(file: str, piece: Piece, types: Types, reason: str) -> NoReturn:
    """Raise the error for lines that polars refused."""
    check_lines(file, piece, types)
    raise SourceError(f"{file}, after line {piece.line}: cannot be read as JSON lines: {reason}.")


def check_lines(file: str, piece: Piece, types: Types) -> None:
    """Refuse the first line that is not an object of plain values, or contradicts the others."""
    kinds = {key: kind for key, type_ in types.items() if (kind := kind_of(type_))}
    for number, line in lines_of(piece):
        place = f"{file}, line {number}"
        for key, value in object_of(place, line).items():
            _check_value(f"{place}, key {key!r}", value, kinds.setdefault(key, ""))
            kinds[key] = kinds[key] or KINDS.get(type(value), "")


def object_of(place: str, line: bytes) -> dict[str, Any]:
    """The object that a line holds."""

    def refuse(constant: str) -> NoReturn:
        raise SourceError(f"{place}: {constant} is not JSON. Write null for a missing value.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            times = Counter(key for key, _ in pairs)
            twice = next(key for key, n in times.items() if n > 1)
            raise SourceError(f"{place}: the key {twice!r} occurs twice. Keep one of them.")
        return values

    try:
        value = json.loads(line, parse_constant=refuse, object_pairs_hook=once)
    except SourceError:
        raise
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{place}: {_quoted(line)} is not JSON. {ONE_A_LINE}") from error
    if not isinstance(value, dict):
        raise SourceError(f"{place}: {_quoted(line)} is not an object. {ONE_A_LINE}")
    return value


def _check_value(place: str, value: Any, kind: str) -> None:
    if isinstance(value, dict | list):
        raise SourceError(
            f"{place}: {_quoted(json.dumps(value))} is nested. Give each of its values a"
            " key of its own, or leave it out."
        )
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise SourceError(f"{place}: the number is too large for float64.")
    if value is not None and kind and KINDS[type(value)] != kind:
        shown = _short(json.dumps(value, ensure_ascii=False))
        raise SourceError(
            f"{place}: {shown} is {KINDS[type(value)]}, where earlier lines have {kind}."
            " Use one type for each key."
        )


def _quoted(line: str | bytes) -> str:
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    return repr(_short(text.strip()))


def _short(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_CHARACTERS else text[:MAX_QUOTED_CHARACTERS] + "…"
