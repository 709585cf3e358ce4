"""Means and squares of columns, the same bits whatever the chunks are that the rows come in.

Rows are taken in blocks of BLOCK, counted from the first row of all; the moments of two parts are
joined by Chan's rule, always in the same order. Rows that do not fill a block wait for others.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Array, Floats

BLOCK = 1 << 12  # rows
STRIP = 64  # columns at a time, which keeps what is allocated small
MOST_BLOCKS = 8  # at a time, for the same reason


class Total(NamedTuple):
    """How many rows, the mean of each column, and the squares of the distances from it."""

    n: int
    mean: Floats
    squares: Floats

    def joined(self, n: int, mean: Floats, squares: Floats) -> "Total":
        """Both parts together."""
        both, gap = self.n + n, mean - self.mean
        return Total(
            both,
            self.mean + gap * (n / both),
            self.squares + squares + gap * gap * (self.n * n / both),
        )


class Moments:
    """The moments of rows that come in parts."""

    def __init__(self) -> None:
        self.n = 0
        self._total = Total(0, np.zeros(1), np.zeros(1))
        self._waiting: list[Array] = []
        self._asked: Total | None = None  # for, since rows were last taken in

    def take(self, columns: Array) -> "Moments":
        """The moments of some columns, to go on with."""
        part = Moments()
        part.n = self.n
        if self._total.n:
            n, mean, squares = self._total
            part._total = Total(n, mean[columns], squares[columns])
        part._waiting = [rows[:, columns] for rows in self._waiting]
        return part

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, rows: Array) -> None:
        """Take in some rows."""
        lacking = -self.n % BLOCK  # rows, to complete the block that waits
        start = min(lacking, len(rows))
        stop = len(rows) - (len(rows) - start) % BLOCK
        self.n += len(rows)
        self._asked = None
        if start:
            self._waiting.append(rows[:start].copy())  # the chunk itself need not wait
        if self._waiting and start == lacking:
            self._total, self._waiting, self._asked = self.total(), [], None
        for first in range(start, stop, BLOCK * MOST_BLOCKS):
            last = min(stop, first + BLOCK * MOST_BLOCKS)
            self._total = _with_blocks(self._total, rows[first:last], BLOCK)
        if stop < len(rows):
            self._waiting.append(rows[stop:].copy())

    @np.errstate(over="ignore", invalid="ignore")
    def total(self) -> Total:
        """The moments of all rows; not finite where their squares are beyond float64."""
        if not self._waiting:
            return self._total
        if self._asked is None:
            rest = np.concatenate(self._waiting)
            self._asked = _with_blocks(self._total, rest, len(rest))
        return self._asked


def _with_blocks(total: Total, rows: Array, size: int) -> Total:
    """The moments with those of rows that make up blocks of a size."""
    strips = range(0, rows.shape[1], STRIP)
    parts = [_of_blocks(rows[:, first : first + STRIP], size) for first in strips]
    means, squares = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    for block in zip(means, squares, strict=True):
        total = total.joined(size, *block)
    return total


def _of_blocks(rows: Array, size: int) -> tuple[Floats, Floats]:
    """Mean and squares of each column in each block."""
    blocks = np.ascontiguousarray(rows.reshape(-1, size, rows.shape[1]).swapaxes(1, 2))
    means = blocks.mean(axis=2, dtype=np.float64)
    gaps = blocks - means[:, :, None]
    gaps *= gaps
    return means, gaps.sum(axis=2)
