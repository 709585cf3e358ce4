"""Moments of the classes: weight, mean and scatter Σ w (x − μ)(x − μ)ᵀ, in one reading of the rows.

Rows are taken a few hundred at a time into a small float64 buffer, each less the mean of its class
among them, and the buffer's ZᵀZ is added to the scatter. Two runs of rows, with weights n and n′
and means μ and μ′ of a class, are joined by one more row (Chan, Golub and LeVeque 1979):

    scatter = scatter + scatter′ + v vᵀ    with    v = √(n n′ / (n + n′)) (μ′ − μ)

(a chunk small beside what came before is joined without centring it, see `settle`). A mean is kept
as two numbers, an origin close to it and how far it lies from there: data far from 0 lose no digit
that their floats have, and a feature that is constant in a class scatters by exactly 0. Joining is
associative up to rounding: `Blocks.total` of it runs over whatever blocks there are.
"""

import itertools
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.errors import DataError
from rosenblatt.kernels import gram
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT, Rows, n_cols, shift, shift_and_add
from rosenblatt.linalg import blas
from rosenblatt.types import Array, Floats, Ints

NARROW_CHUNK = 256  # rows, which stay in the cache
WIDE_CHUNK = 1024  # rows: BLAS goes through the whole scatter for each chunk
LEAST_CHUNK = 64
LEAST_SQUARES = 1e-290  # of a column about its means: less has lost digits to underflow
MOST_BYTES = 8 << 30  # scatter matrices beyond this are refused before they are allocated


add_tiles = gram.add_gram  # by a name of its own, which numba can find

Labelled = tuple[Rows, Array, Floats]  # rows, classes, weights (none: 1 for every row)
Sums = tuple[Floats, Floats, Floats, Floats]  # those of Moments, in its order


class Moments(NamedTuple):
    """Weight and mean of each class, and the scatter about these means.

    The mean of a class is `origins`, a number close to it, plus `offsets`. `scatter` holds lower
    triangles: one of all classes together, or one for each class.
    """

    counts: Floats
    origins: Floats
    offsets: Floats
    scatter: Floats

    @np.errstate(over="ignore", invalid="ignore")  # `finite` is asked of the sum
    def __add__(self, other: "Moments") -> "Moments":  # type: ignore[override]
        """Moments of both sets of rows."""
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        seen = self.counts[:, None] > 0
        origins = np.where(seen, self.origins, other.origins)
        offsets = np.where(seen, self.offsets, other.offsets)
        gap = (other.origins - origins) + (other.offsets - offsets)
        V = np.sqrt(self.counts * share)[:, None] * gap
        scatter = self.scatter + other.scatter
        if len(scatter) == 1:
            scatter[0] += V.T @ V
        else:
            scatter += V[:, :, None] * V[:, None, :]
        return Moments(counts, origins, offsets + share[:, None] * gap, scatter)

    @property
    def means(self) -> Floats:
        """Mean of each class."""
        return self.origins + self.offsets

    def centred(self, shares: Floats) -> Floats:
        """Means less their average by some shares, without the digits that all of them have."""
        near = (self.origins - self.origins[0]) + (self.offsets - self.offsets[0])
        return np.asarray(near - shares @ near / shares.sum())

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.counts.sum())

    def finite(self) -> bool:
        """Whether all numbers are."""
        return all(np.isfinite(numbers).all() for numbers in (self.means, self.scatter))

    def pooled(self) -> Floats:
        """Scatter of all classes about their own means: a full symmetric matrix."""
        return symmetric(self.scatter.sum(axis=0))

    def of_class(self, k: int) -> Floats:
        """Scatter of class k about its mean, where the classes are kept apart."""
        return symmetric(self.scatter[k])

    def weighted(self, class_weights: Floats) -> "Moments":
        """The same with every row of a class counted so many times (classes kept apart)."""
        return self._replace(
            counts=self.counts * class_weights,
            scatter=self.scatter * class_weights[:, None, None],
        )

    def spread(self, places: Array, n_classes: int, *, by_class: bool) -> "Moments":
        """The same moments with the classes at their places among more classes."""

        def placed(values: Floats) -> Floats:
            wide = np.zeros((n_classes, *values.shape[1:]))
            wide[places] = values
            return wide

        scatter = placed(self.scatter) if by_class else self.scatter
        return Moments(placed(self.counts), placed(self.origins), placed(self.offsets), scatter)


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
    if not found.finite():
        raise not_finite(rows)
    require_squares(blocks.problem, found)
    return found


def require_squares(problem: TrainingData, moments: Moments) -> None:
    """Refuse columns that vary by so little that their squares are below what float64 can hold."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = moments.centred(moments.counts)
        diagonals = np.einsum("kjj->j", moments.scatter) + moments.counts @ gaps**2
    for j in np.flatnonzero(diagonals < LEAST_SQUARES):
        spread = spread_of_column(problem, int(j))
        if spread > 0.0:
            raise DataError(
                f"Column {j} of X varies by {spread:.1e} only, the square of which is below"
                " float64. Scale the columns of X."
            )


def spread_of_column(problem: TrainingData, j: int) -> float:
    """Range of a column over the rows that have a weight."""
    column = np.zeros(len(problem.codes))
    rows = problem.rows
    if isinstance(rows, CSR):
        first, last = int(rows.indptr[0]), int(rows.indptr[-1])
        places = first + np.flatnonzero(rows.indices[first:last] == j)
        owners = np.searchsorted(rows.indptr, places, side="right") - 1
        np.add.at(column, owners, rows.data[places])
    else:
        column[:] = rows[:, j]
    counted = column[problem.weights > 0.0]
    return float(counted.max() - counted.min()) if len(counted) else 0.0


def require_room(width: int, n_matrices: int) -> None:
    """Refuse features so many that their scatter would not fit."""
    size = 8 * width * width * n_matrices
    if size > MOST_BYTES:
        raise DataError(
            f"The scatter of {width:,} features takes {n_matrices} x {width:,} x {width:,} numbers"
            f" ({size / 2**30:,.0f} GiB): too many for a closed form. Use a rule that keeps only"
            " weights (Perceptron, LMS, PassiveAggressive), or fewer features."
        )


def moments_of_block(block: TrainingData, *, by_class: bool = False) -> Moments:
    """Moments of the rows of a block."""
    d, k = n_cols(block.rows), block.n_classes
    width = gram.padded(d)
    narrow = width <= gram.NARROW
    chunk = NARROW_CHUNK if narrow else max(WIDE_CHUNK - k, LEAST_CHUNK)  # with the rows that join
    order = np.argsort(block.codes, kind="stable") if by_class else in_order(len(block.codes))
    counts, origins, offsets = np.zeros(k), np.zeros((k, d)), np.zeros((k, d))
    scatter = np.zeros((k if by_class else 1, width, width))
    buffer = np.zeros((chunk + k, width))
    sum_spans = narrow_spans if narrow else wide_spans
    sum_spans(
        (block.rows, block.codes, row_weights(block)),
        order,
        class_spans(block.codes[order], chunk) if by_class else spans(len(order), chunk),
        (counts, origins, offsets, scatter),
        buffer,
    )
    return Moments(counts, origins, offsets, scatter[:, :d, :d])


def row_weights(block: TrainingData) -> Floats:
    """Weight of each row: its own times that of its class; none at all where all are 1."""
    own = block.weights
    if (block.class_weights == 1).all():
        return own[:0] if own.strides == (0,) and (own[:1] == 1).all() else own
    return np.multiply(own, block.class_weights[block.codes])


@lru_cache(maxsize=8)
def in_order(n: int) -> Ints:
    """Rows as they stand. The last few are kept: most blocks are of one size."""
    return np.arange(n)


@lru_cache(maxsize=8)
def spans(n: int, chunk: int) -> Ints:
    """Cut n rows into chunks (start, stop, which matrix)."""
    starts = np.arange(0, n, chunk)
    return np.column_stack([starts, np.minimum(starts + chunk, n), np.zeros_like(starts)])


def class_spans(codes: Array, chunk: int) -> Ints:
    """Cut rows sorted by class into chunks, of which none spans two classes; each has a matrix."""
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1), len(codes)]
    cut = [
        (start, min(start + chunk, last), codes[first])
        for first, last in itertools.pairwise(edges)
        for start in range(first, last, chunk)
    ]
    return np.array(cut, np.int64).reshape(-1, 3)


def wide_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """Add the rows of every span to the sums."""
    for start, stop, matrix in cut:
        filled = centre(labelled, order[start:stop], sums, Z)
        blas.add_gram(Z[:filled], sums[3][matrix])


@njit(cache=True, nogil=True)
def narrow_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """The same, compiled: for few columns a call costs as much as a chunk.

    Once every class has had more weight than a chunk has, the chunk need not be centred.
    """
    counts, _, offsets, scatter = sums
    d = offsets.shape[1]
    for s in range(len(cut)):
        rows, G = order[cut[s, 0] : cut[s, 1]], scatter[cut[s, 2]]
        if is_young(counts, labelled[2], rows):
            filled = centre(labelled, rows, sums, Z)
            add_tiles(Z[:filled], d, G)
            continue
        here, fresh = gather(labelled, rows, sums, Z)
        weigh(labelled[2], rows, Z)
        add_tiles(Z[: len(rows)], d, G)
        for k in range(len(here)):
            if here[k] > 0.0:
                settle(counts, offsets[k], here[k], fresh[k], k, G)


@njit(cache=True, nogil=True)
def is_young(counts: Floats, weights: Floats, order: Ints) -> bool:
    """Whether some class had less weight so far than all these rows have."""
    now = float(len(order))
    if len(weights) > 0:
        now = 0.0
        for i in order:
            now += weights[i]
    least = np.inf
    for count in counts:
        least = min(least, count)
    return bool(least < now)


@njit(cache=True, nogil=True)
def settle(counts: Floats, offset: Floats, weight: float, fresh: Floats, k: int, G: Floats) -> None:
    """Let rows of class k join whose squares are taken about the origin, which is near the mean.

    With m their own mean and r the one so far, both from the origin, the squares about the new
    mean are theirs − n′ m mᵀ + (n n′ / (n + n′)) (m − r)(m − r)ᵀ. As n ≥ n′ and r is no more than
    rounding, at most half of any square is taken off.
    """
    before = counts[k]
    counts[k] += weight
    share = weight / counts[k]
    gap = np.empty(len(offset))
    for j in range(len(offset)):
        gap[j] = fresh[j] - offset[j]
        offset[j] += share * gap[j]
    for j in range(len(offset)):
        for m in range(j + 1):
            G[j, m] += before * share * gap[j] * gap[m] - weight * fresh[j] * fresh[m]


@njit(cache=True, nogil=True)
def renew(origins: Floats, offsets: Floats) -> None:
    """Move every origin to the mean so far; what float64 cannot hold of it stays as offset."""
    for k in range(len(origins)):
        for j in range(origins.shape[1]):
            mean = origins[k, j] + offsets[k, j]
            offsets[k, j] += origins[k, j] - mean
            origins[k, j] = mean


@njit(cache=True, nogil=True)
def centre(labelled: Labelled, order: Ints, sums: Sums, Z: Floats) -> int:
    """Fill Z with √w (x − mean of its class here), and a row for each class to join; count them.

    The counts and means among the sums go on to include these rows.
    """
    _, codes, weights = labelled
    counts, _, offsets, _ = sums
    here, fresh = gather(labelled, order, sums, Z)
    for place in range(UINT(len(order))):
        k = UINT(codes[UINT(order[place])])
        for j in range(UINT(Z.shape[1])):
            Z[place, j] -= fresh[k, j]
    weigh(weights, order, Z)
    filled = len(order)
    for k in range(len(here)):
        if here[k] > 0.0:
            filled += join(counts, offsets[k], here[k], fresh[k], k, Z[filled])
    return filled


@njit(cache=True, nogil=True)
def weigh(weights: Floats, order: Ints, Z: Floats) -> None:
    """Multiply every row by the root of its weight, so that its squares have the weight."""
    if len(weights) > 0:
        for place in range(len(order)):
            scale(Z[place], np.sqrt(weights[order[place]]))


@njit(cache=True, nogil=True)
def gather(labelled: Labelled, order: Ints, sums: Sums, Z: Floats) -> tuple[Floats, Floats]:
    """Fill Z with x − origin of its class; give weight of each class and its mean from there.

    The origin of a class is its first row, and then the mean so far.
    """
    X, codes, weights = labelled
    counts, origins, offsets, _ = sums
    here, fresh = np.zeros(len(counts)), np.zeros((len(counts), Z.shape[1]))  # as wide as Z
    nothing = np.zeros(offsets.shape[1])
    renew(origins, offsets)
    for place in range(len(order)):
        i = UINT(order[place])
        k = UINT(codes[i])
        weight = weights[i] if len(weights) > 0 else 1.0
        if weight > 0.0 and here[k] == 0.0 and counts[k] == 0.0:
            shift(X, i, nothing, origins[k])
        here[k] += weight
        shift_and_add(X, i, origins[k], Z[place], weight, fresh[k])
    for k in range(len(here)):
        if here[k] > 0.0:
            scale(fresh[k], 1.0 / here[k])
    return here, fresh


@njit(cache=True, nogil=True)
def join(counts: Floats, offset: Floats, weight: float, fresh: Floats, k: int, v: Floats) -> int:
    """Let rows of class k with a mean of their own join; write their row v (1: there is one)."""
    before = counts[k]
    counts[k] += weight
    share = weight / counts[k]
    root = np.sqrt(before * share)
    for j in range(len(offset)):
        gap = fresh[j] - offset[j]
        v[j] = root * gap
        offset[j] += share * gap
    return int(before > 0.0)


@njit(cache=True, nogil=True, forceinline=True)
def scale(z: Floats, factor: float) -> None:
    """Multiply a row by a number."""
    for j in range(len(z)):
        z[j] *= factor
