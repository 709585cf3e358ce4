"""What all rows answer at their margins: the loss, the pulls with their sums, the curvatures."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import Rows, add, add4, in_groups, n_cols
from rosenblatt.rules.convex import respond
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


@dataclass
class Place:
    """Where a run stands: weights (w, b), margins, and the pulls with their sums by sign."""

    w: Floats
    margins: Floats
    pulls: Floats
    sums: Floats


class Response(NamedTuple):
    """Answers of all rows: Σ c ℓ(m), Σ dual(a) and Σ a m by sign, and the curvature of each."""

    loss: float
    duals: Floats
    works: Floats
    curvatures: Floats


def respond_all(task: Task, place: Place, floor: Floor, *, anew: bool) -> Response:
    """Let all rows pull; the sums follow the pulls that changed, or are made anew."""
    curvatures = np.empty_like(place.margins)
    width = len(place.w)

    def here(block: Problem, *beside: Floats) -> Floats:
        sums = np.zeros((2, width + 2))
        loss = pull_rows(block.rows, task.loss, floor.window, anew, beside, sums)
        return np.append(sums.ravel(), loss)

    beside = (place.margins, task.signs, task.costs, floor.centres, place.pulls, curvatures)
    totals = task.blocks.total(here, *beside)
    by_sign = totals[:-1].reshape(2, width + 2)
    sums = by_sign[:, :width]
    place.sums = sums if anew else place.sums + sums
    return Response(float(totals[-1]), by_sign[:, width], by_sign[:, width + 1], curvatures)


def slope(task: Task, place: Place, moves: Floats, floor: Floor, t: float) -> float:
    """Derivative of the sum of the floor along margins + t moves."""

    def here(_: Problem, m: Floats, dm: Floats, c: Floats, a0: Floats) -> float:
        return float(slope_of_rows(task.loss, floor.window, t, m, dm, (c, a0)))

    return task.blocks.total(here, place.margins, moves, task.costs, floor.centres)


def losses(task: Task, margins: Floats) -> float:
    """Σ c ℓ(m)."""

    def here(_: Problem, m: Floats, c: Floats) -> float:
        return float(loss_of_rows(task.loss, m, c))

    return task.blocks.total(here, margins, task.costs)


@njit(cache=True, nogil=True)
def pull_rows(
    X: Rows,
    loss: int,
    window: float,
    anew: bool,  # noqa: FBT001
    beside: tuple[Floats, ...],
    sums: Floats,
) -> float:
    """Write pull and curvature of each row, and add what moved to the sums of its sign.

    Behind the sums of a sign stand its Σ dual(a) and Σ a m; returned is Σ c ℓ(m).
    """
    margins, signs, costs, centres, pulls, curvatures = beside
    bias = n_cols(X)
    rows, factors = np.zeros((2, 4), np.int64), np.zeros((2, 4))
    held = np.zeros(2, np.int64)
    total = 0.0
    for i in range(len(margins)):
        m, c = margins[i], costs[i]
        value, pull, curvatures[i] = respond(loss, m, c, centres[i], window)
        side = 1 if signs[i] > 0.0 else 0
        total += value
        sums[side, bias + 1] += pull if loss == HINGE else value + pull * m
        sums[side, bias + 2] += pull * m
        moved = pull if anew else pull - pulls[i]
        pulls[i] = pull
        if moved == 0.0:
            continue
        sums[side, bias] += moved
        if not in_groups(X):
            add(X, i, moved, sums[side])
            continue
        k = held[side]
        rows[side, k], factors[side, k] = i, moved
        held[side] = k + 1
        if k == 3:
            add_four(X, rows[side], factors[side], sums[side])
            held[side] = 0
    for side in range(2):
        for k in range(held[side]):
            add(X, rows[side, k], factors[side, k], sums[side])
    return total


@njit(cache=True, forceinline=True)
def add_four(X: Rows, rows: Floats, a: Floats, total: Floats) -> None:
    """Add four rows, each times its own number."""
    now = (rows[0], rows[1], rows[2], rows[3])
    add4(X, now, (a[0], a[1], a[2], a[3]), total)


@njit(cache=True, nogil=True)
def slope_of_rows(
    loss: int,
    window: float,
    t: float,
    margins: Floats,
    moves: Floats,
    beside: tuple[Floats, Floats],
) -> float:
    """−Σ pull · move at margins + t moves."""
    costs, centres = beside
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
