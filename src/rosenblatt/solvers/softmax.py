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

from rosenblatt.arrays import Array, Codes, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.kernel_cache import njit


class Classes(NamedTuple):
    """A problem of K classes: minimise ½ρ‖W‖² + Σ c (log Σ exp(s) − s_y).

    `costs` are the c, `ridge` is ρ; without `bias` every b stays 0.
    """

    blocks: Blocks
    costs: Floats
    ridge: float
    bias: bool

    @property
    def n_classes(self) -> int:
        """How many classes."""
        return self.blocks.problem.n_classes


class Answer(NamedTuple):
    """What the rows say to their scores: the loss, the probabilities, the sum of the pulls."""

    loss: float
    odds: Floats
    pull: Floats


def answers(task: Classes, scores: Floats) -> Answer:
    """Answers of all rows to their scores."""
    odds = np.empty_like(scores)

    def here(block: Problem, s: Floats, c: Floats, q: Floats) -> Floats:
        found = np.zeros(task.n_classes + 1)
        found[-1] = answer_rows(s, block.codes, c, q, found)
        return found

    found = task.blocks.total(here, scores, task.costs, odds)
    return Answer(float(found[-1]), odds, found[:-1])


def sway(task: Classes, odds: Floats) -> Floats:
    """M = Σ c (diag(q) − q qᵀ): how the sum of the pulls answers to the biases."""
    M = -task.blocks.total(lambda _, q, c: q.T @ (c[:, None] * q), odds, task.costs)
    np.fill_diagonal(M, 0.0)
    np.fill_diagonal(M, -M.sum(axis=1))  # rather than Σ c q (1 − q), where digits cancel
    return np.asarray(M)


def pulls(task: Classes, odds: Floats, beta: Floats) -> tuple[Floats, float]:
    """Pulls of all rows at the probabilities q′, and Σ c H(q′)."""
    given = np.empty_like(odds)

    def here(block: Problem, q: Floats, c: Floats, u: Floats) -> float:
        return float(pull_rows(q, block.codes, c, beta, u))

    return given, task.blocks.total(here, odds, task.costs, given)


def slope(task: Classes, scores: Floats, moves: Floats, t: float) -> float:
    """Derivative of the loss along scores + t moves."""

    def here(block: Problem, s: Floats, ds: Floats, c: Floats) -> float:
        return float(slope_of_rows(s, ds, block.codes, c, t))

    return task.blocks.total(here, scores, moves, task.costs)


@njit(cache=True, forceinline=True)
def soften(scores: Floats, q: Floats, own: int) -> tuple[float, float]:
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
def answer_rows(scores: Floats, codes: Codes, costs: Floats, odds: Floats, pull: Floats) -> float:
    """Write the probabilities of each row and add up its pulls; give the loss of all."""
    total = 0.0
    for i in range(len(scores)):
        own, cost = codes[i], costs[i]
        loss, others = soften(scores[i], odds[i], own)
        total += cost * loss
        for k in range(odds.shape[1]):
            pull[k] += cost * others if k == own else -cost * odds[i, k]
    return total


@njit(cache=True, nogil=True)
def pull_rows(odds: Floats, codes: Codes, costs: Floats, beta: Floats, pulls: Floats) -> float:
    """Write c (e_y − q′) of each row; give Σ c H(q′)."""
    total = 0.0
    for i in range(len(odds)):
        own, cost, mean = codes[i], costs[i], 0.0
        for k in range(odds.shape[1]):
            mean += odds[i, k] * (beta[k] - beta[own])
        others, entropy = 0.0, 0.0
        for k in range(odds.shape[1]):
            q = odds[i, k] * (1.0 + (beta[k] - beta[own]) - mean)
            if k != own:
                pulls[i, k] = -cost * q
                others += q
                entropy -= q * np.log(q) if q > 0.0 else 0.0
        pulls[i, own] = cost * others
        mine = odds[i, own] * (1.0 - mean)
        log_mine = np.log1p(-others) if others < 0.5 else np.log(mine) if mine > 0.0 else 0.0
        total += cost * (entropy - mine * log_mine)
    return total


@njit(cache=True, nogil=True)
def slope_of_rows(scores: Floats, moves: Floats, codes: Codes, costs: Floats, t: float) -> float:
    """Σ c (q·ds − ds_y) at scores + t moves."""
    n_classes = scores.shape[1]
    moved, q = np.empty(n_classes), np.empty(n_classes)
    total = 0.0
    for i in range(len(scores)):
        own = codes[i]
        for k in range(n_classes):
            moved[k] = scores[i, k] + t * moves[i, k]
        soften(moved, q, own)
        gain = 0.0
        for k in range(n_classes):
            gain += q[k] * (moves[i, k] - moves[i, own])
        total += costs[i] * gain
    return total


@njit(cache=True, nogil=True)
def bend_rows(moves: Floats, odds: Floats, codes: Codes, costs: Floats) -> None:
    """Replace the moves of the scores of each row by c (diag(q) − q qᵀ) times them."""
    for i in range(len(moves)):
        own, mean, others = codes[i], 0.0, 0.0
        origin = moves[i, own]
        for k in range(moves.shape[1]):
            moves[i, k] -= origin
            mean += odds[i, k] * moves[i, k]
        for k in range(moves.shape[1]):
            if k != own:
                moves[i, k] = costs[i] * odds[i, k] * (moves[i, k] - mean)
                others += moves[i, k]
        moves[i, own] = -others


def balance(M: Floats, pull: Floats) -> Floats:
    """β with M β = pull, the shortest in the measure of M's own diagonal."""
    size = np.sqrt(np.maximum(np.diag(M), np.finfo(float).tiny))
    beta = np.linalg.lstsq(M / np.outer(size, size), pull / size, rcond=1e-13)[0] / size
    return np.asarray(beta - beta.mean())


def curvature(odds: Floats, costs: Floats, k: int) -> Array:
    """Curvature c q (1 − q) of class k, an entry a row."""
    return np.asarray(costs * odds[:, k] * (1.0 - odds[:, k]))
