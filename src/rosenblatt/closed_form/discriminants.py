"""Discriminants in closed form, from the moments of the classes; thresholds of projections."""

from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.closed_form.moments import Moments, row_weights
from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.linalg.psd import PivotedCholesky, pivoted_cholesky
from rosenblatt.linalg.scores import scores_of
from rosenblatt.types import Array, Floats

OVERLAP_CHECK_ROWS = 4096


class Gap(NamedTuple):
    """The largest projection of class 0 and the smallest of class 1."""

    below: float
    above: float

    @property
    def overlaps(self) -> bool:
        """Whether the projections of the classes overlap."""
        return self.below >= self.above

    def __add__(self, other: "Gap") -> "Gap":  # type: ignore[override]
        """Gap of both sets of rows."""
        return Gap(max(self.below, other.below), min(self.above, other.above))


def midway(blocks: Blocks, w: Floats) -> float | None:
    """Threshold midway between the classes; None where their projections overlap."""
    gap_here = partial(gap_of, w=w)
    if gap_here(blocks.problem.part(0, OVERLAP_CHECK_ROWS)).overlaps:
        return None  # most classes that overlap do so among the first rows
    gap = blocks.total(gap_here)
    return None if gap.overlaps else between(gap.below, gap.above)


def between(below: float, above: float) -> float:
    """Midpoint; rows at the threshold count as above, so it exceeds `below` despite rounding."""
    middle = 0.5 * below + 0.5 * above
    return middle if middle > below else above


def gap_of(block: TrainingData, *, w: Floats) -> Gap:
    """Gap between the classes of a block, from the rows with a weight."""
    projected, counts = projections(block, w), row_weights(block)
    rows = counts > 0 if len(counts) else np.ones(len(projected), bool)
    positive = block.codes == 1
    return Gap(
        float(projected[rows & ~positive].max(initial=-np.inf)),
        float(projected[rows & positive].min(initial=np.inf)),
    )


def equal_error(blocks: Blocks, w: Floats) -> float:
    """Threshold of equal error rates in the two classes, as nearly as possible.

    Keeps the projections of all rows in memory.
    """
    parts = list(blocks.each(partial(weighted_projections, w=w)))
    projected, weights, codes = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(projected, kind="stable")
    projected, weights, positive = projected[order], weights[order], codes[order] == 1
    false_negative_rate = np.cumsum(weights * positive) / np.sum(weights * positive)
    false_positive_rate = 1.0 - np.cumsum(weights * ~positive) / np.sum(weights * ~positive)
    cuts = np.flatnonzero(projected[:-1] < projected[1:])  # between different projections
    if not len(cuts):
        return float(projected[0])
    best = cuts[np.argmin(np.abs(false_negative_rate[cuts] - false_positive_rate[cuts]))]
    return between(float(projected[best]), float(projected[best + 1]))


def weighted_projections(block: TrainingData, *, w: Floats) -> tuple[Floats, Floats, Array]:
    """Projection, weight and class of each row with a weight."""
    weights, projected = row_weights(block), projections(block, w)
    if not len(weights):
        return projected, np.ones(len(projected)), block.codes
    rows = weights > 0
    return projected[rows], weights[rows], block.codes[rows]


def projections(block: TrainingData, w: Floats) -> Floats:
    """w·x of each row."""
    return np.asarray(scores_of(block.rows, np.append(w, 0.0)[None])[:, 0])


class Solution(NamedTuple):
    """Weights, a row for each output, and the rank of the matrix that was solved with.

    `by_gaps`: no class scatters along the differences of the means, so these are the directions.
    """

    W: Floats
    rank: int
    by_gaps: bool = False


def mmse(moments: Moments, *, alpha: float, fit_intercept: bool) -> Solution:
    """Least squares to targets ±1, plus α‖w‖², the intercept not penalised (ridge regression)."""
    counts, means = moments.counts, moments.means
    centre = counts @ means / moments.total if fit_intercept else np.zeros(means.shape[1])
    gaps = moments.centred(counts) if fit_intercept else means
    T = targets(len(counts))
    mean_target = counts @ T / moments.total if fit_intercept else np.zeros(T.shape[1])
    between = np.sqrt(counts)[:, None] * gaps
    scatter = moments.pooled() + between.T @ between
    scatter[np.diag_indices_from(scatter)] += alpha
    covariances = (counts[:, None] * gaps).T @ (T - mean_target)
    factor = pivoted_cholesky(scatter)
    w = factor.solve(covariances).T
    return Solution(np.column_stack([w, mean_target - w @ centre]), factor.rank)


def targets(n_classes: int) -> Floats:
    """Targets, a row for each class and a column for each output: +1 for its own class, else −1."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0


class LogPosterior(NamedTuple):
    """Scores of Gaussian classes: rows (w, b) relative to the mean of all classes.

    `common` is the term of log π_k N(x; μ_k, Σ) + ½ xᵀΣ⁺x that all classes share. It changes no
    decision, and for rows far from the origin it would cost the other terms their digits.
    """

    W: Floats
    common: Floats
    rank: int


def gaussian(moments: Moments, covariance: PivotedCholesky, priors: Floats) -> LogPosterior:
    """Log posterior of Gaussian classes with a common covariance, up to the common term."""
    gaps, centre = moments.centred(priors), priors @ moments.means
    w = covariance.solve(gaps.T).T
    b = -0.5 * np.sum(w * gaps, axis=1) - w @ centre + np.log(priors)
    W = np.column_stack([w, b])
    if len(W) == 2:
        return LogPosterior(W[1:] - W[:1], np.zeros(W.shape[1]), covariance.rank)
    shared = covariance.solve(centre[:, None])[:, 0]
    return LogPosterior(W, np.append(shared, -0.5 * (shared @ centre)), covariance.rank)


def fisher_line(moments: Moments) -> Solution:
    """Fisher's direction for two classes, as (w, b) with b midway between the projected means."""
    factor = pivoted_cholesky(moments.pooled())
    gap = np.diff(moments.centred(moments.counts), axis=0)
    w = factor.solve(gap.T)[:, 0]
    by_gaps = not w.any()  # no scatter along the difference of the means, which separates alone
    if by_gaps:
        w = gap[0]
    W = np.append(w, -0.5 * (w @ moments.means.sum(axis=0)))[None]
    return Solution(W, factor.rank, by_gaps)


def between_means(moments: Moments) -> Floats:
    """Rows whose ZᵀZ is the scatter between the classes: μ₁ − μ₀ of two, √n (μ_k − μ) of more."""
    gaps = moments.centred(moments.counts)
    if len(gaps) == 2:
        return np.diff(gaps, axis=0)
    return np.asarray(np.sqrt(moments.counts)[:, None] * gaps)


class Projection(NamedTuple):
    """Directions, a column each, and the share of the between-class scatter each explains."""

    directions: Floats
    ratios: Floats
    rank: int
    by_gaps: bool


def fisher_directions(moments: Moments) -> Projection:
    """Directions of the largest ratio of between-class to within-class scatter.

    The projections have within-class variance 1 and are uncorrelated. The class with the largest
    weighted distance from the centre lies on the positive side.
    """
    shares = moments.counts / moments.total
    return directions_between(moments, pivoted_cholesky(moments.pooled() / moments.total), shares)


def directions_between(moments: Moments, covariance: PivotedCholesky, shares: Floats) -> Projection:
    """The same for a given within-class covariance and weights of the classes."""
    spread = (np.sqrt(shares)[:, None] * moments.centred(shares)).T
    U, sizes = principal(covariance.whiten(spread))
    directions, by_gaps = covariance.directions(U), not len(sizes)
    if by_gaps:  # no scatter along any difference of means
        directions, sizes = principal(spread)
    places = spread.T @ directions
    farthest = places[np.abs(places).argmax(axis=0), np.arange(len(sizes))]
    directions = np.where(farthest < 0, -directions, directions)
    squares = sizes**2
    return Projection(directions, squares / squares.sum(), covariance.rank, by_gaps)


def principal(points: Floats) -> tuple[Floats, Floats]:
    """Principal directions of K centred points, and their singular values."""
    U, sizes, _ = np.linalg.svd(points, full_matrices=False)
    threshold = max(points.shape) * np.finfo(np.float64).eps * sizes.max(initial=0.0)
    kept = sizes[: points.shape[1] - 1] > threshold  # they span at most K − 1
    return U[:, : len(kept)][:, kept], sizes[: len(kept)][kept]


def nearest_mean(moments: Moments, directions: Floats) -> Floats:
    """Weights of the nearest-mean classifier after the projection."""
    overall = moments.counts @ moments.means / moments.total
    gaps = moments.centred(moments.counts)
    w = gaps @ directions @ directions.T
    b = -w @ overall - 0.5 * np.sum((gaps @ directions) ** 2, axis=1)
    return np.column_stack([w, b])
