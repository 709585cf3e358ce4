"""Pass over rows that are surely correct, at the price of float32.

With many classes a pass is limited by arithmetic, and most of it confirms what is right by far. So
float32 rows are first scored with weights rounded to float32. That score and the exact one differ
from w·x by at most ε ‖x‖ ‖w‖ (plus what float32 cannot hold at all), ε a little over d / 2²⁴. A row
whose rough margin is above both errors has no loss, whatever its exact margin, and is passed over.
Any other row is scored exactly by its own class and by those that may be its strongest rival: no
decision, and so no bit of the weights, depends on the screen.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.rows import Four, Rows, n_cols, rough_dot4, rough_dot12, rough_square4
from rosenblatt.kernel_cache import njit

SMALLEST = 2.0**-126  # below, float32 loses digits or all,
ROOT = 2.0**-62  # and so does the square of what is below this


class Shadow(NamedTuple):
    """Weights rounded to float32, a row a unit, and lengths that the true ones do not exceed."""

    W: Array
    lengths: Floats


@njit(cache=True, nogil=True)
def cast_shadow(W: Floats) -> Shadow:
    """Round all weights."""
    shadow = Shadow(np.empty((len(W), W.shape[1] - 1), np.float32), np.empty(len(W)))
    for k in range(len(W)):
        follow(W, k, shadow)
    return shadow


@njit(cache=True, nogil=True)
def follow(W: Floats, k: int, shadow: Shadow) -> None:
    """Round the weights of unit k anew."""
    w = shadow.W[k]
    for j in range(len(w)):
        w[j] = W[k, j]
    shadow.lengths[k] = lengths_of(shadow.W, (k, k, k, k))[0]


@njit(cache=True, nogil=True, forceinline=True)
def lengths_of(X: Rows, rows: Four) -> tuple[float, float, float, float]:
    """Lengths that four rows do not exceed."""
    a, b, c, d = rough_square4(X, rows)
    n = n_cols(X)
    return longest(a, n), longest(b, n), longest(c, n), longest(d, n)


@njit(cache=True, nogil=True, forceinline=True)
def longest(rough_square: float, d: int) -> float:
    """A length that d numbers with this rough sum of squares do not exceed."""
    return float(np.sqrt(rough_square) * 1.001 + np.sqrt(d) * ROOT)


@njit(cache=True, nogil=True, forceinline=True)
def rough_four(X: Rows, now: Four, later: Four, W: Array, ahead: Floats) -> None:
    """Rough products of four rows with every unit, three units at a time."""
    write_three(rough_dot12(X, now, W, later, 0), 0, ahead)
    for k in range(3, len(W) - 2, 3):
        write_three(rough_dot12(X, now, W, None, k), k, ahead)
    for k in range(len(W) - len(W) % 3, len(W)):
        ahead[k, 0], ahead[k, 1], ahead[k, 2], ahead[k, 3] = rough_dot4(X, now, W[k], None)


@njit(cache=True, nogil=True, forceinline=True)
def write_three(products: tuple[float, ...], k: int, ahead: Floats) -> None:
    """Write the products of four rows with the units k, k + 1 and k + 2."""
    for b in range(4):
        ahead[k, b], ahead[k + 1, b], ahead[k + 2, b] = (
            products[b],
            products[4 + b],
            products[8 + b],
        )


@njit(cache=True, nogil=True, forceinline=True)
def doubt(row_length: float, d: int, lengths: Floats) -> float:
    """How far the rough margin of a row may be from the exact one."""
    unit_length = 0.0
    for length in lengths:
        unit_length = max(unit_length, length)
    error = 1.5 * (d + 16) * 2.0**-24 * row_length * unit_length
    return float(2.0 * (error + d * SMALLEST * (1.0 + row_length)))


@njit(cache=True, nogil=True, forceinline=True)
def best_other(ahead: Floats, b: int, own: int, W: Floats, bias: float) -> float:
    """Best rough score of row b among the classes that are not its own."""
    best = -np.inf
    for k in range(len(ahead)):
        if k != own:
            best = max(best, ahead[k, b] + bias * W[k, -1])
    return best
