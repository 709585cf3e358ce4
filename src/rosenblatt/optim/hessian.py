"""The Hessian H = ρ I + Xᵀ Θ X of a binary objective as an operator, and its preconditioners.

Θ are the curvatures of the rows; rows without one are left out. The intercept has no penalty: H is
ρ on the diagonal for the weights alone. H itself is never formed. `NewtonSystem` has its products
H p and their cost. A preconditioner is a Cholesky factor of H on a sample of its rows, or diag(H):

==========================  ====================================================================
`sampled_cholesky`          Cholesky factor of H on some rows, weighted
`UpdatedGram`               Xᵀ Θ X of all rows with a curvature, up- and downdated as rows enter
                            and leave, and factored again
`diagonal_preconditioner`   diag(H), for very many features
==========================  ====================================================================

A preconditioner need not be exact: float32 rows are multiplied in float32, as long as the l2
penalty outweighs that rounding.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rosenblatt.data.training_data import entries_in
from rosenblatt.kernels.rows import CSR, n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.types import Floats, Ints

CHOLESKY_SPEEDUP = 8.0  # measured: multiplications a second, against those in H p
MAX_ROWS_ADDED_IN_PLACE = 2048  # sparse rows: for more, a Gram matrix of their own is faster


class NewtonSystem(NamedTuple):
    """The Hessian of an objective: the rows with a curvature, and their curvatures."""

    objective: BinaryObjective
    rows: Ints
    curvatures: Floats

    @property
    def width(self) -> int:
        """Number of weights, with the intercept."""
        return n_cols(self.objective.blocks.problem.rows) + 1

    def dot(self, p: Floats) -> Floats:
        """The Hessian-vector product H p."""
        product = products.hessian_vector_product(
            self.objective.blocks, self.rows, self.curvatures, p
        )
        product[:-1] += self.objective.l2 * p[:-1]
        product[-1] = product[-1] if self.objective.fit_intercept else p[-1]
        return product

    @property
    def product_cost(self) -> float:
        """Multiplications in H p and in a solve with a Cholesky factor: a CG iteration."""
        return 4.0 * len(self.rows) * self._entries_a_row() + 2.0 * self.width**2

    def gram_cost(self, n: int) -> float:
        """Cost of Xᵀ Θ X over n rows, in multiplications of H p."""
        return n * self._entries_a_row() ** 2 / products.gram_speedup(self.objective.blocks)

    def factor_cost(self, n: int) -> float:
        """Cost of a Cholesky factor of H on n of the rows, in multiplications of H p."""
        gram = self.gram_cost(min(n, len(self.rows)))
        return gram + self.width**3 / (3.0 * CHOLESKY_SPEEDUP)

    def _entries_a_row(self) -> float:
        rows = self.objective.blocks.problem.rows
        return max(entries_in(rows) / n_rows(rows), 1.0)


def require_finite(numbers: Floats) -> None:
    """Raise a FloatingPointError unless all numbers are finite: X has NaN or too large values."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError


LinearSolver = Callable[[Floats], Floats]


def sampled_cholesky(system: NewtonSystem, rows: Ints, weights: Floats) -> LinearSolver:
    """Solver with the Cholesky factor of H on some rows."""
    center = center_of(system.objective, rows, weights)
    use_float32 = may_use_float32(system.objective, weights)
    return cholesky_of_gram(
        system, products.gram(system.objective.blocks, rows, weights, center, use_float32), center
    )


def cholesky_of_gram(system: NewtonSystem, G: Floats, center: Floats) -> LinearSolver:
    """Solver for ρ I + G by Cholesky, G being a Gram matrix of centred rows; G is overwritten."""
    objective, last = system.objective, system.width - 1
    G[np.diag_indices(last)] += objective.l2
    G[-1, :-1] *= objective.fit_intercept
    G[-1, -1] = G[-1, -1] if objective.fit_intercept else 1.0
    return recentered(center, cholesky(G))


def diagonal_preconditioner(system: NewtonSystem) -> LinearSolver:
    """Solver for diag(H): the Jacobi preconditioner."""
    diagonal = products.gram_diagonal(system.objective.blocks, system.rows, system.curvatures)
    diagonal[:-1] += system.objective.l2
    diagonal[-1] = diagonal[-1] if system.objective.fit_intercept else 1.0
    require_finite(diagonal)
    return lambda r: r / diagonal


class UpdatedGram:
    """Xᵀ Θ X of all rows with a curvature, updated and downdated as rows enter and leave.

    For losses whose rows have a curvature that is a fixed multiple of their C, or none.
    """

    def __init__(self, system: NewtonSystem) -> None:
        objective = system.objective
        self._rows_in = np.zeros(n_rows(objective.blocks.problem.rows), bool)
        self._center = center_of(objective, system.rows, system.curvatures)
        self._G = np.zeros((system.width, system.width))

    def changes(self, system: NewtonSystem) -> tuple[Ints, Ints]:
        """Rows that have entered, and rows that have left."""
        now = np.zeros_like(self._rows_in)
        now[system.rows] = True
        changed = np.flatnonzero(now != self._rows_in)
        entered = now[changed]
        return changed[entered], changed[~entered]

    def is_near(self, system: NewtonSystem) -> bool:
        """Whether an update changes fewer rows than a Gram matrix afresh, of the same problem."""
        if len(self._rows_in) != n_rows(system.objective.blocks.problem.rows):
            return False
        return sum(map(len, self.changes(system))) <= len(system.rows)

    def solver(self, system: NewtonSystem) -> LinearSolver:
        """Solver for H, after the update."""
        objective, (entered, left) = system.objective, self.changes(system)
        for rows, sign in ((entered, 1.0), (left, -1.0)):
            self._add(objective, rows, sign)
        self._rows_in[entered], self._rows_in[left] = True, False
        first = system.rows[0]
        return cholesky_of_gram(
            system, self._G * (system.curvatures[0] / objective.sample_C[first]), self._center
        )

    def _add(self, objective: BinaryObjective, rows: Ints, sign: float) -> None:
        sample_C = objective.sample_C[rows]
        if len(rows) <= MAX_ROWS_ADDED_IN_PLACE and products.is_very_sparse(objective.blocks):
            products.add_outer_products(
                objective.blocks.problem.rows, rows, sign * sample_C, self._G
            )
        elif len(rows):
            use_float32 = may_use_float32(objective, sample_C)
            self._G += sign * products.gram(
                objective.blocks, rows, sample_C, self._center, use_float32
            )


def center_of(objective: BinaryObjective | SoftmaxObjective, rows: Ints, weights: Floats) -> Floats:
    """Mean row, which decouples intercept and weights; 0 for sparse rows, which stay sparse."""
    sparse = isinstance(objective.blocks.problem.rows, CSR)
    centered = objective.fit_intercept and not sparse
    return products.mean_row(objective.blocks, rows, weights) * centered


def may_use_float32(objective: BinaryObjective, weights: Floats) -> bool:
    """Whether the rows are float32, and the l2 penalty outweighs its rounding in H."""
    if not products.gram_may_use_float32(objective.blocks):
        return False
    trace = float(weights.sum()) * products.mean_square(objective.blocks)
    return float32_is_enough(trace, objective.l2)


def float32_is_enough(trace: float, l2: float) -> bool:
    """Whether the l2 penalty outweighs the float32 rounding of a matrix with this trace."""
    return bool(np.finfo(np.float32).eps * trace <= l2)


def step_without_curvature(objective: BinaryObjective, b: Floats) -> Floats:
    """Solution of H x = b where no row has a curvature: Σ C at the mean row stands for Xᵀ Θ X."""
    rows = products.evenly_spread_rows(objective.blocks)
    center = products.mean_row(objective.blocks, rows, objective.sample_C[rows])
    center = center * objective.fit_intercept
    diagonal = np.full(len(b), objective.l2)
    diagonal[-1] = float(objective.sample_C.sum())
    return recentered(center, lambda r: r / diagonal)(b)


def recentered(center: Floats, solve: LinearSolver) -> LinearSolver:
    """Solver for rows (x, 1) from one for rows (x − centre, 1); b may have several columns."""

    def solve_all(b: Floats) -> Floats:
        centered = b.copy()
        centered[:-1] -= np.multiply.outer(center, b[-1])
        x = solve(centered)
        x[-1] -= center @ x[:-1]
        return x

    return solve_all


def cholesky(H: Floats) -> LinearSolver:
    """Solver for H by Cholesky; the diagonal is raised where rounding made H indefinite."""
    diagonal = np.diag(H).copy()
    require_finite(diagonal)  # which bounds the other entries: |H_ij|² ≤ H_ii H_jj
    shift = 0.0
    while True:
        factor, failed = dpotrf(H.T, lower=0, clean=0)
        if not failed:
            return lambda r: np.asarray(dpotrs(factor, r, lower=0)[0])
        shift = max(10 * shift, 1e-14)
        H[np.diag_indices(len(H))] = diagonal * (1.0 + shift)
