"""How a column becomes features. What a column needs to know was learned from the training rows.

========  ==========================================================  ===========================
column    features                                                    a missing cell
========  ==========================================================  ===========================
Number    its value; booleans are 0 and 1                             the fill, and an indicator
Category  one a value seen in training; an unseen value sets none     an indicator
Text      hashed runs of words or characters, see grams.py            sets none
========  ==========================================================  ===========================

There is an indicator where cells were missing in training.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.storage import CSR
from rosenblatt.errors import BadCellError
from rosenblatt.tables.grams import Grams

if TYPE_CHECKING:
    import polars as pl

BOOLEAN = "(?i-u)^(true|false)$"
ABSENT = -1  # place of a feature that is zero in this row


class Entries(NamedTuple):
    """One entry a row: which feature of the column (one for all, or ABSENT), and its value."""

    features: Ints | int
    values: Floats


@dataclass(frozen=True)
class Number:
    """A column of numbers."""

    name: str
    fill: float
    indicator: bool

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features."""
        return (self.name, f"{self.name} is missing") if self.indicator else (self.name,)

    def entries(self, cells: "pl.Series") -> list[Entries]:
        """Its entries in some rows."""
        values = numbers_of(cells)
        missing = np.isnan(values)
        if missing.any():
            values[missing] = self.fill
        first = Entries(0, values)
        return [first, _flags(missing, 1)] if self.indicator else [first]


@dataclass(frozen=True)
class Category:
    """A column of words, each of which is a feature."""

    name: str
    values: tuple[str, ...]
    indicator: bool

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features."""
        named = tuple(f"{self.name}={value}" for value in self.values)
        return (*named, f"{self.name} is missing") if self.indicator else named

    def entries(self, cells: "pl.Series") -> list[Entries]:
        """Its entries in some rows."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        words = words_of(cells)
        places = words.replace_strict(
            list(self.values), list(range(len(self.values))), default=ABSENT, return_dtype=pl.Int64
        )
        features = places.fill_null(ABSENT).to_numpy().copy()
        if self.indicator:
            features[words.is_null().to_numpy()] = len(self.values)
        return [Entries(features, np.ones(len(features)))]


@dataclass(frozen=True, eq=False)
class Text:
    """A column of free text: how often runs of words come, or how much that weighs (idf)."""

    name: str
    grams: Grams
    idf: Floats | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features: what is hashed has none of its own."""
        return tuple(f"{self.name}#{j}" for j in range(self.grams.n_features))

    def counts(self, cells: "pl.Series") -> CSR:
        """How often each of its features comes in some rows."""
        return self.grams.counts(words_of(cells))

    def weighted(self, cells: "pl.Series") -> CSR:
        """How much its features weigh in some rows."""
        from rosenblatt.tables.tfidf import weighted  # noqa: PLC0415 (loads the compiler)

        counts = self.counts(cells)
        return counts if self.idf is None else weighted(counts, self.idf)


Column = Number | Category | Text


def width_of(column: Column) -> int:
    """How many features a column has."""
    return column.grams.n_features if isinstance(column, Text) else len(column.features)


def numbers_of(cells: "pl.Series") -> Floats:
    """Cells as float64, a missing one as NaN; what is no number is refused with its place."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if cells.dtype.is_numeric() or cells.dtype == pl.Boolean:
        numbers = cells.cast(pl.Float64)
    else:
        words = words_of(cells)
        numbers = words.replace(["true", "false"], ["1", "0"]).cast(pl.Float64, strict=False)
        _refuse_first(numbers.is_null() & words.is_not_null(), cells, "is not a number")
    values: Floats = numbers.to_numpy(writable=True)  # which has NaN for none
    infinite = np.isinf(values)
    if infinite.any():
        _refuse_first(pl.Series(infinite), cells, "is not finite")
    return values


def words_of(cells: "pl.Series") -> "pl.Series":
    """Cells as words without blanks around them; an empty one is missing.

    Whole numbers are written without a point, and booleans are true and false, whatever type they
    are stored as: formats without booleans have them as True or TRUE.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    if cells.dtype.is_nested() or cells.dtype in (pl.Binary, pl.Object):
        raise BadCellError(0, cells.name, f"cells of {cells.dtype} are neither numbers nor words.")
    words = cells.cast(pl.String).str.strip_chars()
    if cells.dtype.is_float():
        words = words.str.strip_suffix(".0")
    boolean = words.str.contains(BOOLEAN)
    if boolean.any():
        words = words.str.to_lowercase().zip_with(boolean, words)
    return words.set(words == "", None)


def _refuse_first(bad: "pl.Series", cells: "pl.Series", trouble: str) -> None:
    if bad.any():
        row = int(bad.arg_max() or 0)
        raise BadCellError(row, cells.name, f"{str(cells[row])!r} {trouble}.")


def _flags(where: Array, feature: int) -> Entries:
    return Entries(np.where(where, feature, ABSENT), np.ones(len(where)))


def plain_column(column: Column) -> dict[str, Any]:
    """A column as plain data, but for the array of a text column."""
    if isinstance(column, Text):
        return {"kind": "text", "name": column.name, **column.grams._asdict()}
    if isinstance(column, Category):
        values = list(column.values)
        return {
            "kind": "category",
            "name": column.name,
            "values": values,
            "indicator": column.indicator,
        }
    return {
        "kind": "number",
        "name": column.name,
        "fill": column.fill,
        "indicator": column.indicator,
    }
