"""Weights of words: many times in a text counts little more than once, and rare words count more.

With tf the times a feature occurs in a text, df the number of texts it occurs in and n that of all
texts learned from, it weighs (1 + log tf) · (1 + log((1 + n)/(1 + df))); then a row is brought to
length 1. What occurs in fewer than two texts is left out: it tells nothing about other texts, and
as the rarest of all would only make the rest of its row shorter.
"""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT
from rosenblatt.types import Array, Floats, Ints

FEWEST_TEXTS = 2


def document_frequencies(counts: CSR) -> Ints:
    """In how many rows each feature occurs; those of chunks can be added."""
    entries = slice(counts.indptr[0], counts.indptr[-1])
    return np.bincount(counts.indices[entries], minlength=counts.n_cols)


def inverse_frequencies(frequencies: Ints, n: int, fewest: int = FEWEST_TEXTS) -> Floats:
    """How much each feature tells, by the number of rows it occurs in among n; 0 if in too few."""
    idf = 1 + np.log((1 + n) / (1 + frequencies))
    return np.where(frequencies >= fewest, idf, 0.0)


def weighted(counts: CSR, idf: Floats) -> CSR:
    """Rows of weights in the place of counts, each of length 1 if it has any entry."""
    return CSR(*weigh(counts.data, counts.indices, counts.indptr, idf), counts.n_cols)


@njit(cache=True, nogil=True)
def weigh(data: Array, indices: Array, indptr: Array, idf: Floats) -> tuple[Array, Array, Array]:
    """Weights of the entries that have any, their features, and where each row begins."""
    room = indptr[-1] - indptr[0]
    weights, features = np.empty(room, np.float32), np.empty(room, indices.dtype)
    starts = np.zeros(len(indptr), indptr.dtype)
    n = UINT(0)
    for row in range(len(indptr) - 1):
        start, square = n, 0.0
        for k in range(UINT(indptr[row]), UINT(indptr[row + 1])):
            weight = (1.0 + np.log(data[k])) * idf[UINT(indices[k])]
            if weight > 0.0:
                weights[n], features[n] = weight, indices[k]
                square += weight * weight
                n += UINT(1)
        length = np.sqrt(square)
        for k in range(start, n):
            weights[k] /= length
        starts[row + 1] = n
    return weights[:n], features[:n], starts
