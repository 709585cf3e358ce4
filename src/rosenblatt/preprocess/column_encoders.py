"""Encoding of columns as features, dense or sparse, with what was fitted on the training rows.

========  ==========================================================  ===========================
column    features                                                    a missing cell
========  ==========================================================  ===========================
Number    its value; booleans are 0 and 1                             the fill, and an indicator
Category  one per value seen in training; an unseen value sets none   an indicator
Text      hashed n-grams of words or characters, see ngrams.py        sets none
========  ==========================================================  ===========================

A column has an indicator if cells were missing in training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.errors import BadCellError
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.io.chunks import Table, count_cells, map_cells, unnamed
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

BOOLEAN = "(?i-u)^(true|false)$"
ABSENT = -1  # in the place of a feature, where a row has none
FEW_CELLS = 200  # up to which a dictionary is faster than a query


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers."""

    kind: ClassVar[str] = "number"
    name: str
    fill: float
    indicator: bool

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features."""
        return (self.name, f"{self.name} is missing") if self.indicator else (self.name,)


@dataclass(frozen=True)
class CategoryColumn:
    """A column of strings, each of which is a feature."""

    kind: ClassVar[str] = "category"
    name: str
    values: tuple[str, ...]
    indicator: bool

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features."""
        named = tuple(f"{self.name}={value}" for value in self.values)
        return (*named, f"{self.name} is missing") if self.indicator else named

    def places(self, words: "pl.Series") -> Ints:
        """Index of the feature that each string sets; ABSENT where it sets none."""
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
class TextColumn:
    """A column of free text: n-gram counts, or tf-idf weights."""

    kind: ClassVar[str] = "text"
    name: str
    grams: NgramSpec
    idf: Floats | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """Names of its features: hashed n-grams are numbered."""
        return tuple(f"{self.name}#{j}" for j in range(self.grams.n_features))

    def counts(self, cells: "pl.Series") -> CSR:
        """n-gram counts of some rows."""
        return self.grams.counts(*words_of([cells]))

    def weighted(self, cells: "pl.Series") -> CSR:
        """tf-idf weights of some rows, or counts if it has no weights."""
        from rosenblatt.features.maps.vocabulary import weighted  # noqa: PLC0415 (loads the compiler)

        counts = self.counts(cells)
        return counts if self.idf is None else weighted(counts, self.idf)


Column = NumberColumn | CategoryColumn | TextColumn


def width_of(column: Column) -> int:
    """Number of features of a column."""
    if isinstance(column, TextColumn):
        return column.grams.n_features
    return (len(column.values) if isinstance(column, CategoryColumn) else 1) + column.indicator


def numbers_of(columns: "Sequence[pl.Series]") -> Floats:
    """Columns as the rows of a float64 array, NaN where missing; other cells are errors."""
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
    """Columns as unnamed columns of stripped strings; an empty string is missing.

    Integers have no decimal point, and booleans are true and false, whatever type they are stored
    as: formats without booleans have them as True or TRUE.
    """
    import polars as pl  # noqa: PLC0415 (slow to import)

    places: dict[pl.DataType, list[int]] = {}
    for place, cells in enumerate(columns):
        places.setdefault(cells.dtype, []).append(place)
    found = list(columns)
    for kind, own in places.items():
        if kind.is_nested() or kind in (pl.Binary, pl.Object):
            name = columns[own[0]].name
            raise BadCellError(0, name, f"cells of {kind} are neither numbers nor strings.")
        words = pl.all().cast(pl.String).str.strip_chars()
        if kind.is_float():
            words = words.str.strip_suffix(".0")
        for place, cells in zip(own, map_cells([columns[k] for k in own], words), strict=True):
            found[place] = cells
    given = _with_lowercase_booleans(map_cells(found, pl.when(pl.all() != "").then(pl.all())))
    return [unnamed(cells) for cells in given]


def _with_lowercase_booleans(columns: "list[pl.Series]") -> "list[pl.Series]":
    """True and TRUE as true; columns without such strings stay as they are."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    boolean = pl.all().str.contains(BOOLEAN)
    small = pl.when(boolean).then(pl.all().str.to_lowercase()).otherwise(pl.all())
    places = np.flatnonzero(count_cells(columns, boolean)).tolist()
    for place, cells in zip(places, map_cells([columns[k] for k in places], small), strict=True):
        columns[place] = cells
    return columns


def _bad_cell(cells: "pl.Series", row: int, problem: str) -> BadCellError:
    return BadCellError(row, cells.name, f"{str(cells[row])!r} {problem}.")


def column_to_dict(column: Column) -> dict[str, Any]:
    """A column as a dictionary, without the array of a text column."""
    if isinstance(column, TextColumn):
        return {"kind": column.kind, "name": column.name, **column.grams._asdict()}
    if isinstance(column, CategoryColumn):
        values = list(column.values)
        return {
            "kind": column.kind,
            "name": column.name,
            "values": values,
            "indicator": column.indicator,
        }
    return {
        "kind": column.kind,
        "name": column.name,
        "fill": column.fill,
        "indicator": column.indicator,
    }


class Encoded(NamedTuple):
    """Encoded rows of all columns other than text; each array has one row per column.

    `numbers` are the feature indices of `values`; `flags` those of the indicators `missing`;
    `words` are the features that categories set, or ABSENT, and begin at `firsts`.
    """

    numbers: Ints
    values: Floats
    flags: Ints
    missing: Array
    firsts: Ints
    words: Ints


def encoded(columns: Sequence[Column], table: Table) -> Encoded:
    """Columns of a table, other than text, as features."""
    firsts = _first_features(columns)
    at = [k for k, column in enumerate(columns) if isinstance(column, NumberColumn)]
    numbers = [column for column in columns if isinstance(column, NumberColumn)]
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
    """First feature of each category, and the features that its cells set."""
    at = [k for k, column in enumerate(columns) if isinstance(column, CategoryColumn)]
    categories = [column for column in columns if isinstance(column, CategoryColumn)]
    found = words_of([table.columns[column.name] for column in categories])
    places = np.empty((len(categories), len(table)), np.int64)
    for k, (column, words) in enumerate(zip(categories, found, strict=True)):
        places[k] = column.places(words)
    features = np.where(places == ABSENT, ABSENT, places + firsts[at, None])
    return firsts[at], features


def _first_features(columns: Sequence[Column]) -> Ints:
    """Index of the first feature of each column."""
    widths = np.array([0, *map(width_of, columns)], np.int64)
    return widths.cumsum()[:-1]


def dense_rows(columns: Sequence[Column], table: Table) -> Floats:
    """Dense feature rows; no column may be text."""
    own = encoded(columns, table)
    rows = np.zeros((len(table), sum(map(width_of, columns))))
    rows[:, _slice_or(own.numbers)] = own.values.T
    rows[:, own.flags] = own.missing.T
    place, row = (own.words != ABSENT).nonzero()
    rows[row, own.words[place, row]] = 1.0
    return rows


def _slice_or(places: Ints) -> Ints | slice:
    """Indices; as a slice, which is faster, where they are consecutive."""
    if len(places) and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def sparse_rows(columns: Sequence[Column], table: Table, *, weighted: bool) -> CSR:
    """Sparse feature rows; numbers are stored even where they are zero.

    Columns of text, which must be the last, are counts or weights.
    """
    texts = [column for column in columns if isinstance(column, TextColumn)]
    others = columns[: len(columns) - len(texts)]
    rows = _to_csr(encoded(others, table), sum(map(width_of, others)))
    for column in texts:
        cells = table.columns[column.name]
        rows = _hstack(rows, column.weighted(cells) if weighted else column.counts(cells))
    return rows


def truncate_features(rows: CSR, n_features: int) -> CSR:
    """Sparse rows of `n_features` columns; further ones are dropped."""
    if rows.n_cols <= n_features:
        return rows._replace(n_cols=n_features)
    kept = rows.indices < n_features
    ends = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    return CSR(rows.data[kept], rows.indices[kept], ends, n_features)


def to_dense(rows: CSR) -> Array:
    """Sparse rows as a dense array."""
    dense = np.zeros((len(rows.indptr) - 1, rows.n_cols), rows.data.dtype)
    row = np.repeat(np.arange(len(dense)), np.diff(rows.indptr))
    np.add.at(dense, (row, rows.indices), rows.data)  # an index may occur twice
    return dense


def _to_csr(own: Encoded, n_features: int) -> CSR:
    """Encoded columns as CSR rows with sorted features."""
    height = own.values.shape[1]
    flagged = np.where(own.missing, own.flags[:, None], ABSENT)
    numbers = np.broadcast_to(own.numbers[:, None], own.values.shape)
    order = np.concatenate([own.numbers, own.flags, own.firsts]).argsort(kind="stable")
    ones = np.ones((len(own.flags) + len(own.firsts), height))
    features = np.concatenate([numbers, flagged, own.words])[order].T.astype(np.int32, order="C")
    values = np.concatenate([own.values, ones])[order].T
    present = features != ABSENT
    ends = np.concatenate([[0], np.cumsum(np.count_nonzero(present, axis=1))])
    return CSR(values[present], features[present], ends.astype(np.int32), n_features)


def _hstack(left: CSR, right: CSR) -> CSR:
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
    """Target positions of the entries, if row i begins at `starts[i]`."""
    shifts: Array = np.repeat(starts - part.indptr[:-1], np.diff(part.indptr))
    return shifts + np.arange(len(part.data))
