"""JSON lines: one object a line, its keys the columns.

The types are those of the whole source, settled by a first reading: a key may be missing or null
anywhere, and is a number with decimals if one line has it so. polars reads; where it stops, or
would turn a number into text, the lines are gone through one by one for the first that is wrong.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Place, Table, some_rows
from rosenblatt.io.column_stack import n_cells, unnamed
from rosenblatt.io.csv_dialect import MAX_COLUMNS
from rosenblatt.io.files import BOM, NEWLINE, PIECE, Piece, long_lines, name_of, pieces
from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

# text that could have been a value of another kind before polars made text of it
LIKE_A_VALUE = r"^(-?\d[\d.eE+-]*$|true$|false$|[\[{])"

Types = dict[str, "pl.DataType"]
KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text"}
KEY_END = re.compile(rb'"\s*:')
MOST_QUOTED = 60  # characters of a line that a message shows
ONE_A_LINE = 'Every line must hold one object, such as {"age": 4, "kind": "dog"}.'


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
                    check_keys(file, Piece(text, line))
                    yield file, Piece(text.removeprefix(BOM), line)


def _numbers(piece: Piece, n: int) -> Ints | None:
    """The line of each of n rows, if there are blank lines between them."""
    lines = piece.text.count(NEWLINE) + (not piece.text.endswith(NEWLINE))
    if lines == n:
        return None
    return np.array([number for number, _ in lines_of(piece)], np.int64)


def _types_of(file: str, piece: Piece, before: Types) -> Types:
    """Types of the columns in some lines, which must go with those before."""
    import polars as pl  # noqa: PLC0415 (slow to import, and matrices do without)

    try:
        types = pl.scan_ndjson(piece.text, infer_schema_length=None).collect_schema()
    except pl.exceptions.PolarsError as error:
        explain(file, piece, before, str(error))
    if any(_clash(before.get(key), kind) for key, kind in types.items()):
        explain(file, piece, before, "its types change")
    return {key: types[key] for key in _keys_in_order(file, piece, before, types)}


def _keys_in_order(file: str, piece: Piece, before: Types, types: Mapping[str, Any]) -> list[str]:
    """Keys of some lines in the order in which they first come; polars gives them in its own."""
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


def _made_text(file: str, piece: Piece, frame: "pl.DataFrame") -> bool:
    """Whether polars made text of what was none."""
    import polars as pl  # noqa: PLC0415

    texts = [column for column in frame.get_columns() if column.dtype == pl.String]
    like = pl.all().str.contains(LIKE_A_VALUE)
    doubtful = [texts[k] for k in np.flatnonzero(n_cells(texts, like))]
    if not doubtful:
        return False
    some = unnamed(pl.DataFrame(doubtful).select(pl.any_horizontal(like)).to_series())
    lines = list(lines_of(piece))
    objects = (
        object_of(f"{file}, line {number}", line)
        for number, line in map(lines.__getitem__, some.arg_true())
    )
    names = [column.name for column in doubtful]
    return any(not isinstance(it.get(key), str | None) for it in objects for key in names)


def _clash(before: "pl.DataType | None", kind: "pl.DataType") -> bool:
    if kind.is_nested():
        return True
    kinds = {kind_of(kind), None if before is None else kind_of(before)}
    return len(kinds - {None}) > 1


def _wider(before: "pl.DataType | None", now: "pl.DataType | None") -> "pl.DataType":
    """The type that holds both, where they do not clash."""
    import polars as pl  # noqa: PLC0415

    known = [kind for kind in (before, now) if kind not in (None, pl.Null)]
    if not known:
        return pl.Null()
    if known[0] == known[-1] and known[0] in (pl.Int64, pl.String, pl.Boolean):
        return known[0]
    return pl.Float64()  # numbers, of which one has decimals or more digits than an integer takes


def kind_of(type_: "pl.DataType") -> str | None:
    """What a column holds, in words; None if nothing is known yet."""
    if type_.is_numeric():
        return KINDS[float]
    return {"String": KINDS[str], "Boolean": KINDS[bool]}.get(str(type_))


def lines_of(piece: Piece) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    for number, line in enumerate(piece.text.split(NEWLINE), piece.line):
        if not line.isspace() and line:
            yield number, line


def check_keys(file: str, piece: Piece) -> None:
    """Refuse a line of far too many keys, of which each would become a column of polars."""
    for text, number in long_lines(piece, MAX_COLUMNS):
        n_keys = sum(1 for _ in KEY_END.finditer(text))
        if n_keys > MAX_COLUMNS:
            raise SourceError(
                f"{file}, line {number}: {n_keys:,} keys, where a table may have {MAX_COLUMNS:,}"
                " columns at most. Write the rows as svmlight or NPY."
            )


def explain(file: str, piece: Piece, types: Types, reason: str) -> NoReturn:
    """Say what is wrong with some lines that polars refused for a reason."""
    check_lines(file, piece, types)
    raise SourceError(f"{file}, after line {piece.line}: cannot be read as JSON lines: {reason}.")


def check_lines(file: str, piece: Piece, types: Types) -> None:
    """Refuse the first line that is no object of plain values or goes against the others."""
    kinds = {key: kind for key, type_ in types.items() if (kind := kind_of(type_))}
    for number, line in lines_of(piece):
        place = f"{file}, line {number}"
        for key, value in object_of(place, line).items():
            _check_value(f"{place}, key {key!r}", value, kinds.setdefault(key, ""))
            kinds[key] = kinds[key] or KINDS.get(type(value), "")


def object_of(place: str, line: bytes) -> dict[str, Any]:
    """The object that a line holds, and nothing else."""

    def refuse(constant: str) -> NoReturn:
        raise SourceError(f"{place}: {constant} is not JSON. Write null for a missing value.")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            times = Counter(key for key, _ in pairs)
            twice = next(key for key, n in times.items() if n > 1)
            raise SourceError(f"{place}: the key {twice!r} stands twice. Which one is meant?")
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
            f"{place}: {shown} is {KINDS[type(value)]}, where lines before have {kind}."
            " Write all of them in one way."
        )


def _quoted(line: str | bytes) -> str:
    text = line.decode(errors="replace") if isinstance(line, bytes) else line
    return repr(_short(text.strip()))


def _short(text: str) -> str:
    return text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "…"
