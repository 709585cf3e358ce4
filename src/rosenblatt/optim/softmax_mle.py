"""Maximum likelihood of K classes: Newton's method for the softmax loss alone.

As in likelihood.py, of which this is the form for many classes. H is a sum over pairs of classes,

    H = Σ_{k<l} L_kl ⊗ Σ c q_k q_l (x, 1)(x, 1)ᵀ,      L_kl = (e_k − e_l)(e_k − e_l)ᵀ

so no digits cancel in it; its shortest steps have a sum of 0 over the classes. With the moves μ of
the scores by Newton's step the probabilities

    q′ = q + (diag(q) − q qᵀ) μ,      Σ c (e_y − q′) (x, 1)ᵀ = 0

balance in every feature. Where no two moves of a row differ by 1 they are positive, so that they
bound P from below by Σ c H(q′), and prove that there are best weights: along a direction that puts
no row's own class behind another, and not all level, the sum could not vanish.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.rows import CSR, n_cols
from rosenblatt.linalg import multi_output, products
from rosenblatt.linalg.psd import factored
from rosenblatt.optim import softmax
from rosenblatt.optim.certificate import Proof
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.hessian import require_finite
from rosenblatt.optim.mle import BALANCE_TOLERANCE, MAX_MARGIN, MAX_MARGIN_MOVE
from rosenblatt.optim.newton import line_search
from rosenblatt.optim.preconditioners import recentered
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_newton import SoftmaxIterate, iterate_at, scores_of
from rosenblatt.optim.solve import Step
from rosenblatt.types import Floats


class NewtonStep(NamedTuple):
    """Newton's step: how weights and scores would move, and the pulls that it balances."""

    direction: Floats
    moves: Floats
    alpha: Floats
    dual: float


def maximise_likelihood(objective: SoftmaxObjective, start: Floats | None) -> Iterator[Step]:
    """Steps towards the greatest likelihood, without an end; weights have a row a class."""
    iterate, center = iterate_at(objective, start), center_of(objective)
    W, best, number = iterate.W, DualityGap(np.inf, 0.0), 0
    while True:
        step = newton_step(objective, iterate, center)
        take_newton_step(objective, iterate, step)
        now = DualityGap(softmax.evaluate_scores(objective, iterate.scores).loss, step.dual)
        W = iterate.W if now.primal < best.primal else W
        best, number = best.tightest(now), number + 1
        proof = partial(proved, objective, iterate.scores if W is iterate.W else None, W, step)
        yield Step(
            number,
            np.ascontiguousarray(W.T),
            step.alpha,
            best,
            "newton",
            len(objective.sample_C),
            proof,
        )


def newton_step(objective: SoftmaxObjective, iterate: SoftmaxIterate, center: Floats) -> NewtonStep:
    """Shortest of Newton's steps from a place."""
    probabilities = softmax.evaluate_scores(objective, iterate.scores).probabilities
    V = multi_output.sums(
        objective.blocks, balanced_alpha(objective, probabilities, np.zeros_like(probabilities))[0]
    )
    V[-1] *= objective.bias
    H = curvature(objective, probabilities, center)
    factor = factored(H)

    def solve(R: Floats) -> Floats:
        return factor.solve(R.T.reshape(-1, 1)).reshape(objective.n_classes, -1).T

    direction = np.ascontiguousarray(recentered(center, solve)(V))
    moves = scores_of(objective, direction)
    alpha, entropy = balanced_alpha(objective, probabilities, moves)
    at_rest = float(np.ptp(moves[objective.sample_C > 0], axis=1).max()) < MAX_MARGIN_MOVE
    return NewtonStep(direction, moves, alpha, max(entropy, 0.0) if at_rest else 0.0)


def curvature(objective: SoftmaxObjective, probabilities: Floats, center: Floats) -> Floats:
    """H, a block for each two classes, of rows measured from a centre."""
    width, K = n_cols(objective.blocks.problem.rows) + 1, objective.n_classes
    H = np.zeros((K, width, K, width))
    for k in range(K):
        for other in range(k):
            curvatures = objective.sample_C * probabilities[:, k] * probabilities[:, other]
            rows = np.flatnonzero(curvatures)
            G = products.gram(objective.blocks, rows, curvatures[rows], center)
            G = np.tril(G) + np.tril(G, -1).T
            if not objective.bias:
                G[-1], G[:, -1] = 0.0, 0.0
            H[k, :, k] += G
            H[other, :, other] += G
            H[k, :, other] -= G
            H[other, :, k] -= G
    require_finite(H)
    return H.reshape(K * width, K * width)


def balanced_alpha(
    objective: SoftmaxObjective, probabilities: Floats, moves: Floats
) -> tuple[Floats, float]:
    """Pulls c (e_y − q′) of all rows at the probabilities q′ after the moves, and Σ c H(q′)."""
    own, here = objective.blocks.problem.codes, np.arange(len(probabilities))
    apart = moves - moves[here, own][:, None]
    mean = np.sum(probabilities * apart, axis=1)
    q = probabilities * (1.0 + apart - mean[:, None])
    mine = q[here, own]
    q[here, own] = 0.0
    others = q.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(q > 0.0, q * np.log(q), 0.0), axis=1)
        log_mine = np.where(others < 0.5, np.log1p(-others), np.log(mine))
    entropy -= np.where(mine > 0.0, mine * log_mine, 0.0)
    alpha = -objective.sample_C[:, None] * q
    alpha[here, own] = objective.sample_C * others
    return alpha, float(objective.sample_C @ entropy)


def take_newton_step(
    objective: SoftmaxObjective, iterate: SoftmaxIterate, step: NewtonStep
) -> None:
    """Move a place along Newton's step as far as it leads up, but no score out of all bounds."""

    def along(t: float) -> float:
        return softmax.derivative(objective, iterate.scores, step.moves, t)

    t = line_search(along, along(0.0))
    t = min(t, max(1.0, MAX_MARGIN / max(float(np.abs(step.moves).max()), 1.0)))
    iterate.W = iterate.W + t * step.direction
    iterate.scores = iterate.scores + t * step.moves


def proved(
    objective: SoftmaxObjective, scores: Floats | None, W: Floats, step: NewtonStep
) -> Proof:
    """Bounds of weights from scores made anew, less what rounding leaves open."""
    anew = scores_of(objective, W)
    drift = 0.0 if scores is None else float(np.abs(anew - scores).max())
    primal, sizes = softmax.evaluate_scores(objective, anew).loss, np.abs(step.alpha)
    left = np.abs(multi_output.sums(objective.blocks, step.alpha))
    left[-1] *= objective.bias
    if (
        left > BALANCE_TOLERANCE * absolute_sums(objective, sizes)
    ).any():  # a direction that Newton's step was blind to
        return Proof(DualityGap(primal, 0.0), step.alpha, np.ascontiguousarray(W.T))
    open_by_rounding = 2.0 * float(np.sum(left * np.abs(W))) + 2.0 * drift * float(sizes.sum())
    bounds = DualityGap(primal, max(step.dual - open_by_rounding, 0.0))
    return Proof(bounds, step.alpha, np.ascontiguousarray(W.T))


def absolute_sums(objective: SoftmaxObjective, sizes: Floats) -> Floats:
    """At least Σ |pull| |(x, 1)|, a row a feature and a column a class."""
    rows = np.arange(len(sizes))
    squares = [products.gram_diagonal(objective.blocks, rows, column) for column in sizes.T.copy()]
    return np.asarray(np.sqrt(np.column_stack(squares)) * np.sqrt(sizes.sum(axis=0)))


def center_of(objective: SoftmaxObjective) -> Floats:
    """Mean row, about which features far from zero lose no digits; sparse rows stay."""
    rows = objective.blocks.problem.rows
    if isinstance(rows, CSR) or not objective.bias:
        return np.zeros(n_cols(rows))
    total = multi_output.sums(objective.blocks, objective.sample_C[:, None])[:-1, 0]
    return np.asarray(total / objective.sample_C.sum())
