"""Perceptron epoch two samples at a time, for data with many mistakes: the same bits, no branch.

After each mistake the rest of a group of four rows is scored again, and the branch is mispredicted.
So where many rows are mistakes, the perceptron takes short dense rows in pairs
(kernels/speculative_pair.py) and counts without a branch, too. benchmarks/online_kernels.py
measures the gain.
"""

import numpy as np

from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import (
    CSR,
    ONE,
    TWO,
    UINT,
    n_cols,
    perceptron_pair,
    prefetch_item,
    prefetch_row,
)
from rosenblatt.losses.margin_losses import PERCEPTRON
from rosenblatt.online.state import (
    LAST_MISTAKE,
    LONGEST_RUN,
    LOSS,
    MISTAKES,
    ROWS,
    UPDATES,
    OptimiserState,
)
from rosenblatt.online.step_size import PASSIVE_AGGRESSIVE_1, learning_rate
from rosenblatt.online.update import ALL_FINITE, Rule, add_row, signed

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
        margins = perceptron_pair(X, now, signs, steps, rule.bias, w)
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
                add_row(X, now[r], (n - 1) * steps[r], rule.bias, weighted_update_sum_w)
    counters[ROWS], counters[LAST_MISTAKE], counters[LONGEST_RUN] = n, last, longest
    counters[MISTAKES] += mistakes
    counters[UPDATES] += mistakes
    sums[LOSS] = loss
    return ALL_FINITE
