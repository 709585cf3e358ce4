"""The common covariance of the classes, with optional shrinkage.

Each class has its covariance S_k / n_k; the common one is their mean, weighted by the priors.
Shrinkage moves a covariance towards the multiple of the identity with the same trace,

    (1 − λ) C + λ (tr C / d) I,

by a fixed λ or by one estimated for each class: Ledoit and Wolf (2004), on features scaled to unit
variance within the class, or "oas", oracle approximating shrinkage (Chen et al. 2010).
"""

from functools import partial

import numpy as np

from rosenblatt.closed_form.moments import Labelled, Moments, row_weights
from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import shift
from rosenblatt.types import Floats


def shared(moments: Moments, priors: Floats) -> Floats:
    """Common covariance, weighted by priors; from a pooled scatter matrix, by counts."""
    if len(moments.scatter) == 1:
        return moments.pooled() / moments.total
    parts = (priors[k] / moments.counts[k] * moments.of_class(k) for k in present(moments))
    return np.asarray(sum(parts, np.zeros(moments.scatter.shape[1:])))


def present(moments: Moments) -> list[int]:
    """Classes that have rows."""
    found: list[int] = np.flatnonzero(moments.counts).tolist()
    return found


def shrunk(C: Floats, amount: float) -> Floats:
    """A covariance moved towards a multiple of the identity."""
    result = (1.0 - amount) * C
    result[np.diag_indices_from(result)] += amount * np.trace(C) / max(1, len(C))
    return result


def oas(moments: Moments, priors: Floats) -> tuple[Floats, Floats]:
    """Common covariance with the classes shrunk by OAS, and the shrinkage of each."""
    d = moments.means.shape[1]
    total, amounts = np.zeros((d, d)), np.zeros(len(priors))
    for k in present(moments):
        n, C = moments.counts[k], moments.of_class(k) / moments.counts[k]
        mean_square, mean_variance = np.mean(C**2), np.trace(C) / d
        denominator = (n + 1.0) * (mean_square - mean_variance**2 / d)
        amounts[k] = (
            min((mean_square + mean_variance**2) / denominator, 1.0) if denominator > 0 else 1.0
        )
        total += priors[k] * shrunk(C, amounts[k])
    return total, amounts


def ledoit_wolf(moments: Moments, priors: Floats, blocks: Blocks) -> tuple[Floats, Floats]:
    """Common covariance with the classes shrunk by Ledoit and Wolf, and the shrinkage of each.

    Reads the rows again: the estimate needs the fourth powers of their scaled norms.
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
    """λ = β / δ: the variance of C over its squared distance to a multiple of the identity."""
    d = len(C)
    mean_variance, square = np.trace(C) / d, np.sum(C**2)
    error = (fourth / n - square) / (d * n)
    distance = square / d - mean_variance**2
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
