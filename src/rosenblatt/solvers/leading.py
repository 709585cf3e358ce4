"""Conjugate gradients for the systems of Newton's steps, and what leads them.

The factor of H on a sample of its rows leads (the larger the curvature of a row, the likelier it is
taken), so that a handful of iterations is enough. A factor serves one system after another. Once
the iterations it has led cost more than another factor would, that is made: for H as it stands; or,
if the factor was made for it already, of more rows, in the end of all. With very many features the
diagonal of H has to do.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.rules.losses import NEVER_FLAT
from rosenblatt.solvers import factors
from rosenblatt.solvers.factors import Following, Solver
from rosenblatt.solvers.system import System

MOST_FACTORED = 4096  # features up to which a factor is made
SAMPLE = 4  # rows a feature, in a sample,
LEAST_SAMPLE = 2048  # but no fewer
THINNED = 8  # times the rows wanted are looked at for a sample
GROWTH = 4  # times the rows for a better factor
FREE = 2  # iterations that are never too many
CHEAP = 2.0  # products with H that a factor may cost to be made for every system
HALF = 0.5  # of a product is what the rows of a first factor may cost
FOLLOWED = 4  # systems that a factor of all rows is expected to serve
MOST_HASTE = 4.0
MOST_ITERATIONS = 60
FORCING = 0.03  # part of b that may be left, or as far as the last system came

Allowance = Callable[[float], float]  # most |r|² that may be left, by the fall ½ x·b so far


def anything(_fall: float) -> float:
    """Allow any residual."""
    return np.inf


def beyond(allowed: Allowance, fall: float) -> Allowance:
    """Give what is allowed by the fall from a place that has fallen so far already."""
    return lambda more: allowed(fall + more)


class Leader:
    """Solves one system after another by conjugate gradients, led by a factor it renews."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self._lead: Solver | None = None
        self._size = 0  # rows that the factor was made of
        self._following: Following | None = None
        self._fresh = False  # whether the factor was made for the system at hand
        self._spent = 0.0  # multiplications that a better factor would have spared
        self._haste = 1.0  # how many times sooner a stale factor is given up
        self._taken = 0  # iterations for the last system
        self._length = 0.0  # of the last right side

    def solve(self, system: System, b: Floats, allowed: Allowance = anything) -> Floats:
        """Solve until a part of b is left that is also allowed."""
        if not len(system.chosen):
            return factors.held(system.task, b)
        length = float(np.linalg.norm(b))
        forcing = min(FORCING, length / self._length if self._length > 0.0 else 1.0)
        self._length, self._fresh = length, False
        if self._lead is None or self._is_renewed_anyway(system):
            self._renew(system)
        x, fall, taken, stale = np.zeros_like(b), 0.0, 0, False
        while True:
            solved = self._led(system, b, forcing, beyond(allowed, fall), MOST_ITERATIONS - taken)
            x += solved.x
            fall += 0.5 * float(solved.x @ b)
            taken += solved.taken
            if solved.done or taken >= MOST_ITERATIONS:
                break
            b, forcing = solved.residual, min(forcing / solved.share, 0.5)
            stale = stale or not self._fresh
            self._taken = max(self._taken, taken)
            self._renew(system)
        self._haste = min(2.0 * self._haste, MOST_HASTE) if stale else 1.0
        self._taken = taken
        return x

    def _is_renewed_anyway(self, system: System) -> bool:
        if system.width > MOST_FACTORED:
            return True
        if self._following is not None and self._following.fits(system):
            return True
        cheap = system.factor_cost(self._size) <= CHEAP * system.product_cost
        return cheap and self._taken > FREE

    def _led(
        self, system: System, b: Floats, forcing: float, allowed: Allowance, most: int
    ) -> "Solved":
        """Iterate for as long as another factor would not have been cheaper."""
        cost = system.product_cost
        turn = FREE + min(most, max(0.0, self._price(system) - self._spent) / cost)
        most = min(most, int(turn))
        assert self._lead is not None
        solved = conjugate_gradients(system.times, self._lead, b, forcing, allowed, most)
        self._spent += max(0, solved.taken - FREE) * cost
        return solved

    def _price(self, system: System) -> float:
        """Multiplications that a better factor would take; no end of them where there is none."""
        if not self._fresh:
            return system.factor_cost(self._size) / self._haste
        if self._size >= len(system.chosen) or system.width > MOST_FACTORED:
            return np.inf
        return system.factor_cost(GROWTH * self._size)

    def _renew(self, system: System) -> None:
        """Make a factor of as many rows as the last was, or if that was fresh, of more."""
        if system.width > MOST_FACTORED:
            self._lead = factors.of_diagonal(system)
        else:
            self._lead = self._factor(system, self._size * (GROWTH if self._fresh else 1))
        self._spent, self._fresh = 0.0, True

    def _factor(self, system: System, n: int) -> Solver:
        chosen, following = system.chosen, self._following
        if following is not None and following.fits(system):
            self._size = len(chosen)
            return following.solver(system)
        cheap = HALF * len(chosen) * system.product_cost / system.gram_cost(len(chosen))
        n = max(n, SAMPLE * system.width, LEAST_SAMPLE, int(cheap))
        if system.task.loss < NEVER_FLAT and (n >= len(chosen) or self._is_worth_all(system)):
            self._following, self._size = Following(system), len(chosen)
            return self._following.solver(system)
        self._following, self._size = None, min(n, len(chosen))
        return factors.of_rows(system, *self._sample(chosen, system.curvatures, n))

    def _is_worth_all(self, system: System) -> bool:
        """Whether a factor of all rows pays, since it follows them for some systems to come."""
        spared = FOLLOWED * max(0, self._taken - FREE) * system.product_cost
        return system.factor_cost(len(system.chosen)) <= spared

    def _sample(self, chosen: Ints, curvatures: Floats, n: int) -> tuple[Ints, Floats]:
        """About n of the rows, taken by their curvature, weighted so that H is met on average."""
        if len(chosen) <= n:
            return chosen, curvatures
        every = max(1, len(chosen) // (THINNED * n))
        chosen, curvatures = chosen[::every], curvatures[::every] * every
        chance = np.minimum(1.0, curvatures * (n / curvatures.sum()))
        taken = np.flatnonzero(self._generator.random(len(chosen)) < chance)
        return chosen[taken], curvatures[taken] / chance[taken]


class Solved(NamedTuple):
    """A solution so far, what it leaves of b, how small that is as a share, and what it took."""

    x: Floats
    residual: Floats
    share: float
    taken: int
    done: bool


def conjugate_gradients(
    times: Solver,
    lead: Solver,
    b: Floats,
    forcing: float,
    allowed: Allowance = anything,
    most: int = MOST_ITERATIONS,
) -> Solved:
    """Solve H x = b until the residual, as the leader measures it, has fallen to a part of b."""
    x, r = np.zeros_like(b), b.copy()
    z = lead(r)
    p, whole = z, float(r @ z)
    measure = whole
    enough = forcing**2 * whole
    for taken in range(1, most + 1):
        Hp = times(p)
        bend = float(p @ Hp)
        if measure <= 0.0 or bend <= 0.0:  # rounding is all that is left
            return Solved(x, r, 0.0, taken, done=True)
        x += (measure / bend) * p
        r -= (measure / bend) * Hp
        z = lead(r)
        before, measure = measure, float(r @ z)
        if measure <= enough and float(r @ r) <= allowed(0.5 * float(x @ b)):
            return Solved(x, r, np.sqrt(measure / whole), taken, done=True)
        p *= measure / before
        p += z
    return Solved(x, r, np.sqrt(measure / whole), most, done=False)
