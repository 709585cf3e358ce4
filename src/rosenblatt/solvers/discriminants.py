"""From moments to weights: the rules of the lectures that need no iteration.

==========  ==========================================================================  =========
MMSE        w = (Σ(x−μ)(x−μ)ᵀ + α)⁺ Σ(x−μ)(t−t̄),  b = t̄ − w·μ,  targets t = ±1         lecture 002
Fisher      w = S_w⁺(μ₁ − μ₀); of more classes, the directions of the largest scatter
            between classes relative to that within                                    lecture 003
Gaussian    w_k = Σ⁺μ_k,  b_k = −½ μ_k·w_k + log π_k; of two classes the difference     lecture 000
==========  ==========================================================================  =========

Weights are given as rows (w, b). A⁺ is the solution of least norm (solvers/positive.py).
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.solvers.moments import Moments
from rosenblatt.solvers.positive import factored


class Solution(NamedTuple):
    """Weights, a row a unit, and how many directions the matrix behind them spans."""

    W: Floats
    rank: int


def mmse(moments: Moments, *, alpha: float, bias: bool) -> Solution:
    """Weights of least squared error to targets ±1, plus α‖w‖²; the bias is not penalised."""
    counts, means = moments.counts, moments.means
    centre = counts @ means / moments.total if bias else np.zeros(means.shape[1])
    T = targets(len(counts))
    level = counts @ T / moments.total if bias else np.zeros(T.shape[1])
    between = np.sqrt(counts)[:, None] * (means - centre)
    scatter = moments.pooled() + between.T @ between
    scatter[np.diag_indices_from(scatter)] += alpha
    towards = (counts[:, None] * (means - centre)).T @ (T - level)
    factor = factored(scatter)
    w = factor.solve(towards).T
    return Solution(np.column_stack([w, level - w @ centre]), factor.rank)


def targets(n_classes: int) -> Floats:
    """Target of each unit for each class, a row a class: +1 for its own, −1 for the others."""
    if n_classes == 2:
        return np.array([[-1.0], [1.0]])
    return 2.0 * np.eye(n_classes) - 1.0


def gaussian(means: Floats, covariance: Floats, priors: Floats) -> Solution:
    """Log posterior, up to what the classes share, of Gaussians with a common covariance."""
    factor = factored(covariance)
    if len(means) == 2:
        w = factor.solve((means[1] - means[0])[:, None]).T
        b = -0.5 * (w @ (means[0] + means[1])) + np.log(priors[1] / priors[0])
        return Solution(np.column_stack([w, b]), factor.rank)
    w = factor.solve(means.T).T
    b = -0.5 * np.sum(w * means, axis=1) + np.log(priors)
    return Solution(np.column_stack([w, b]), factor.rank)


def fisher_line(moments: Moments) -> Solution:
    """Fisher's direction for two classes, as (w, b) with b midway between the projected means."""
    factor = factored(moments.pooled())
    gap = moments.means[1] - moments.means[0]
    w = factor.solve(gap[:, None])[:, 0]
    if not w.any():  # no scatter along the gap at all: the gap itself separates
        w = gap
    return Solution(np.append(w, -0.5 * (w @ moments.means.sum(axis=0)))[None], factor.rank)


class Projection(NamedTuple):
    """Directions, a column each, and the share of the scatter ratio each explains."""

    directions: Floats
    ratios: Floats
    rank: int


def fisher_directions(moments: Moments) -> Projection:
    """Directions of the largest ratio of scatter between to scatter within the classes.

    Along each the variance within the classes is 1, and they are uncorrelated.
    """
    factor = factored(moments.pooled() / moments.total)
    overall = moments.counts @ moments.means / moments.total
    spread = np.sqrt(moments.counts / moments.total)[:, None] * (moments.means - overall)
    U, sizes, _ = np.linalg.svd(factor.whiten(spread.T), full_matrices=False)
    kept = sizes > max(spread.shape) * np.finfo(np.float64).eps * sizes.max(initial=0.0)
    kept[len(moments.counts) - 1 :] = False  # K means span at most K − 1 directions
    squares = sizes[kept] ** 2
    return Projection(factor.directions(U[:, kept]), squares / squares.sum(), factor.rank)


def nearest_mean(moments: Moments, directions: Floats) -> Floats:
    """Weights that decide for the class whose mean is nearest after the projection."""
    overall = moments.counts @ moments.means / moments.total
    gaps = moments.means - overall
    w = gaps @ directions @ directions.T
    b = -w @ overall - 0.5 * np.sum((gaps @ directions) ** 2, axis=1)
    return np.column_stack([w, b])
