"""Preconditioned conjugate gradients for Newton's systems, with an adaptive preconditioner.

The preconditioner is a Cholesky factor of H on a sample of its rows, drawn in proportion to their
curvatures, so that a handful of iterations is enough. One factor serves many systems. Once its
iterations have cost more than another factor would, and more than a few are left, it is replaced:

- a stale factor, made for an earlier system, by one for the H at hand;
- a current factor by one of `SAMPLE_GROWTH` times as many rows, up to all of them.

A factor of all rows whose Gram matrix is updated (`UpdatedGram`) solves a system alone, without an
iteration, as long as one iteration is enough whenever that is checked. With very many features the
preconditioner is diag(H).

The systems are solved inexactly (inexact Newton; Nocedal & Wright, §7.1): the residual, in the norm
of the preconditioner, must fall to the forcing term η times b, η = min(0.03, |b| / |last b|).
"""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.losses.margin_losses import NEVER_FLAT
from rosenblatt.optim.hessian import (
    LinearSolver,
    NewtonSystem,
    UpdatedGram,
    diagonal_preconditioner,
    sampled_cholesky,
    step_without_curvature,
)
from rosenblatt.types import Floats, Ints

MAX_FACTORED_FEATURES = 4096  # with more features the preconditioner is diagonal
SAMPLE_ROWS_PER_FEATURE = 4
MIN_SAMPLE_ROWS = 2048
CANDIDATES_PER_SAMPLE_ROW = 8
SAMPLE_GROWTH = 4  # factor by which a sample grows for a better preconditioner
FREE_ITERATIONS = 2  # a system, not counted against a preconditioner
MIN_SAVED_SHARE = 0.5  # of the cost of a better factor must be left in iterations to make it
CHEAP_FACTOR_PRODUCTS = 2.0  # a factor that costs fewer products H p is made for every system
FIRST_SAMPLE_PRODUCTS = 0.5  # products H p that the Gram matrix of a first sample may cost
SYSTEMS_PER_FACTOR = 4  # that a factor of all rows is expected to serve
DIRECT_SOLVES = 3  # systems solved without iterations after one that needed a single one
MAX_URGENCY = 4.0
MAX_CG_ITERATIONS = 60
MAX_FORCING = 0.03  # forcing term: residual norm of an accepted solution / norm of b
SMALLEST_NORMAL = float(np.finfo(float).tiny)

ResidualBound = Callable[[float], float]  # largest |r|² by the predicted decrease ½ x·b


def any_residual(_predicted_decrease: float) -> float:
    """No bound of the residual."""
    return np.inf


def min_sample_rows(width: int) -> int:
    """Fewest rows of the sample for a preconditioner of so many weights."""
    return max(SAMPLE_ROWS_PER_FEATURE * width, MIN_SAMPLE_ROWS)


class AdaptivePCG:
    """Solves one Newton system after another by CG with an adaptively refreshed preconditioner."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self._preconditioner: LinearSolver | None = None
        self._sample_size = 0  # rows of the preconditioner
        self._updated_gram: UpdatedGram | None = None
        self._is_current = False  # whether the preconditioner was made for the system at hand
        self._excess_cost = 0.0  # multiplications in iterations beyond the free ones
        self._urgency = 1.0  # how many times sooner a stale preconditioner is replaced
        self._iterations = 0  # for the last system
        self._last_rhs_norm = 0.0
        self._direct_solves = 0  # systems that an updated factor may still solve alone

    def solve(
        self, system: NewtonSystem, b: Floats, residual_bound: ResidualBound = any_residual
    ) -> Floats:
        """Solve H x = b up to the forcing term and a bound of |r|²."""
        if not len(system.rows):
            return step_without_curvature(system.objective, b)
        forcing = self._forcing_term(b)
        self._is_current = False
        if self._preconditioner is None or self._always_refreshed(system):
            self._refresh(system)
        if self._may_solve_directly() and residual_bound is any_residual:
            self._direct_solves -= 1
            assert self._preconditioner is not None
            return self._preconditioner(b)
        x, r, forcing_left = np.zeros_like(b), b, forcing
        predicted_decrease, iterations, was_stale = 0.0, 0, False
        while True:
            solved = self._run_cg(
                system,
                r,
                forcing_left,
                partial(_bound_after, residual_bound, predicted_decrease),
                MAX_CG_ITERATIONS - iterations,
            )
            x += solved.x
            predicted_decrease += 0.5 * float(solved.x @ r)
            iterations += solved.iterations
            r = solved.residual
            if solved.done or iterations >= MAX_CG_ITERATIONS:
                break
            was_stale = was_stale or not self._is_current
            self._iterations = max(self._iterations, iterations)
            self._refresh(system)
            forcing_left = min(1.0, forcing * self._norm_ratio(b, r))
        self._urgency = MAX_URGENCY if was_stale else max(1.0, 0.5 * self._urgency)
        self._iterations, self._direct_solves = iterations, DIRECT_SOLVES if iterations == 1 else 0
        return x

    def _forcing_term(self, b: Floats) -> float:
        """Relative residual up to which to solve; smaller as the gradients fall faster."""
        norm, last = float(np.linalg.norm(b)), self._last_rhs_norm
        self._last_rhs_norm = norm
        return min(MAX_FORCING, norm / last if last > 0.0 else 1.0)

    def _may_solve_directly(self) -> bool:
        """Whether the preconditioner is the factor of an updated Gram matrix that is trusted."""
        updated = self._is_current and self._updated_gram is not None
        return self._direct_solves > 0 and updated

    def _norm_ratio(self, b: Floats, r: Floats) -> float:
        """|b| / |r| in the norm of the preconditioner."""
        assert self._preconditioner is not None
        return math.sqrt(
            float(b @ self._preconditioner(b))
            / max(float(r @ self._preconditioner(r)), SMALLEST_NORMAL)
        )

    def _always_refreshed(self, system: NewtonSystem) -> bool:
        """Whether the preconditioner is cheap enough to be made for every system."""
        if system.width > MAX_FACTORED_FEATURES:
            return True
        if self._updated_gram is not None and self._updated_gram.is_near(system):
            return True
        was_stale = self._urgency > 1.0
        n_products = 2.0 * CHEAP_FACTOR_PRODUCTS if was_stale else CHEAP_FACTOR_PRODUCTS
        is_cheap = system.factor_cost(self._sample_size) <= n_products * system.product_cost
        return self._iterations > FREE_ITERATIONS and is_cheap

    def _run_cg(
        self,
        system: NewtonSystem,
        b: Floats,
        forcing: float,
        residual_bound: ResidualBound,
        max_iterations: int,
    ) -> "CGResult":
        """Iterate as long as another preconditioner would not be cheaper."""
        cost, excess_cost = system.product_cost, self._excess_cost
        refresh_cost = self._refresh_cost(system)

        def should_stop(iterations: int, left: float) -> bool:
            too_costly = (
                iterations >= FREE_ITERATIONS
                and excess_cost + (iterations + 1 - FREE_ITERATIONS) * cost > refresh_cost
            )
            worth_refreshing = too_costly and left * cost > MIN_SAVED_SHARE * refresh_cost
            return iterations >= max_iterations or worth_refreshing

        assert self._preconditioner is not None
        solved = conjugate_gradients(
            system.dot, self._preconditioner, b, forcing, residual_bound, should_stop
        )
        self._excess_cost += max(0, solved.iterations - FREE_ITERATIONS) * cost
        return solved

    def _refresh_cost(self, system: NewtonSystem) -> float:
        """Multiplications that a better preconditioner costs; infinite where there is none."""
        if not self._is_current:
            return system.factor_cost(self._sample_size) / self._urgency
        if self._sample_size >= len(system.rows) or system.width > MAX_FACTORED_FEATURES:
            return np.inf
        return system.factor_cost(SAMPLE_GROWTH * self._sample_size)

    def _refresh(self, system: NewtonSystem) -> None:
        """Make a preconditioner of as many rows as the last, or of more if that was current."""
        if system.width > MAX_FACTORED_FEATURES:
            self._preconditioner = diagonal_preconditioner(system)
        else:
            self._preconditioner = self._factor(
                system, self._sample_size * (SAMPLE_GROWTH if self._is_current else 1)
            )
        self._excess_cost, self._is_current = 0.0, True

    def _factor(self, system: NewtonSystem, n: int) -> LinearSolver:
        """Solver with a Cholesky factor of about n rows, or of all rows where that pays."""
        rows, updated_gram = system.rows, self._updated_gram
        if updated_gram is not None and updated_gram.is_near(system):
            self._sample_size = len(rows)
            return updated_gram.solver(system)
        n_cheap = (
            FIRST_SAMPLE_PRODUCTS * len(rows) * system.product_cost / system.gram_cost(len(rows))
        )
        n = max(n, min_sample_rows(system.width), int(n_cheap))
        if system.objective.loss < NEVER_FLAT and (
            n >= len(rows) or self._pays_for_all_rows(system)
        ):
            self._updated_gram, self._sample_size = UpdatedGram(system), len(rows)
            return self._updated_gram.solver(system)
        n = n if 2 * n < len(rows) else len(rows)
        self._updated_gram, self._sample_size = None, n
        return sampled_cholesky(system, *self._sample(rows, system.curvatures, n))

    def _pays_for_all_rows(self, system: NewtonSystem) -> bool:
        """Whether a factor of all rows, updated from system to system, saves more than it costs."""
        saved = (
            SYSTEMS_PER_FACTOR * max(0, self._iterations - FREE_ITERATIONS) * system.product_cost
        )
        return system.factor_cost(len(system.rows)) <= saved

    def _sample(self, rows: Ints, curvatures: Floats, n: int) -> tuple[Ints, Floats]:
        """About n rows, drawn by their curvatures, with weights that make H right on average."""
        if len(rows) <= n:
            return rows, curvatures
        every = max(1, len(rows) // (CANDIDATES_PER_SAMPLE_ROW * n))
        rows, curvatures = rows[::every], curvatures[::every] * every
        probability = np.minimum(1.0, curvatures * (n / curvatures.sum()))
        drawn = np.flatnonzero(self._generator.random(len(rows)) < probability)
        return rows[drawn], curvatures[drawn] / probability[drawn]


def _bound_after(
    residual_bound: ResidualBound, decrease_so_far: float, predicted_decrease: float
) -> float:
    """A bound of the residual where the solution so far has a predicted decrease already."""
    return residual_bound(decrease_so_far + predicted_decrease)


class CGResult(NamedTuple):
    """An approximate solution, its residual b − H x, and whether that is small enough."""

    x: Floats
    residual: Floats
    iterations: int
    done: bool


def conjugate_gradients(
    hessian_dot: LinearSolver,
    preconditioner: LinearSolver,
    b: Floats,
    forcing: float,
    residual_bound: ResidualBound = any_residual,
    should_stop: Callable[[int, float], bool] = lambda iterations, _: (
        iterations >= MAX_CG_ITERATIONS
    ),
) -> CGResult:
    """Solve H x = b by preconditioned conjugate gradients up to the forcing term.

    |r| ≤ η |b| in the norm of the preconditioner, and |r|² within its bound. `should_stop` is given
    the number of iterations so far and an estimate of those left.
    """
    x, r = np.zeros_like(b), b.copy()
    z = preconditioner(r)
    p, initial_norm = z, float(r @ z)
    norm = initial_norm
    for iterations in itertools.count(1):
        Hp = hessian_dot(p)
        curvature = float(p @ Hp)
        if norm <= 0.0 or curvature <= 0.0:  # only rounding is left
            return CGResult(x, r, iterations, done=True)
        x += (norm / curvature) * p
        r -= (norm / curvature) * Hp
        z = preconditioner(r)
        previous_norm, norm = norm, float(r @ z)
        reduction = norm / initial_norm
        bound = max(residual_bound(0.5 * float(x @ b)), SMALLEST_NORMAL)
        excess = max(reduction / max(forcing**2, SMALLEST_NORMAL), float(r @ r) / bound)
        if excess <= 1.0 or should_stop(iterations, iterations_left(excess, reduction, iterations)):
            return CGResult(x, r, iterations, done=excess <= 1.0)
        p *= norm / previous_norm
        p += z
    raise AssertionError


def iterations_left(excess: float, reduction: float, iterations: int) -> float:
    """Iterations until |r|², `excess` times too large, is small enough at the rate so far."""
    return iterations * math.log(excess) / -math.log(reduction) if 0.0 < reduction < 1.0 else np.inf
