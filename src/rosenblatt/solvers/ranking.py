"""Rank candidates: in every group one row is the best, and has to score higher than the others.

For each group in the order of the visit, with b its best row and r the highest-scoring of the
others (ties to the first):

    m = w·x_b − w·x_r;      where m ≤ 0:  w ← w + x_b − x_r

That is the perceptron on the differences x_b − x_r: its theorem holds for them, with R the length
of the longest difference. There is no bias, for it cancels.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import row_bytes
from rosenblatt.data.rows import Rows, add, dot, n_cols, square
from rosenblatt.data.visits import Shape, visits
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.machines import MACHINES
from rosenblatt.solvers.correct import ALL_FINITE, Rule
from rosenblatt.solvers.memory import LOSS, MISTAKES, ROWS, UPDATES, Memory
from rosenblatt.solvers.passes import Size, in_passes
from rosenblatt.solvers.state import State

PERCEPTRON = MACHINES["perceptron"]
RANKING = Rule(int(PERCEPTRON.loss), int(PERCEPTRON.step), bias=0.0)


class Groups(NamedTuple):
    """Rows group by group: where each group begins and the last ends, and its best row."""

    rows: Rows
    starts: Ints
    best: Ints

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.best)


def ranking_passes(groups: Groups, *, keep: str, seed: int | None) -> Iterator[State]:
    """Learn group after group, pass after pass, without an end: a State after each pass."""
    n, width = len(groups), n_cols(groups.rows)
    memory = Memory.starting_at(np.zeros((1, width + 1)), 0, keep=keep, l1=False)
    shape = Shape(n, width, row_bytes(groups.rows))

    def once(number: int) -> None:
        for part in visits(shape, None if seed is None else (seed, number)):
            if walk_groups(groups, part.order, memory) != ALL_FINITE:
                raise not_finite(groups.rows)

    return in_passes(once, Size(n, n), RANKING, memory)


@njit(cache=True, nogil=True)
def walk_groups(groups: Groups, order: Ints, memory: Memory) -> int:
    """Visit groups once and learn from each; the place of one whose margin is no number, or −1."""
    X, starts, best = groups
    W, late, clock, sums = memory.W, memory.late, memory.clock, memory.sums
    w = W[0]
    for place in range(len(order)):
        g = order[place]
        b, r = best[g], rival(X, starts[g], starts[g + 1], best[g], w)
        if r == b:  # it is alone
            continue
        margin = dot(X, b, w) - dot(X, r, w)
        if not np.isfinite(margin):
            return place
        if margin > 0.0:
            continue
        add(X, b, 1.0, w)
        add(X, r, -1.0, w)
        if len(late) > 0:
            before = float(clock[ROWS] + place)
            add(X, b, before, late[0])
            add(X, r, -before, late[0])
        clock[MISTAKES] += 1
        clock[UPDATES] += 1
        sums[LOSS] -= margin
    clock[ROWS] += len(order)
    return ALL_FINITE


@njit(cache=True, nogil=True, forceinline=True)
def rival(X: Rows, start: int, stop: int, best: int, w: Floats) -> int:
    """Highest-scoring row of a group but its best, ties to the first; the best if it is alone."""
    found, highest = best, -np.inf
    for i in range(start, stop):
        if i != best:
            score = dot(X, i, w)
            if found == best or score > highest:
                found, highest = i, score
    return found


@njit(cache=True, nogil=True)
def narrowest(groups: Groups, w: Floats) -> tuple[float, float]:
    """Smallest margin w·(x_b − x) of the differences, and their largest squared length."""
    X, starts, best = groups
    margin, longest = np.inf, 0.0
    x = np.zeros(n_cols(X) + 1)  # the best row of a group, written out
    for g in range(len(best)):
        b = best[g]
        add(X, b, 1.0, x)
        for i in range(starts[g], starts[g + 1]):
            if i != b:
                margin = min(margin, dot(X, b, w) - dot(X, i, w))
                longest = max(longest, square(X, b) + square(X, i) - 2.0 * dot(X, i, x))
        add(X, b, -1.0, x)
    return margin, longest
