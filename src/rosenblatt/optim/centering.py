"""Columns that lie far from zero beside their spread, and the same problem with them moved there.

An intercept that is not penalised takes up any shift of the rows: w stays, b becomes b + w·m. But
float64 does not shift with them. Of timestamps near 10⁹ a product w·x keeps only the digits that
1.6e9 w leaves, so such columns are solved about a value m in their midst, and the intercept is
given for the columns as they came: b − w·m, rounded once.

Sparse columns with a zero among their entries are never far from zero beside their spread.
"""

import math

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.data.training_data import TrainingData
from rosenblatt.types import Floats, Ints

SAMPLE_ROWS = 1024
FAR_BESIDE_SPREAD = 32.0  # how many times its spread a column is away from zero
FAR_CONSTANT = 1e3  # where a constant column is far from zero
SPLITTER = 134217729.0  # 2²⁷ + 1: Veltkamp's


def far_offsets(rows: Rows) -> Floats | None:
    """A value in the midst of each column that lies far from zero, 0 for others; None if none does.

    Some rows are looked at: where they mislead, digits are lost, but nothing is wrong.
    """
    n = n_rows(rows)
    chosen = np.unique(np.linspace(0, n - 1, min(n, SAMPLE_ROWS)).astype(np.int64))
    if not isinstance(rows, CSR):
        offsets = _midst(np.asarray(rows[chosen], np.float64))
        return offsets if offsets.any() else None
    offsets = np.zeros(n_cols(rows))
    for j in _stored_in_all(rows, chosen):
        offsets[j] = _midst(rows.data[_entries_of_column(rows, int(j))][:, None])[0]
    return offsets if offsets.any() else None


def _midst(sample: Floats) -> Floats:
    """The middle of each column that lies far from zero, 0 for others."""
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = sample.min(axis=0), sample.max(axis=0)
        middle, spread = 0.5 * low + 0.5 * high, high - low
        least = np.where(spread > 0.0, FAR_BESIDE_SPREAD * spread, FAR_CONSTANT)
        return np.where(np.isfinite(middle) & (np.abs(middle) > least), middle, 0.0)


def _stored_in_all(rows: CSR, chosen: Ints) -> Ints:
    """Columns with exactly one entry in every row: none, as a rule, after a look at a few rows."""
    common = np.unique(rows.indices[rows.indptr[chosen[0]] : rows.indptr[chosen[0] + 1]])
    for i in chosen:
        if not len(common):
            break
        common = np.intersect1d(common, rows.indices[rows.indptr[i] : rows.indptr[i + 1]])
    return np.array([j for j in common if len(_entries_of_column(rows, int(j)))], np.int64)


def moved(problem: TrainingData, offsets: Floats) -> TrainingData:
    """The problem with its columns less their offsets, copied in float64."""
    rows = problem.rows
    if not isinstance(rows, CSR):
        return problem._replace(rows=np.ascontiguousarray(rows - offsets))
    data = rows.data.astype(np.float64)
    for j in np.flatnonzero(offsets):
        data[_entries_of_column(rows, int(j))] -= offsets[j]
    return problem._replace(rows=rows._replace(data=data))


def intercept_for(w: Floats, b: float, offsets: Floats) -> float:
    """B + w·m, rounded once: products are split into two floats each, and summed exactly."""
    used = np.flatnonzero(offsets)
    products, rests = _two_products(w[used], offsets[used])
    terms = [b, *products.tolist(), *rests.tolist()]
    return math.fsum(terms) if np.isfinite(terms).all() else math.nan


def _two_products(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Rounded products, and what the rounding left out (Dekker)."""
    products = a * b
    a_high = SPLITTER * a - (SPLITTER * a - a)
    b_high = SPLITTER * b - (SPLITTER * b - b)
    a_low, b_low = a - a_high, b - b_high
    rests = ((a_high * b_high - products) + a_high * b_low + a_low * b_high) + a_low * b_low
    return products, rests


def _entries_of_column(rows: CSR, j: int) -> Ints:
    """Where the entries of a column stand, if every row has exactly one; else nothing."""
    first, last = int(rows.indptr[0]), int(rows.indptr[-1])
    places = first + np.flatnonzero(rows.indices[first:last] == j)
    owners = np.searchsorted(rows.indptr, places, side="right") - 1
    one_each = np.array_equal(owners, np.arange(n_rows(rows)))
    return np.asarray(places) if one_each else np.zeros(0, np.int64)
