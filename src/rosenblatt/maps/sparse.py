"""Sparse rows of features out of sparse rows: what is zero is never looked at."""

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.csr import CSR, n_rows
from rosenblatt.kernels.cache import njit
from rosenblatt.maps.map import in_order
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.maps.monomials import Monomials


def monomials(rows: CSR, of: "Monomials") -> CSR:
    """Entries and their products.

    Feature i times the product numbered q has the number q + `further[degree, i]`: in the order of
    monomials.py, the products that may follow i stand together, and so do those that begin with it.
    """
    rows = in_order(rows)
    features, degrees = range(of.n_inputs), range(2, of.degree + 1)
    further = np.zeros((of.degree + 1, of.n_inputs), np.int64)
    for k in degrees:
        further[k] = [
            of.first_at_least(0, k)
            - of.first_at_least(i, k)
            + of.first_at_least(i + (not of.repeated), k - 1)
            for i in features
        ]
    ends = _ends(of.products_of(np.diff(rows.indptr)))
    made = (np.empty(ends[-1], rows.data.dtype), np.empty(ends[-1], np.int64))
    multiply(rows.data, rows.indices, rows.indptr, (further, of.repeated), ends, made)
    return CSR(*made, ends, of.n_outputs)


def pairs(rows: CSR, left: Ints, right: Ints) -> CSR:
    """Entries, and products of the pairs that have both factors."""
    rows = in_order(rows)
    room = np.zeros(rows.n_cols, rows.data.dtype)
    where = (left, right, room)
    ends = np.zeros(n_rows(rows) + 1, np.int64)
    nothing = (room[:0], ends[:0])
    multiply_pairs(rows.data, rows.indices, rows.indptr, where, ends, nothing)
    made = (np.empty(ends[-1], rows.data.dtype), np.empty(ends[-1], np.int64))
    multiply_pairs(rows.data, rows.indices, rows.indptr, where, ends, made)
    return CSR(*made, ends, rows.n_cols + len(left))


def with_dense(rows: CSR, further: Floats) -> CSR:
    """Rows with some more features, which every row has."""
    rows = in_order(rows)
    n, k = further.shape
    lengths = np.diff(rows.indptr).astype(np.int64)
    ends = _ends(lengths + k)
    data, indices = np.empty(ends[-1], rows.data.dtype), np.empty(ends[-1], np.int64)
    old = np.arange(len(rows.data)) + np.repeat(np.arange(n) * k, lengths)
    data[old], indices[old] = rows.data, rows.indices
    new = (ends[1:] - k)[:, None] + np.arange(k)
    data[new], indices[new] = further, rows.n_cols + np.arange(k)
    return CSR(data, indices, ends, rows.n_cols + k)


def _ends(lengths: Ints) -> Ints:
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


@njit(cache=True, nogil=True)
def multiply(
    values: Array,
    features: Array,
    places: Array,
    how: tuple[Ints, bool],
    ends: Ints,
    out: tuple[Array, Ints],
) -> None:
    """Products of the entries of each row, a degree after the other."""
    further, repeated = how
    data, indices = out
    for row in range(len(places) - 1):
        start, n, made = places[row], places[row + 1] - places[row], ends[row]
        firsts = np.empty(n + 1, np.int64)  # where the products begin whose first factor is entry e
        for e in range(n):
            data[made + e], indices[made + e] = values[start + e], features[start + e]
            firsts[e] = made + e
        made += n
        firsts[n] = made
        for degree in range(2, len(further)):
            last = firsts[n]
            for e in range(n):
                of = firsts[e] if repeated else firsts[e + 1]
                firsts[e] = made
                for q in range(of, last):
                    data[made] = values[start + e] * data[q]
                    indices[made] = further[degree, features[start + e]] + indices[q]
                    made += 1
            firsts[n] = made


@njit(cache=True, nogil=True)
def multiply_pairs(
    values: Array,
    features: Array,
    places: Array,
    where: tuple[Ints, Ints, Array],
    ends: Ints,
    out: tuple[Array, Ints],
) -> None:
    """Entries of each row and the products of its pairs; without room for them, their number.

    The third part of `where` is a row of zeros to work in.
    """
    left, right, row_values = where
    data, indices = out
    n_features, kept, made = len(row_values), len(data) > 0, 0
    for row in range(len(places) - 1):
        for e in range(places[row], places[row + 1]):
            row_values[features[e]] = values[e]
            if kept:
                data[made], indices[made] = values[e], features[e]
            made += 1
        for p in range(len(left)):
            if row_values[left[p]] != 0 and row_values[right[p]] != 0:
                if kept:
                    data[made] = row_values[left[p]] * row_values[right[p]]
                    indices[made] = n_features + p
                made += 1
        for e in range(places[row], places[row + 1]):
            row_values[features[e]] = 0
        ends[row + 1] = made
