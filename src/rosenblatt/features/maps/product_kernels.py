"""Compiled kernels of products of features, of dense rows and of the nonzeros of sparse rows."""

from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.csr import CSR, n_rows
from rosenblatt.features.maps.feature_map import canonical_csr
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    from rosenblatt.features.maps.polynomial import Monomials


@njit(cache=True, nogil=True)
def multiply_columns(X: Array, left: Ints, right: Ints, out: Array) -> None:
    """out[i, p] = X[i, left[p]] · X[i, right[p]], row by row, so that a row stays in the cache."""
    for i in range(UINT(X.shape[0])):
        for p in range(UINT(left.shape[0])):
            out[i, p] = X[i, UINT(left[p])] * X[i, UINT(right[p])]


def sparse_monomials(rows: CSR, monomials: "Monomials") -> CSR:
    """Entries and their products.

    Feature i times product q has the index q + `offsets[degree, i]`: in the order of polynomial.py,
    the products that may follow i are contiguous, and so are those that begin with it.
    """
    rows = canonical_csr(rows)
    features, degrees = range(monomials.n_inputs), range(2, monomials.degree + 1)
    offsets = np.zeros((monomials.degree + 1, monomials.n_inputs), np.int64)
    for k in degrees:
        offsets[k] = [
            monomials.n_from(0, k)
            - monomials.n_from(i, k)
            + monomials.n_from(i + (not monomials.repeated), k - 1)
            for i in features
        ]
    indptr = _indptr(monomials.output_lengths(np.diff(rows.indptr)))
    out = (np.empty(indptr[-1], rows.data.dtype), np.empty(indptr[-1], np.int64))
    multiply(rows.data, rows.indices, rows.indptr, (offsets, monomials.repeated), indptr, out)
    return CSR(*out, indptr, monomials.n_outputs)


def sparse_pairs(rows: CSR, left: Ints, right: Ints) -> CSR:
    """Entries, and the products of pairs whose factors are both nonzero."""
    rows = canonical_csr(rows)
    dense_row = np.zeros(rows.n_cols, rows.data.dtype)
    pairs = (left, right, dense_row)
    indptr = np.zeros(n_rows(rows) + 1, np.int64)
    count_only = (dense_row[:0], indptr[:0])
    multiply_pairs(rows.data, rows.indices, rows.indptr, pairs, indptr, count_only)
    out = (np.empty(indptr[-1], rows.data.dtype), np.empty(indptr[-1], np.int64))
    multiply_pairs(rows.data, rows.indices, rows.indptr, pairs, indptr, out)
    return CSR(*out, indptr, rows.n_cols + len(left))


def append_dense(rows: CSR, columns: Floats) -> CSR:
    """Sparse rows with dense columns appended."""
    rows = canonical_csr(rows)
    n, k = columns.shape
    lengths = np.diff(rows.indptr).astype(np.int64)
    indptr = _indptr(lengths + k)
    data, indices = np.empty(indptr[-1], rows.data.dtype), np.empty(indptr[-1], np.int64)
    old = np.arange(len(rows.data)) + np.repeat(np.arange(n) * k, lengths)
    data[old], indices[old] = rows.data, rows.indices
    new = (indptr[1:] - k)[:, None] + np.arange(k)
    data[new], indices[new] = columns, rows.n_cols + np.arange(k)
    return CSR(data, indices, indptr, rows.n_cols + k)


def _indptr(lengths: Ints) -> Ints:
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


@njit(cache=True, nogil=True)
def multiply(
    values: Array,
    features: Array,
    indptr: Array,
    order: tuple[Ints, bool],
    out_indptr: Ints,
    out: tuple[Array, Ints],
) -> None:
    """Products of the entries of each row, one degree after the other."""
    offsets, repeated = order
    data, indices = out
    for row in range(len(indptr) - 1):
        start, n, end = indptr[row], indptr[row + 1] - indptr[row], out_indptr[row]
        firsts = np.empty(n + 1, np.int64)  # where the products begin whose first factor is entry e
        for e in range(n):
            data[end + e], indices[end + e] = values[start + e], features[start + e]
            firsts[e] = end + e
        end += n
        firsts[n] = end
        for degree in range(2, len(offsets)):
            last = firsts[n]
            for e in range(n):
                first = firsts[e] if repeated else firsts[e + 1]
                firsts[e] = end
                for q in range(first, last):
                    data[end] = values[start + e] * data[q]
                    indices[end] = offsets[degree, features[start + e]] + indices[q]
                    end += 1
            firsts[n] = end


@njit(cache=True, nogil=True)
def multiply_pairs(
    values: Array,
    features: Array,
    indptr: Array,
    pairs: tuple[Ints, Ints, Array],
    out_indptr: Ints,
    out: tuple[Array, Ints],
) -> None:
    """Entries of each row and the products of its pairs; if `out` is empty, only their number.

    The third part of `pairs` is a row of zeros to work in.
    """
    left, right, row_values = pairs
    data, indices = out
    n_features, writing, end = len(row_values), len(data) > 0, 0
    for row in range(len(indptr) - 1):
        for e in range(indptr[row], indptr[row + 1]):
            row_values[features[e]] = values[e]
            if writing:
                data[end], indices[end] = values[e], features[e]
            end += 1
        for p in range(len(left)):
            if row_values[left[p]] != 0 and row_values[right[p]] != 0:
                if writing:
                    data[end] = row_values[left[p]] * row_values[right[p]]
                    indices[end] = n_features + p
                end += 1
        for e in range(indptr[row], indptr[row + 1]):
            row_values[features[e]] = 0
        out_indptr[row + 1] = end
