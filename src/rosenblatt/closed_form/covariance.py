"""The covariance the classes share, shrunk where asked for.

Each class has its covariance S_k / n_k; the classes share the mean of these, weighted by their
priors. Shrinking moves a covariance towards the unit matrix of the same trace,

    (1 − λ) C + λ (tr C / d) I,

by a fixed λ or by one estimated for each class: Ledoit and Wolf (2004), on features scaled to unit
variance within the class, or "oas", oracle approximating shrinkage (Chen et al. 2010).
"""

from functools import partial

import numpy as np

from rosenblatt.closed_form.moments import Labelled, Moments, row_weights
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import shift
from rosenblatt.types import Floats


def shared(moments: Moments, priors: Floats) -> Floats:
    """Covariance of the classes, averaged by priors (scatter kept in one matrix: by counts)."""
    if len(moments.scatter) == 1:
        return moments.pooled() / moments.total
    parts = (priors[k] / moments.counts[k] * moments.of_class(k) for k in present(moments))
    return np.asarray(sum(parts, np.zeros(moments.scatter.shape[1:])))


def present(moments: Moments) -> list[int]:
    """Classes that have rows."""
    found: list[int] = np.flatnonzero(moments.counts).tolist()
    return found


def shrunk(C: Floats, amount: float) -> Floats:
    """Move a covariance towards a multiple of the unit matrix."""
    less = (1.0 - amount) * C
    less[np.diag_indices_from(less)] += amount * np.trace(C) / max(1, len(C))
    return less


def oas(moments: Moments, priors: Floats) -> tuple[Floats, Floats]:
    """Shared covariance of classes shrunk by OAS each, and how much each was."""
    d = moments.means.shape[1]
    total, amounts = np.zeros((d, d)), np.zeros(len(priors))
    for k in present(moments):
        n, C = moments.counts[k], moments.of_class(k) / moments.counts[k]
        mean_square, level = np.mean(C**2), np.trace(C) / d
        towards = (n + 1.0) * (mean_square - level**2 / d)
        amounts[k] = min((mean_square + level**2) / towards, 1.0) if towards > 0 else 1.0
        total += priors[k] * shrunk(C, amounts[k])
    return total, amounts


def ledoit_wolf(moments: Moments, priors: Floats, blocks: Blocks) -> tuple[Floats, Floats]:
    """Shared covariance of classes shrunk by Ledoit and Wolf each, and how much each was.

    Needs the rows once more: the estimate rests on the fourth powers of their scaled lengths.
    """
    d = moments.means.shape[1]
    deviations = np.ones_like(moments.means)
    scaled = {}
    for k in present(moments):
        C = moments.of_class(k) / moments.counts[k]
        spread = np.sqrt(np.diag(C))
        deviations[k] = np.where(spread > 0, spread, 1.0)
        scaled[k] = C / np.outer(deviations[k], deviations[k])
    fourth = blocks.total(partial(fourth_powers, moments=moments, deviations=deviations))
    total, amounts = np.zeros((d, d)), np.zeros(len(priors))
    for k, C in scaled.items():
        amounts[k] = _ledoit_wolf_amount(C, moments.counts[k], fourth[k])
        total += priors[k] * np.outer(deviations[k], deviations[k]) * shrunk(C, amounts[k])
    return total, amounts


def _ledoit_wolf_amount(C: Floats, n: float, fourth: float) -> float:
    """λ = β / δ: how much C errs, over how far it is from a multiple of the unit matrix."""
    d = len(C)
    level, square = np.trace(C) / d, np.sum(C**2)
    error = (fourth / n - square) / (d * n)
    distance = square / d - level**2
    return float(min(error, distance) / distance) if min(error, distance) > 0 else 0.0


def fourth_powers(block: TrainingData, *, moments: Moments, deviations: Floats) -> Floats:
    """Σ ‖(x − μ) / σ‖⁴ over the rows of each class."""
    sums = np.zeros(len(moments.counts))
    labelled = (block.rows, block.codes, row_weights(block))
    add_fourth_powers(labelled, moments.origins, moments.offsets, deviations, sums)
    return sums


@njit(cache=True, nogil=True)
def add_fourth_powers(
    labelled: Labelled, origins: Floats, offsets: Floats, deviations: Floats, sums: Floats
) -> None:
    """Add w ‖(x − μ) / σ‖⁴ of each row to the sum of its class."""
    X, codes, weights = labelled
    z = np.empty(offsets.shape[1])
    for i in range(len(codes)):
        k = codes[i]
        shift(X, i, origins[k], z)
        square = 0.0
        for j in range(len(z)):
            square += ((z[j] - offsets[k, j]) / deviations[k, j]) ** 2
        sums[k] += (weights[i] if len(weights) > 0 else 1.0) * square * square
