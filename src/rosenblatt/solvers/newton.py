"""Newton's method for convex losses: steps H δ = −g, as far as they lead down.

The step is as long as the slope along it stays downhill, and that is seen from the margins alone,
without another pass. If it moves the margins by μ, the pulls a′ = a − θ μ are to be expected, and
where its system is solved they give back the weights it leads to: ρ (w + δ) = Σ a′ y x. So they
prove the new place to be as good as it is, a step before the pulls that its rows answer with.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.rules.losses import HINGE, LOGISTIC, NEVER_FLAT
from rosenblatt.solvers import products
from rosenblatt.solvers.certificate import objective_of
from rosenblatt.solvers.leading import Leader, anything
from rosenblatt.solvers.responses import Floor, Place, Response, Task, expect, respond_all, slope
from rosenblatt.solvers.system import System, require_finite

SMALL_MOVE = 0.5  # of all margins: the curvature of a logistic loss hardly changes on the way
SQUARED = 3.0  # times e² is what a step from an error e was measured to leave


class Look(NamedTuple):
    """What is seen at a place: the answers of the rows, and the gradient.

    `error` is how far from the best the step that led there began, as a share of the objective.
    `expected` are the pulls it let expect, where they may prove more than the answers do.
    """

    response: Response
    gradient: Floats
    error: float = np.inf
    expected: Floats | None = None


def place_at(task: Task, w: Floats) -> Place:
    """Place with given weights; no row pulls yet."""
    margins = margins_of(task, w, np.empty_like(task.costs))
    pulls, curvatures = np.zeros_like(margins), np.empty_like(margins)
    return Place(w.copy(), margins, pulls, np.zeros((2, len(w))), curvatures)


def margins_of(task: Task, w: Floats, out: Floats) -> Floats:
    """Write the margins y (w·x + b); a FloatingPointError where one is not a number."""
    products.scores(task.blocks, w, out)
    out *= task.signs
    require_finite(np.add.reduce(out))
    return out


def look(task: Task, place: Place, floor: Floor, *, anew: bool) -> Look:
    """Let the rows pull, and see where that leads."""
    response = respond_all(task, place, floor, anew=anew)
    gradient = place.sums[0] - place.sums[1]
    gradient[:-1] += task.ridge * place.w[:-1]
    gradient[-1] *= task.bias
    return Look(response, gradient)


@dataclass
class Forecast:
    """How far from the best a step ends, as a share of the objective, told from where it starts.

    Newton's method squares the error e, or if it is slower, does no worse than the last step twice.
    The proof by the squared hinge is not so lucky: rows that change sides pull otherwise than their
    curvature told.
    """

    task: Task
    tol: float
    before: float = 0.0

    def left_by(self, error: float) -> float:
        """Share of the objective that a step from an error leaves of the gap."""
        if self.task.loss != LOGISTIC:
            return error
        fallen = min(1.0, error / self.before) if self.before > 0.0 else 0.0
        return max(SQUARED * error**2, error * fallen**2)

    def allowance(self, objective: float) -> Callable[[float], float]:
        """Most |r|² that a step may leave of its system, by the fall it promises.

        Only what may be the last step has to be so careful; the floors of a hinge are left before
        their end.
        """
        enough = self.task.ridge * objective * self.tol  # a gap of tol / 2

        def allowed(fall: float) -> float:
            return enough if self.left_by(fall / objective) <= 0.5 * self.tol else np.inf

        return anything if self.task.loss == HINGE else allowed


def descend(task: Task, place: Place, floor: Floor, leader: Leader, tol: float) -> Iterator[Look]:
    """Take Newton's steps as long as they lead down; show each place before leaving it."""
    moves, expected = np.empty_like(place.margins), None
    everything = np.arange(len(moves)) if task.loss >= NEVER_FLAT else None
    forecast = Forecast(task, tol)
    anew, step, error = True, 1.0, np.inf
    while step > 0.0:
        seen = look(task, place, floor, anew=anew)
        yield seen._replace(error=error, expected=expected)
        objective = objective_of(task, place, seen.response)
        allowed = forecast.allowance(objective)
        direction = leader.solve(system_of(task, place, everything), -seen.gradient, allowed)
        start = float(seen.gradient @ direction)
        step = walk(task, place, floor, direction, (start, moves))
        error = -0.5 * start / objective
        last = task.loss == LOGISTIC and step == 1.0 and forecast.left_by(error) <= tol
        expected = expect(task, place, moves, np.empty_like(moves)) if last else None
        forecast.before = error
        anew = task.loss >= NEVER_FLAT


def carry_over(task: Task, place: Place, floor: Floor, gradient: Floats, leader: Leader) -> None:
    """Move a place at rest on one floor towards rest on the next, centred on its pulls.

    The rows between their bounds are taken to stay there: on the narrower floor most are beyond
    them at first, and would be in no system.
    """
    inside = np.flatnonzero((floor.centres > 0.0) & (floor.centres < task.costs))
    if not len(inside):
        return
    stiffness = task.costs[inside] / floor.window
    more = task.signs[inside] * stiffness * (1.0 - place.margins[inside])
    b = products.sum_of(task.blocks, inside, more) - gradient
    b[-1] *= task.bias
    direction = leader.solve(System(task, inside, stiffness), b)
    walk(task, place, floor, direction, (None, np.empty_like(place.margins)))


def system_of(task: Task, place: Place, everything: Ints | None) -> System:
    """System of Newton's step, over the rows that bend; with some losses that is everything."""
    if everything is not None:
        return System(task, everything, place.curvatures)
    chosen = np.flatnonzero(place.curvatures)
    return System(task, chosen, place.curvatures[chosen])


def walk(
    task: Task, place: Place, floor: Floor, direction: Floats, along: tuple[float | None, Floats]
) -> float:
    """Move a place along a direction as far as it leads down; give how far that was.

    `along` is the slope there, if it is known, and room for the moves of the margins.
    """
    start, moves = along
    margins_of(task, direction, moves)
    w, d = place.w[:-1], direction[:-1]
    lean, bend = task.ridge * float(w @ d), task.ridge * float(d @ d)

    def slope_at(t: float) -> float:
        return lean + t * bend + slope(task, place, moves, floor, t)

    start = slope_at(0.0) if start is None else start
    surely = task.loss == LOGISTIC and largest(moves) <= SMALL_MOVE
    t = 1.0 if surely and start < 0.0 else downhill(slope_at, start)
    place.w = place.w + t * direction
    moves *= t
    place.margins += moves
    return t


def largest(moves: Floats) -> float:
    """Largest move of any margin."""
    return max(float(moves.max()), -float(moves.min()))


def downhill(along: Callable[[float], float], start: float) -> float:
    """Step at which a rising slope, `start` at 0, has all but vanished, tried at 1 first."""
    if start >= 0.0:  # rounding is all that is left
        return 0.0
    near, far, t = 0.0, 1.0, 1.0
    low, high = start, along(1.0)
    while high < 0.5 * start:  # still falling more than half as steeply: go on
        near, low, far = far, high, 2.0 * far
        high = along(far)
        if far > 1e9:
            return far
    if high <= -0.1 * start:
        return far
    for _ in range(20):
        t = near + (far - near) * min(max(low / (low - high), 0.1), 0.9)
        now = along(t)
        if abs(now) <= -0.1 * start:
            break
        if now < 0.0:
            near, low = t, now
        else:
            far, high = t, now
    return t
