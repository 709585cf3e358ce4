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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.errors import BadCellError
from rosenblatt.io.chunks import Table
from rosenblatt.io.column_stack import by_cells, n_cells, unnamed
from rosenblatt.preprocess.ngram_spec import Grams
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

BOOLEAN = "(?i-u)^(true|false)$"
ABSENT = -1  # place of a feature that is zero in this row
FEW_CELLS = 200  # which a dictionary finds sooner than a query does


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

    def places(self, words: "pl.Series") -> Ints:
        """Which of its features some words set; ABSENT where they set none."""
        import polars as pl  # noqa: PLC0415 (slow to import)

        known = dict(zip(self.values, range(len(self.values)), strict=True))
        if len(words) <= FEW_CELLS:
            none = len(self.values) if self.indicator else ABSENT
            cells = words.to_list()
            return np.array([none if w is None else known.get(w, ABSENT) for w in cells], np.int64)
        found = words.replace_strict(known, default=ABSENT, return_dtype=pl.Int64)
        places = found.fill_null(ABSENT).to_numpy().copy()
        if self.indicator:
            places[words.is_null().to_numpy()] = len(self.values)
        return places


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
        return self.grams.counts(*words_of([cells]))

    def weighted(self, cells: "pl.Series") -> CSR:
        """How much its features weigh in some rows."""
        from rosenblatt.preprocess.tfidf import weighted  # noqa: PLC0415 (loads the compiler)

        counts = self.counts(cells)
        return counts if self.idf is None else weighted(counts, self.idf)


Column = Number | Category | Text


def width_of(column: Column) -> int:
    """How many features a column has."""
    if isinstance(column, Text):
        return column.grams.n_features
    return (len(column.values) if isinstance(column, Category) else 1) + column.indicator


def numbers_of(columns: "Sequence[pl.Series]") -> Floats:
    """Columns of cells as rows of float64, a missing cell as NaN; what is no number is refused."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    floats = pl.concat([_floats(cells) for cells in columns])
    values: Floats = floats.to_numpy(writable=True).reshape(len(columns), -1)
    infinite = np.isinf(values)
    if infinite.any():
        column, row = np.argwhere(infinite)[0].tolist()
        raise _bad_cell(columns[column], row, "is not finite")
    return values


def _floats(cells: "pl.Series") -> "pl.Series":
    import polars as pl  # noqa: PLC0415 (slow to import)

    if cells.dtype == pl.Float64:
        return cells
    if cells.dtype.is_numeric() or cells.dtype == pl.Boolean:
        return cells.cast(pl.Float64)
    (words,) = words_of([cells])
    numbers = words.replace(["true", "false"], ["1", "0"]).cast(pl.Float64, strict=False)
    bad = numbers.is_null() & words.is_not_null()
    if bad.any():
        raise _bad_cell(cells, int(bad.arg_max() or 0), "is not a number")
    return numbers


def words_of(columns: "Sequence[pl.Series]") -> "list[pl.Series]":
    """Columns of cells, unnamed, as words without blanks around them; an empty one is missing.

    Whole numbers are written without a point, and booleans are true and false, whatever type they
    are stored as: formats without booleans have them as True or TRUE.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    places: dict[pl.DataType, list[int]] = {}
    for place, cells in enumerate(columns):
        places.setdefault(cells.dtype, []).append(place)
    found = list(columns)
    for kind, own in places.items():
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            name = columns[own[0]].name
            raise BadCellError(0, name, f"cells of {kind} are neither numbers nor words.")
        words = pl.all().cast(pl.String).str.strip_chars()
        if kind.is_float():
            words = words.str.strip_suffix(".0")
        for place, cells in zip(own, by_cells([columns[k] for k in own], words), strict=True):
            found[place] = cells
    given = _with_small_booleans(by_cells(found, pl.when(pl.all() != "").then(pl.all())))
    return [unnamed(cells) for cells in given]


def _with_small_booleans(columns: "list[pl.Series]") -> "list[pl.Series]":
    """True and TRUE as true: only columns that hold such words are written anew."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    boolean = pl.all().str.contains(BOOLEAN)
    small = pl.when(boolean).then(pl.all().str.to_lowercase()).otherwise(pl.all())
    places = np.flatnonzero(n_cells(columns, boolean)).tolist()
    for place, cells in zip(places, by_cells([columns[k] for k in places], small), strict=True):
        columns[place] = cells
    return columns


def _bad_cell(cells: "pl.Series", row: int, trouble: str) -> BadCellError:
    return BadCellError(row, cells.name, f"{str(cells[row])!r} {trouble}.")


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


class Encoded(NamedTuple):
    """What columns other than text make of some rows, a row of each array for each column.

    `numbers` are the features of the columns of `values`; `flags` are those that tell where numbers
    are `missing`; `words` are the features that categories set, or ABSENT, and begin at `firsts`.
    """

    numbers: Ints
    values: Floats
    flags: Ints
    missing: Array
    firsts: Ints
    words: Ints


def encoded(columns: Sequence[Column], table: Table) -> Encoded:
    """Columns of a table as features, counted through; text is left out."""
    firsts = _first_features(columns)
    at = [k for k, column in enumerate(columns) if isinstance(column, Number)]
    numbers = [column for column in columns if isinstance(column, Number)]
    flagged = np.array([column.indicator for column in numbers], bool)
    values = np.zeros((0, len(table)))
    if numbers:
        values = numbers_of([table.columns[column.name] for column in numbers])
    missing = np.isnan(values)
    if missing.any():
        place, row = missing.nonzero()
        values[place, row] = np.array([column.fill for column in numbers])[place]
    features = firsts[at]
    return Encoded(
        features,
        values,
        features[flagged] + 1,
        missing[flagged],
        *_encoded_words(columns, firsts, table),
    )


def _encoded_words(columns: Sequence[Column], firsts: Ints, table: Table) -> tuple[Ints, Ints]:
    """First feature of each category, and the features that its words set."""
    at = [k for k, column in enumerate(columns) if isinstance(column, Category)]
    categories = [column for column in columns if isinstance(column, Category)]
    found = words_of([table.columns[column.name] for column in categories])
    places = np.empty((len(categories), len(table)), np.int64)
    for k, (column, words) in enumerate(zip(categories, found, strict=True)):
        places[k] = column.places(words)
    features = np.where(places == ABSENT, ABSENT, places + firsts[at, None])
    return firsts[at], features


def _first_features(columns: Sequence[Column]) -> Ints:
    """The number of the first feature of each column."""
    widths = np.array([0, *map(width_of, columns)], np.int64)
    return widths.cumsum()[:-1]


def dense_rows(columns: Sequence[Column], table: Table) -> Floats:
    """All features of every row; there must be no text among the columns."""
    own = encoded(columns, table)
    rows = np.zeros((len(table), sum(map(width_of, columns))))
    rows[:, _side_by_side_or(own.numbers)] = own.values.T
    rows[:, own.flags] = own.missing.T
    place, row = (own.words != ABSENT).nonzero()
    rows[row, own.words[place, row]] = 1.0
    return rows


def _side_by_side_or(places: Ints) -> Ints | slice:
    """Places of columns; as a slice, which is quicker, where they stand side by side."""
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def sparse_rows(columns: Sequence[Column], table: Table, *, weighted: bool) -> CSR:
    """The features that a row has; numbers are stored even where they are zero.

    Columns of text, which must be the last, are counted, or weighted.
    """
    texts = [column for column in columns if isinstance(column, Text)]
    others = columns[: len(columns) - len(texts)]
    rows = _packed(encoded(others, table), sum(map(width_of, others)))
    for column in texts:
        cells = table.columns[column.name]
        rows = _side_by_side(rows, column.weighted(cells) if weighted else column.counts(cells))
    return rows


def narrowed(rows: CSR, n_features: int) -> CSR:
    """Sparse rows of so many features: further ones are left out."""
    if rows.n_cols <= n_features:
        return rows._replace(n_cols=n_features)
    kept = rows.indices < n_features
    ends = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    return CSR(rows.data[kept], rows.indices[kept], ends, n_features)


def written_out(rows: CSR) -> Array:
    """Sparse rows as dense ones."""
    dense = np.zeros((len(rows.indptr) - 1, rows.n_cols), rows.data.dtype)
    row = np.repeat(np.arange(len(dense)), np.diff(rows.indptr))
    np.add.at(dense, (row, rows.indices), rows.data)  # an index may come twice
    return dense


def _packed(own: Encoded, n_features: int) -> CSR:
    """Entries row by row, in the order of the features, absent ones left out."""
    height = own.values.shape[1]
    flagged = np.where(own.missing, own.flags[:, None], ABSENT)
    numbers = np.broadcast_to(own.numbers[:, None], own.values.shape)
    order = np.concatenate([own.numbers, own.flags, own.firsts]).argsort(kind="stable")
    ones = np.ones((len(own.flags) + len(own.firsts), height))
    features = np.concatenate([numbers, flagged, own.words])[order].T.astype(np.int32, order="C")
    values = np.concatenate([own.values, ones])[order].T
    there = features != ABSENT
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(there, axis=1))])
    return CSR(values[there], features[there], ends.astype(np.int32), n_features)


def _side_by_side(left: CSR, right: CSR) -> CSR:
    """Rows of both, the features of the second after those of the first."""
    if left.n_cols == 0:
        return right
    lengths = [np.diff(part.indptr) for part in (left, right)]
    ends = np.concatenate([[0], np.cumsum(lengths[0] + lengths[1])])
    data = np.empty(ends[-1], np.result_type(left.data, right.data))
    indices = np.empty(ends[-1], np.int32)
    starts = [ends[:-1], ends[:-1] + lengths[0]]
    for part, start, first in zip((left, right), starts, (0, left.n_cols), strict=True):
        places = _places(start, part)
        data[places], indices[places] = part.data, part.indices + first
    return CSR(data, indices, ends.astype(np.int32), left.n_cols + right.n_cols)


def _places(starts: Array, part: CSR) -> Array:
    """Where the entries of each row go, if row i begins at its start."""
    shifts: Array = np.repeat(starts - part.indptr[:-1], np.diff(part.indptr))
    return shifts + np.arange(len(part.data))
