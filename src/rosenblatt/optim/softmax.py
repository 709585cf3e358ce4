"""Softmax over K classes, from both sides: what each row asks, and what proves the result.

With a score s_k for every class the model gives a row the probabilities q_k = exp(s_k) / Σ exp(s).
Multinomial logistic regression minimises, the biases free,

    P(W, b) = ½ρ‖W‖² + Σ c (log Σ_k exp(s_k) − s_y),      s_k = w_k·x + b_k

and since log Σ exp(s) ≥ q·s + H(q) for whatever probabilities q, H their entropy, with equality at
the softmax alone, P goes nowhere below

    D(q) = −‖V‖²/2ρ + Σ c H(q),      V = Σ c (e_y − q) xᵀ

as long as Σ c (e_y − q) = 0 where there are biases, which then drop out. A row *pulls* on its
classes by c (e_y − q). The pulls that do not balance yet are made to by

    q′ = q + (diag(q) − q qᵀ) β,      M β = Σ c (e_y − q),      M = Σ c (diag(q) − q qᵀ)

and q′_k = q_k (1 + β_k − q·β), so q′ are probabilities again where no two β differ by more than 1.
β is also Newton's step of the biases alone.

Everything about a row is measured from its own class, so that nothing is lost where the others are
all but ruled out: c − c q_y is the sum of the other c q.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.kernels.cache import njit
from rosenblatt.types import Array, Codes, Floats


class SoftmaxObjective(NamedTuple):
    """A problem of K classes: minimise ½ρ‖W‖² + Σ c (log Σ exp(s) − s_y).

    `costs` are the c, `ridge` is ρ; without `bias` every b stays 0.
    """

    blocks: Blocks
    sample_C: Floats  # noqa: N815 (C as in the formulas)
    l2: float
    bias: bool

    @property
    def n_classes(self) -> int:
        """How many classes."""
        return self.blocks.problem.n_classes


class SoftmaxSums(NamedTuple):
    """What the rows say to their scores: the loss, the probabilities, the sum of the pulls."""

    loss: float
    probabilities: Floats
    alpha_sum: Floats


def evaluate_scores(objective: SoftmaxObjective, scores: Floats) -> SoftmaxSums:
    """Answers of all rows to their scores."""
    probabilities = np.empty_like(scores)

    def here(block: TrainingData, s: Floats, c: Floats, q: Floats) -> Floats:
        found = np.zeros(objective.n_classes + 1)
        found[-1] = softmax_rows(s, block.codes, c, q, found)
        return found

    found = objective.blocks.total(here, scores, objective.sample_C, probabilities)
    return SoftmaxSums(float(found[-1]), probabilities, found[:-1])


def bias_hessian(objective: SoftmaxObjective, probabilities: Floats) -> Floats:
    """M = Σ c (diag(q) − q qᵀ): how the sum of the pulls answers to the biases."""
    M = -objective.blocks.total(
        lambda _, q, c: q.T @ (c[:, None] * q), probabilities, objective.sample_C
    )
    np.fill_diagonal(M, 0.0)
    np.fill_diagonal(M, -M.sum(axis=1))  # rather than Σ c q (1 − q), where digits cancel
    return np.asarray(M)


def alpha_at(
    objective: SoftmaxObjective, probabilities: Floats, beta: Floats
) -> tuple[Floats, float]:
    """Pulls of all rows at the probabilities q′, and Σ c H(q′)."""
    given = np.empty_like(probabilities)

    def here(block: TrainingData, q: Floats, c: Floats, u: Floats) -> float:
        return float(alpha_rows(q, block.codes, c, beta, u))

    return given, objective.blocks.total(here, probabilities, objective.sample_C, given)


def derivative(objective: SoftmaxObjective, scores: Floats, moves: Floats, t: float) -> float:
    """Derivative of the loss along scores + t moves."""

    def here(block: TrainingData, s: Floats, ds: Floats, c: Floats) -> float:
        return float(derivative_of_rows(s, ds, block.codes, c, t))

    return objective.blocks.total(here, scores, moves, objective.sample_C)


@njit(cache=True, forceinline=True)
def softmax_of(scores: Floats, q: Floats, own: int) -> tuple[float, float]:
    """Write the softmax of some scores; give the loss and Σ q of the other classes."""
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
    """Write the probabilities of each row and add up its pulls; give the loss of all."""
    total = 0.0
    for i in range(len(scores)):
        own, cost = codes[i], sample_C[i]
        loss, others = softmax_of(scores[i], probabilities[i], own)
        total += cost * loss
        for k in range(probabilities.shape[1]):
            alpha_sum[k] += cost * others if k == own else -cost * probabilities[i, k]
    return total


@njit(cache=True, nogil=True)
def alpha_rows(
    probabilities: Floats, codes: Codes, sample_C: Floats, beta: Floats, alpha: Floats
) -> float:
    """Write c (e_y − q′) of each row; give Σ c H(q′)."""
    total = 0.0
    for i in range(len(probabilities)):
        own, cost, mean = codes[i], sample_C[i], 0.0
        for k in range(probabilities.shape[1]):
            mean += probabilities[i, k] * (beta[k] - beta[own])
        others, entropy = 0.0, 0.0
        for k in range(probabilities.shape[1]):
            q = probabilities[i, k] * (1.0 + (beta[k] - beta[own]) - mean)
            if k != own:
                alpha[i, k] = -cost * q
                others += q
                entropy -= q * np.log(q) if q > 0.0 else 0.0
        alpha[i, own] = cost * others
        mine = probabilities[i, own] * (1.0 - mean)
        log_mine = np.log1p(-others) if others < 0.5 else np.log(mine) if mine > 0.0 else 0.0
        total += cost * (entropy - mine * log_mine)
    return total


@njit(cache=True, nogil=True)
def derivative_of_rows(
    scores: Floats, moves: Floats, codes: Codes, sample_C: Floats, t: float
) -> float:
    """Σ c (q·ds − ds_y) at scores + t moves."""
    n_classes = scores.shape[1]
    moved, q = np.empty(n_classes), np.empty(n_classes)
    total = 0.0
    for i in range(len(scores)):
        own = codes[i]
        for k in range(n_classes):
            moved[k] = scores[i, k] + t * moves[i, k]
        softmax_of(moved, q, own)
        change = 0.0
        for k in range(n_classes):
            change += q[k] * (moves[i, k] - moves[i, own])
        total += sample_C[i] * change
    return total


@njit(cache=True, nogil=True)
def hessian_rows(moves: Floats, probabilities: Floats, codes: Codes, sample_C: Floats) -> None:
    """Replace the moves of the scores of each row by c (diag(q) − q qᵀ) times them."""
    for i in range(len(moves)):
        own, mean, others = codes[i], 0.0, 0.0
        origin = moves[i, own]
        for k in range(moves.shape[1]):
            moves[i, k] -= origin
            mean += probabilities[i, k] * moves[i, k]
        for k in range(moves.shape[1]):
            if k != own:
                moves[i, k] = sample_C[i] * probabilities[i, k] * (moves[i, k] - mean)
                others += moves[i, k]
        moves[i, own] = -others


def balance(M: Floats, alpha_sum: Floats) -> Floats:
    """β with M β = pull, the shortest in the measure of M's own diagonal."""
    size = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    beta = np.linalg.lstsq(M / np.outer(size, size), alpha_sum / size, rcond=1e-13)[0] / size
    return np.asarray(beta - beta.mean())


def curvature(probabilities: Floats, sample_C: Floats, k: int) -> Array:
    """Curvature c q (1 − q) of class k, an entry a row."""
    return np.asarray(sample_C * probabilities[:, k] * (1.0 - probabilities[:, k]))
