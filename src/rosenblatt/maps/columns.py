"""Products of pairs of columns, row by row: a row stays in the nearest cache while it is read."""

from rosenblatt.arrays import Array, Ints
from rosenblatt.data.rows import UINT
from rosenblatt.kernel_cache import njit


@njit(cache=True, nogil=True)
def multiply_columns(X: Array, left: Ints, right: Ints, out: Array) -> None:
    """out[i, p] = X[i, left[p]] · X[i, right[p]]."""
    for i in range(UINT(X.shape[0])):
        for p in range(UINT(left.shape[0])):
            out[i, p] = X[i, UINT(left[p])] * X[i, UINT(right[p])]
