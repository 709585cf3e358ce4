"""Newton's method for convex losses: steps H δ = −g with H = ρ + Xᵀ Θ X, never formed in full.

The system is solved by conjugate gradients over the rows that have a curvature. The factor of H on
a sample of those rows leads them (the larger the curvature of a row, the likelier it is taken), so
that a handful of iterations is enough; it is made anew once the iterations it has led cost more
than that would. With very many features the diagonal of H has to do. The step is as long as the
slope along it stays downhill, and that is seen from the margins alone, without another pass.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.problem import entries_in
from rosenblatt.data.rows import CSR, n_cols, n_rows
from rosenblatt.rules.losses import LOGISTIC, NEVER_FLAT
from rosenblatt.solvers import products, tiles
from rosenblatt.solvers.responses import Floor, Place, Response, Task, respond_all, slope

MOST_FACTORED = 4096  # features up to which H of a sample is factored
SAMPLE = 4  # rows a feature, in that sample,
LEAST_SAMPLE = 2048  # but no fewer
SPEED = 4.0  # how much quicker a product is in a wide Gram matrix than in H p
THINNED = 8  # times the rows wanted are looked at for a sample
MOST_ITERATIONS = 60
SMALL_MOVE = 0.5  # of all margins: the curvature of a logistic loss hardly changes on the way
FORCING = 0.03  # part of the gradient that a step may leave, or as far as the last step came

Solver = Callable[[Floats], Floats]


class Look(NamedTuple):
    """What is seen at a place: the answers of the rows, and the gradient."""

    response: Response
    gradient: Floats


def place_at(task: Task, w: Floats) -> Place:
    """Place with given weights; no row pulls yet."""
    margins = margins_of(task, w, np.empty_like(task.costs))
    return Place(w.copy(), margins, np.zeros_like(margins), np.zeros((2, len(w))))


def margins_of(task: Task, w: Floats, out: Floats) -> Floats:
    """Write the margins y (w·x + b); a FloatingPointError where one is not a number."""
    products.scores(task.blocks, w, out)
    out *= task.signs
    require_finite(np.add.reduce(out))
    return out


def require_finite(numbers: Floats) -> None:
    """Refuse to go on with what is not a number: X holds one that is none, or is too large."""
    if not np.isfinite(numbers).all():
        raise FloatingPointError


def look(task: Task, place: Place, floor: Floor, *, anew: bool) -> Look:
    """Let the rows pull, and see where that leads."""
    response = respond_all(task, place, floor, anew=anew)
    gradient = place.sums[0] - place.sums[1]
    gradient[:-1] += task.ridge * place.w[:-1]
    gradient[-1] *= task.bias
    return Look(response, gradient)


def descend(task: Task, place: Place, floor: Floor, leader: "Leader") -> Iterator[Look]:
    """Take Newton's steps as long as they lead down; show each place before leaving it."""
    moves = np.empty_like(place.margins)
    first, step = True, 1.0
    while step > 0.0:
        seen = look(task, place, floor, anew=first or task.loss >= NEVER_FLAT)
        first = False
        yield seen
        curvatures = seen.response.curvatures
        chosen = np.flatnonzero(curvatures)
        direction = leader.solve(task, chosen, curvatures[chosen], -seen.gradient)
        step = walk(task, place, floor, direction, (float(seen.gradient @ direction), moves))


def walk(
    task: Task, place: Place, floor: Floor, direction: Floats, along: tuple[float, Floats]
) -> float:
    """Move a place along a direction as far as it leads down; give how far that was.

    `along` is the slope there, and room for the moves of the margins.
    """
    start, moves = along
    margins_of(task, direction, moves)
    w, d = place.w[:-1], direction[:-1]
    lean, bend = task.ridge * float(w @ d), task.ridge * float(d @ d)

    def slope_at(t: float) -> float:
        return lean + t * bend + slope(task, place, moves, floor, t)

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


class Leader:
    """Solves H δ = −g by conjugate gradients, led by the factor of an earlier H or of a part."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self._lead: Solver | None = None
        self._length = 0.0  # of the last gradient
        self._patience = 0.0  # products that may still be spent before the factor is made anew

    def solve(self, task: Task, chosen: Ints, curvatures: Floats, b: Floats) -> Floats:
        """Solve to a part of the residual."""
        if not len(chosen):
            return held(task, b)
        if self._lead is None or self._patience <= 0.0:
            self._lead = self._factor(task, chosen, curvatures)

        def times(p: Floats) -> Floats:
            product = products.curved(task.blocks, chosen, curvatures, p)
            product[:-1] += task.ridge * p[:-1]
            product[-1] = product[-1] if task.bias else p[-1]
            return product

        length = float(np.linalg.norm(b))
        fallen = length / self._length if self._length > 0.0 else 1.0
        self._length = length
        x, taken = conjugate_gradients(times, self._lead, b, min(FORCING, fallen))
        self._patience -= taken * (4.0 * len(chosen) * entries_a_row(task) + 2.0 * len(b) ** 2)
        return x

    def _factor(self, task: Task, chosen: Ints, curvatures: Floats) -> Solver:
        width = n_cols(task.blocks.problem.rows) + 1
        if width > MOST_FACTORED:
            self._patience = 0.0
            diagonal = products.squared(task.blocks, chosen, curvatures)
            diagonal[:-1] += task.ridge
            diagonal[-1] = diagonal[-1] if task.bias else 1.0
            require_finite(diagonal)
            return lambda r: r / diagonal
        entries = entries_a_row(task)
        speed = SPEED if width > tiles.NARROW else 1.0
        cheap = int(speed * len(chosen) / max(entries, 1.0))  # costs a part of one product H p
        rows, weights = self._sample(chosen, curvatures, max(SAMPLE * width, LEAST_SAMPLE, cheap))
        self._patience = (len(rows) * entries**2 + width**3 / 3) / speed + len(chosen)
        sparse = isinstance(task.blocks.problem.rows, CSR)  # whose zeros have to stay zeros
        about_mean = task.bias and not sparse
        centre = products.mean_row(task.blocks, rows, weights) * about_mean
        H = products.gram(task.blocks, rows, weights, centre)
        H[np.diag_indices(width - 1)] += task.ridge
        H[-1, :-1] *= task.bias
        H[-1, -1] = H[-1, -1] if task.bias else 1.0
        return about(centre, cholesky(H))

    def _sample(self, chosen: Ints, curvatures: Floats, n: int) -> tuple[Ints, Floats]:
        """About n of the rows, taken by their curvature, weighted so that H is met on average."""
        if len(chosen) <= n:
            return chosen, curvatures
        every = max(1, len(chosen) // (THINNED * n))
        chosen, curvatures = chosen[::every], curvatures[::every] * every
        chance = np.minimum(1.0, curvatures * (n / curvatures.sum()))
        taken = np.flatnonzero(self._generator.random(len(chosen)) < chance)
        return chosen[taken], curvatures[taken] / chance[taken]


def held(task: Task, b: Floats) -> Floats:
    """Step where no row has a curvature: the bias is held at the mean row by all costs."""
    rows = products.spread(task.blocks)
    centre = products.mean_row(task.blocks, rows, task.costs[rows]) * task.bias
    diagonal = np.full(len(b), task.ridge)
    diagonal[-1] = float(task.costs.sum())
    return about(centre, lambda r: r / diagonal)(b)


def about(centre: Floats, solve: Solver) -> Solver:
    """Solver for rows (x, 1) from one for (x − centre, 1): only the bias is counted otherwise."""

    def solve_all(r: Floats) -> Floats:
        inside = r.copy()
        inside[:-1] -= r[-1] * centre
        x = solve(inside)
        x[-1] -= float(centre @ x[:-1])
        return x

    return solve_all


def entries_a_row(task: Task) -> float:
    """How many entries a row has, on average."""
    rows = task.blocks.problem.rows
    return entries_in(rows) / n_rows(rows)


def cholesky(H: Floats) -> Solver:
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
    times: Solver, lead: Solver, b: Floats, forcing: float
) -> tuple[Floats, int]:
    """Solve H x = b until the residual, as the leader measures it, has fallen to a part of b."""
    x, r = np.zeros_like(b), b.copy()
    z = lead(r)
    p, measure = z, float(r @ z)
    enough = forcing**2 * measure
    for taken in range(1, MOST_ITERATIONS + 1):
        Hp = times(p)
        bend = float(p @ Hp)
        if measure <= 0.0 or bend <= 0.0:  # rounding is all that is left
            return x, taken
        x += (measure / bend) * p
        r -= (measure / bend) * Hp
        z = lead(r)
        before, measure = measure, float(r @ z)
        if measure <= enough:
            return x, taken
        p *= measure / before
        p += z
    return x, MOST_ITERATIONS
