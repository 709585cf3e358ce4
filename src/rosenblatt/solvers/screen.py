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
from numba import njit

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.rows import Four, Rows, dot, n_cols, rough_dot4, rough_square

SMALLEST = 2.0**-126  # below, float32 loses digits or all,
ROOT = 2.0**-62  # and so does the square of what is below this


class Shadow(NamedTuple):
    """Weights rounded to float32, a row a unit, and the squared lengths of the true ones."""

    W: Array
    squares: Floats


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
    shadow.squares[k] = dot(W, k, W[k])


@njit(cache=True, nogil=True, forceinline=True)
def rough_four(X: Rows, now: Four, later: Four, W: Array, ahead: Floats) -> None:
    """Rough products of four rows with every unit."""
    ahead[0, 0], ahead[0, 1], ahead[0, 2], ahead[0, 3] = rough_dot4(X, now, W[0], later)
    for k in range(1, len(W)):
        ahead[k, 0], ahead[k, 1], ahead[k, 2], ahead[k, 3] = rough_dot4(X, now, W[k], None)


@njit(cache=True, nogil=True, forceinline=True)
def doubt(X: Rows, i: int, squares: Floats) -> float:
    """How far the rough margin of row i may be from the exact one."""
    longest = 0.0
    for square in squares:
        longest = max(longest, square)
    d = n_cols(X)
    x = np.sqrt(rough_square(X, i)) * 1.001 + np.sqrt(d) * ROOT
    error = 1.5 * (d + 16) * 2.0**-24 * x * np.sqrt(longest)
    return float(2.0 * (error + d * SMALLEST * (1.0 + x)))


@njit(cache=True, nogil=True, forceinline=True)
def best_other(ahead: Floats, b: int, own: int, W: Floats, bias: float) -> float:
    """Best rough score of row b among the classes that are not its own."""
    best = -np.inf
    for k in range(len(ahead)):
        if k != own:
            best = max(best, ahead[k, b] + bias * W[k, -1])
    return best
