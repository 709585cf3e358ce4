"""Maximum likelihood: Newton's method for the logistic loss alone, long weights at no price.

P = Σ c log(1 + e⁻ᵐ) has no penalty, so where features depend on each other many weights are best:
the steps are the shortest ones (see positive.py), and so are the weights they lead to.

Pulls a bound P from below, by D = Σ dual(a), only if they balance exactly: Σ a y (x, 1) = 0. Those
of a place do not, but Newton's own step δ says how they would change: with moves μ = y (x, 1)·δ and
curvatures θ

    a′ = a − θ μ,      Σ a′ y (x, 1) = Σ a y (x, 1) − (Σ θ (x, 1)(x, 1)ᵀ) δ = 0

What rounding leaves of that sum, r, costs D no more than |r|·|w*|, w* being the best weights, for
which twice the last are taken. If more than rounding is left, because some direction is lost in H,
which is made of squares, nothing is proved.

Pulls that balance and are all positive also prove that there *are* best weights (Stiemke): if some
direction put no row on the wrong side, and not all on the boundary, the sum could not vanish. On
rows that such a direction leaves behind a′ is nothing but rounding: μ stays near 1 for ever. So a
place where a margin would still move by a half proves nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.rows import CSR, n_cols
from rosenblatt.linalg import products
from rosenblatt.linalg.psd import factored
from rosenblatt.optim.certificate import Proof
from rosenblatt.optim.duality_gap import DualityGap, Terms, sum_dual_terms, sum_of_rows
from rosenblatt.optim.hessian import require_finite
from rosenblatt.optim.newton import Evaluation, evaluate, iterate_at, line_search, margins_of
from rosenblatt.optim.objective import (
    BinaryObjective,
    Iterate,
    SmoothedHinge,
    derivative,
    total_loss,
)
from rosenblatt.optim.pcg import MAX_FACTORED_FEATURES
from rosenblatt.optim.preconditioners import recentered
from rosenblatt.optim.solve import Step
from rosenblatt.types import Floats

MAX_MARGIN_MOVE = 0.5  # of a margin: less is left to every row where the likelihood has a maximum
BALANCE_TOLERANCE = 1e-12  # of Σ |a x|: more than rounding leaves
MAX_MLE_WEIGHTS = MAX_FACTORED_FEATURES  # of all units that are solved for together
MAX_MARGIN = 1e4  # margins beyond which a row has no loss left that float64 could hold


class NewtonStep(NamedTuple):
    """Newton's step from a place: how the weights would move, and how the margins would."""

    direction: Floats
    moves: Floats


def maximise_likelihood(objective: BinaryObjective, start: Floats | None) -> Iterator[Step]:
    """Steps towards the greatest likelihood, without an end."""
    width = n_cols(objective.blocks.problem.rows) + 1
    iterate = iterate_at(objective, np.zeros(width) if start is None else start)
    smooth_loss = SmoothedHinge(objective.sample_C, 1.0)  # its centres and window are not looked at
    center = _center(objective)
    w, best, number = iterate.w, DualityGap(np.inf, 0.0), 0

    def prove() -> Proof:
        nonlocal best
        best = proved(objective, iterate, w, alpha, best.dual)
        return Proof(best, alpha, w)

    while True:
        evaluation = evaluate(objective, iterate, smooth_loss, from_scratch=True)
        step = newton_step(objective, evaluation, center)
        alpha = iterate.alpha - evaluation.loss_sums.curvatures * step.moves
        bound = bound_of(objective, alpha, step)
        take_newton_step(objective, iterate, smooth_loss, step)
        now = DualityGap(total_loss(objective, iterate.margins), bound)
        w = iterate.w if now.primal < best.primal else w
        best, number = best.tightest(now), number + 1
        yield Step(number, w, alpha, best, "newton", len(objective.sample_C), prove)


def newton_step(objective: BinaryObjective, evaluation: Evaluation, center: Floats) -> NewtonStep:
    """Shortest of Newton's steps."""
    curvatures = evaluation.loss_sums.curvatures
    chosen = np.flatnonzero(curvatures)
    H = products.gram(objective.blocks, chosen, curvatures[chosen], center)
    require_finite(H)
    if not objective.bias:
        H[-1, :] = 0.0
    factor = factored(np.tril(H) + np.tril(H, -1).T)
    solve = recentered(center, lambda r: factor.solve(r[:, None])[:, 0])
    direction = solve(-evaluation.gradient)
    return NewtonStep(
        direction, margins_of(objective, direction, np.empty_like(objective.sample_C))
    )


def take_newton_step(
    objective: BinaryObjective, iterate: Iterate, smoothed_hinge: SmoothedHinge, step: NewtonStep
) -> None:
    """Move a place along Newton's step as far as it leads up, but no margin out of all bounds."""

    def along(t: float) -> float:
        return derivative(objective, iterate, step.moves, smoothed_hinge, t)

    t = line_search(along, along(0.0))
    t = min(t, max(1.0, MAX_MARGIN / max(float(np.abs(step.moves).max()), 1.0)))
    iterate.w = iterate.w + t * step.direction
    iterate.margins += t * step.moves


def bound_of(objective: BinaryObjective, alpha: Floats, step: NewtonStep) -> float:
    """D of pulls balanced by Newton's step; 0, which no loss goes below, where they prove none."""
    if float(step.moves[objective.sample_C > 0].max()) >= MAX_MARGIN_MOVE:
        return 0.0
    return max(
        0.0,
        float(sum_dual_terms(Terms(objective.signs, objective.sample_C, objective.loss), alpha)),
    )


def proved(
    objective: BinaryObjective, iterate: Iterate, w: Floats, alpha: Floats, bound: float
) -> DualityGap:
    """Bounds of the weights w from margins made anew, less what rounding leaves open."""
    margins = margins_of(objective, w, np.empty_like(objective.sample_C))
    drift = float(np.abs(margins - iterate.margins).max()) if w is iterate.w else 0.0
    primal = total_loss(objective, margins)
    left = np.abs(total_row(objective, alpha * objective.signs))
    left[-1] *= objective.bias
    sizes = np.abs(alpha)
    total = float(sizes.sum())
    scales = np.sqrt(
        products.gram_diagonal(objective.blocks, np.arange(len(alpha)), sizes)
    ) * np.sqrt(total)
    if (left > BALANCE_TOLERANCE * scales).any():  # a direction that Newton's step was blind to
        return DualityGap(primal, 0.0)
    return DualityGap(primal, max(bound - 2.0 * float(left @ np.abs(w)) - drift * total, 0.0))


def total_row(objective: BinaryObjective, factors: Floats) -> Floats:
    """Σ u (x, 1) over all rows."""
    return np.append(sum_of_rows(objective.blocks, factors), factors.sum())


def _center(objective: BinaryObjective) -> Floats:
    """Mean row, about which features far from zero lose no digits; sparse rows stay."""
    rows = objective.blocks.problem.rows
    if isinstance(rows, CSR) or not objective.bias:
        return np.zeros(n_cols(rows))
    return np.asarray(total_row(objective, objective.sample_C)[:-1] / objective.sample_C.sum())
