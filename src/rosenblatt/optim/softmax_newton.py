"""Multinomial logistic regression by Newton's method, until the gap proves it.

Each step solves H Δ = −G by conjugate gradients; a product with H reads the rows once for all
classes. They are led by a factor of each class's own block of H, made from a sample of rows, or by
H's diagonal where factors would cost more than they save. Adding the same to every class changes no
probability, so all that moves has a sum of 0 over the classes: there H is well led by its blocks.
Float32 rows are multiplied with H in float32 as long as the ridge outweighs what that rounds off;
gradients and bounds are float64 always.

Before each step the biases are settled for the weights as they stand. That takes the scores alone,
not the rows, and balances the pulls, so that every step has a proof.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import entries_in
from rosenblatt.kernels.rows import CSR, n_cols, n_rows
from rosenblatt.linalg import multi_output, products
from rosenblatt.optim import softmax
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.hessian import require_finite
from rosenblatt.optim.newton import line_search
from rosenblatt.optim.pcg import (
    MAX_FORCING,
    MIN_SAMPLE_ROWS,
    SAMPLE_ROWS_PER_FEATURE,
    conjugate_gradients,
)
from rosenblatt.optim.preconditioners import cholesky, recentered
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_certificate import prove_softmax
from rosenblatt.optim.solve import (
    MIN_ROWS_PER_WEIGHT,
    MIN_SUBSAMPLE_ROWS,
    SUBSAMPLE_EVERY,
    SUBSAMPLE_MAX_STEPS,
    SUBSAMPLE_TOL,
    Limits,
    Step,
    systematic_sample,
    unproved,
    until,
)
from rosenblatt.types import Floats

SMALL_BETA = 1e-3  # β so small are repaired to the fourth order, and made good with the next step
MAX_BIAS_STEPS = 50
BALANCE_TOLERANCE = 1e-12  # of all pulls: what rounding leaves of their sum
MAX_CG_ITERATIONS_PER_FACTOR = 8  # iterations, after which the factors are made anew
MAX_FACTOR_COST_IN_PRODUCTS = 64  # products with H that the factors may cost,
CHEAP_FACTOR_COST = 1 << 28  # unless they cost next to nothing: so many multiplications for each
MAX_FACTOR_ENTRIES = 1 << 26  # in all factors
DIAGONAL_SHARE = (
    0.1  # of H's diagonal that leads beside the ridge: more of it slows down words in common
)
BIAS_L2_SHARE = 1e-12  # of the curvature: holds a bias where no row does

LinearSolver = Callable[[Floats], Floats]


@dataclass
class SoftmaxIterate:
    """Where a run stands: weights, a row a feature and the last for the biases, and the scores."""

    W: Floats
    scores: Floats

    def shift(self, beta: Floats) -> None:
        """Move the biases."""
        self.W[-1] += beta
        self.scores += beta


@dataclass(frozen=True)
class SoftmaxEvaluation:
    """What is seen at a place: its bounds, the gradient, the probabilities and the pulls.

    `beta` is how far the biases are from their best, where the gradient is taken.
    """

    bounds: DualityGap
    gradient: Floats
    probabilities: Floats
    alpha: Floats
    beta: Floats


def solve(
    objective: SoftmaxObjective, start: Floats | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Steps until a limit speaks or only rounding is left; weights have a row a class."""
    start = start if start is not None and is_better_than_zero(objective, start) else None
    return until(minimise(objective, start, SoftmaxPCG(seed), limits), limits)


def is_better_than_zero(objective: SoftmaxObjective, W: Floats) -> bool:
    """Whether weights to start from, a row a class, have a lower objective than zero weights."""
    try:
        return primal_of_weights(objective, W) < primal_of_weights(objective, np.zeros_like(W))
    except FloatingPointError:
        return False


def primal_of_weights(objective: SoftmaxObjective, W: Floats) -> float:
    """P of some weights, a row a class."""
    iterate = iterate_at(objective, W)
    w = iterate.W[:-1].ravel()
    return (
        0.5 * objective.l2 * float(w @ w) + softmax.evaluate_scores(objective, iterate.scores).loss
    )


def at_start(objective: SoftmaxObjective, start: Floats | None) -> Iterator[Step]:
    """A run that may take no step: its weights are those it starts from, and nothing is proved."""
    iterate = iterate_at(objective, start)
    W = np.ascontiguousarray(iterate.W.T)
    yield unproved(W, np.zeros_like(iterate.scores), primal_of_weights(objective, W))


def minimise(
    objective: SoftmaxObjective, start: Floats | None, pcg: "SoftmaxPCG", limits: Limits
) -> Iterator[Step]:
    """Steps towards the best weights, without an end."""
    if start is None and is_worth_subsampling(objective):
        start = subsample_start(objective, pcg, limits)
    iterate = iterate_at(objective, start)
    best_W, best = iterate.W, DualityGap(np.inf, 0.0)
    for number in itertools.count():
        evaluation = evaluate(objective, iterate)
        best_W = iterate.W.copy() if evaluation.bounds.primal < best.primal else best_W
        best = best.tightest(evaluation.bounds)
        W = np.ascontiguousarray(best_W.T)
        rows = int(np.count_nonzero(objective.sample_C))
        proof = partial(prove_softmax, objective, W, evaluation.alpha, limits.tol)
        yield Step(number, W, evaluation.alpha, best, "newton", rows, proof)
        iterate.shift(evaluation.beta)
        take_step(
            objective,
            iterate,
            evaluation.gradient,
            pcg.solve(objective, evaluation.probabilities, -evaluation.gradient),
        )


def is_worth_subsampling(objective: SoftmaxObjective) -> bool:
    """Whether a part of the rows tells enough about all."""
    rows = objective.blocks.problem.rows
    n_weights = objective.n_classes * (n_cols(rows) + 1)
    return n_rows(rows) >= SUBSAMPLE_EVERY * max(
        MIN_SUBSAMPLE_ROWS, MIN_ROWS_PER_WEIGHT * n_weights
    )


def subsample_start(
    objective: SoftmaxObjective, pcg: "SoftmaxPCG", limits: Limits
) -> Floats | None:
    """Weights learned from every eighth row, each costing eight times as much; none if too few."""
    n = n_rows(objective.blocks.problem.rows)
    chosen = systematic_sample(SUBSAMPLE_EVERY, n, pcg.seed)
    part = objective._replace(
        blocks=Blocks(objective.blocks.problem.take(chosen), objective.blocks.n_jobs),
        sample_C=objective.sample_C[chosen] * (n / len(chosen)),
    )
    if not np.bincount(part.blocks.problem.codes, part.sample_C, objective.n_classes).all():
        return None
    subsample_limits = replace(
        limits, tol=SUBSAMPLE_TOL, max_iter=SUBSAMPLE_MAX_STEPS, proved=False
    )
    for step in until(minimise(part, None, pcg, subsample_limits), subsample_limits):
        W = step.w
    return W


def iterate_at(objective: SoftmaxObjective, start: Floats | None) -> SoftmaxIterate:
    """Place with given weights, a row a class, less what all classes have in common."""
    W = np.zeros((n_cols(objective.blocks.problem.rows) + 1, objective.n_classes))
    if start is not None:
        W += start.T - start.mean(axis=0)[:, None]
    if not objective.bias:
        W[-1] = 0.0
    return SoftmaxIterate(W, scores_of(objective, W))


def scores_of(objective: SoftmaxObjective, W: Floats) -> Floats:
    """Scores of all rows; a FloatingPointError where one is not a number."""
    scores = multi_output.scores(objective.blocks, W)
    require_finite(scores)
    return scores


def evaluate(objective: SoftmaxObjective, iterate: SoftmaxIterate) -> SoftmaxEvaluation:
    """Settle the biases, let the rows pull, and see what that proves."""
    sums, beta, balanced = optimise_biases(objective, iterate)
    alpha, entropy = softmax.alpha_at(objective, sums.probabilities, beta)
    V = multi_output.sums(objective.blocks, alpha)
    w = iterate.W[:-1].ravel()
    primal = 0.5 * objective.l2 * float(w @ w) + sums.loss
    bound = dual_bound(objective, entropy, V[:-1].ravel()) if balanced else 0.0
    gradient = objective.l2 * iterate.W - V
    gradient[-1] = -V[-1] if objective.bias else 0.0
    return SoftmaxEvaluation(DualityGap(primal, bound), gradient, sums.probabilities, alpha, beta)


def dual_bound(objective: SoftmaxObjective, entropy: float, v: Floats) -> float:
    """D of the pulls, or of the best fraction t of them.

    That is D at (1 − t) e_y + t q, whose entropy, being concave, is at least t H(q).
    """
    square = float(v @ v) / objective.l2
    t = min(1.0, entropy / square) if square > 0 else 1.0
    return t * entropy - 0.5 * t * t * square


def optimise_biases(
    objective: SoftmaxObjective, iterate: SoftmaxIterate
) -> tuple[softmax.SoftmaxSums, Floats, bool]:
    """Move the biases to their best; give what the rows answer, the β left, and if it balances."""
    for _ in range(MAX_BIAS_STEPS):
        sums = softmax.evaluate_scores(objective, iterate.scores)
        if not objective.bias:
            return sums, np.zeros(objective.n_classes), True
        M = softmax.bias_hessian(objective, sums.probabilities)
        beta = softmax.balance(M, sums.alpha_sum)
        beta_range = float(np.ptp(beta))
        if beta_range <= SMALL_BETA:
            left = np.abs(sums.alpha_sum - M @ beta).max()
            return sums, beta, bool(left <= BALANCE_TOLERANCE * np.trace(M))
        # the curvature changes along β by no more than exp(reach): so far the loss falls for sure
        iterate.shift(beta * (np.log1p(beta_range) / beta_range))
    return sums, np.zeros(objective.n_classes), False


def take_step(
    objective: SoftmaxObjective, iterate: SoftmaxIterate, gradient: Floats, direction: Floats
) -> None:
    """Move a place along a direction as far as it leads down."""
    moves = scores_of(objective, direction)
    w, d = iterate.W[:-1].ravel(), direction[:-1].ravel()
    l2_grad_dot_dir, l2_curvature = objective.l2 * float(w @ d), objective.l2 * float(d @ d)

    def along(t: float) -> float:
        return (
            l2_grad_dot_dir
            + t * l2_curvature
            + softmax.derivative(objective, iterate.scores, moves, t)
        )

    t = line_search(along, float(gradient.ravel() @ direction.ravel()))
    iterate.W = iterate.W + t * direction
    iterate.scores += t * moves


@dataclass
class SoftmaxPCG:
    """Solves H Δ = −G by conjugate gradients led by factors of an earlier or sampled H."""

    seed: int
    _preconditioner: LinearSolver | None = None
    _cg_iterations: int = 0
    _float32: bool = False
    _generator: Any = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def solve(self, objective: SoftmaxObjective, probabilities: Floats, B: Floats) -> Floats:
        """Solve to a part of the residual; the factors are made anew where they serve no longer."""
        bias_l2 = BIAS_L2_SHARE * float(
            np.trace(softmax.bias_hessian(objective, probabilities))
            + BIAS_L2_SHARE * objective.sample_C.sum()
        )
        if self._preconditioner is None or self._cg_iterations > MAX_CG_ITERATIONS_PER_FACTOR:
            preconditioner = (
                self._block_preconditioner
                if worth_factors(objective)
                else self._diagonal_preconditioner
            )
            self._preconditioner = preconditioner(objective, probabilities, bias_l2)

        def hessian_dot(p: Floats) -> Floats:
            P = p.reshape(B.shape)
            validation_rows_of = (probabilities, objective.blocks.problem.codes, objective.sample_C)
            product = multi_output.hessian_vector_product(
                objective.blocks,
                P,
                softmax.hessian_rows,
                *validation_rows_of,
                use_float32=self._float32,
            )
            product[:-1] += objective.l2 * P[:-1]
            product[-1] = product[-1] + bias_l2 * P[-1] if objective.bias else P[-1]
            return product.ravel()

        solved = conjugate_gradients(hessian_dot, self._preconditioner, B.ravel(), MAX_FORCING)
        self._cg_iterations = solved.iterations
        if not solved.done:
            self._preconditioner = None
        return solved.x.reshape(B.shape)

    def _block_preconditioner(
        self, objective: SoftmaxObjective, probabilities: Floats, bias_l2: float
    ) -> LinearSolver:
        """Solver of each class's own block of H, on what sums to 0 over the classes."""
        blocks = (
            self._block(objective, probabilities, k, bias_l2) for k in range(objective.n_classes)
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
        self, objective: SoftmaxObjective, probabilities: Floats, k: int, bias_l2: float
    ) -> tuple[LinearSolver, float]:
        """Solver of class k's own block of H on a sample of the rows, and the block's trace."""
        curvatures = softmax.curvature(probabilities, objective.sample_C, k)
        width = n_cols(objective.blocks.problem.rows) + 1
        margin_error = np.minimum(1.0, sample_size(width) * curvatures / curvatures.sum())
        taken = np.flatnonzero(self._generator.random(len(curvatures)) < margin_error)
        weights = curvatures[taken] / margin_error[taken]
        sparse = isinstance(objective.blocks.problem.rows, CSR)  # whose zeros have to stay zeros
        center = products.mean_row(objective.blocks, taken, weights) * (
            objective.bias and not sparse
        )
        H = products.gram(objective.blocks, taken, weights, center)
        H[np.diag_indices(width - 1)] += objective.l2
        if objective.bias:
            H[-1, -1] += bias_l2
        else:
            H[-1, :] = 0.0
            H[-1, -1] = 1.0
        trace = float(np.trace(H) + weights.sum() * (center @ center))  # of rows as they are
        return recentered(center, cholesky(H)), trace

    def _diagonal_preconditioner(
        self, objective: SoftmaxObjective, probabilities: Floats, bias_l2: float
    ) -> LinearSolver:
        """Solver of H's diagonal, on what sums to 0 over the classes."""
        curvatures = [
            softmax.curvature(probabilities, objective.sample_C, k)
            for k in range(objective.n_classes)
        ]
        squares = np.column_stack(
            [
                products.gram_diagonal(objective.blocks, np.flatnonzero(b), b[b != 0.0])
                for b in curvatures
            ]
        )
        self._float32 = float32_is_enough(float(squares.sum(axis=0).max()), objective.l2)
        diagonal = objective.l2 + DIAGONAL_SHARE * squares
        diagonal[-1] = diagonal[-1] + bias_l2 if objective.bias else 1.0
        require_finite(diagonal)
        inverse = 1.0 / diagonal
        shares = inverse / inverse.sum(axis=1, keepdims=True)

        def preconditioner(r: Floats) -> Floats:
            Z = r.reshape(inverse.shape) * inverse
            Z -= shares * Z.sum(axis=1, keepdims=True)
            return Z.ravel()

        return preconditioner


def float32_is_enough(trace: float, l2: float) -> bool:
    """Whether what float32 rounds off a matrix with this trace is small beside the ridge."""
    return bool(np.finfo(np.float32).eps * trace <= l2)


def sample_size(width: int) -> int:
    """About how many rows a factor is made of."""
    return max(SAMPLE_ROWS_PER_FEATURE * width, MIN_SAMPLE_ROWS)


def worth_factors(objective: SoftmaxObjective) -> bool:
    """Whether the factors cost no more than some products with H, and fit."""
    rows = objective.blocks.problem.rows
    width, n = n_cols(rows) + 1, n_rows(rows)
    entries = entries_in(rows)
    cost = width * width * (min(n, sample_size(width)) + width // 3)
    return (
        cost <= max(CHEAP_FACTOR_COST, MAX_FACTOR_COST_IN_PRODUCTS * 4 * entries)
        and objective.n_classes * width * width <= MAX_FACTOR_ENTRIES
    )
