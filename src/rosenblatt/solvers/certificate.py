"""The gap: how far a place is from the best, proved by the pulls on its rows."""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.rules.losses import HINGE
from rosenblatt.solvers.newton import Place
from rosenblatt.solvers.responses import Task, duals

ROUNDING = 1e-13  # of the objective


class Bounds(NamedTuple):
    """The objective at a place, and a value that no place goes below."""

    objective: float
    bound: float

    @property
    def gap(self) -> float:
        """(P − D)/P."""
        if self.objective == np.inf:
            return np.inf
        return (self.objective - self.bound) / self.objective if self.objective > 0 else 0.0

    def better_than(self, other: "Bounds") -> bool:
        """Whether either side is better by more than rounding."""
        if other.objective == np.inf:
            return True
        less = ROUNDING * other.objective
        return other.objective - self.objective > less or self.bound - other.bound > less

    def tighter(self, other: "Bounds") -> "Bounds":
        """The better of both on each side."""
        return Bounds(min(self.objective, other.objective), max(self.bound, other.bound))


def bounds_at(task: Task, place: Place, loss: float) -> Bounds:
    """Objective and bound at a place whose rows pull as they should, with a given loss."""
    w = place.w[:-1]
    objective = 0.5 * task.ridge * float(w @ w) + loss
    scales = balancing(place.sums[:, -1]) if task.bias else (1.0, 1.0)
    v = scales[1] * place.sums[1, :-1] - scales[0] * place.sums[0, :-1]
    return Bounds(objective, dual_bound(task, place, scales, v))


def balancing(weights: Floats) -> tuple[float, float]:
    """Scales that make both signs pull equally: the bias has no price of its own."""
    less = float(weights.min())
    return (less / weights[0], less / weights[1]) if less > 0 else (0.0, 0.0)


def dual_bound(task: Task, place: Place, scales: tuple[float, float], v: Floats) -> float:
    """D of the scaled pulls, or of the best fraction of them where that is known at once."""
    square = float(v @ v) / task.ridge
    if task.loss == HINGE:
        first = float(place.sums[0, -1] * scales[0] + place.sums[1, -1] * scales[1])
        t = min(1.0, first / square) if square > 0 else 1.0
        return t * first - 0.5 * t * t * square
    bound = duals(task, place.pulls, scales) - 0.5 * square
    return max(bound, 0.0)


def slack(task: Task, place: Place, loss: float) -> float:
    """Part of the gap that stays where the gradient vanishes: Σ c ℓ(m) + a m − dual(a)."""
    return loss + float(place.pulls @ place.margins) - duals(task, place.pulls, (1.0, 1.0))


def unrest(task: Task, gradient: Floats) -> float:
    """Part of the gap that the gradient makes, that of the bias in round figures."""
    g = gradient[:-1]
    return 0.5 * float(g @ g) / task.ridge + abs(float(gradient[-1]))
