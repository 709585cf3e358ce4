"""What all rows answer at their margins: the loss, the pulls, the curvatures, and the dual."""

from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.rules.convex import dual_value, respond
from rosenblatt.rules.losses import HINGE, value_and_slope


class Task(NamedTuple):
    """A problem of two classes: minimise ½ρ‖w‖² + Σ c ℓ(y (w·x + b)).

    `signs` are the y, `costs` the c, `ridge` is ρ; without `bias` b stays 0.
    """

    blocks: Blocks
    loss: int
    signs: Floats
    costs: Floats
    ridge: float
    bias: bool


class Floor(NamedTuple):
    """What Newton's steps descend: the loss, or for the hinge a smooth floor under it."""

    centres: Floats
    window: float


class Response(NamedTuple):
    """Answers of all rows: the value of the floor, the loss itself, and an entry a row."""

    value: float
    loss: float
    pulls: Floats
    curvatures: Floats


def responses(task: Task, margins: Floats, floor: Floor) -> Response:
    """Answers of all rows at their margins."""
    pulls, curvatures = np.empty_like(margins), np.empty_like(margins)

    def here(_: Problem, m: Floats, c: Floats, a0: Floats, a: Floats, bend: Floats) -> Floats:
        return np.array(respond_rows(task.loss, m, c, a0, floor.window, a, bend))

    value, loss = task.blocks.total(here, margins, task.costs, floor.centres, pulls, curvatures)
    return Response(float(value), float(loss), pulls, curvatures)


def slope(task: Task, margins: Floats, moves: Floats, floor: Floor, t: float) -> float:
    """Derivative of the sum of the floor along margins + t moves."""

    def here(_: Problem, m: Floats, dm: Floats, c: Floats, a0: Floats) -> float:
        return float(slope_of_rows(task.loss, m, dm, c, a0, floor.window, t))

    return task.blocks.total(here, margins, moves, task.costs, floor.centres)


def losses(task: Task, margins: Floats) -> float:
    """Σ c ℓ(m)."""
    return task.blocks.total(
        lambda _, m, c: float(loss_of_rows(task.loss, m, c)), margins, task.costs
    )


def duals(task: Task, pulls: Floats, scales: tuple[float, float]) -> float:
    """Σ dual(a), the pulls on rows of sign −1 and +1 scaled each by its own number."""

    def here(_: Problem, a: Floats, c: Floats, y: Floats) -> float:
        return float(dual_of_rows(task.loss, a, c, y, scales))

    return task.blocks.total(here, pulls, task.costs, task.signs)


@njit(cache=True, nogil=True)
def respond_rows(  # noqa: PLR0913, PLR0917 (arrays side by side)
    loss: int,
    margins: Floats,
    costs: Floats,
    centres: Floats,
    window: float,
    pulls: Floats,
    curvatures: Floats,
) -> tuple[float, float]:
    """Write pull and curvature of each row; give the sums of the floor and of the loss."""
    floor, total = 0.0, 0.0
    for i in range(len(margins)):
        value, pull, curvature = respond(loss, margins[i], costs[i], centres[i], window)
        pulls[i], curvatures[i] = pull, curvature
        floor += value
        if loss == HINGE:
            total += costs[i] * max(0.0, 1.0 - margins[i])
    return floor, total if loss == HINGE else floor


@njit(cache=True, nogil=True)
def slope_of_rows(  # noqa: PLR0913, PLR0917 (arrays side by side)
    loss: int,
    margins: Floats,
    moves: Floats,
    costs: Floats,
    centres: Floats,
    window: float,
    t: float,
) -> float:
    """−Σ pull · move at margins + t moves."""
    total = 0.0
    for i in range(len(margins)):
        _, pull, _ = respond(loss, margins[i] + t * moves[i], costs[i], centres[i], window)
        total -= pull * moves[i]
    return total


@njit(cache=True, nogil=True)
def loss_of_rows(loss: int, margins: Floats, costs: Floats) -> float:
    """Σ c ℓ(m)."""
    total = 0.0
    for i in range(len(margins)):
        total += costs[i] * value_and_slope(loss, margins[i])[0]
    return total


@njit(cache=True, nogil=True)
def dual_of_rows(
    loss: int, pulls: Floats, costs: Floats, signs: Floats, scales: tuple[float, float]
) -> float:
    """Σ dual(a) of the scaled pulls."""
    total = 0.0
    for i in range(len(pulls)):
        scale = scales[1] if signs[i] > 0.0 else scales[0]
        total += dual_value(loss, scale * pulls[i], costs[i])
    return total
