"""Products of pairs of columns, row by row: a row stays in the nearest cache while it is read."""

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT
from rosenblatt.types import Array, Ints


@njit(cache=True, nogil=True)
def multiply_columns(X: Array, left: Ints, right: Ints, out: Array) -> None:
    """out[i, p] = X[i, left[p]] · X[i, right[p]]."""
    for i in range(UINT(X.shape[0])):
        for p in range(UINT(left.shape[0])):
            out[i, p] = X[i, UINT(left[p])] * X[i, UINT(right[p])]
