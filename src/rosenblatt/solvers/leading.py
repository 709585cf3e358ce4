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
WORTH = 0.5  # of its price must be left to spare, or a better factor comes too late
CHEAP = 2.0  # products with H that a factor may cost to be made for every system
HALF = 0.5  # of a product is what the rows of a first factor may cost
FOLLOWED = 4  # systems that a factor of all rows is expected to serve,
TRUSTED = 3  # and to solve alone, once it has been seen to solve one
MOST_HASTE = 4.0
MOST_ITERATIONS = 60
TINY = float(np.finfo(float).tiny)
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
        self._trust = 0  # systems that the factor that follows the rows may solve alone

    def solve(self, system: System, b: Floats, allowed: Allowance = anything) -> Floats:
        """Solve until a part of b is left that is also allowed."""
        if not len(system.chosen):
            return factors.held(system.task, b)
        length = float(np.linalg.norm(b))
        forcing = min(FORCING, length / self._length if self._length > 0.0 else 1.0)
        self._length, self._fresh = length, False
        if self._lead is None or self._is_renewed_anyway(system):
            self._renew(system)
        if self._trust and self._fresh and self._following is not None and allowed is anything:
            self._trust -= 1
            assert self._lead is not None
            return self._lead(b)
        x, r, part, fall, taken, stale = np.zeros_like(b), b, forcing, 0.0, 0, False
        while True:
            solved = self._led(system, r, part, beyond(allowed, fall), MOST_ITERATIONS - taken)
            x += solved.x
            fall += 0.5 * float(solved.x @ r)
            taken += solved.taken
            r = solved.residual
            if solved.done or taken >= MOST_ITERATIONS:
                break
            stale = stale or not self._fresh
            self._taken = max(self._taken, taken)
            self._renew(system)
            part = min(1.0, forcing * self._longer(b, r))
        self._haste = MOST_HASTE if stale else max(1.0, 0.5 * self._haste)
        self._taken, self._trust = taken, TRUSTED if taken == 1 else 0
        return x

    def _longer(self, b: Floats, r: Floats) -> float:
        """How many times longer b is than r, as the factor at hand measures it."""
        assert self._lead is not None
        return math.sqrt(float(b @ self._lead(b)) / max(float(r @ self._lead(r)), TINY))

    def _is_renewed_anyway(self, system: System) -> bool:
        if system.width > MOST_FACTORED:
            return True
        if self._following is not None and self._following.fits(system):
            return True
        doubted = self._haste > 1.0
        cheap = (2.0 * CHEAP if doubted else CHEAP) * system.product_cost
        return self._taken > FREE and system.factor_cost(self._size) <= cheap

    def _led(
        self, system: System, b: Floats, forcing: float, allowed: Allowance, most: int
    ) -> "Solved":
        """Iterate for as long as another factor would not be cheaper."""
        cost, price, spent = system.product_cost, self._price(system), self._spent

        def is_too_long(taken: int, left: float) -> bool:
            dear = taken >= FREE and spent + (taken + 1 - FREE) * cost > price
            return taken >= most or (dear and left * cost > WORTH * price)

        assert self._lead is not None
        solved = conjugate_gradients(system.times, self._lead, b, forcing, allowed, is_too_long)
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
        n = n if 2 * n < len(chosen) else len(chosen)  # a sample so large leaves out what matters
        self._following, self._size = None, n
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
    """A solution so far, what it leaves of b, and what it took."""

    x: Floats
    residual: Floats
    taken: int
    done: bool


def conjugate_gradients(
    times: Solver,
    lead: Solver,
    b: Floats,
    forcing: float,
    allowed: Allowance = anything,
    is_too_long: Callable[[int, float], bool] = lambda taken, _: taken >= MOST_ITERATIONS,
) -> Solved:
    """Solve H x = b until the residual, as the leader measures it, has fallen to a part of b.

    Its square must be allowed, too. `is_too_long` is told how many iterations were taken, and how
    many more it will be if they go on like this.
    """
    x, r = np.zeros_like(b), b.copy()
    z = lead(r)
    p, whole = z, float(r @ z)
    measure = whole
    for taken in itertools.count(1):
        Hp = times(p)
        bend = float(p @ Hp)
        if measure <= 0.0 or bend <= 0.0:  # rounding is all that is left
            return Solved(x, r, taken, done=True)
        x += (measure / bend) * p
        r -= (measure / bend) * Hp
        z = lead(r)
        before, measure = measure, float(r @ z)
        share = measure / whole
        most = max(allowed(0.5 * float(x @ b)), TINY)
        over = max(share / max(forcing**2, TINY), float(r @ r) / most)
        if over <= 1.0 or is_too_long(taken, iterations_left(over, share, taken)):
            return Solved(x, r, taken, done=over <= 1.0)
        p *= measure / before
        p += z
    raise AssertionError


def iterations_left(over: float, share: float, taken: int) -> float:
    """Iterations until a square that is so many times too large is so no more."""
    return taken * math.log(over) / -math.log(share) if 0.0 < share < 1.0 else np.inf
