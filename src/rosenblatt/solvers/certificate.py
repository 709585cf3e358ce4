"""The gap: how far a place is from the best, proved by the pulls on its rows."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.solvers.responses import Place, Response, Task

ROUNDING = 1e-13  # of the objective
ROUNDED_UP = 2.0**-50  # more than a few operations round off
REPRODUCIBLE = 2.0**-49  # more than the order in which both sides are summed makes of the gap


class Bounds(NamedTuple):
    """The objective at a place, and a value that no place goes below."""

    objective: float
    bound: float

    @property
    def gap(self) -> float:
        """(P − D)/P between 0 and 1, rounded up so that sums in any order prove it; or infinite."""
        gap = self.narrow_gap
        return gap if gap >= 1.0 else min(gap + REPRODUCIBLE, 1.0)

    @property
    def narrow_gap(self) -> float:
        """(P − D)/P of these very numbers, or infinite where nothing is bounded."""
        objective, bound = float(self.objective), float(self.bound)
        if objective == math.inf or bound == -math.inf:
            return math.inf
        share = max(objective - bound, 0.0) / objective if objective > 0.0 else 0.0
        return min(share * (1.0 + ROUNDED_UP), 1.0)

    @staticmethod
    def summed(several: "Sequence[Bounds]") -> "Bounds":
        """Bounds of the sum of several objectives, each side rounded outwards."""
        if len(several) == 1:
            return several[0]
        up = 1.0 + len(several) * ROUNDED_UP
        return Bounds(
            sum(bounds.objective for bounds in several) * up,
            sum(bounds.bound for bounds in several) / up,
        )

    def better_than(self, other: "Bounds") -> bool:
        """Whether either side is better by more than rounding."""
        if other.objective == np.inf:
            return True
        less = ROUNDING * other.objective
        return other.objective - self.objective > less or self.bound - other.bound > less

    def tighter(self, other: "Bounds") -> "Bounds":
        """The better of both on each side."""
        return Bounds(min(self.objective, other.objective), max(self.bound, other.bound))


def objective_of(task: Task, place: Place, seen: Response) -> float:
    """P at a place where the rows have answered."""
    w = place.w[:-1]
    return 0.5 * task.ridge * float(w @ w) + seen.loss


def bounds_at(task: Task, place: Place, seen: Response) -> Bounds:
    """Objective and bound at a place where the rows have answered."""
    objective = objective_of(task, place, seen)
    scales = balancing(place.sums[:, -1]) if task.bias else np.ones(2)
    v = scales[1] * place.sums[1, :-1] - scales[0] * place.sums[0, :-1]
    square = float(v @ v) / task.ridge
    dual = float(scales @ seen.duals)  # a concave dual(s a), zero at zero, is at least s dual(a)
    t = min(1.0, dual / square) if square > 0 else 1.0  # as good a fraction of these pulls as any
    return Bounds(objective, t * dual - 0.5 * t * t * square)


def balancing(weights: Floats) -> Floats:
    """Scales that make both signs pull equally: the bias has no price of its own."""
    less = weights.min()
    return np.asarray(less / weights) if less > 0 else np.zeros(2)


def slack(seen: Response) -> float:
    """Part of the gap that stays where the gradient vanishes: Σ c ℓ(m) + a m − dual(a)."""
    return seen.loss + seen.work - float(seen.duals.sum())


def unrest(task: Task, gradient: Floats) -> float:
    """Part of the gap that the gradient makes, that of the bias in round figures."""
    g = gradient[:-1]
    return 0.5 * float(g @ g) / task.ridge + abs(float(gradient[-1]))
