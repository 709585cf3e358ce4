"""The entries of all columns put together as dense or sparse rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.storage import CSR
from rosenblatt.sources.chunks import Grid
from rosenblatt.tables.columns import ABSENT, Column, Entries, Number, Text, width_of

if TYPE_CHECKING:
    import polars as pl


def dense_rows(columns: Sequence[Column], frame: "pl.DataFrame") -> Floats:
    """All features of every row; there must be no text among the columns."""
    rows = np.zeros((frame.height, sum(map(width_of, columns))))
    for features, values in _entries(columns, frame):
        if isinstance(features, int):
            rows[:, features] = values
        else:
            there = np.flatnonzero(features != ABSENT)
            rows[there, features[there]] = values[there]
    return rows


def number_rows(columns: Sequence[Number], grid: Grid) -> Floats:
    """The same where all columns are numbers, and the cells are a matrix already."""
    places = [grid.names.index(column.name) for column in columns for _ in column.features]
    rows = _columns_at(places, grid.values)
    missing = np.isnan(rows)
    if missing.any() or any(column.indicator for column in columns):
        _fill(rows, missing, columns)
    return rows


def _columns_at(places: list[int], values: Floats) -> Floats:
    """Columns copied; where they stand side by side, which is quicker, at once."""
    first, n = places[0], len(places)
    if places == list(range(first, first + n)):
        return np.array(values[:, first : first + n], order="C")
    return values.take(places, axis=1)


def _fill(rows: Floats, missing: Array, columns: Sequence[Number]) -> None:
    """Put what was learned in the place of missing numbers, and flags beside them."""
    first = 0
    for column in columns:
        absent = missing[:, first]
        rows[absent, first] = column.fill
        if column.indicator:
            rows[:, first + 1] = absent
        first += width_of(column)


def sparse_rows(columns: Sequence[Column], frame: "pl.DataFrame", *, weighted: bool) -> CSR:
    """The features that a row has; numbers are stored even where they are zero.

    Columns of text, which must be the last, are counted, or weighted.
    """
    texts = [column for column in columns if isinstance(column, Text)]
    others = columns[: len(columns) - len(texts)]
    rows = _packed(_entries(others, frame), frame.height, sum(map(width_of, others)))
    for column in texts:
        cells = frame[column.name]
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


def _entries(columns: Sequence[Column], frame: "pl.DataFrame") -> list[Entries]:
    """Entries of all columns, their features counted through."""
    found, first = [], 0
    for column in columns:
        if not isinstance(column, Text):
            for features, values in column.entries(frame[column.name]):
                if isinstance(features, int):
                    found.append(Entries(features + first, values))
                else:
                    counted = np.where(features == ABSENT, ABSENT, features + first)
                    found.append(Entries(counted, values))
        first += width_of(column)
    return found


def _packed(entries: list[Entries], n: int, n_features: int) -> CSR:
    """Entries row by row, absent ones left out."""
    features = np.empty((n, len(entries)), np.int32)
    values = np.empty((n, len(entries)))
    for e, entry in enumerate(entries):
        features[:, e], values[:, e] = entry
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
