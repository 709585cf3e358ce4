"""Moments of the classes: weight, mean and scatter Σ w (x − μ)(x − μ)ᵀ, in one pass over the rows.

Rows are copied a few hundred at a time to a small float64 buffer, centred by the mean of their
class among them, and the buffer's ZᵀZ is added to the scatter. Two sets of rows of a class, with
weights n and n′ and means μ and μ′, are merged by one more row (Chan, Golub and LeVeque 1979):

    scatter = scatter + scatter′ + v vᵀ    with    v = √(n n′ / (n + n′)) (μ′ − μ)

(A chunk small against the rows before it is merged without centring, see `merge_uncentred`.) A mean
is stored as two numbers, an origin close to it and its offset from there: data far from 0 lose no
digits, and a feature that is constant in a class has a scatter of exactly 0. Merging is associative
up to rounding, so that `Blocks.total` can sum moments over blocks.
"""

import itertools
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.errors import DataError
from rosenblatt.kernels import gram
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT, Rows, n_cols, shift, shift_and_add
from rosenblatt.linalg.products import add_gram_by_blas, one_thread
from rosenblatt.types import Array, Floats, Ints

NARROW_CHUNK_ROWS = 256  # that fit the cache
WIDE_CHUNK_ROWS = 1024  # more, because BLAS updates the whole scatter for each chunk
MIN_CHUNK_ROWS = 64
MIN_SUM_OF_SQUARES = 1e-290  # of a column about its means: less has lost digits to underflow
MAX_SCATTER_BYTES = 8 << 30  # more is refused before it is allocated

add_gram = gram.add_gram  # a global that Numba resolves

Labelled = tuple[Rows, Array, Floats]  # rows, classes, weights (empty: 1 for every row)
Sums = tuple[Floats, Floats, Floats, Floats]  # the fields of Moments


class Moments(NamedTuple):
    """Weight and mean of each class, and the scatter about these means.

    The mean of a class is `origins`, numbers close to it, plus `offsets`. `scatter` holds lower
    triangles: one of all classes pooled, or one for each class.
    """

    counts: Floats
    origins: Floats
    offsets: Floats
    scatter: Floats

    @np.errstate(over="ignore", invalid="ignore")  # the caller checks `finite`
    def __add__(self, other: "Moments") -> "Moments":  # type: ignore[override]
        """Moments of both sets of rows."""
        counts = self.counts + other.counts
        share = np.divide(other.counts, counts, out=np.zeros_like(counts), where=counts > 0)
        is_present = self.counts[:, None] > 0
        origins = np.where(is_present, self.origins, other.origins)
        offsets = np.where(is_present, self.offsets, other.offsets)
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
        """Means less their weighted average, without losing the digits that they have in common."""
        relative = (self.origins - self.origins[0]) + (self.offsets - self.offsets[0])
        return np.asarray(relative - shares @ relative / shares.sum())

    @property
    def total(self) -> float:
        """Weight of all rows."""
        return float(self.counts.sum())

    def finite(self) -> bool:
        """Whether all means and scatters are finite."""
        return all(np.isfinite(numbers).all() for numbers in (self.means, self.scatter))

    def pooled(self) -> Floats:
        """Within-class scatter, of all classes about their own means: a full symmetric matrix."""
        return symmetric(self.scatter.sum(axis=0))

    def of_class(self, k: int) -> Floats:
        """Scatter of class k about its mean, where each class has its own."""
        return symmetric(self.scatter[k])

    def weighted(self, class_weights: Floats) -> "Moments":
        """The same with class weights, where each class has its own scatter."""
        return self._replace(
            counts=self.counts * class_weights,
            scatter=self.scatter * class_weights[:, None, None],
        )

    def spread(self, codes: Array, n_classes: int, *, by_class: bool) -> "Moments":
        """The same moments among more classes, with new codes of the classes."""

        def placed(values: Floats) -> Floats:
            more = np.zeros((n_classes, *values.shape[1:]))
            more[codes] = values
            return more

        scatter = placed(self.scatter) if by_class else self.scatter
        return Moments(placed(self.counts), placed(self.origins), placed(self.offsets), scatter)


def symmetric(lower: Floats) -> Floats:
    """Full matrix from its lower triangle."""
    full: Floats = np.tril(lower) + np.tril(lower, -1).T
    return full


def moments_of(blocks: Blocks, *, by_class: bool = False) -> Moments:
    """Moments of all rows; `by_class` gives each class its own scatter."""
    rows = blocks.problem.rows
    n_matrices = blocks.problem.n_classes if by_class else 1
    require_memory(n_cols(rows), n_matrices)
    # the bits must not depend on the number of BLAS threads; blocks run in threads instead
    with one_thread():
        found = blocks.total(partial(moments_of_block, by_class=by_class))
    if not found.finite():
        raise not_finite(rows)
    require_squares(blocks.problem, found)
    return found


def require_squares(problem: TrainingData, moments: Moments) -> None:
    """Raise a DataError for columns that vary by so little that their squares underflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = moments.centred(moments.counts)
        diagonals = np.einsum("kjj->j", moments.scatter) + moments.counts @ gaps**2
    for j in np.flatnonzero(diagonals < MIN_SUM_OF_SQUARES):
        spread = spread_of_column(problem, int(j))
        if spread > 0.0:
            raise DataError(
                f"Column {j} of X varies by only {spread:.1e}, whose square is too small for"
                " float64. Scale the columns of X."
            )


def spread_of_column(problem: TrainingData, j: int) -> float:
    """Range of a column over the rows with a weight."""
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


def require_memory(width: int, n_matrices: int) -> None:
    """Raise a DataError for so many features that their scatter does not fit into memory."""
    size = 8 * width * width * n_matrices
    if size > MAX_SCATTER_BYTES:
        raise DataError(
            f"The scatter of {width:,} features takes {n_matrices} x {width:,} x {width:,} numbers"
            f" ({size / 2**30:,.0f} GiB): too many for a closed form. Use a rule that stores only"
            " weights (Perceptron, LMS, PassiveAggressive), or fewer features."
        )


def moments_of_block(block: TrainingData, *, by_class: bool = False) -> Moments:
    """Moments of the rows of a block."""
    d, k = n_cols(block.rows), block.n_classes
    width = gram.padded(d)
    narrow = width <= gram.MAX_TILED_COLUMNS
    # a wide buffer includes the merging rows of the classes
    chunk = NARROW_CHUNK_ROWS if narrow else max(WIDE_CHUNK_ROWS - k, MIN_CHUNK_ROWS)
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
    """Weight of each row times that of its class; an empty array where all are 1."""
    own = block.weights
    if (block.class_weights == 1).all():
        return own[:0] if own.strides == (0,) and (own[:1] == 1).all() else own
    return np.multiply(own, block.class_weights[block.codes])


@lru_cache(maxsize=8)
def in_order(n: int) -> Ints:
    """Row numbers in order, cached: most blocks have the same size."""
    return np.arange(n)


@lru_cache(maxsize=8)
def spans(n: int, chunk: int) -> Ints:
    """Chunks of n rows: (start, stop, index of the scatter matrix)."""
    starts = np.arange(0, n, chunk)
    return np.column_stack([starts, np.minimum(starts + chunk, n), np.zeros_like(starts)])


def class_spans(codes: Array, chunk: int) -> Ints:
    """Chunks of rows sorted by class, each within one class: (start, stop, class)."""
    edges = [0, *(np.flatnonzero(np.diff(codes)) + 1), len(codes)]
    cut = [
        (start, min(start + chunk, last), codes[first])
        for first, last in itertools.pairwise(edges)
        for start in range(first, last, chunk)
    ]
    return np.array(cut, np.int64).reshape(-1, 3)


def wide_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """Add the rows of every chunk to the sums, by BLAS."""
    for start, stop, matrix in cut:
        filled = centre(labelled, order[start:stop], sums, Z)
        add_gram_by_blas(Z[:filled], sums[3][matrix])


@njit(cache=True, nogil=True)
def narrow_spans(labelled: Labelled, order: Ints, cut: Ints, sums: Sums, Z: Floats) -> None:
    """The same, compiled: for few columns a call costs as much as a chunk.

    Once every class has more weight than a chunk, the chunk need not be centred.
    """
    counts, _, offsets, scatter = sums
    d = offsets.shape[1]
    for s in range(len(cut)):
        rows, G = order[cut[s, 0] : cut[s, 1]], scatter[cut[s, 2]]
        if some_class_is_smaller(counts, labelled[2], rows):
            filled = centre(labelled, rows, sums, Z)
            add_gram(Z[:filled], d, G)
            continue
        new_counts, new_offsets = gather(labelled, rows, sums, Z)
        multiply_by_root_weights(labelled[2], rows, Z)
        add_gram(Z[: len(rows)], d, G)
        for k in range(len(new_counts)):
            if new_counts[k] > 0.0:
                merge_uncentred(counts, offsets[k], new_counts[k], new_offsets[k], k, G)


@njit(cache=True, nogil=True)
def some_class_is_smaller(counts: Floats, weights: Floats, order: Ints) -> bool:
    """Whether some class has less weight so far than these rows have together."""
    chunk_weight = float(len(order))
    if len(weights) > 0:
        chunk_weight = 0.0
        for i in order:
            chunk_weight += weights[i]
    smallest = np.inf
    for count in counts:
        smallest = min(smallest, count)
    return bool(smallest < chunk_weight)


@njit(cache=True, nogil=True)
def merge_uncentred(
    counts: Floats, offset: Floats, weight: float, new_offset: Floats, k: int, G: Floats
) -> None:
    """Merge rows of class k whose scatter was taken about the origin, which is near the mean.

    With m their own mean and r the one so far, both from the origin, the scatter about the new mean
    is theirs − n′ m mᵀ + (n n′ / (n + n′)) (m − r)(m − r)ᵀ. As n ≥ n′ and r is only rounding, at
    most half of any square cancels.
    """
    before = counts[k]
    counts[k] += weight
    share = weight / counts[k]
    gap = np.empty(len(offset))
    for j in range(len(offset)):
        gap[j] = new_offset[j] - offset[j]
        offset[j] += share * gap[j]
    for j in range(len(offset)):
        for m in range(j + 1):
            G[j, m] += before * share * gap[j] * gap[m] - weight * new_offset[j] * new_offset[m]


@njit(cache=True, nogil=True)
def move_origins(origins: Floats, offsets: Floats) -> None:
    """Move every origin to the mean so far; its rounding error is the new offset."""
    for k in range(len(origins)):
        for j in range(origins.shape[1]):
            mean = origins[k, j] + offsets[k, j]
            offsets[k, j] += origins[k, j] - mean
            origins[k, j] = mean


@njit(cache=True, nogil=True)
def centre(labelled: Labelled, order: Ints, sums: Sums, Z: Floats) -> int:
    """Fill Z with √w (x − mean of its class here) and a merging row for each class; count its rows.

    Updates the counts and means of the sums to include these rows.
    """
    _, codes, weights = labelled
    counts, _, offsets, _ = sums
    new_counts, new_offsets = gather(labelled, order, sums, Z)
    for r in range(UINT(len(order))):
        k = UINT(codes[UINT(order[r])])
        for j in range(UINT(Z.shape[1])):
            Z[r, j] -= new_offsets[k, j]
    multiply_by_root_weights(weights, order, Z)
    filled = len(order)
    for k in range(len(new_counts)):
        if new_counts[k] > 0.0:
            filled += merge(counts, offsets[k], new_counts[k], new_offsets[k], k, Z[filled])
    return filled


@njit(cache=True, nogil=True)
def multiply_by_root_weights(weights: Floats, order: Ints, Z: Floats) -> None:
    """Multiply every row by the root of its weight, so that ZᵀZ has the weights."""
    if len(weights) > 0:
        for r in range(len(order)):
            scale(Z[r], np.sqrt(weights[order[r]]))


@njit(cache=True, nogil=True)
def gather(labelled: Labelled, order: Ints, sums: Sums, Z: Floats) -> tuple[Floats, Floats]:
    """Fill Z with x − origin of its class; give weight of each class, and its mean − origin.

    The origin of a class is its first row at first, then the mean so far.
    """
    X, codes, weights = labelled
    counts, origins, offsets, _ = sums
    new_counts, new_offsets = np.zeros(len(counts)), np.zeros((len(counts), Z.shape[1]))
    zero = np.zeros(offsets.shape[1])
    move_origins(origins, offsets)
    for r in range(len(order)):
        i = UINT(order[r])
        k = UINT(codes[i])
        weight = weights[i] if len(weights) > 0 else 1.0
        if weight > 0.0 and new_counts[k] == 0.0 and counts[k] == 0.0:
            shift(X, i, zero, origins[k])
        new_counts[k] += weight
        shift_and_add(X, i, origins[k], Z[r], weight, new_offsets[k])
    for k in range(len(new_counts)):
        if new_counts[k] > 0.0:
            scale(new_offsets[k], 1.0 / new_counts[k])
    return new_counts, new_offsets


@njit(cache=True, nogil=True)
def merge(
    counts: Floats, offset: Floats, weight: float, new_offset: Floats, k: int, v: Floats
) -> int:
    """Merge centred rows of class k; write the row v that does so, and give 1 if there is one."""
    before = counts[k]
    counts[k] += weight
    share = weight / counts[k]
    root = np.sqrt(before * share)
    for j in range(len(offset)):
        gap = new_offset[j] - offset[j]
        v[j] = root * gap
        offset[j] += share * gap
    return int(before > 0.0)


@njit(cache=True, nogil=True, forceinline=True)
def scale(z: Floats, factor: float) -> None:
    """Multiply a row by a number."""
    for j in range(len(z)):
        z[j] *= factor
