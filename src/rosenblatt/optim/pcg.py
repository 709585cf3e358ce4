"""Conjugate gradients for the systems of Newton's steps, and what leads them.

The factor of H on a sample of its rows leads (the larger the curvature of a row, the likelier it is
taken), so that a handful of iterations is enough. A factor serves one system after another. Once
the iterations it has led cost more than another factor would, and not just a few are left, that is
made: for H as it stands; or, if the factor was made for it already, of more rows, in the end of
all. Such a one that follows the rows as they come and go is trusted without any iteration, as long
as one is enough whenever that is looked at. With very many features the diagonal of H has to do.
"""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.losses.margin_losses import NEVER_FLAT
from rosenblatt.optim import preconditioners
from rosenblatt.optim.hessian import NewtonSystem
from rosenblatt.optim.preconditioners import LinearSolver, UpdatedGram
from rosenblatt.types import Floats, Ints

MAX_FACTORED_FEATURES = 4096  # features up to which a factor is made
SAMPLE_ROWS_PER_FEATURE = 4  # rows a feature, in a sample,
MIN_SAMPLE_ROWS = 2048  # but no fewer
CANDIDATES_PER_SAMPLE_ROW = 8  # times the rows wanted are looked at for a sample
SAMPLE_GROWTH = 4  # times the rows for a better factor
FREE_ITERATIONS = 2  # iterations that are never too many
MIN_SAVED_SHARE = 0.5  # of its price must be left to spare, or a better factor comes too late
CHEAP_FACTOR_PRODUCTS = 2.0  # products with H that a factor may cost to be made for every system
FIRST_SAMPLE_PRODUCTS = 0.5  # of a product is what the rows of a first factor may cost
SYSTEMS_PER_FACTOR = 4  # systems that a factor of all rows is expected to serve,
DIRECT_SOLVES = 3  # and to solve alone, once it has been seen to solve one
MAX_URGENCY = 4.0
MAX_CG_ITERATIONS = 60
SMALLEST_NORMAL = float(np.finfo(float).tiny)
MAX_FORCING = 0.03  # part of b that may be left, or as far as the last system came

ResidualBound = Callable[[float], float]  # most |r|² that may be left, by the fall ½ x·b so far


def any_residual(_fall: float) -> float:
    """Allow any residual."""
    return np.inf


def shifted(residual_bound: ResidualBound, predicted_decrease: float) -> ResidualBound:
    """Give what is allowed by the fall from a place that has fallen so far already."""
    return lambda more: residual_bound(predicted_decrease + more)


class AdaptivePCG:
    """Solves one system after another by conjugate gradients, led by a factor it renews."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self._preconditioner: LinearSolver | None = None
        self._sample_size = 0  # rows that the factor was made of
        self._updated_gram: UpdatedGram | None = None
        self._is_current = False  # whether the factor was made for the system at hand
        self._excess_cost = 0.0  # multiplications that a better factor would have spared
        self._urgency = 1.0  # how many times sooner a stale factor is given up
        self._iterations = 0  # iterations for the last system
        self._last_rhs_norm = 0.0  # of the last right side
        self._direct_solves = 0  # systems that the factor that follows the rows may solve alone

    def solve(
        self, system: NewtonSystem, b: Floats, residual_bound: ResidualBound = any_residual
    ) -> Floats:
        """Solve until a part of b is left that is also allowed."""
        if not len(system.rows):
            return preconditioners.step_without_curvature(system.objective, b)
        rhs_norm = float(np.linalg.norm(b))
        forcing = min(
            MAX_FORCING, rhs_norm / self._last_rhs_norm if self._last_rhs_norm > 0.0 else 1.0
        )
        self._last_rhs_norm, self._is_current = rhs_norm, False
        if self._preconditioner is None or self._always_refreshed(system):
            self._refresh(system)
        if (
            self._direct_solves
            and self._is_current
            and self._updated_gram is not None
            and residual_bound is any_residual
        ):
            self._direct_solves -= 1
            assert self._preconditioner is not None
            return self._preconditioner(b)
        x, r, forcing_left, predicted_decrease, iterations, was_stale = (
            np.zeros_like(b),
            b,
            forcing,
            0.0,
            0,
            False,
        )
        while True:
            solved = self._run_cg(
                system,
                r,
                forcing_left,
                shifted(residual_bound, predicted_decrease),
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

    def _norm_ratio(self, b: Floats, r: Floats) -> float:
        """How many times longer b is than r, as the factor at hand measures it."""
        assert self._preconditioner is not None
        return math.sqrt(
            float(b @ self._preconditioner(b))
            / max(float(r @ self._preconditioner(r)), SMALLEST_NORMAL)
        )

    def _always_refreshed(self, system: NewtonSystem) -> bool:
        if system.width > MAX_FACTORED_FEATURES:
            return True
        if self._updated_gram is not None and self._updated_gram.is_near(system):
            return True
        was_stale = self._urgency > 1.0
        cheap = (
            2.0 * CHEAP_FACTOR_PRODUCTS if was_stale else CHEAP_FACTOR_PRODUCTS
        ) * system.product_cost
        return self._iterations > FREE_ITERATIONS and system.factor_cost(self._sample_size) <= cheap

    def _run_cg(
        self,
        system: NewtonSystem,
        b: Floats,
        forcing: float,
        residual_bound: ResidualBound,
        most: int,
    ) -> "CGResult":
        """Iterate for as long as another factor would not be cheaper."""
        cost, refresh_cost, excess_cost = (
            system.product_cost,
            self._refresh_cost(system),
            self._excess_cost,
        )

        def should_stop(iterations: int, left: float) -> bool:
            too_costly = (
                iterations >= FREE_ITERATIONS
                and excess_cost + (iterations + 1 - FREE_ITERATIONS) * cost > refresh_cost
            )
            return iterations >= most or (
                too_costly and left * cost > MIN_SAVED_SHARE * refresh_cost
            )

        assert self._preconditioner is not None
        solved = conjugate_gradients(
            system.dot, self._preconditioner, b, forcing, residual_bound, should_stop
        )
        self._excess_cost += max(0, solved.iterations - FREE_ITERATIONS) * cost
        return solved

    def _refresh_cost(self, system: NewtonSystem) -> float:
        """Multiplications that a better factor would take; no end of them where there is none."""
        if not self._is_current:
            return system.factor_cost(self._sample_size) / self._urgency
        if self._sample_size >= len(system.rows) or system.width > MAX_FACTORED_FEATURES:
            return np.inf
        return system.factor_cost(SAMPLE_GROWTH * self._sample_size)

    def _refresh(self, system: NewtonSystem) -> None:
        """Make a factor of as many rows as the last was, or if that was fresh, of more."""
        if system.width > MAX_FACTORED_FEATURES:
            self._preconditioner = preconditioners.diagonal_preconditioner(system)
        else:
            self._preconditioner = self._factor(
                system, self._sample_size * (SAMPLE_GROWTH if self._is_current else 1)
            )
        self._excess_cost, self._is_current = 0.0, True

    def _factor(self, system: NewtonSystem, n: int) -> LinearSolver:
        rows, updated_gram = system.rows, self._updated_gram
        if updated_gram is not None and updated_gram.is_near(system):
            self._sample_size = len(rows)
            return updated_gram.solver(system)
        cheap = (
            FIRST_SAMPLE_PRODUCTS * len(rows) * system.product_cost / system.gram_cost(len(rows))
        )
        n = max(n, SAMPLE_ROWS_PER_FEATURE * system.width, MIN_SAMPLE_ROWS, int(cheap))
        if system.objective.loss < NEVER_FLAT and (
            n >= len(rows) or self._pays_for_all_rows(system)
        ):
            self._updated_gram, self._sample_size = UpdatedGram(system), len(rows)
            return self._updated_gram.solver(system)
        n = n if 2 * n < len(rows) else len(rows)  # a sample so large leaves out what matters
        self._updated_gram, self._sample_size = None, n
        return preconditioners.sampled_cholesky(system, *self._sample(rows, system.curvatures, n))

    def _pays_for_all_rows(self, system: NewtonSystem) -> bool:
        """Whether a factor of all rows pays, since it follows them for some systems to come."""
        saved = (
            SYSTEMS_PER_FACTOR * max(0, self._iterations - FREE_ITERATIONS) * system.product_cost
        )
        return system.factor_cost(len(system.rows)) <= saved

    def _sample(self, rows: Ints, curvatures: Floats, n: int) -> tuple[Ints, Floats]:
        """About n of the rows, taken by their curvature, weighted so that H is met on average."""
        if len(rows) <= n:
            return rows, curvatures
        every = max(1, len(rows) // (CANDIDATES_PER_SAMPLE_ROW * n))
        rows, curvatures = rows[::every], curvatures[::every] * every
        chance = np.minimum(1.0, curvatures * (n / curvatures.sum()))
        iterations = np.flatnonzero(self._generator.random(len(rows)) < chance)
        return rows[iterations], curvatures[iterations] / chance[iterations]


class CGResult(NamedTuple):
    """A solution so far, what it leaves of b, and what it took."""

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
    """Solve H x = b until the residual, as the leader measures it, has fallen to a part of b.

    Its square must be allowed, too. `is_too_long` is told how many iterations were taken, and how
    many more it will be if they go on like this.
    """
    x, r = np.zeros_like(b), b.copy()
    z = preconditioner(r)
    p, initial_norm = z, float(r @ z)
    norm = initial_norm
    for iterations in itertools.count(1):
        Hp = hessian_dot(p)
        curvature = float(p @ Hp)
        if norm <= 0.0 or curvature <= 0.0:  # rounding is all that is left
            return CGResult(x, r, iterations, done=True)
        x += (norm / curvature) * p
        r -= (norm / curvature) * Hp
        z = preconditioner(r)
        previous_norm, norm = norm, float(r @ z)
        reduction = norm / initial_norm
        most = max(residual_bound(0.5 * float(x @ b)), SMALLEST_NORMAL)
        over = max(reduction / max(forcing**2, SMALLEST_NORMAL), float(r @ r) / most)
        if over <= 1.0 or should_stop(iterations, iterations_left(over, reduction, iterations)):
            return CGResult(x, r, iterations, done=over <= 1.0)
        p *= norm / previous_norm
        p += z
    raise AssertionError


def iterations_left(over: float, reduction: float, iterations: int) -> float:
    """Iterations until a square that is so many times too large is so no more."""
    return iterations * math.log(over) / -math.log(reduction) if 0.0 < reduction < 1.0 else np.inf
