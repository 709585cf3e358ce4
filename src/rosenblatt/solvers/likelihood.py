"""Maximum likelihood: Newton's method for the logistic loss alone, long weights at no price.

P = Σ c log(1 + e⁻ᵐ) has no penalty, so where features depend on each other many weights are best:
the steps are the shortest ones (see positive.py), and so are the weights they lead to.

Pulls a bound P from below, by D = Σ dual(a), only if they balance exactly: Σ a y (x, 1) = 0. Those
of a place do not, but Newton's own step δ says how they would change: with moves μ = y (x, 1)·δ and
curvatures θ

    a′ = a − θ μ,      Σ a′ y (x, 1) = Σ a y (x, 1) − (Σ θ (x, 1)(x, 1)ᵀ) δ = 0

What rounding leaves of that sum, r, costs D no more than |r|·|w*|, w* being the best weights, for
which twice the last are taken. If more than rounding is left, because some direction is lost in H,
which is made of squares, nothing is proved.

Pulls that balance and are all positive also prove that there *are* best weights (Stiemke): if some
direction put no row on the wrong side, and not all on the boundary, the sum could not vanish. On
rows that such a direction leaves behind a′ is nothing but rounding: μ stays near 1 for ever. So a
place where a margin would still move by a half proves nothing.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.rows import CSR, n_cols
from rosenblatt.solvers import products
from rosenblatt.solvers.certificate import Bounds
from rosenblatt.solvers.certified import Step
from rosenblatt.solvers.duality import Terms, combination, sum_earned
from rosenblatt.solvers.duality_gap import Proof
from rosenblatt.solvers.factors import about
from rosenblatt.solvers.leading import MOST_FACTORED
from rosenblatt.solvers.newton import Look, downhill, look, margins_of, place_at
from rosenblatt.solvers.positive import factored
from rosenblatt.solvers.responses import Floor, Place, Task, losses, slope
from rosenblatt.solvers.system import require_finite

AT_REST = 0.5  # of a margin: less is left to every row where the likelihood has a maximum
BALANCED = 1e-12  # of Σ |a x|: more than rounding leaves
MOST_WEIGHTS = MOST_FACTORED  # of all units that are solved for together
FARTHEST = 1e4  # margins beyond which a row has no loss left that float64 could hold


class Aim(NamedTuple):
    """Newton's step from a place: how the weights would move, and how the margins would."""

    direction: Floats
    moves: Floats


def climb(task: Task, start: Floats | None) -> Iterator[Step]:
    """Steps towards the greatest likelihood, without an end."""
    width = n_cols(task.blocks.problem.rows) + 1
    place = place_at(task, np.zeros(width) if start is None else start)
    itself = Floor(task.costs, 1.0)  # its centres and window are not looked at
    centre = _centre(task)
    w, best, number = place.w, Bounds(np.inf, 0.0), 0

    def prove() -> Proof:
        nonlocal best
        best = proved(task, place, w, pulls, best.bound)
        return Proof(best, pulls, w)

    while True:
        seen = look(task, place, itself, anew=True)
        aim = aim_at(task, seen, centre)
        pulls = place.pulls - seen.response.curvatures * aim.moves
        bound = bound_of(task, pulls, aim)
        follow(task, place, itself, aim)
        now = Bounds(losses(task, place.margins), bound)
        w = place.w if now.objective < best.objective else w
        best, number = best.tighter(now), number + 1
        yield Step(number, w, pulls, best, "newton", len(task.costs), prove)


def aim_at(task: Task, seen: Look, centre: Floats) -> Aim:
    """Shortest of Newton's steps."""
    curvatures = seen.response.curvatures
    chosen = np.flatnonzero(curvatures)
    H = products.gram(task.blocks, chosen, curvatures[chosen], centre)
    require_finite(H)
    if not task.bias:
        H[-1, :] = 0.0
    factor = factored(np.tril(H) + np.tril(H, -1).T)
    solve = about(centre, lambda r: factor.solve(r[:, None])[:, 0])
    direction = solve(-seen.gradient)
    return Aim(direction, margins_of(task, direction, np.empty_like(task.costs)))


def follow(task: Task, place: Place, floor: Floor, aim: Aim) -> None:
    """Move a place along Newton's step as far as it leads up, but no margin out of all bounds."""

    def along(t: float) -> float:
        return slope(task, place, aim.moves, floor, t)

    t = downhill(along, along(0.0))
    t = min(t, max(1.0, FARTHEST / max(float(np.abs(aim.moves).max()), 1.0)))
    place.w = place.w + t * aim.direction
    place.margins += t * aim.moves


def bound_of(task: Task, pulls: Floats, aim: Aim) -> float:
    """D of pulls balanced by Newton's step; 0, which no loss goes below, where they prove none."""
    if float(aim.moves[task.costs > 0].max()) >= AT_REST:
        return 0.0
    return max(0.0, float(sum_earned(Terms(task.signs, task.costs, task.loss), pulls)))


def proved(task: Task, place: Place, w: Floats, pulls: Floats, bound: float) -> Bounds:
    """Bounds of the weights w from margins made anew, less what rounding leaves open."""
    margins = margins_of(task, w, np.empty_like(task.costs))
    drift = float(np.abs(margins - place.margins).max()) if w is place.w else 0.0
    objective = losses(task, margins)
    left = np.abs(total_row(task, pulls * task.signs))
    left[-1] *= task.bias
    sizes = np.abs(pulls)
    total = float(sizes.sum())
    scales = np.sqrt(products.squared(task.blocks, np.arange(len(pulls)), sizes)) * np.sqrt(total)
    if (left > BALANCED * scales).any():  # a direction that Newton's step was blind to
        return Bounds(objective, 0.0)
    return Bounds(objective, max(bound - 2.0 * float(left @ np.abs(w)) - drift * total, 0.0))


def total_row(task: Task, factors: Floats) -> Floats:
    """Σ u (x, 1) over all rows."""
    return np.append(combination(task.blocks, factors), factors.sum())


def _centre(task: Task) -> Floats:
    """Mean row, about which features far from zero lose no digits; sparse rows stay."""
    rows = task.blocks.problem.rows
    if isinstance(rows, CSR) or not task.bias:
        return np.zeros(n_cols(rows))
    return np.asarray(total_row(task, task.costs)[:-1] / task.costs.sum())
