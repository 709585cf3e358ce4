"""What is wrong with some JSON lines: the first line that polars could not read, or misread."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from rosenblatt.errors import SourceError
from rosenblatt.io.csv_dialect import MAX_COLUMNS
from rosenblatt.io.files import NEWLINE, Piece, long_lines

if TYPE_CHECKING:
    import polars as pl

KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text"}
KEY_END = re.compile(rb'"\s*:')
MOST_QUOTED = 60  # characters of a line that a message shows

Types = Mapping[str, "pl.DataType"]


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


ONE_A_LINE = 'Every line must hold one object, such as {"age": 4, "kind": "dog"}.'
