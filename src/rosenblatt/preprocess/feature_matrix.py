"""The features of all columns put together as dense or sparse rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.io.chunks import Table
from rosenblatt.preprocess.column_encoders import (
    ABSENT,
    Category,
    Column,
    Number,
    Text,
    numbers_of,
    width_of,
    words_of,
)
from rosenblatt.types import Array, Floats, Ints


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
