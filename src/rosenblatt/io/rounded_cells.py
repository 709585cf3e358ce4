"""Cells that float64 does not tell apart: long integers, and decimals of many digits.

Every number is read as the nearest float64, be it 0.1 or 2^53 + 1. A verdict on separability names
the columns in which that matters: those with integers that no float64 equals, and those in which
different decimals become equal, be it to 0. Decimals of up to 15 digits stay different, unless they
are below the smallest floats; others are compared within a piece of a file. Columns lose their
names here, which polars may take for patterns.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.types import Array

if TYPE_CHECKING:
    import polars as pl

EXACT = 1 << 53  # up to here float64 holds every integer
SAFE_DIGITS = 15  # decimals of so many digits are different as float64, too
TINY = re.compile(rb"[eE]-0*([3-9][0-9]{2}|[1-9][0-9]{3,})")  # an exponent below most floats
WHOLE = re.compile(r"[+-]?[0-9]+(\.0*)?")
MARKS = (b".", b",")


class Rounded(NamedTuple):
    """How many cells of a column are integers that no float64 equals.

    `decimals` are those that equal another cell as float64, but not as it is written.
    """

    integers: int = 0
    decimals: int = 0


RoundedCells = Mapping[str, Rounded]


def total(parts: Iterable[RoundedCells]) -> dict[str, Rounded]:
    """Rounded cells of each column that has some."""
    found: dict[str, Rounded] = {}
    for part in parts:
        for name, cells in part.items():
            before = found.get(name, Rounded())
            found[name] = Rounded(*map(add, before, cells))
    return {name: cells for name, cells in found.items() if any(cells)}


def are_rounded(values: Array) -> Array:
    """Whether no float64 equals an integer: its odd part has more than 53 bits."""
    size = np.abs(values).astype(np.uint64)  # of the least int64, too
    large = size > EXACT
    size[~large] = 1
    return large & (size // (size & (~size + np.uint64(1))) >= EXACT)


def rounded_in_types(columns: "Sequence[pl.Series]") -> dict[str, Rounded]:
    """Rounded cells of columns that are stored as integers or as decimals."""
    return total({column.name: _of_type(column.alias(""))} for column in columns)


def _of_type(column: "pl.Series") -> Rounded:
    import polars as pl  # noqa: PLC0415 (slow to import)

    if column.dtype == pl.Float64:
        return Rounded()
    if column.dtype in (pl.Int64, pl.UInt64):
        return Rounded(integers=int(are_rounded(column.drop_nulls().to_numpy()).sum()))
    if column.dtype in (pl.Int128, pl.UInt128) or column.dtype.is_decimal():
        return rounded_in_words(column.cast(pl.String), column.cast(pl.Float64))
    return Rounded()


def rounded_in_text(
    text: bytes,
    frame: "pl.DataFrame",
    strings: "Callable[[], pl.DataFrame]",
    *,
    decimal_comma: bool = False,
) -> dict[str, Rounded]:
    """Rounded cells of the numbers in a frame, given its text, and its cells as strings."""
    if not (_has_long_numbers(text, MARKS[decimal_comma]) or _has_tiny_numbers(text)):
        return {}
    numbers = [column for column in frame.get_columns() if str(column.dtype) == "Float64"]
    columns = {column.name: column.alias("") for column in numbers}
    doubtful = {name: column for name, column in columns.items() if _may_be_rounded(column)}
    if not doubtful:
        return {}
    words = {column.name: column.alias("") for column in strings().get_columns()}
    if decimal_comma:
        words = {n: words[n].str.replace(",", ".", literal=True) for n in doubtful}
    return total({n: rounded_in_words(words[n], values)} for n, values in doubtful.items())


def _has_long_numbers(text: bytes, mark: bytes) -> bool:
    """Whether a number may have more digits than stay different for sure."""
    long = b"0" * (SAFE_DIGITS + 1)
    table = bytes(48 if chr(sign) in "0123456789" or sign == mark[0] else 32 for sign in range(256))
    return long in text.translate(table)


def _has_tiny_numbers(text: bytes) -> bool:
    """Whether a number may be so small that float64 has few digits for it, or none."""
    return (b"e-" in text or b"E-" in text) and TINY.search(text) is not None


def _may_be_rounded(column: "pl.Series") -> bool:
    """Whether there are equal cells, or large ones, or zeros."""
    given = column.drop_nulls()
    sizes = np.abs(given.to_numpy())
    return bool(((sizes >= EXACT) | (sizes == 0)).any()) or given.n_unique() < len(given)


def rounded_in_words(words: "pl.Series", values: "pl.Series") -> Rounded:
    """Rounded cells of a column, as they are written and as float64."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    cells = pl.DataFrame([words.alias("word").str.strip_chars(), values.alias("value")])
    cells = cells.drop_nulls().group_by("word", "value").len()
    large = pl.col("value").abs() >= EXACT
    integers = large & pl.col("word").str.contains(f"^{WHOLE.pattern}$")
    whole = cells.filter(integers)
    twins = cells.filter(~integers).filter(pl.col("value").is_duplicated() | (pl.col("value") == 0))
    n_integers = sum(n for word, n in whole.select("word", "len").rows() if is_rounded(word))
    return Rounded(n_integers, _merged(twins.rows()))


def is_rounded(word: str) -> bool:
    """Whether no float64 equals a number."""
    return Decimal(word) != Decimal(float(word))


def _merged(cells: list[tuple[str, float, int]]) -> int:
    """Number of cells whose float64 is that of cells that are written as another number, or 0."""
    written: dict[float, dict[Decimal | str, int]] = {0.0: {Decimal(0): 0}}
    for word, value, n in cells:
        numbers = written.setdefault(value, {})
        number = _number(word)
        numbers[number] = numbers.get(number, 0) + n
    return sum(sum(numbers.values()) for numbers in written.values() if len(numbers) > 1)


def _number(word: str) -> Decimal | str:
    """The number that a cell says, or the word where its exponent is beyond all decimals."""
    try:
        return Decimal(word)
    except InvalidOperation:
        return word
