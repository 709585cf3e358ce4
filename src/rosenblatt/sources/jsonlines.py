"""JSON lines: one object a line, its keys the columns.

The types are those of the whole source, settled by a first reading: a key may be missing or null
anywhere, and is a number with decimals if one line has it so. polars reads; where it stops, or
would turn a number into text, the lines are gone through one by one for the first that is wrong.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rosenblatt.arrays import Ints
from rosenblatt.errors import SourceError
from rosenblatt.sources.chunks import Place, Table
from rosenblatt.sources.opening import NEWLINE, PIECE, Piece, pieces
from rosenblatt.sources.reading import name_of, some_rows

if TYPE_CHECKING:
    import polars as pl

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text"}
# text that could have been a value of another kind before polars made text of it
LIKE_A_VALUE = r"^(-?\d[\d.eE+-]*$|true$|false$|[\[{])"
MOST_QUOTED = 60  # characters of a line that a message shows

Types = dict[str, "pl.DataType"]


@dataclass(frozen=True)
class JsonLines:
    """Tables of JSON lines, one after another."""

    files: tuple[str, ...]
    piece: int = PIECE  # bytes of a chunk

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Table]:
        """Read the chunks from the beginning."""
        return some_rows(self.name, self._tables())

    @cached_property
    def _types(self) -> Types:
        """Types of all columns, in the order in which the keys first come."""
        types: Types = {}
        for file, piece in self._pieces():
            found = _types_of(file, piece, types)
            types = {key: _wider(types.get(key), found.get(key)) for key in {**types, **found}}
        return types

    def _tables(self) -> Iterator[Table]:
        types = self._types
        for file, piece in self._pieces() if types else ():
            frame = _frame(file, piece, types)
            yield Table(frame, Place(file, piece.line, numbers=_numbers(piece, frame.height)))

    def _pieces(self) -> Iterator[tuple[str, Piece]]:
        for file in self.files:
            for text, line in pieces(file, size=self.piece):
                if not text.isspace():
                    yield file, Piece(text.removeprefix(BYTE_ORDER_MARK), line)


def _numbers(piece: Piece, n: int) -> Ints | None:
    """The line of each of n rows, if there are blank lines between them."""
    lines = piece.text.count(NEWLINE) + (not piece.text.endswith(NEWLINE))
    if lines == n:
        return None
    return np.array([number for number, _ in _lines(piece)], np.int64)


def _lines(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    for number, line in enumerate(piece.text.split(NEWLINE), piece.line):
        if not line.isspace() and line:
            yield number, line


def _types_of(file: str, piece: Piece, before: Types) -> Types:
    """Types of the columns in some lines, which must go with those before."""
    import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

    try:
        types = pl.scan_ndjson(piece.text, infer_schema_length=None).collect_schema()
    except pl.exceptions.PolarsError as error:
        _explain(file, piece, before, str(error))
    if any(_clash(before.get(key), kind) for key, kind in types.items()):
        _explain(file, piece, before, "its types change")
    return dict(types)


def _frame(file: str, piece: Piece, types: Types) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415

    try:
        frame = pl.read_ndjson(piece.text, schema=types)
    except pl.exceptions.PolarsError as error:
        _explain(file, piece, {}, str(error))
    if _made_text(file, piece, frame):
        _check_lines(file, piece, {})
    return frame


def _made_text(file: str, piece: Piece, frame: "pl.DataFrame") -> bool:
    """Whether polars made text of what was none."""
    import polars as pl  # noqa: PLC0415

    texts = frame.select(pl.col(pl.String))
    like = texts.select(pl.any_horizontal(pl.lit(value=False), pl.all().str.contains(LIKE_A_VALUE)))
    rows = like.to_series().arg_true()
    lines = list(_lines(piece)) if len(rows) else []
    objects = (
        _object(f"{file}, line {number}", line) for number, line in map(lines.__getitem__, rows)
    )
    return any(not isinstance(it.get(key), str | None) for it in objects for key in texts.columns)


def _clash(before: "pl.DataType | None", kind: "pl.DataType") -> bool:
    if kind.is_nested():
        return True
    kinds = {_kind(kind), None if before is None else _kind(before)}
    return len(kinds - {None}) > 1


def _kind(type_: "pl.DataType") -> str | None:
    """What a column holds, in words; None if nothing is known yet."""
    if type_.is_numeric():
        return KINDS[float]
    return {"String": KINDS[str], "Boolean": KINDS[bool]}.get(str(type_))


def _wider(before: "pl.DataType | None", now: "pl.DataType | None") -> "pl.DataType":
    """The type that holds both, where they do not clash."""
    import polars as pl  # noqa: PLC0415

    known = [kind for kind in (before, now) if kind not in (None, pl.Null)]
    if not known:
        return pl.Null()
    if known[0] == known[-1] and known[0] in (pl.Int64, pl.String, pl.Boolean):
        return known[0]
    return pl.Float64()  # numbers, of which one has decimals or more digits than an integer takes


def _explain(file: str, piece: Piece, types: Types, reason: str) -> NoReturn:
    """Say what is wrong with some lines that polars refused for a reason."""
    _check_lines(file, piece, types)
    raise SourceError(f"{file}, after line {piece.line}: cannot be read as JSON lines: {reason}.")


def _check_lines(file: str, piece: Piece, types: Types) -> None:
    """Refuse the first line that is no object of plain values or goes against the others."""
    kinds = {key: kind for key, type_ in types.items() if (kind := _kind(type_))}
    for number, line in _lines(piece):
        place = f"{file}, line {number}"
        for key, value in _object(place, line).items():
            _check_value(f"{place}, key {key!r}", value, kinds.setdefault(key, ""))
            kinds[key] = kinds[key] or KINDS.get(type(value), "")


def _object(place: str, line: bytes) -> dict[str, Any]:
    def refuse(constant: str) -> NoReturn:
        raise SourceError(f"{place}: {constant} is not JSON. Write null for a missing value.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in pairs]
        twice = next((key for key in keys if keys.count(key) > 1), None)
        if twice is not None:
            raise SourceError(f"{place}: the key {twice!r} stands twice. Which one is meant?")
        return dict(pairs)

    try:
        value = json.loads(line, parse_constant=refuse, object_pairs_hook=once)
    except ValueError as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{place}: {_quoted(line)} is not JSON. {ONE_A_LINE}") from error
    if not isinstance(value, dict):
        raise SourceError(f"{place}: {_quoted(line)} is not an object. {ONE_A_LINE}")
    return value


def _check_value(place: str, value: Any, kind: str) -> None:
    if isinstance(value, dict | list):
        raise SourceError(
            f"{place}: {_quoted(json.dumps(value).encode())} is nested. Give each of its values a"
            " key of its own, or leave it out."
        )
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        raise SourceError(f"{place}: the number is too large for float64.")
    if value is not None and kind and KINDS[type(value)] != kind:
        raise SourceError(
            f"{place}: {json.dumps(value)} is {KINDS[type(value)]}, where lines before have {kind}."
            " Write all of them in one way."
        )


def _quoted(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "…")


ONE_A_LINE = 'Every line must hold one object, such as {"age": 4, "kind": "dog"}.'
