"""Centring of columns that lie far from zero relative to their spread.

An intercept that is not penalised absorbs any shift of the rows: w stays, b becomes b + w·m. But
float64 has fewer digits there: of timestamps near 1.6e9, a product w·x keeps only the digits that
1.6e9 w leaves. So such columns are solved about a value m in their middle, and the
intercept is given for the original columns: b − w·m, rounded once.

Sparse columns with a zero among their entries are never far from zero relative to their spread.
"""

import math

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.data.training_data import TrainingData
from rosenblatt.linalg.error_free import two_product
from rosenblatt.types import Floats, Ints

SAMPLE_ROWS = 1024
MIN_OFFSET_SPREADS = 32.0  # a column farther from zero than this many spreads is centred
MIN_CONSTANT_OFFSET = 1e3  # of a constant column that is centred


def far_offsets(rows: Rows) -> Floats | None:
    """Middle of each column that lies far from zero, 0 for others; None if no column does.

    From a sample of the rows: if it is not representative, digits are lost, but nothing is wrong.
    """
    n = n_rows(rows)
    chosen = np.unique(np.linspace(0, n - 1, min(n, SAMPLE_ROWS)).astype(np.int64))
    if not isinstance(rows, CSR):
        offsets = _middle(np.asarray(rows[chosen], np.float64))
        return offsets if offsets.any() else None
    offsets = np.zeros(n_cols(rows))
    for j in _stored_in_all(rows, chosen):
        offsets[j] = _middle(rows.data[_entries_of_column(rows, int(j))][:, None])[0]
    return offsets if offsets.any() else None


def _middle(sample: Floats) -> Floats:
    """Middle of each column that lies far from zero, 0 for others."""
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = sample.min(axis=0), sample.max(axis=0)
        middle, spread = 0.5 * low + 0.5 * high, high - low
        threshold = np.where(spread > 0.0, MIN_OFFSET_SPREADS * spread, MIN_CONSTANT_OFFSET)
        return np.where(np.isfinite(middle) & (np.abs(middle) > threshold), middle, 0.0)


def _stored_in_all(rows: CSR, chosen: Ints) -> Ints:
    """Columns with exactly one entry in every row; usually a few rows show that there are none."""
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
    """Intercept b + w·m for the offsets m, rounded once: the products are summed exactly."""
    terms = [b]
    for j in np.flatnonzero(offsets):
        terms.extend(two_product(w[j], offsets[j]))
    return math.fsum(terms) if np.isfinite(terms).all() else math.nan


def _entries_of_column(rows: CSR, j: int) -> Ints:
    """Positions of the entries of a column, if every row has exactly one; else none."""
    first, last = int(rows.indptr[0]), int(rows.indptr[-1])
    positions = first + np.flatnonzero(rows.indices[first:last] == j)
    owners = np.searchsorted(rows.indptr, positions, side="right") - 1
    one_each = np.array_equal(owners, np.arange(n_rows(rows)))
    return np.asarray(positions) if one_each else np.zeros(0, np.int64)
