"""From moments to weights: the rules of the lectures that need no iteration.

==========  ==========================================================================  =========
MMSE        w = (Σ(x−μ)(x−μ)ᵀ + α)⁺ Σ(x−μ)(t−t̄),  b = t̄ − w·μ,  targets t = ±1         lecture 002
Fisher      w = S_w⁺(μ₁ − μ₀); of more classes, the directions of the largest scatter
            between classes relative to that within                                    lecture 003
Gaussian    w_k = Σ⁺(μ_k − μ),  b_k = −½(μ_k + μ)·w_k + log π_k with μ = Σ π_k μ_k; of
            two classes the difference                                                 lecture 000
==========  ==========================================================================  =========

Weights are given as rows (w, b). A⁺ is the solution of least norm (linalg/psd.py).
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.closed_form.moments import Moments
from rosenblatt.linalg.psd import Factor, factored
from rosenblatt.types import Floats


class Solution(NamedTuple):
    """Weights, a row a unit, and how many directions the matrix behind them spans.

    `by_gaps`: there was no scatter between the means, whose gaps became the directions.
    """

    W: Floats
    rank: int
    by_gaps: bool = False


def mmse(moments: Moments, *, alpha: float, bias: bool) -> Solution:
    """Weights of least squared error to targets ±1, plus α‖w‖²; the bias is not penalised."""
    counts, means = moments.counts, moments.means
    centre = counts @ means / moments.total if bias else np.zeros(means.shape[1])
    gaps = moments.centred(counts) if bias else means
    T = targets(len(counts))
    level = counts @ T / moments.total if bias else np.zeros(T.shape[1])
    between = np.sqrt(counts)[:, None] * gaps
    scatter = moments.pooled() + between.T @ between
    scatter[np.diag_indices_from(scatter)] += alpha
    towards = (counts[:, None] * gaps).T @ (T - level)
    factor = factored(scatter)
    w = factor.solve(towards).T
    return Solution(np.column_stack([w, level - w @ centre]), factor.rank)


def targets(n_classes: int) -> Floats:
    """Target of each unit for each class, a row a class: +1 for its own, −1 for the others."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0


class LogPosterior(NamedTuple):
    """Scores of Gaussian classes: rows (w, b) relative to the mean of all classes.

    `common` is what every class has besides as log π_k N(x; μ_k, Σ) + ½ xᵀΣ⁺x is multiplied out. It
    decides nothing, and for rows far from the origin it would drown what does.
    """

    W: Floats
    common: Floats
    rank: int


def gaussian(moments: Moments, covariance: Factor, priors: Floats) -> LogPosterior:
    """Log posterior, up to what the classes share, of Gaussians with a common covariance."""
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
    factor = factored(moments.pooled())
    gap = np.diff(moments.centred(moments.counts), axis=0)
    w = factor.solve(gap.T)[:, 0]
    by_gaps = not w.any()  # no scatter along the gap at all: the gap itself separates
    if by_gaps:
        w = gap[0]
    W = np.append(w, -0.5 * (w @ moments.means.sum(axis=0)))[None]
    return Solution(W, factor.rank, by_gaps)


class Projection(NamedTuple):
    """Directions, a column each, and the share of the scatter ratio each explains."""

    directions: Floats
    ratios: Floats
    rank: int
    by_gaps: bool


def fisher_directions(moments: Moments) -> Projection:
    """Directions of the largest ratio of scatter between to scatter within the classes.

    Along each the variance within the classes is 1, and they are uncorrelated. The class farthest
    from the centre, by weight, lies on the positive side.
    """
    shares = moments.counts / moments.total
    return directions_between(moments, factored(moments.pooled() / moments.total), shares)


def directions_between(moments: Moments, covariance: Factor, shares: Floats) -> Projection:
    """The same for a covariance within the classes, and shares by which the classes count."""
    spread = (np.sqrt(shares)[:, None] * moments.centred(shares)).T
    U, sizes = principal(covariance.whiten(spread))
    directions, by_gaps = covariance.directions(U), not len(sizes)
    if by_gaps:  # no scatter along any gap between means: the gaps themselves separate
        directions, sizes = principal(spread)
    places = spread.T @ directions
    farthest = places[np.abs(places).argmax(axis=0), np.arange(len(sizes))]
    directions = np.where(farthest < 0, -directions, directions)
    squares = sizes**2
    return Projection(directions, squares / squares.sum(), covariance.rank, by_gaps)


def principal(points: Floats) -> tuple[Floats, Floats]:
    """Directions in which K points about their mean lie, the widest first, and how wide."""
    U, sizes, _ = np.linalg.svd(points, full_matrices=False)
    least = max(points.shape) * np.finfo(np.float64).eps * sizes.max(initial=0.0)
    kept = sizes[: points.shape[1] - 1] > least  # they span at most K − 1
    return U[:, : len(kept)][:, kept], sizes[: len(kept)][kept]


def nearest_mean(moments: Moments, directions: Floats) -> Floats:
    """Weights that decide for the class whose mean is nearest after the projection."""
    overall = moments.counts @ moments.means / moments.total
    gaps = moments.centred(moments.counts)
    w = gaps @ directions @ directions.T
    b = -w @ overall - 0.5 * np.sum((gaps @ directions) ** 2, axis=1)
    return np.column_stack([w, b])
