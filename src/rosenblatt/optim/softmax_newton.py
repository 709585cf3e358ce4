"""Inexact Newton method for multinomial logistic regression, until the duality gap is proved.

Each step solves H Δ = −G by conjugate gradients; a Hessian-vector product reads the rows once for
all classes. The preconditioner is a Cholesky factor of each class's diagonal block of H, on a
sample of the rows, or diag(H) where factors would cost more than they save. The same added to every
class changes no probability, so all steps have the sum 0 over the classes: on these, the diagonal
blocks are close to H. Float32 rows are multiplied with H in float32 as long as the l2 penalty
outweighs that rounding; gradients and bounds are always float64.

Before each step the intercepts are optimised for the current weights. That needs the scores, but
not the rows, and makes Σ α = 0, so that every iterate has a dual bound.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.data.training_data import entries_in
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import multi_output, products
from rosenblatt.optim import softmax
from rosenblatt.optim.duality_gap import DualityGap, best_scaled_dual
from rosenblatt.optim.hessian import (
    LinearSolver,
    center_of,
    cholesky,
    float32_is_enough,
    recentered,
    require_finite,
)
from rosenblatt.optim.newton import (
    is_worth_subsampling,
    line_search,
    penalty_along,
    systematic_sample,
)
from rosenblatt.optim.pcg import MAX_FORCING, conjugate_gradients, min_sample_rows
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_certificate import prove_softmax
from rosenblatt.optim.solve import Limits, Step, is_below_zero_weights, unproved, until
from rosenblatt.types import Floats

SMALL_BETA = 1e-3  # the error of q′ is of fourth order in β
MAX_INTERCEPT_STEPS = 50
BALANCE_TOLERANCE = 1e-12  # of Σ C q (1 − q): what rounding may leave of Σ α
MAX_CG_ITERATIONS_PER_FACTOR = 8  # after more, the factors are made afresh
MAX_FACTOR_COST_IN_PRODUCTS = 64  # Hessian-vector products that the factors may cost, unless
CHEAP_FACTOR_COST = 1 << 28  # a factor costs fewer multiplications than this
MAX_FACTOR_ENTRIES = 1 << 26  # in all factors
DIAGONAL_SHARE = 0.1  # of diag(Xᵀ Θ X) in the diagonal preconditioner: measured on text
INTERCEPT_L2_SHARE = 1e-12  # of trace M: a penalty that makes H definite in the intercepts


@dataclass
class SoftmaxIterate:
    """Weights, a row for each feature and the last for the intercepts, and the scores."""

    W: Floats
    scores: Floats

    def shift(self, beta: Floats) -> None:
        """Change the intercepts."""
        self.W[-1] += beta
        self.scores += beta


@dataclass(frozen=True)
class SoftmaxEvaluation:
    """Duality gap, gradient, probabilities and dual variables at an iterate.

    `beta` is Newton's step of the intercepts that is left; the gradient is taken after it.
    """

    bounds: DualityGap
    gradient: Floats
    probabilities: Floats
    alpha: Floats
    beta: Floats


def solve(
    objective: SoftmaxObjective, start: Floats | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Steps until a stopping criterion is met or progress ends; weights have one row per class."""
    if start is not None and not is_below_zero_weights(
        partial(primal_of_weights, objective), start
    ):
        start = None
    return until(minimise(objective, start, SoftmaxPCG(seed), limits), limits)


def primal_of_weights(objective: SoftmaxObjective, W: Floats) -> float:
    """P of some weights, one row per class."""
    iterate = iterate_at(objective, W)
    w = iterate.W[:-1].ravel()
    return (
        0.5 * objective.l2 * float(w @ w) + softmax.evaluate_scores(objective, iterate.scores).loss
    )


def at_start(objective: SoftmaxObjective, start: Floats | None) -> Iterator[Step]:
    """The run with `max_iter=0`: the initial weights, with nothing proved."""
    iterate = iterate_at(objective, start)
    W = np.ascontiguousarray(iterate.W.T)
    yield unproved(W, np.zeros_like(iterate.scores), primal_of_weights(objective, W))


def minimise(
    objective: SoftmaxObjective, start: Floats | None, pcg: "SoftmaxPCG", limits: Limits
) -> Iterator[Step]:
    """Endless steps of Newton's method."""
    rows = objective.blocks.problem.rows
    n_weights = objective.n_classes * (n_cols(rows) + 1)
    if start is None and is_worth_subsampling(n_rows(rows), n_weights):
        start = subsample_start(objective, pcg, limits)
    iterate = iterate_at(objective, start)
    best_W, best = iterate.W, DualityGap(np.inf, 0.0)
    for number in itertools.count():
        evaluation = evaluate(objective, iterate)
        best_W = iterate.W.copy() if evaluation.bounds.primal < best.primal else best_W
        best = best.tightest(evaluation.bounds)
        W = np.ascontiguousarray(best_W.T)
        n_curved = int(np.count_nonzero(objective.sample_C))
        proof = partial(prove_softmax, objective, W, evaluation.alpha, limits.tol)
        yield Step(number, W, evaluation.alpha, best, "newton", n_curved, proof)
        iterate.shift(evaluation.beta)
        direction = pcg.solve(objective, evaluation.probabilities, -evaluation.gradient)
        take_step(objective, iterate, evaluation.gradient, direction)


def subsample_start(
    objective: SoftmaxObjective, pcg: "SoftmaxPCG", limits: Limits
) -> Floats | None:
    """Weights of a subsample of the rows; None where it lacks a class."""
    n = n_rows(objective.blocks.problem.rows)
    chosen = systematic_sample(n, pcg.seed)
    part = objective._replace(
        blocks=objective.blocks.take(chosen),
        sample_C=objective.sample_C[chosen] * (n / len(chosen)),
    )
    if not np.bincount(part.blocks.problem.codes, part.sample_C, objective.n_classes).all():
        return None
    limits = limits.for_subsample()
    for step in until(minimise(part, None, pcg, limits), limits):
        W = step.w
    return W


def iterate_at(objective: SoftmaxObjective, start: Floats | None) -> SoftmaxIterate:
    """An iterate with given weights, one row per class, less their mean over the classes."""
    W = np.zeros((n_cols(objective.blocks.problem.rows) + 1, objective.n_classes))
    if start is not None:
        W += start.T - start.mean(axis=0)[:, None]
    if not objective.fit_intercept:
        W[-1] = 0.0
    return SoftmaxIterate(W, scores_of(objective, W))


def scores_of(objective: SoftmaxObjective, W: Floats) -> Floats:
    """Scores of all rows; a FloatingPointError where one is not finite."""
    scores = multi_output.scores(objective.blocks, W)
    require_finite(scores)
    return scores


def evaluate(objective: SoftmaxObjective, iterate: SoftmaxIterate) -> SoftmaxEvaluation:
    """Optimise the intercepts; evaluate duality gap, gradient and dual variables."""
    sums, beta, balanced = optimise_intercepts(objective, iterate)
    alpha, entropy = softmax.alpha_at(objective, sums.probabilities, beta)
    V = multi_output.sums(objective.blocks, alpha)
    w = iterate.W[:-1].ravel()
    primal = 0.5 * objective.l2 * float(w @ w) + sums.loss
    v = V[:-1].ravel()
    dual = best_scaled_dual(entropy, float(v @ v) / objective.l2) if balanced else 0.0
    gradient = objective.l2 * iterate.W - V
    gradient[-1] = -V[-1] if objective.fit_intercept else 0.0
    return SoftmaxEvaluation(DualityGap(primal, dual), gradient, sums.probabilities, alpha, beta)


def optimise_intercepts(
    objective: SoftmaxObjective, iterate: SoftmaxIterate
) -> tuple[softmax.SoftmaxSums, Floats, bool]:
    """Optimise the intercepts; give the softmax sums, Newton's step β left, and whether Σ α = 0."""
    for _ in range(MAX_INTERCEPT_STEPS):
        sums = softmax.evaluate_scores(objective, iterate.scores)
        if not objective.fit_intercept:
            return sums, np.zeros(objective.n_classes), True
        M = softmax.intercept_hessian(objective, sums.probabilities)
        beta = softmax.balance(M, sums.alpha_sum)
        beta_range = float(np.ptp(beta))
        if beta_range <= SMALL_BETA:
            left = np.abs(sums.alpha_sum - M @ beta).max()
            return sums, beta, bool(left <= BALANCE_TOLERANCE * np.trace(M))
        # along β the curvature grows by at most exp(t range): this damped step always descends
        iterate.shift(beta * (np.log1p(beta_range) / beta_range))
    return sums, np.zeros(objective.n_classes), False


def take_step(
    objective: SoftmaxObjective, iterate: SoftmaxIterate, gradient: Floats, direction: Floats
) -> None:
    """Move the iterate along a direction by a line search."""
    score_changes = scores_of(objective, direction)
    derivative_at_0, curvature = penalty_along(
        objective.l2, iterate.W[:-1].ravel(), direction[:-1].ravel()
    )

    def derivative_at(t: float) -> float:
        losses = softmax.derivative(objective, iterate.scores, score_changes, t)
        return derivative_at_0 + t * curvature + losses

    t = line_search(derivative_at, float(gradient.ravel() @ direction.ravel()))
    iterate.W = iterate.W + t * direction
    iterate.scores += t * score_changes


@dataclass
class SoftmaxPCG:
    """Solves H Δ = −G by conjugate gradients with factors of an earlier H as preconditioner."""

    seed: int
    _preconditioner: LinearSolver | None = None
    _cg_iterations: int = 0
    _float32: bool = False
    _generator: Any = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def solve(self, objective: SoftmaxObjective, probabilities: Floats, B: Floats) -> Floats:
        """Solve H Δ = B up to the forcing term; refresh the preconditioner where it is too slow."""
        intercept_l2 = INTERCEPT_L2_SHARE * float(
            np.trace(softmax.intercept_hessian(objective, probabilities))
            + INTERCEPT_L2_SHARE * objective.sample_C.sum()
        )
        if self._preconditioner is None or self._cg_iterations > MAX_CG_ITERATIONS_PER_FACTOR:
            preconditioner = (
                self._block_preconditioner
                if worth_factors(objective)
                else self._diagonal_preconditioner
            )
            self._preconditioner = preconditioner(objective, probabilities, intercept_l2)

        def hessian_dot(p: Floats) -> Floats:
            P = p.reshape(B.shape)
            arrays = (probabilities, objective.blocks.problem.codes, objective.sample_C)
            product = multi_output.hessian_vector_product(
                objective.blocks,
                P,
                softmax.hessian_rows,
                *arrays,
                use_float32=self._float32,
            )
            product[:-1] += objective.l2 * P[:-1]
            product[-1] = product[-1] + intercept_l2 * P[-1] if objective.fit_intercept else P[-1]
            return product.ravel()

        solved = conjugate_gradients(hessian_dot, self._preconditioner, B.ravel(), MAX_FORCING)
        self._cg_iterations = solved.iterations
        if not solved.done:
            self._preconditioner = None
        return solved.x.reshape(B.shape)

    def _block_preconditioner(
        self, objective: SoftmaxObjective, probabilities: Floats, intercept_l2: float
    ) -> LinearSolver:
        """Solver for the diagonal block of H of each class, on sums 0 over the classes."""
        blocks = (
            self._block(objective, probabilities, k, intercept_l2)
            for k in range(objective.n_classes)
        )
        solvers, traces = zip(*blocks, strict=True)
        self._float32 = float32_is_enough(max(traces), objective.l2)

        def preconditioner(r: Floats) -> Floats:
            R = r.reshape(-1, objective.n_classes)
            Z = np.column_stack([solve(R[:, k]) for k, solve in enumerate(solvers)])
            Z -= Z.mean(axis=1, keepdims=True)
            return Z.ravel()

        return preconditioner

    def _block(
        self, objective: SoftmaxObjective, probabilities: Floats, k: int, intercept_l2: float
    ) -> tuple[LinearSolver, float]:
        """Solver for the diagonal block of H of class k on a sample of the rows, and its trace."""
        curvatures = softmax.curvature(probabilities, objective.sample_C, k)
        width = n_cols(objective.blocks.problem.rows) + 1
        probability = np.minimum(1.0, min_sample_rows(width) * curvatures / curvatures.sum())
        drawn = np.flatnonzero(self._generator.random(len(curvatures)) < probability)
        weights = curvatures[drawn] / probability[drawn]
        center = center_of(objective, drawn, weights)
        H = products.gram(objective.blocks, drawn, weights, center)
        H[np.diag_indices(width - 1)] += objective.l2
        if objective.fit_intercept:
            H[-1, -1] += intercept_l2
        else:
            H[-1, :] = 0.0
            H[-1, -1] = 1.0
        trace = float(
            np.trace(H) + weights.sum() * (center @ center)
        )  # of the rows without centring
        return recentered(center, cholesky(H)), trace

    def _diagonal_preconditioner(
        self, objective: SoftmaxObjective, probabilities: Floats, intercept_l2: float
    ) -> LinearSolver:
        """Solver for diag(H), on sums 0 over the classes."""

        def gram_diagonal(k: int) -> Floats:
            curvatures = softmax.curvature(probabilities, objective.sample_C, k)
            rows = np.flatnonzero(curvatures)
            return products.gram_diagonal(objective.blocks, rows, curvatures[rows])

        squares = np.column_stack([gram_diagonal(k) for k in range(objective.n_classes)])
        self._float32 = float32_is_enough(float(squares.sum(axis=0).max()), objective.l2)
        diagonal = objective.l2 + DIAGONAL_SHARE * squares
        diagonal[-1] = diagonal[-1] + intercept_l2 if objective.fit_intercept else 1.0
        require_finite(diagonal)
        inverse = 1.0 / diagonal
        shares = inverse / inverse.sum(axis=1, keepdims=True)

        def preconditioner(r: Floats) -> Floats:
            Z = r.reshape(inverse.shape) * inverse
            Z -= shares * Z.sum(axis=1, keepdims=True)
            return Z.ravel()

        return preconditioner


def worth_factors(objective: SoftmaxObjective) -> bool:
    """Whether the factors cost no more than some Hessian-vector products, and fit into memory."""
    rows = objective.blocks.problem.rows
    width, n = n_cols(rows) + 1, n_rows(rows)
    entries = entries_in(rows)
    cost = width * width * (min(n, min_sample_rows(width)) + width // 3)
    return (
        cost <= max(CHEAP_FACTOR_COST, MAX_FACTOR_COST_IN_PRODUCTS * 4 * entries)
        and objective.n_classes * width * width <= MAX_FACTOR_ENTRIES
    )
