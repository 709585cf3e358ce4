"""Screening: skip samples that certainly have no loss, by dot products in float32.

With many classes an epoch is limited by arithmetic, most of which confirms samples with a large
margin. So float32 rows are first scored with weights rounded to float32. That score and the float64
one differ from w·x by at most ε ‖x‖ ‖w‖ (plus underflow), ε a little over d / 2²⁴. A sample whose
float32 margin is above the error bound has no loss, whatever its float64 margin, and is skipped.
Any other sample is scored in float64 by its own class and by those that may be its strongest rival:
no prediction, and so no bit of the weights, depends on screening.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    Four,
    Rows,
    dot4_float32,
    dot12_float32,
    n_cols,
    square4_float32,
)
from rosenblatt.types import Array, Floats

MIN_NORMAL_FLOAT32 = 2.0**-126  # below it, float32 loses digits,
MIN_SQUARABLE_FLOAT32 = 2.0**-62  # and below this one so do squares


class Float32Weights(NamedTuple):
    """Weights rounded to float32, a row an output, and upper bounds of their norms."""

    W: Array
    norms: Floats


@njit(cache=True, nogil=True)
def round_weights(W: Floats) -> Float32Weights:
    """All weights in float32."""
    W_float32 = Float32Weights(np.empty((len(W), W.shape[1] - 1), np.float32), np.empty(len(W)))
    for k in range(len(W)):
        round_output(W, k, W_float32)
    return W_float32


@njit(cache=True, nogil=True)
def round_output(W: Floats, k: int, W_float32: Float32Weights) -> None:
    """Round the weights of output k again, after an update."""
    w = W_float32.W[k]
    for j in range(len(w)):
        w[j] = W[k, j]
    W_float32.norms[k] = norm_bounds(W_float32.W, (k, k, k, k))[0]


@njit(cache=True, nogil=True, forceinline=True)
def norm_bounds(X: Rows, rows: Four) -> tuple[float, float, float, float]:
    """Upper bounds of the norms of four rows."""
    a, b, c, d = square4_float32(X, rows)
    n = n_cols(X)
    return norm_bound(a, n), norm_bound(b, n), norm_bound(c, n), norm_bound(d, n)


@njit(cache=True, nogil=True, forceinline=True)
def norm_bound(square_float32: float, d: int) -> float:
    """Upper bound of the norm of d numbers, from the sum of their squares in float32."""
    return float(np.sqrt(square_float32) * 1.001 + np.sqrt(d) * MIN_SQUARABLE_FLOAT32)


@njit(cache=True, nogil=True, forceinline=True)
def float32_products(X: Rows, now: Four, later: Four, W: Array, products: Floats) -> None:
    """Write the float32 products of four rows with every output, three outputs at a time."""
    write_three(dot12_float32(X, now, W, later, 0), 0, products)
    for k in range(3, len(W) - 2, 3):
        write_three(dot12_float32(X, now, W, None, k), k, products)
    for k in range(len(W) - len(W) % 3, len(W)):
        products[k, 0], products[k, 1], products[k, 2], products[k, 3] = dot4_float32(
            X, now, W[k], None
        )


@njit(cache=True, nogil=True, forceinline=True)
def write_three(twelve: tuple[float, ...], k: int, products: Floats) -> None:
    """Write the products of four rows with the outputs k, k + 1 and k + 2."""
    for b in range(4):
        products[k, b], products[k + 1, b], products[k + 2, b] = (
            twelve[b],
            twelve[4 + b],
            twelve[8 + b],
        )


@njit(cache=True, nogil=True, forceinline=True)
def error_bound(row_norm: float, d: int, norms: Floats) -> float:
    """Upper bound of the difference between the float32 and the float64 margin of a row."""
    largest = 0.0
    for norm in norms:
        largest = max(largest, norm)
    error = 1.5 * (d + 16) * 2.0**-24 * row_norm * largest
    return float(2.0 * (error + d * MIN_NORMAL_FLOAT32 * (1.0 + row_norm)))


@njit(cache=True, nogil=True, forceinline=True)
def best_rival_score(products: Floats, b: int, own: int, W: Floats, bias: float) -> float:
    """Highest float32 score of row b among the classes other than its own."""
    best = -np.inf
    for k in range(len(products)):
        if k != own:
            best = max(best, products[k, b] + bias * W[k, -1])
    return best
