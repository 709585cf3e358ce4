"""Maximum likelihood of K classes: Newton's method for the softmax loss without a penalty.

mle.py for more classes. H is a sum over pairs of classes,

    H = Σ_{k<l} L_kl ⊗ Σ C q_k q_l (x, 1)(x, 1)ᵀ,      L_kl = (e_k − e_l)(e_k − e_l)ᵀ

so no digits cancel in it; its steps of least norm have the sum 0 over the classes. With the changes
μ of the scores along Newton's step the probabilities

    q′ = q + (diag(q) − q qᵀ) μ,      Σ C (e_y − q′) (x, 1)ᵀ = 0

satisfy the dual constraint. Where no two μ of a row differ by 1 they are positive. Then Σ C H(q′)
bounds P from below, and an optimum exists: along a direction that puts no row's own class behind
another, and not all level, the sum could not vanish.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.rows import CSR, n_cols
from rosenblatt.linalg import multi_output, products
from rosenblatt.linalg.psd import pivoted_cholesky
from rosenblatt.optim import softmax
from rosenblatt.optim.certificate import Proof
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.hessian import recentered, require_finite
from rosenblatt.optim.mle import BALANCE_TOLERANCE, MAX_MARGIN_CHANGE, bounded_line_search
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_newton import SoftmaxIterate, iterate_at, scores_of
from rosenblatt.optim.solve import Step
from rosenblatt.types import Floats


class NewtonStep(NamedTuple):
    """Newton's step: direction, changes of the scores, and the dual variables it predicts."""

    direction: Floats
    score_changes: Floats
    alpha: Floats
    dual: float


def maximise_likelihood(objective: SoftmaxObjective, start: Floats | None) -> Iterator[Step]:
    """Endless steps of Newton's method; weights have one row per class."""
    iterate, center = iterate_at(objective, start), center_of_rows(objective)
    W, best, number = iterate.W, DualityGap(np.inf, 0.0), 0
    while True:
        step = newton_step(objective, iterate, center)
        take_newton_step(objective, iterate, step)
        now = DualityGap(softmax.evaluate_scores(objective, iterate.scores).loss, step.dual)
        W = iterate.W if now.primal < best.primal else W
        best, number = best.tightest(now), number + 1
        scores = iterate.scores if W is iterate.W else None
        proof = partial(checked_proof, objective, scores, W, step)
        rows = len(objective.sample_C)
        yield Step(number, np.ascontiguousarray(W.T), step.alpha, best, "newton", rows, proof)


def newton_step(objective: SoftmaxObjective, iterate: SoftmaxIterate, center: Floats) -> NewtonStep:
    """Newton's step of least norm from an iterate."""
    probabilities = softmax.evaluate_scores(objective, iterate.scores).probabilities
    alpha, _ = predicted_alpha(objective, probabilities, np.zeros_like(probabilities))
    V = multi_output.sums(objective.blocks, alpha)
    V[-1] *= objective.fit_intercept
    factor = pivoted_cholesky(hessian(objective, probabilities, center))

    def solve(R: Floats) -> Floats:
        return factor.solve(R.T.reshape(-1, 1)).reshape(objective.n_classes, -1).T

    direction = np.ascontiguousarray(recentered(center, solve)(V))
    score_changes = scores_of(objective, direction)
    alpha, entropy = predicted_alpha(objective, probabilities, score_changes)
    largest_change = float(np.ptp(score_changes[objective.sample_C > 0], axis=1).max())
    dual = max(entropy, 0.0) if largest_change < MAX_MARGIN_CHANGE else 0.0
    return NewtonStep(direction, score_changes, alpha, dual)


def hessian(objective: SoftmaxObjective, probabilities: Floats, center: Floats) -> Floats:
    """H of centred rows, a block for each two classes."""
    width, K = n_cols(objective.blocks.problem.rows) + 1, objective.n_classes
    H = np.zeros((K, width, K, width))
    for k in range(K):
        for other in range(k):
            curvatures = objective.sample_C * probabilities[:, k] * probabilities[:, other]
            rows = np.flatnonzero(curvatures)
            G = products.gram(objective.blocks, rows, curvatures[rows], center)
            G = np.tril(G) + np.tril(G, -1).T
            if not objective.fit_intercept:
                G[-1], G[:, -1] = 0.0, 0.0
            H[k, :, k] += G
            H[other, :, other] += G
            H[k, :, other] -= G
            H[other, :, k] -= G
    require_finite(H)
    return H.reshape(K * width, K * width)


def predicted_alpha(
    objective: SoftmaxObjective, probabilities: Floats, score_changes: Floats
) -> tuple[Floats, float]:
    """α = C (e_y − q′) of all rows at the probabilities q′ after a step, and Σ C H(q′)."""
    own, rows = objective.blocks.problem.codes, np.arange(len(probabilities))
    relative = score_changes - score_changes[rows, own][:, None]
    mean = np.sum(probabilities * relative, axis=1)
    q = probabilities * (1.0 + relative - mean[:, None])
    q_own = q[rows, own]
    q[rows, own] = 0.0
    others = q.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.sum(np.where(q > 0.0, q * np.log(q), 0.0), axis=1)
        log_q_own = np.where(others < 0.5, np.log1p(-others), np.log(q_own))
    entropy -= np.where(q_own > 0.0, q_own * log_q_own, 0.0)
    alpha = -objective.sample_C[:, None] * q
    alpha[rows, own] = objective.sample_C * others
    return alpha, float(objective.sample_C @ entropy)


def take_newton_step(
    objective: SoftmaxObjective, iterate: SoftmaxIterate, step: NewtonStep
) -> None:
    """Move the iterate along Newton's step by a line search."""
    t = bounded_line_search(
        lambda t: softmax.derivative(objective, iterate.scores, step.score_changes, t),
        step.score_changes,
    )
    iterate.W = iterate.W + t * step.direction
    iterate.scores = iterate.scores + t * step.score_changes


def checked_proof(
    objective: SoftmaxObjective, scores: Floats | None, W: Floats, step: NewtonStep
) -> Proof:
    """P of the weights W from scores computed afresh, and D less what rounding may cost it."""
    fresh = scores_of(objective, W)
    drift = 0.0 if scores is None else float(np.abs(fresh - scores).max())
    primal, sizes = softmax.evaluate_scores(objective, fresh).loss, np.abs(step.alpha)
    residual = np.abs(multi_output.sums(objective.blocks, step.alpha))
    residual[-1] *= objective.fit_intercept
    dual = 0.0
    if (residual <= BALANCE_TOLERANCE * absolute_sums(objective, sizes)).all():
        rounding = 2.0 * float(np.sum(residual * np.abs(W))) + 2.0 * drift * float(sizes.sum())
        dual = max(step.dual - rounding, 0.0)
    return Proof(DualityGap(primal, dual), step.alpha, np.ascontiguousarray(W.T))


def absolute_sums(objective: SoftmaxObjective, sizes: Floats) -> Floats:
    """At least Σ |α| |(x, 1)|, a row for each feature and a column for each class."""
    rows = np.arange(len(sizes))
    squares = [products.gram_diagonal(objective.blocks, rows, column) for column in sizes.T.copy()]
    return np.asarray(np.sqrt(np.column_stack(squares)) * np.sqrt(sizes.sum(axis=0)))


def center_of_rows(objective: SoftmaxObjective) -> Floats:
    """Mean row, about which features far from zero lose no digits; 0 for sparse rows."""
    rows = objective.blocks.problem.rows
    if isinstance(rows, CSR) or not objective.fit_intercept:
        return np.zeros(n_cols(rows))
    total = multi_output.sums(objective.blocks, objective.sample_C[:, None])[:-1, 0]
    return np.asarray(total / objective.sample_C.sum())
