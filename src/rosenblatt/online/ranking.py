"""The ranking perceptron: in every group one row is the best, and has to score above the others.

For each group in the order of the epoch, with b its best row and r the highest-scoring of the
others (ties to the first):

    m = w·x_b − w·x_r;      where m ≤ 0:  w ← w + x_b − x_r

This is the perceptron on the differences x_b − x_r: its theorem holds for them, with R the norm of
the longest difference. There is no intercept: it would cancel.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import Shape, sample_orders
from rosenblatt.data.training_data import row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, add, dot, n_cols, square
from rosenblatt.online.algorithms import ALGORITHMS
from rosenblatt.online.epochs import EpochSize, epoch_results
from rosenblatt.online.result import EpochResult
from rosenblatt.online.state import LOSS, MISTAKES, ROWS, UPDATES, OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule
from rosenblatt.types import Floats, Ints

PERCEPTRON = ALGORITHMS["perceptron"]
RANKING = Rule(int(PERCEPTRON.loss), int(PERCEPTRON.step), constant=0.0)


class Groups(NamedTuple):
    """Rows in groups: the start of each group and the end of the last, and the best row of each."""

    rows: Rows
    starts: Ints
    best: Ints

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.best)


def ranking_epochs(groups: Groups, *, keep: str, seed: int | None) -> Iterator[EpochResult]:
    """Results of training group by group, one an epoch, endless."""
    n, width = len(groups), n_cols(groups.rows)
    state = OptimiserState.from_weights(np.zeros((1, width + 1)), 0, keep=keep, l1=False)
    shape = Shape(n, width, row_bytes(groups.rows))

    def one_epoch(number: int) -> None:
        for part in sample_orders(shape, None if seed is None else (seed, number)):
            if ranking_epoch(groups, part.order, state) != ALL_FINITE:
                raise not_finite(groups.rows)

    return epoch_results(one_epoch, EpochSize(n, n), RANKING, state)


@njit(cache=True, nogil=True)
def ranking_epoch(groups: Groups, order: Ints, state: OptimiserState) -> int:
    """Train on each group once; position of the first whose margin is not finite, or −1."""
    X, starts, best = groups
    W, weighted_update_sum, counters, sums = (
        state.W,
        state.weighted_update_sum,
        state.counters,
        state.sums,
    )
    w = W[0]
    for place in range(len(order)):
        g = order[place]
        b, r = best[g], highest_rival(X, starts[g], starts[g + 1], best[g], w)
        if r == b:  # a group of one row
            continue
        margin = dot(X, b, w) - dot(X, r, w)
        if not np.isfinite(margin):
            return place
        if margin > 0.0:
            continue
        add(X, b, 1.0, w)
        add(X, r, -1.0, w)
        if len(weighted_update_sum) > 0:
            before = float(counters[ROWS] + place)
            add(X, b, before, weighted_update_sum[0])
            add(X, r, -before, weighted_update_sum[0])
        counters[MISTAKES] += 1
        counters[UPDATES] += 1
        sums[LOSS] -= margin
    counters[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def highest_rival(X: Rows, start: int, stop: int, best: int, w: Floats) -> int:
    """Highest-scoring row of a group except its best (ties to the first); the best if alone."""
    found, highest = best, -np.inf
    for i in range(start, stop):
        if i != best:
            score = dot(X, i, w)
            if found == best or score > highest:
                found, highest = i, score
    return found


@njit(cache=True, nogil=True)
def narrowest(groups: Groups, w: Floats) -> tuple[float, float]:
    """Smallest margin w·(x_b − x) of the differences, and their largest squared norm."""
    X, starts, best = groups
    margin, longest = np.inf, 0.0
    x = np.zeros(n_cols(X) + 1)  # the best row of a group, dense
    for g in range(len(best)):
        b = best[g]
        add(X, b, 1.0, x)
        for i in range(starts[g], starts[g + 1]):
            if i != b:
                margin = min(margin, dot(X, b, w) - dot(X, i, w))
                longest = max(longest, square(X, b) + square(X, i) - 2.0 * dot(X, i, x))
        add(X, b, -1.0, x)
    return margin, longest
