"""Newton's method for convex losses: steps H δ = −g with H = ρ + Xᵀ Θ X, never formed in full.

The system is solved by conjugate gradients over the rows that have a curvature. The factor of H on
a sample of those rows leads them (the larger the curvature of a row, the likelier it is taken), so
that a handful of iterations is enough; it is made anew only when it takes too many. With very many
features the diagonal of H has to do. The step is as long as the slope along it stays downhill, and
that is seen from the margins alone, without another pass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.rows import n_cols
from rosenblatt.solvers import products
from rosenblatt.solvers.responses import Floor, Task, responses, slope

MOST_FACTORED = 4096  # features up to which H of a sample is factored
SAMPLE = 3  # rows a feature, in that sample,
LEAST_SAMPLE = 2048  # but no fewer
TOO_MANY = 8  # iterations, after which the factor is made anew
MOST_ITERATIONS = 60
HOLD = 1e-4  # of all costs: the curvature that holds the bias where no row does
FORCING = 0.1  # how far the residual has to fall


@dataclass
class Place:
    """Where a run stands: weights (w, b), margins, and the pulls with their sums by sign."""

    w: Floats
    margins: Floats
    pulls: Floats
    sums: Floats

    def resultant(self) -> Floats:
        """Σ a y (x, 1)."""
        return np.asarray(self.sums[1] - self.sums[0])


class Look(NamedTuple):
    """What is seen at a place: value, loss and gradient, and the curvature of each row."""

    value: float
    loss: float
    gradient: Floats
    curvatures: Floats


def place_at(task: Task, w: Floats) -> Place:
    """Place with given weights; no row pulls yet."""
    margins = margins_of(task, w)
    return Place(w.copy(), margins, np.zeros_like(margins), np.zeros((2, len(w))))


def margins_of(task: Task, w: Floats) -> Floats:
    """Margins y (w·x + b) of all rows; a FloatingPointError where one is not a number."""
    margins = np.empty_like(task.costs)
    products.scores(task.blocks, w, margins)
    margins *= task.signs
    require_finite(margins)
    return margins


def require_finite(numbers: Floats) -> None:
    """Refuse to go on with what is not a number: X holds one that is none, or is too large."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError


def look(task: Task, place: Place, floor: Floor) -> Look:
    """Let the rows pull, and see where that leads."""
    seen = responses(task, place.margins, floor)
    moved = seen.pulls - place.pulls
    if 2 * np.count_nonzero(moved) > np.count_nonzero(seen.pulls):  # anew, and without old rounding
        place.sums = products.sums_by_sign(task.blocks, seen.pulls, task.signs)
    else:
        place.sums = place.sums + products.sums_by_sign(task.blocks, moved, task.signs)
    place.pulls = seen.pulls
    gradient = task.ridge * place.w - place.resultant()
    gradient[-1] = gradient[-1] - task.ridge * place.w[-1] if task.bias else 0.0
    return Look(seen.value, seen.loss, gradient, seen.curvatures)


def descend(task: Task, place: Place, floor: Floor, leader: "Leader") -> Iterator[Look]:
    """Take Newton's steps down a floor, without an end; show each place before leaving it."""
    while True:
        seen = look(task, place, floor)
        yield seen
        chosen = np.flatnonzero(seen.curvatures)
        direction = leader.solve(task, chosen, seen.curvatures[chosen], -seen.gradient)
        walk(task, place, floor, direction)


def walk(task: Task, place: Place, floor: Floor, direction: Floats) -> None:
    """Move a place along a direction as far as it leads down."""
    moves = margins_of(task, direction)
    w, d = place.w[:-1], direction[:-1]
    lean, bend = task.ridge * float(w @ d), task.ridge * float(d @ d)

    def along(t: float) -> float:
        return lean + t * bend + slope(task, place.margins, moves, floor, t)

    t = downhill(along)
    place.w = place.w + t * direction
    place.margins = place.margins + t * moves


def downhill(along: Callable[[float], float]) -> float:
    """Step at which a rising slope has all but vanished, tried at 1 first."""
    start, end = along(0.0), along(1.0)
    near, far, t = 0.0, 1.0, 1.0
    low, high = start, end
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


@dataclass
class Leader:
    """Solves H δ = −g by conjugate gradients led by a factor of an earlier or sampled H."""

    seed: int = 0
    _lead: Callable[[Floats], Floats] | None = None
    _taken: int = 0
    _generator: Any = field(init=False)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def solve(self, task: Task, chosen: Ints, curvatures: Floats, b: Floats) -> Floats:
        """Solve to a part of the residual; the factor is made anew where it serves no longer."""
        if self._lead is None or self._taken > TOO_MANY:
            self._lead = self._factor(task, chosen, curvatures)

        hold = HOLD * float(task.costs.sum())

        def times(p: Floats) -> Floats:
            product = products.curved(task.blocks, chosen, curvatures, p)
            product[:-1] += task.ridge * p[:-1]
            product[-1] = product[-1] + hold * p[-1] if task.bias else p[-1]
            return product

        x, self._taken = conjugate_gradients(times, self._lead, b)
        if self._taken == MOST_ITERATIONS:
            self._lead = self._factor(task, chosen, curvatures)
        return x

    def _factor(self, task: Task, chosen: Ints, curvatures: Floats) -> Callable[[Floats], Floats]:
        width = n_cols(task.blocks.problem.rows) + 1
        hold = HOLD * float(task.costs.sum())
        if width > MOST_FACTORED:
            diagonal = products.squared(task.blocks, chosen, curvatures) + task.ridge
            diagonal[-1] = diagonal[-1] + hold if task.bias else 1.0
            require_finite(diagonal)
            return lambda r: r / diagonal
        rows, weights = self._sample(chosen, curvatures, max(SAMPLE * width, LEAST_SAMPLE))
        H = products.gram(task.blocks, rows, weights)
        H[np.diag_indices(width - 1)] += task.ridge
        if task.bias:
            H[-1, -1] += hold
        else:
            H[-1, :] = 0.0
            H[-1, -1] = 1.0
        return cholesky(H)

    def _sample(self, chosen: Ints, curvatures: Floats, n: int) -> tuple[Ints, Floats]:
        """About n of the rows, taken by their curvature, weighted so that H is met on average."""
        if len(chosen) <= n:
            return chosen, curvatures
        chance = np.minimum(1.0, n * curvatures / curvatures.sum())
        taken = self._generator.random(len(chosen)) < chance
        return chosen[taken], curvatures[taken] / chance[taken]


def cholesky(H: Floats) -> Callable[[Floats], Floats]:
    """Solver for H by its factor; what rounding has made indefinite is lifted a little."""
    require_finite(H)
    diagonal = np.diag(H).copy()
    lift = 0.0
    while True:
        factor, failed = dpotrf(H.T, lower=0, clean=0)
        if not failed:
            return lambda r: np.asarray(dpotrs(factor, r, lower=0)[0])
        lift = max(10 * lift, 1e-14)
        H[np.diag_indices(len(H))] = diagonal * (1.0 + lift)


def conjugate_gradients(
    times: Callable[[Floats], Floats], lead: Callable[[Floats], Floats], b: Floats
) -> tuple[Floats, int]:
    """Solve H x = b until the residual, as the leader measures it, has fallen by FORCING."""
    x, r = np.zeros_like(b), b.copy()
    z = lead(r)
    p, measure = z, float(r @ z)
    enough = FORCING**2 * measure
    for taken in range(1, MOST_ITERATIONS + 1):
        Hp = times(p)
        size = measure / float(p @ Hp)
        x += size * p
        r -= size * Hp
        z = lead(r)
        before, measure = measure, float(r @ z)
        if measure <= enough:
            return x, taken
        p *= measure / before
        p += z
    return x, MOST_ITERATIONS
