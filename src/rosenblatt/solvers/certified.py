"""Minimise a convex objective until the gap proves it: the method by the shape of the rows.

======================  ===================================================================
method                  for
======================  ===================================================================
``newton``              squared hinge and logistic: Newton's steps on the loss itself
``newton on floors``    hinge: Newton's steps on smooth floors under it, each touching it better
======================  ===================================================================

Where rows are many against the features, a run over every eighth of them comes first: its weights
are so near that few steps over all rows are left.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.rows import n_cols, n_rows
from rosenblatt.rules.losses import HINGE
from rosenblatt.solvers.certificate import Bounds, bounds_at, slack, unrest
from rosenblatt.solvers.newton import Leader, Look, Place, descend, place_at
from rosenblatt.solvers.responses import Floor, Task
from rosenblatt.solvers.state import Ending

FIRST_WINDOW = 2.0  # at zero weights every row is inside
WARM_WINDOW = 0.3
NARROWING = 0.5
SETTLED = 1.0  # a floor is done with when its unrest is no more than this part of its slack
PART = 8  # a rough start learns from every eighth row
ROWS_A_WEIGHT = 4  # that it must have at least,
FEWEST = 500  # and in all
ROUGH_GAP = 3e-2
ROUGH_STEPS = 50
PATIENCE = 40  # steps without any progress, after which only rounding is left


@dataclass(frozen=True)
class Step:
    """A run after a step: the best weights so far, their bounds, and the pulls that prove them.

    `rows` is how many rows had a curvature, so that Newton's step had to look at them.
    """

    number: int
    w: Floats
    pulls: Floats
    bounds: Bounds
    method: str
    rows: int
    ending: Ending | None = None


@dataclass(frozen=True)
class Limits:
    """When a run ends: a gap that is small enough, so many steps, or a time on the clock."""

    tol: float
    max_iter: int
    deadline: float = np.inf

    def ending(self, step: Step) -> Ending | None:
        """How a run ends at a step, if it does."""
        if step.bounds.gap <= self.tol:
            return Ending.CERTIFIED
        if step.number >= self.max_iter:
            return Ending.STEPS_SPENT
        return Ending.TIME_SPENT if self.late else None

    @property
    def late(self) -> bool:
        """Whether the time has run out."""
        return time.monotonic() > self.deadline


def certify(task: Task, start: Floats | None, seed: int, limits: Limits) -> Iterator[Step]:
    """Steps until a limit speaks or only rounding is left; the last names its ending."""
    return until(minimise(task, start, seed, limits), limits)


def until(steps: Iterator[Step], limits: Limits) -> Iterator[Step]:
    """Steps of a run without an end, up to where a limit speaks or only rounding is left."""
    waited, best = 0, Bounds(np.inf, 0.0)
    for step in steps:
        waited = 0 if step.bounds.better_than(best) else waited + 1
        best = step.bounds
        ending = limits.ending(step) or (Ending.AT_ROUNDING if waited > PATIENCE else None)
        if ending is not None:
            yield replace(step, ending=ending)
            return
        yield step


def minimise(task: Task, start: Floats | None, seed: int, limits: Limits) -> Iterator[Step]:
    """Steps towards the best weights, without an end."""
    width = n_cols(task.blocks.problem.rows) + 1
    if start is None and worth_a_part(task):
        start = rough_start(task, seed, limits)
    place = place_at(task, np.zeros(width) if start is None else start)
    if task.loss == HINGE:
        looks = on_floors(task, place, FIRST_WINDOW if start is None else WARM_WINDOW, Leader(seed))
    else:
        looks = on_the_loss(task, place, Leader(seed))
    best_w, best = place.w, Bounds(np.inf, 0.0)
    for number, (seen, method) in enumerate(looks, 1):
        now = bounds_at(task, place, seen.loss)
        best_w = place.w if now.objective < best.objective else best_w
        best = best.tighter(now)
        rows = int(np.count_nonzero(seen.curvatures))
        yield Step(number, best_w, place.pulls, best, method, rows)


def on_the_loss(task: Task, place: Place, leader: Leader) -> Iterator[tuple[Look, str]]:
    """Newton's steps on a smooth loss."""
    for seen in descend(task, place, Floor(task.costs, 0.0), leader):
        yield seen, "newton"


def on_floors(
    task: Task, place: Place, window: float, leader: Leader
) -> Iterator[tuple[Look, str]]:
    """Newton's steps on one floor after another, each centred on the pulls of the one before."""
    centres = np.zeros_like(task.costs)
    while True:
        for seen in descend(task, place, Floor(centres, window), leader):
            yield seen, f"newton on a floor, window {window:.1e}"
            if unrest(task, seen.gradient) <= SETTLED * slack(task, place, seen.loss):
                break
        centres, window = place.pulls, NARROWING * window


def worth_a_part(task: Task) -> bool:
    """Whether a part of the rows tells enough about all."""
    rows = task.blocks.problem.rows
    return n_rows(rows) >= PART * max(FEWEST, ROWS_A_WEIGHT * (n_cols(rows) + 1))


def rough_start(task: Task, seed: int, limits: Limits) -> Floats:
    """Weights learned from every eighth row, drawn by a seed, each costing eight times as much."""
    n = n_rows(task.blocks.problem.rows)
    chosen = np.sort(np.random.default_rng(seed).choice(n, n // PART, replace=False))
    part = task._replace(
        blocks=Blocks(task.blocks.problem.take(chosen), task.blocks.n_jobs),
        signs=task.signs[chosen],
        costs=task.costs[chosen] * (n / len(chosen)),
    )
    w = np.zeros(n_cols(task.blocks.problem.rows) + 1)
    for step in certify(part, None, seed, replace(limits, tol=ROUGH_GAP, max_iter=ROUGH_STEPS)):
        w = step.w
    return w
