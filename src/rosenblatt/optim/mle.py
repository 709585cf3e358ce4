"""Maximum likelihood: Newton's method for the logistic loss without a penalty (C = ∞).

P = Σ C log(1 + e⁻ᵐ) has many minimisers where features depend on each other; Newton's steps are
those of least norm (linalg/psd.py), and so are the weights they lead to.

Dual variables bound P from below, by D = Σ dual(α), only if Σ α y (x, 1) = 0 exactly. Those of an
iterate do not satisfy that, but those that Newton's step d predicts do: with the changes
μ = y (x, 1)·d of the margins and curvatures Θ

    α′ = α − Θ μ,      Σ α′ y (x, 1) = Σ α y (x, 1) − (Σ Θ (x, 1)(x, 1)ᵀ) d = 0

Rounding leaves a residual r of that sum, which costs D at most |r|·|w*|; for the optimum w*, twice
the current weights are taken. This is an estimate, and the gap with it. If more than rounding is
left, because some direction is lost in H, D is taken as 0.

If all α′ are positive, an optimum exists (Stiemke): if some direction put no row on the wrong side,
and not all rows on the boundary, the sum could not vanish. If there is such a direction, μ stays
near 1 for the rows it leaves behind, and their α′ is only rounding. So D is taken as 0 as long as
some margin would still grow by a half.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.rows import CSR, n_cols
from rosenblatt.linalg import products
from rosenblatt.linalg.psd import pivoted_cholesky
from rosenblatt.optim.certificate import Proof
from rosenblatt.optim.duality_gap import DualityGap, LossTerms, sum_dual_terms, sum_of_rows
from rosenblatt.optim.hessian import recentered, require_finite
from rosenblatt.optim.newton import Evaluation, evaluate, iterate_at, line_search, margins_of
from rosenblatt.optim.objective import (
    BinaryObjective,
    Iterate,
    SmoothedHinge,
    derivative,
    total_loss,
)
from rosenblatt.optim.pcg import MAX_FACTORED_FEATURES
from rosenblatt.optim.solve import Step
from rosenblatt.types import Floats

MAX_MARGIN_CHANGE = 0.5  # of Newton's step where D is taken: an optimum exists then
BALANCE_TOLERANCE = 1e-12  # of Σ |α x|: more than rounding leaves
MAX_MLE_WEIGHTS = MAX_FACTORED_FEATURES  # of all classes together
MAX_MARGIN = 1e4  # a step beyond t = 1 changes no margin by more: e⁻ᵐ underflows long before


class NewtonStep(NamedTuple):
    """Newton's step: the direction, and the changes of the margins along it."""

    direction: Floats
    margin_changes: Floats


def maximise_likelihood(objective: BinaryObjective, start: Floats | None) -> Iterator[Step]:
    """Endless steps of Newton's method towards the maximum of the likelihood."""
    width = n_cols(objective.blocks.problem.rows) + 1
    iterate = iterate_at(objective, np.zeros(width) if start is None else start)
    unused = SmoothedHinge(objective.sample_C, 1.0)
    center = center_of_rows(objective)
    w, best, number = iterate.w, DualityGap(np.inf, 0.0), 0

    def prove() -> Proof:
        nonlocal best
        best = checked_gap(objective, iterate, w, alpha, best.dual)
        return Proof(best, alpha, w)

    while True:
        evaluation = evaluate(objective, iterate, unused, from_scratch=True)
        step = newton_step(objective, evaluation, center)
        alpha = iterate.alpha - evaluation.loss_sums.curvatures * step.margin_changes
        dual = dual_bound(objective, alpha, step)
        take_newton_step(objective, iterate, unused, step)
        now = DualityGap(total_loss(objective, iterate.margins), dual)
        w = iterate.w if now.primal < best.primal else w
        best, number = best.tightest(now), number + 1
        yield Step(number, w, alpha, best, "newton", len(objective.sample_C), prove)


def newton_step(objective: BinaryObjective, evaluation: Evaluation, center: Floats) -> NewtonStep:
    """Newton's step of least norm."""
    curvatures = evaluation.loss_sums.curvatures
    chosen = np.flatnonzero(curvatures)
    H = products.gram(objective.blocks, chosen, curvatures[chosen], center)
    require_finite(H)
    if not objective.fit_intercept:
        H[-1, :] = 0.0
    factor = pivoted_cholesky(np.tril(H) + np.tril(H, -1).T)
    solve = recentered(center, lambda r: factor.solve(r[:, None])[:, 0])
    direction = solve(-evaluation.gradient)
    return NewtonStep(
        direction, margins_of(objective, direction, np.empty_like(objective.sample_C))
    )


def take_newton_step(
    objective: BinaryObjective, iterate: Iterate, smoothed_hinge: SmoothedHinge, step: NewtonStep
) -> None:
    """Move the iterate along Newton's step by a line search."""
    t = bounded_line_search(
        lambda t: derivative(objective, iterate, step.margin_changes, smoothed_hinge, t),
        step.margin_changes,
    )
    iterate.w = iterate.w + t * step.direction
    iterate.margins += t * step.margin_changes


def bounded_line_search(derivative_at: Callable[[float], float], changes: Floats) -> float:
    """Step length by a line search, limited because P may have no minimum along the step."""
    t = line_search(derivative_at, derivative_at(0.0))
    return min(t, max(1.0, MAX_MARGIN / max(float(np.abs(changes).max()), 1.0)))


def dual_bound(objective: BinaryObjective, alpha: Floats, step: NewtonStep) -> float:
    """D of the α′ that Newton's step predicts; 0 where margins still change too much."""
    if float(step.margin_changes[objective.sample_C > 0].max()) >= MAX_MARGIN_CHANGE:
        return 0.0
    terms = LossTerms(objective.signs, objective.sample_C, objective.loss)
    return max(0.0, float(sum_dual_terms(terms, alpha)))


def checked_gap(
    objective: BinaryObjective, iterate: Iterate, w: Floats, alpha: Floats, dual: float
) -> DualityGap:
    """P of the weights w from margins computed afresh, and D less what rounding may cost it."""
    margins = margins_of(objective, w, np.empty_like(objective.sample_C))
    drift = float(np.abs(margins - iterate.margins).max()) if w is iterate.w else 0.0
    primal = total_loss(objective, margins)
    residual = np.abs(total_row(objective, alpha * objective.signs))
    residual[-1] *= objective.fit_intercept
    sizes = np.abs(alpha)
    total = float(sizes.sum())
    squares = products.gram_diagonal(objective.blocks, np.arange(len(alpha)), sizes)
    absolute_sums = np.sqrt(squares) * np.sqrt(total)  # at least Σ |α (x, 1)|
    if (residual > BALANCE_TOLERANCE * absolute_sums).any():  # a direction that is lost in H
        return DualityGap(primal, 0.0)
    return DualityGap(primal, max(dual - 2.0 * float(residual @ np.abs(w)) - drift * total, 0.0))


def total_row(objective: BinaryObjective, factors: Floats) -> Floats:
    """Σ u (x, 1) over all rows, u their factors."""
    return np.append(sum_of_rows(objective.blocks, factors), factors.sum())


def center_of_rows(objective: BinaryObjective) -> Floats:
    """Mean row, about which features far from zero lose no digits; 0 for sparse rows."""
    rows = objective.blocks.problem.rows
    if isinstance(rows, CSR) or not objective.fit_intercept:
        return np.zeros(n_cols(rows))
    return np.asarray(total_row(objective, objective.sample_C)[:-1] / objective.sample_C.sum())
