"""Mean and spread of columns of numbers, the missing ones left out.

Every column is summed from its first row to its last, whatever stands beside it: so a column alone
and the same column in a matrix have the same moments, to the last bit. Two passes: the second one
sums distances from the mean of the first, and mends what rounding has done to that.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats, Ints


class Moments(NamedTuple):
    """Of each column: how many numbers are given, their mean, and squared distances from it."""

    n: Ints
    mean: Floats
    squares: Floats


def moments_of(values: Floats) -> Moments:
    """Moments of every column of a matrix in which NaN is a missing number."""
    return Moments(*sum_up(values))


@njit(cache=True, nogil=True)
def sum_up(values: Floats) -> tuple[Ints, Floats, Floats]:
    """Count, mean and squares of every column."""
    rows, width = values.shape
    n, mean = np.zeros(width, np.int64), np.zeros(width)
    for i in range(rows):
        for j in range(width):
            x = values[i, j]
            given = x == x  # noqa: PLR0124 (not NaN)
            n[j] += given
            mean[j] += x if given else 0.0
    for j in range(width):
        mean[j] /= max(n[j], 1)
    rest, squares = np.zeros(width), np.zeros(width)
    for i in range(rows):
        for j in range(width):
            x = values[i, j]
            gap = x - mean[j] if x == x else 0.0  # noqa: PLR0124
            rest[j] += gap
            squares[j] += gap * gap
    for j in range(width):
        mean[j] += rest[j] / max(n[j], 1)
        squares[j] = max(squares[j] - rest[j] * rest[j] / max(n[j], 1), 0.0)
    return n, mean, squares
