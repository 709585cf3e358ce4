"""tf-idf weights of n-gram counts.

With term frequency tf (in a text), document frequency df and n training texts, a feature has the
weight (1 + log tf) · (1 + log((1 + n)/(1 + df))); then rows are scaled to unit length. What occurs
in fewer than two texts has no weight: it tells nothing about other texts, and as the rarest of all
would only make the rest of its row smaller.
"""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT
from rosenblatt.types import Array, Floats, Ints

MIN_DOCUMENT_FREQUENCY = 2


def document_frequencies(counts: CSR) -> Ints:
    """Number of rows in which each feature occurs; those of chunks can be added."""
    entries = slice(counts.indptr[0], counts.indptr[-1])
    return np.bincount(counts.indices[entries], minlength=counts.n_cols)


def inverse_frequencies(frequencies: Ints, n: int, min_df: int = MIN_DOCUMENT_FREQUENCY) -> Floats:
    """Inverse document frequency of each feature, of n rows; 0 below `min_df`."""
    idf = 1 + np.log((1 + n) / (1 + frequencies))
    return np.where(frequencies >= min_df, idf, 0.0)


def weighted(counts: CSR, idf: Floats) -> CSR:
    """Rows of tf-idf weights for counts, each of unit length if it has any entry."""
    return CSR(*weigh(counts.data, counts.indices, counts.indptr, idf), counts.n_cols)


@njit(cache=True, nogil=True)
def weigh(data: Array, indices: Array, indptr: Array, idf: Floats) -> tuple[Array, Array, Array]:
    """Nonzero weights, their features, and the row pointers."""
    n_entries = indptr[-1] - indptr[0]
    weights = np.empty(n_entries, np.float32)
    features = np.empty(n_entries, indices.dtype)
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
