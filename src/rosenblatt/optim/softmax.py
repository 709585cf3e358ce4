"""The softmax objective of K classes: loss, dual variables, Hessian, and its dual.

With a score s_k = w_k·x + b_k for every class the model gives a row the probabilities
q_k = exp(s_k) / Σ exp(s). Multinomial logistic regression minimises, the intercepts not penalised,

    P(W, b) = ½ρ‖W‖² + Σ C (log Σ_k exp(s_k) − s_y)

The log-sum-exp is the conjugate of the negative entropy: log Σ exp(s) ≥ q·s + H(q) for any
probabilities q, with equality at the softmax. So P is bounded from below by

    D(q) = −‖V‖²/2ρ + Σ C H(q),      V = Σ α xᵀ,   α = C (e_y − q)

as long as Σ α = 0 where there are intercepts. α is the negative gradient of a row's loss by its
scores. Probabilities near by with Σ α = 0 are

    q′ = q + (diag(q) − q qᵀ) β,      M β = Σ C (e_y − q),      M = Σ C (diag(q) − q qᵀ)

since q′_k = q_k (1 + β_k − q·β), they are positive where no two β differ by more than 1. β is also
Newton's step of the intercepts alone.

Everything about a row is computed relative to its own class, so that no digits are lost where the
others are very unlikely: C − C q_y is the sum of the other C q.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.types import Array, Codes, Floats


class SoftmaxObjective(NamedTuple):
    """A problem of K classes: minimise ½ρ‖W‖² + Σ C (log Σ exp(s) − s_y).

    `sample_C` is the C of each row, `l2` is ρ; without `fit_intercept` every b stays 0.
    """

    blocks: Blocks
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    l2: float
    fit_intercept: bool

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.blocks.problem.n_classes


class SoftmaxSums(NamedTuple):
    """Loss, probabilities and Σ α of all rows at their scores."""

    loss: float
    probabilities: Floats
    alpha_sum: Floats


def evaluate_scores(objective: SoftmaxObjective, scores: Floats) -> SoftmaxSums:
    """Evaluate loss, probabilities and Σ α of all rows at their scores."""
    probabilities = np.empty_like(scores)

    def on_block(block: TrainingData, s: Floats, c: Floats, q: Floats) -> Floats:
        found = np.zeros(objective.n_classes + 1)
        found[-1] = softmax_rows(s, block.codes, c, q, found)
        return found

    found = objective.blocks.total(on_block, scores, objective.sample_C, probabilities)
    return SoftmaxSums(float(found[-1]), probabilities, found[:-1])


def intercept_hessian(objective: SoftmaxObjective, probabilities: Floats) -> Floats:
    """M = Σ C (diag(q) − q qᵀ), the Hessian of P by the intercepts."""
    M = -objective.blocks.total(
        lambda _, q, c: q.T @ (c[:, None] * q), probabilities, objective.sample_C
    )
    np.fill_diagonal(M, 0.0)
    np.fill_diagonal(M, -M.sum(axis=1))  # Σ C q (1 − q) would lose digits
    return np.asarray(M)


def alpha_at(
    objective: SoftmaxObjective, probabilities: Floats, beta: Floats
) -> tuple[Floats, float]:
    """α of all rows at the probabilities q′, and Σ C H(q′)."""
    alpha = np.empty_like(probabilities)

    def on_block(block: TrainingData, q: Floats, c: Floats, u: Floats) -> float:
        return float(alpha_rows(q, block.codes, c, beta, u))

    return alpha, objective.blocks.total(on_block, probabilities, objective.sample_C, alpha)


def derivative(
    objective: SoftmaxObjective, scores: Floats, score_changes: Floats, t: float
) -> float:
    """Derivative of the loss along scores + t changes."""

    def on_block(block: TrainingData, s: Floats, ds: Floats, c: Floats) -> float:
        return float(derivative_of_rows(s, ds, block.codes, c, t))

    return objective.blocks.total(on_block, scores, score_changes, objective.sample_C)


@njit(cache=True, forceinline=True)
def softmax_of(scores: Floats, q: Floats, own: int) -> tuple[float, float]:
    """Write the softmax of the scores of a row; give its loss and Σ q of the other classes.

    The loss is log Σ exp(s) − s_own, the log-sum-exp taken relative to the largest score.
    """
    top = 0
    for k in range(len(q)):
        if scores[k] > scores[top]:
            top = k
    rest = 0.0
    for k in range(len(q)):
        q[k] = np.exp(scores[k] - scores[top])
        if k != top:
            rest += q[k]
    others = 0.0
    for k in range(len(q)):
        q[k] /= 1.0 + rest
        if k != own:
            others += q[k]
    return np.log1p(rest) + (scores[top] - scores[own]), others


@njit(cache=True, nogil=True)
def softmax_rows(
    scores: Floats, codes: Codes, sample_C: Floats, probabilities: Floats, alpha_sum: Floats
) -> float:
    """Write the probabilities of each row and add up α; give the loss of all."""
    total = 0.0
    for i in range(len(scores)):
        own, C = codes[i], sample_C[i]
        loss, others = softmax_of(scores[i], probabilities[i], own)
        total += C * loss
        for k in range(probabilities.shape[1]):
            alpha_sum[k] += C * others if k == own else -C * probabilities[i, k]
    return total


@njit(cache=True, nogil=True)
def alpha_rows(
    probabilities: Floats, codes: Codes, sample_C: Floats, beta: Floats, alpha: Floats
) -> float:
    """Write α = C (e_y − q′) of each row; give Σ C H(q′)."""
    total = 0.0
    for i in range(len(probabilities)):
        own, C, mean = codes[i], sample_C[i], 0.0
        for k in range(probabilities.shape[1]):
            mean += probabilities[i, k] * (beta[k] - beta[own])
        others, entropy = 0.0, 0.0
        for k in range(probabilities.shape[1]):
            q = probabilities[i, k] * (1.0 + (beta[k] - beta[own]) - mean)
            if k != own:
                alpha[i, k] = -C * q
                others += q
                entropy -= q * np.log(q) if q > 0.0 else 0.0
        alpha[i, own] = C * others
        q_own = probabilities[i, own] * (1.0 - mean)
        log_q_own = np.log1p(-others) if others < 0.5 else np.log(q_own) if q_own > 0.0 else 0.0
        total += C * (entropy - q_own * log_q_own)
    return total


@njit(cache=True, nogil=True)
def derivative_of_rows(
    scores: Floats, score_changes: Floats, codes: Codes, sample_C: Floats, t: float
) -> float:
    """Σ C (q·ds − ds_y) at scores + t ds, ds the changes of the scores."""
    n_classes = scores.shape[1]
    moved, q = np.empty(n_classes), np.empty(n_classes)
    total = 0.0
    for i in range(len(scores)):
        own = codes[i]
        for k in range(n_classes):
            moved[k] = scores[i, k] + t * score_changes[i, k]
        softmax_of(moved, q, own)
        change = 0.0
        for k in range(n_classes):
            change += q[k] * (score_changes[i, k] - score_changes[i, own])
        total += sample_C[i] * change
    return total


@njit(cache=True, nogil=True)
def hessian_rows(changes: Floats, probabilities: Floats, codes: Codes, sample_C: Floats) -> None:
    """Replace the changes of the scores of each row by C (diag(q) − q qᵀ) times them."""
    for i in range(len(changes)):
        own, mean, others = codes[i], 0.0, 0.0
        origin = changes[i, own]
        for k in range(changes.shape[1]):
            changes[i, k] -= origin
            mean += probabilities[i, k] * changes[i, k]
        for k in range(changes.shape[1]):
            if k != own:
                changes[i, k] = sample_C[i] * probabilities[i, k] * (changes[i, k] - mean)
                others += changes[i, k]
        changes[i, own] = -others


def balance(M: Floats, alpha_sum: Floats) -> Floats:
    """β with M β = Σ α, of least norm when scaled by the diagonal of M."""
    size = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    beta = np.linalg.lstsq(M / np.outer(size, size), alpha_sum / size, rcond=1e-13)[0] / size
    return np.asarray(beta - beta.mean())


def curvature(probabilities: Floats, sample_C: Floats, k: int) -> Array:
    """Curvature C q (1 − q) of each row in the score of class k."""
    return np.asarray(sample_C * probabilities[:, k] * (1.0 - probabilities[:, k]))
