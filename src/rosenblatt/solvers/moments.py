"""Moments of the classes: weight, mean and scatter Σ w (x − μ)(x − μ)ᵀ, in one reading of the rows.

Rows are taken a few hundred at a time into a small float64 buffer, each less the mean of its class
among them, and the buffer's ZᵀZ is added to the scatter. Two runs of rows, with weights n and n′
and means μ and μ′ of a class, are joined by one more row (Chan, Golub and LeVeque 1979):

    scatter = scatter + scatter′ + v vᵀ    with    v = √(n n′ / (n + n′)) (μ′ − μ)

Only squares are ever added, so no digit is lost for data far from the origin, and joining is
associative up to rounding: `Blocks.total` of it runs over whatever blocks there are.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import UINT, Rows, add, n_cols, shift
from rosenblatt.errors import DataError
from rosenblatt.solvers import blas, tiles

BUFFER_BYTES = 1 << 18  # stays in the second-level cache
LEAST_CHUNK = 256  # rows; fewer would keep BLAS from its best speed
MOST_BYTES = 8 << 30  # scatter matrices beyond this are refused before they are allocated


add_tiles = tiles.add_gram  # by a name of its own, which numba can find

Labelled = tuple[Rows, Array, Floats]  # rows, classes, weights (none: 1 for every row)
Sums = tuple[Floats, Floats, Floats]  # counts, means, scatter


class Moments(NamedTuple):
    """Weight and mean of each class, and the scatter about these means.

    `scatter` holds lower triangles: one of all classes together, or one for each class.
    """

    counts: Floats
    means: Floats
    scatter: Floats

    def __add__(self, other: "Moments") -> "Moments":  # type: ignore[override]
        """Moments of both sets of rows."""
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        gap = other.means - self.means
        V = np.sqrt(self.counts * share)[:, None] * gap
        scatter = self.scatter + other.scatter
        if len(scatter) == 1:
            scatter[0] += V.T @ V
        else:
            scatter += V[:, :, None] * V[:, None, :]
        return Moments(counts, self.means + share[:, None] * gap, scatter)

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.counts.sum())

    def pooled(self) -> Floats:
        """Scatter of all classes about their own means: a full symmetric matrix."""
        return symmetric(self.scatter.sum(axis=0))

    def of_class(self, k: int) -> Floats:
        """Scatter of class k about its mean, where the classes are kept apart."""
        return symmetric(self.scatter[k])

    def weighted(self, class_weights: Floats) -> "Moments":
        """The same with every row of a class counted so many times (classes kept apart)."""
        return Moments(
            self.counts * class_weights, self.means, self.scatter * class_weights[:, None, None]
        )

    def spread(self, places: Array, n_classes: int, *, by_class: bool) -> "Moments":
        """The same moments with the classes at their places among more classes."""
        counts, means = np.zeros(n_classes), np.zeros((n_classes, self.means.shape[1]))
        counts[places], means[places] = self.counts, self.means
        scatter = self.scatter
        if by_class:
            scatter = np.zeros((n_classes, *self.scatter.shape[1:]))
            scatter[places] = self.scatter
        return Moments(counts, means, scatter)


def symmetric(lower: Floats) -> Floats:
    """Full matrix from its lower triangle."""
    full: Floats = np.tril(lower) + np.tril(lower, -1).T
    return full


def moments_of(blocks: Blocks, *, by_class: bool = False) -> Moments:
    """Moments of all rows; `by_class` keeps the scatter of each class apart."""
    rows = blocks.problem.rows
    n_matrices = blocks.problem.n_classes if by_class else 1
    require_room(n_cols(rows), n_matrices)
    # blocks are the unit of work: their bits must not depend on how many threads BLAS has
    with blas.one_thread():
        found = blocks.total(partial(moments_of_block, by_class=by_class))
    if not (np.isfinite(found.means).all() and np.isfinite(found.scatter).all()):
        raise not_finite(rows)
    return found


def require_room(width: int, n_matrices: int) -> None:
    """Refuse features so many that their scatter would not fit."""
    size = 8 * width * width * n_matrices
    if size > MOST_BYTES:
        raise DataError(
            f"The scatter of {width:,} features takes {n_matrices} x {width:,} x {width:,} numbers"
            f" ({size / 2**30:,.0f} GiB): too many for a closed form. Use a rule that keeps only"
            " weights (Perceptron, LMS, PassiveAggressive), or fewer features."
        )


def moments_of_block(block: Problem, *, by_class: bool = False) -> Moments:
    """Moments of the rows of a block."""
    d, k = n_cols(block.rows), block.n_classes
    width = tiles.padded(d)
    order = np.argsort(block.codes, kind="stable") if by_class else np.arange(len(block.codes))
    chunk = max(LEAST_CHUNK, BUFFER_BYTES // (8 * max(d, 1)))
    counts, means = np.zeros(k), np.zeros((k, d))
    scatter = np.zeros((k if by_class else 1, width, width))
    buffer = np.zeros((chunk + k, width))
    sum_spans = narrow_spans if width <= tiles.NARROW else wide_spans
    sum_spans(
        (block.rows, block.codes, row_weights(block)),
        order,
        spans(block.codes[order], chunk, by_class=by_class),
        (counts, means, scatter),
        buffer,
    )
    return Moments(counts, means, scatter[:, :d, :d])


def row_weights(block: Problem) -> Floats:
    """Weight of each row: its own times that of its class; none at all where all are 1."""
    own = block.weights
    if (block.class_weights == 1).all():
        return own[:0] if own.strides == (0,) and (own[:1] == 1).all() else own
    return np.multiply(own, block.class_weights[block.codes])


def spans(codes: Array, chunk: int, *, by_class: bool) -> Ints:
    """Cut rows into chunks (start, stop, which matrix); sorted by class, none spans two classes."""
    edges = np.flatnonzero(np.diff(codes)) + 1 if by_class else np.zeros(0, np.int64)
    runs = zip([0, *edges], [*edges, len(codes)], strict=True)
    cut = [
        (start, min(start + chunk, last), codes[first] if by_class else 0)
        for first, last in runs
        for start in range(first, last, chunk)
    ]
    return np.array(cut, np.int64)


def wide_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """Add the rows of every span to the sums."""
    for start, stop, matrix in cut:
        filled = centre(labelled, order[start:stop], sums, Z)
        blas.add_gram(Z[:filled], sums[2][matrix])


@njit(cache=True, nogil=True)
def narrow_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """The same, compiled: for few columns a call costs as much as a chunk."""
    for s in range(len(cut)):
        filled = centre(labelled, order[cut[s, 0] : cut[s, 1]], sums, Z)
        add_tiles(Z[:filled], sums[2][cut[s, 2]])


@njit(cache=True, nogil=True)
def centre(labelled: Labelled, order: Ints, sums: Sums, Z: Floats) -> int:
    """Fill Z with √w (x − mean of its class here), and a row for each class to join; count them.

    The counts and means among the sums go on to include these rows.
    """
    X, codes, weights = labelled
    counts, means, _ = sums
    n_classes, d = means.shape
    here, fresh = np.zeros(n_classes), np.zeros((n_classes, d))
    weighted = len(weights) > 0
    for place in range(len(order)):
        i = UINT(order[place])
        weight = weights[i] if weighted else 1.0
        here[UINT(codes[i])] += weight
        add(X, i, weight, fresh[UINT(codes[i])])
    for k in range(n_classes):
        if here[k] > 0.0:
            scale(fresh[k], 1.0 / here[k])
    for place in range(len(order)):
        i = UINT(order[place])
        shift(X, i, fresh[UINT(codes[i])], Z[place])
        if weighted:
            scale(Z[place], np.sqrt(weights[i]))
    filled = len(order)
    for k in range(n_classes):
        if here[k] > 0.0:
            filled += join(counts, means[k], here[k], fresh[k], k, Z[filled])
    return filled


@njit(cache=True, nogil=True)
def join(counts: Floats, mean: Floats, weight: float, fresh: Floats, k: int, v: Floats) -> int:
    """Let rows of class k with a mean of their own join; write their row v (1: there is one)."""
    before = counts[k]
    counts[k] += weight
    share = weight / counts[k]
    root = np.sqrt(before * share)
    for j in range(len(mean)):
        gap = fresh[j] - mean[j]
        v[j] = root * gap
        mean[j] += share * gap
    return int(before > 0.0)


@njit(cache=True, nogil=True, forceinline=True)
def scale(z: Floats, factor: float) -> None:
    """Multiply a row by a number."""
    for j in range(len(z)):
        z[j] *= factor
