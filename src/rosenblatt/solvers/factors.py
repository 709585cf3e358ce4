"""Solvers for matrices near H: a factor of H on some of its rows, or on all, or H's diagonal.

They lead conjugate gradients, so they need not be exact: float32 rows are multiplied in float32,
as long as the ridge outweighs what that rounds off.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.rows import CSR, n_rows
from rosenblatt.solvers import products
from rosenblatt.solvers.responses import Task
from rosenblatt.solvers.system import System, require_finite

FEW = 2048  # thin rows that are added in place: a matrix of their own would take longer

Solver = Callable[[Floats], Floats]


def of_rows(system: System, rows: Ints, weights: Floats) -> Solver:
    """Solver for H of some rows."""
    centre = centre_of(system.task, rows, weights)
    rough = is_rough(system.task, weights)
    return of_gram(system, products.gram(system.task.blocks, rows, weights, centre, rough), centre)


def of_gram(system: System, G: Floats, centre: Floats) -> Solver:
    """Solver for ρ + G, where the rows of G were measured from a centre; G is overwritten."""
    task, last = system.task, system.width - 1
    G[np.diag_indices(last)] += task.ridge
    G[-1, :-1] *= task.bias
    G[-1, -1] = G[-1, -1] if task.bias else 1.0
    return about(centre, cholesky(G))


def of_diagonal(system: System) -> Solver:
    """Solver for the diagonal of H."""
    diagonal = products.squared(system.task.blocks, system.chosen, system.curvatures)
    diagonal[:-1] += system.task.ridge
    diagonal[-1] = diagonal[-1] if system.task.bias else 1.0
    require_finite(diagonal)
    return lambda r: r / diagonal


class Following:
    """Xᵀ Θ X of all rows chosen, which follows them as they come and go.

    That is for losses whose rows have one curvature or none, as a share of their costs.
    """

    def __init__(self, system: System) -> None:
        task = system.task
        self._chosen = np.zeros(n_rows(task.blocks.problem.rows), bool)
        self._centre = centre_of(task, system.chosen, system.curvatures)
        self._G = np.zeros((system.width, system.width))

    def changes(self, system: System) -> tuple[Ints, Ints]:
        """Rows that have come, and rows that have gone."""
        now = np.zeros_like(self._chosen)
        now[system.chosen] = True
        changed = np.flatnonzero(now != self._chosen)
        came = now[changed]
        return changed[came], changed[~came]

    def fits(self, system: System) -> bool:
        """Whether it is about these rows, and nearer to them than nothing."""
        if len(self._chosen) != n_rows(system.task.blocks.problem.rows):
            return False
        return sum(map(len, self.changes(system))) <= len(system.chosen)

    def solver(self, system: System) -> Solver:
        """Solver for H as it stands."""
        task, (came, gone) = system.task, self.changes(system)
        for rows, sign in ((came, 1.0), (gone, -1.0)):
            self._add(task, rows, sign)
        self._chosen[came], self._chosen[gone] = True, False
        first = system.chosen[0]
        return of_gram(system, self._G * (system.curvatures[0] / task.costs[first]), self._centre)

    def _add(self, task: Task, rows: Ints, sign: float) -> None:
        costs = task.costs[rows]
        if len(rows) <= FEW and products.is_thin(task.blocks):
            products.add_pairs(task.blocks.problem.rows, rows, sign * costs, self._G)
        elif len(rows):
            rough = is_rough(task, costs)
            self._G += sign * products.gram(task.blocks, rows, costs, self._centre, rough)


def centre_of(task: Task, rows: Ints, weights: Floats) -> Floats:
    """Mean row, about which a bias is least bound to the weights; sparse rows must stay sparse."""
    sparse = isinstance(task.blocks.problem.rows, CSR)
    return products.mean_row(task.blocks, rows, weights) * (task.bias and not sparse)


def is_rough(task: Task, weights: Floats) -> bool:
    """Whether the rows are float32, and what that rounds off H is small beside the ridge."""
    if not products.gram_may_be_rough(task.blocks):
        return False
    trace = float(weights.sum()) * products.mean_square(task.blocks)
    return bool(np.finfo(np.float32).eps * trace <= task.ridge)


def held(task: Task, b: Floats) -> Floats:
    """Step where no row has a curvature: the bias is held at the mean row by all costs."""
    rows = products.spread(task.blocks)
    centre = products.mean_row(task.blocks, rows, task.costs[rows]) * task.bias
    diagonal = np.full(len(b), task.ridge)
    diagonal[-1] = float(task.costs.sum())
    return about(centre, lambda r: r / diagonal)(b)


def about(centre: Floats, solve: Solver) -> Solver:
    """Solver for rows (x, 1) from one for (x − centre, 1): only the bias is counted otherwise.

    What is solved for may have several columns.
    """

    def solve_all(r: Floats) -> Floats:
        inside = r.copy()
        inside[:-1] -= np.multiply.outer(centre, r[-1])
        x = solve(inside)
        x[-1] -= centre @ x[:-1]
        return x

    return solve_all


def cholesky(H: Floats) -> Solver:
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
