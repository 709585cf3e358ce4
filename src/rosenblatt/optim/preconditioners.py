"""Solvers for matrices near H: a factor of H on some of its rows, or on all, or H's diagonal.

They lead conjugate gradients, so they need not be exact: float32 rows are multiplied in float32,
as long as the ridge outweighs what that rounds off.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rosenblatt.kernels.rows import CSR, n_rows
from rosenblatt.linalg import products
from rosenblatt.optim.hessian import NewtonSystem, require_finite
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Floats, Ints

MAX_ROWS_ADDED_IN_PLACE = (
    2048  # thin rows that are added in place: a matrix of their own would take longer
)

LinearSolver = Callable[[Floats], Floats]


def sampled_cholesky(system: NewtonSystem, rows: Ints, weights: Floats) -> LinearSolver:
    """Solver for H of some rows."""
    center = center_of(system.objective, rows, weights)
    use_float32 = may_use_float32(system.objective, weights)
    return cholesky_of_gram(
        system, products.gram(system.objective.blocks, rows, weights, center, use_float32), center
    )


def cholesky_of_gram(system: NewtonSystem, G: Floats, center: Floats) -> LinearSolver:
    """Solver for ρ + G, where the rows of G were measured from a centre; G is overwritten."""
    objective, last = system.objective, system.width - 1
    G[np.diag_indices(last)] += objective.l2
    G[-1, :-1] *= objective.bias
    G[-1, -1] = G[-1, -1] if objective.bias else 1.0
    return recentered(center, cholesky(G))


def diagonal_preconditioner(system: NewtonSystem) -> LinearSolver:
    """Solver for the diagonal of H."""
    diagonal = products.gram_diagonal(system.objective.blocks, system.rows, system.curvatures)
    diagonal[:-1] += system.objective.l2
    diagonal[-1] = diagonal[-1] if system.objective.bias else 1.0
    require_finite(diagonal)
    return lambda r: r / diagonal


class UpdatedGram:
    """Xᵀ Θ X of all rows chosen, which follows them as they come and go.

    That is for losses whose rows have one curvature or none, as a share of their costs.
    """

    def __init__(self, system: NewtonSystem) -> None:
        objective = system.objective
        self._rows_in = np.zeros(n_rows(objective.blocks.problem.rows), bool)
        self._center = center_of(objective, system.rows, system.curvatures)
        self._G = np.zeros((system.width, system.width))

    def changes(self, system: NewtonSystem) -> tuple[Ints, Ints]:
        """Rows that have come, and rows that have gone."""
        now = np.zeros_like(self._rows_in)
        now[system.rows] = True
        changed = np.flatnonzero(now != self._rows_in)
        entered = now[changed]
        return changed[entered], changed[~entered]

    def is_near(self, system: NewtonSystem) -> bool:
        """Whether it is about these rows, and nearer to them than nothing."""
        if len(self._rows_in) != n_rows(system.objective.blocks.problem.rows):
            return False
        return sum(map(len, self.changes(system))) <= len(system.rows)

    def solver(self, system: NewtonSystem) -> LinearSolver:
        """Solver for H as it stands."""
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


def center_of(objective: BinaryObjective, rows: Ints, weights: Floats) -> Floats:
    """Mean row, about which a bias is least bound to the weights; sparse rows must stay sparse."""
    sparse = isinstance(objective.blocks.problem.rows, CSR)
    return products.mean_row(objective.blocks, rows, weights) * (objective.bias and not sparse)


def may_use_float32(objective: BinaryObjective, weights: Floats) -> bool:
    """Whether the rows are float32, and what that rounds off H is small beside the ridge."""
    if not products.gram_may_use_float32(objective.blocks):
        return False
    trace = float(weights.sum()) * products.mean_square(objective.blocks)
    return bool(np.finfo(np.float32).eps * trace <= objective.l2)


def step_without_curvature(objective: BinaryObjective, b: Floats) -> Floats:
    """Step where no row has a curvature: the bias is held at the mean row by all costs."""
    rows = products.evenly_spread_rows(objective.blocks)
    center = products.mean_row(objective.blocks, rows, objective.sample_C[rows]) * objective.bias
    diagonal = np.full(len(b), objective.l2)
    diagonal[-1] = float(objective.sample_C.sum())
    return recentered(center, lambda r: r / diagonal)(b)


def recentered(center: Floats, solve: LinearSolver) -> LinearSolver:
    """Solver for rows (x, 1) from one for (x − centre, 1): only the bias is counted otherwise.

    What is solved for may have several columns.
    """

    def solve_all(r: Floats) -> Floats:
        inside = r.copy()
        inside[:-1] -= np.multiply.outer(center, r[-1])
        x = solve(inside)
        x[-1] -= center @ x[:-1]
        return x

    return solve_all


def cholesky(H: Floats) -> LinearSolver:
    """Solver for H by its factor; what rounding has made indefinite is lifted a little."""
    diagonal = np.diag(H).copy()
    require_finite(diagonal)  # an entry off it is no larger than both of its own
    lift = 0.0
    while True:
        factor, failed = dpotrf(H.T, lower=0, clean=0)
        if not failed:
            return lambda r: np.asarray(dpotrs(factor, r, lower=0)[0])
        lift = max(10 * lift, 1e-14)
        H[np.diag_indices(len(H))] = diagonal * (1.0 + lift)
