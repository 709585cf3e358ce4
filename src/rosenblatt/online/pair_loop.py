"""Screening: skip samples that certainly have no loss, by dot products in float32.

With many classes an epoch is limited by arithmetic, most of which confirms samples with a large
margin. So float32 rows are first scored with weights rounded to float32. That score and the float64
one differ from w·x by at most ε ‖x‖ ‖w‖ (plus underflow), ε a little over d / 2²⁴. A sample whose
float32 margin is above the error bound has no loss, whatever its float64 margin, and is skipped.
Any other sample is scored in float64 by its own class and by those that may be its strongest rival:
no prediction, and so no bit of the weights, depends on screening.

Perceptron epoch two samples at a time, for data with many mistakes: the same bits, no branch.

After each mistake the rest of a group of four rows is scored again, and the branch is mispredicted.
So where many rows are mistakes, the perceptron takes short dense rows in pairs
(kernels/speculative_pair.py) and counts without a branch, too. benchmarks/online_kernels.py
measures the gain.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    CSR,
    ONE,
    TWO,
    UINT,
    Four,
    Rows,
    dot4_float32,
    dot12_float32,
    n_cols,
    perceptron_pair,
    prefetch_item,
    prefetch_row,
    square4_float32,
)
from rosenblatt.losses.margin_losses import PERCEPTRON
from rosenblatt.online.algorithms import PASSIVE_AGGRESSIVE_1, learning_rate
from rosenblatt.online.state import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    UPDATES,
    OptimiserState,
)
from rosenblatt.online.update import ALL_FINITE, Rule, add_row, signed
from rosenblatt.types import Array, Floats

MIN_NORMAL_FLOAT32 = 2.0**-126  # below it, float32 loses digits,
MIN_SQUARABLE_FLOAT32 = 2.0**-62  # and below this one so do squares


class Float32Weights(NamedTuple):
    """Weights rounded to float32, one row per output, and upper bounds of their norms."""

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
def best_rival_score(products: Floats, b: int, own: int, W: Floats, constant: float) -> float:
    """Highest float32 score of row b among the classes other than its own."""
    best = -np.inf
    for k in range(len(products)):
        if k != own:
            best = max(best, products[k, b] + constant * W[k, -1])
    return best


MIN_MISTAKE_RATE = 0.25  # above which pairs are faster,
MAX_FEATURES = 48  # up to this many features
PREFETCH_DISTANCE = UINT(16)  # samples: pairs leave the processor no room to run ahead
MIN_ROWS = 1024  # below which another kernel is not worth loading


def pairs_are_faster(
    data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> bool:
    """Whether pairs are faster for these samples, and every step size is known beforehand."""
    if len(sampling.order) < MIN_ROWS or isinstance(data.rows, CSR):
        return False
    if n_cols(data.rows) > MAX_FEATURES or len(state.pocket) > 0 or rule.balanced:
        return False
    if rule.loss != PERCEPTRON or rule.step >= PASSIVE_AGGRESSIVE_1 or rule.eta == 0.0:
        return False
    weighted = data.weights.strides != (0,) or not data.class_weights.all()
    many = state.counters[MISTAKES] > MIN_MISTAKE_RATE * state.counters[ROWS]
    return bool(many and not weighted)


@njit(cache=True, nogil=True)
def two_sample_epoch(
    data: TrainingData, sampling: SampleOrder, rule: Rule, state: OptimiserState
) -> int:
    """Train on an even number of unweighted rows; position of the first not finite, or −1."""
    X, codes, _, class_weights = data
    order, prefetch = sampling
    W, weighted_update_sum, _, _, _, counters, sums = state
    w, weighted_update_sum_w, loss = (
        W[0],
        weighted_update_sum[0] if len(weighted_update_sum) > 0 else W[0],
        sums[LOSS],
    )
    n, last, longest, mistakes = counters[ROWS], counters[LAST_MISTAKE], counters[LONGEST_RUN], 0
    n_samples = UINT(len(order))
    for place in range(UINT(0), n_samples, TWO):
        now = order[place], order[place + ONE]
        prefetch_row(X, prefetch[place])
        prefetch_row(X, prefetch[place + ONE])
        prefetch_item(codes, prefetch[place])
        if now[1] != now[0] + 1:  # not in file order
            soon = min(place + PREFETCH_DISTANCE, n_samples - TWO)
            prefetch_row(X, order[soon])
            prefetch_row(X, order[soon + ONE])
        own = codes[UINT(now[0])], codes[UINT(now[1])]
        signs = signed(1.0, own[0]), signed(1.0, own[1])
        weights = class_weights[UINT(own[0])], class_weights[UINT(own[1])]
        steps = (
            signs[0] * (learning_rate(rule.step, rule.eta, n + 1) * weights[0]),
            signs[1] * (learning_rate(rule.step, rule.eta, n + 2) * weights[1]),
        )
        margins = perceptron_pair(X, now, signs, steps, rule.constant, w)
        if not (abs(margins[0]) < np.inf and abs(margins[1]) < np.inf):
            return int(place) + int(abs(margins[0]) < np.inf)
        for r in range(2):
            n += 1
            wrong = margins[r] <= 0.0
            loss += weights[r] * max(-margins[r], 0.0)
            longest = max(longest, n - 1 - last) if wrong else longest
            last = n if wrong else last
            mistakes += int(wrong)
            if len(weighted_update_sum) > 0 and wrong:
                add_row(X, now[r], (n - 1) * steps[r], rule.constant, weighted_update_sum_w)
    counters[ROWS], counters[LAST_MISTAKE], counters[LONGEST_RUN] = n, last, longest
    counters[MISTAKES] += mistakes
    counters[UPDATES] += mistakes
    sums[LOSS] = loss
    return ALL_FINITE
