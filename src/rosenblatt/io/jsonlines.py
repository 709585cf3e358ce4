"""JSON lines: one object a line, its keys the columns.

The types are those of the whole source, settled by a first reading: a key may be missing or null
anywhere, and is a number with decimals if one line has it so. polars reads; where it stops, or
would turn a number into text, the lines are gone through one by one for the first that is wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.io.chunks import Place, Table
from rosenblatt.io.column_stack import n_cells, unnamed
from rosenblatt.io.files import BOM, NEWLINE, PIECE, Piece, pieces
from rosenblatt.io.jsonlines_errors import (
    check_keys,
    check_lines,
    explain,
    kind_of,
    lines_of,
    object_of,
)
from rosenblatt.io.reader import name_of, some_rows
from rosenblatt.types import Ints

if TYPE_CHECKING:
    import polars as pl

# text that could have been a value of another kind before polars made text of it
LIKE_A_VALUE = r"^(-?\d[\d.eE+-]*$|true$|false$|[\[{])"

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
