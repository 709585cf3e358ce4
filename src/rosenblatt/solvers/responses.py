"""What all rows answer at their margins: the loss, the pulls with their sums, the curvatures."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import Rows, add, add4, fetch_row, in_groups, n_cols
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.convex import respond
from rosenblatt.rules.losses import HINGE, LOGISTIC, NEVER_FLAT, value_and_slope

AHEAD, SHORT = 32, 256  # rows, features: short rows that are all read, sign by sign, are fetched
FEW = 1024  # rows answered at a time, where no array of all is wanted


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
    """Where a run stands: weights (w, b), margins, and the pulls with their sums by sign.

    `curvatures` has room for an answer of every row: finding fresh memory takes the operating
    system as long as filling it.
    """

    w: Floats
    margins: Floats
    pulls: Floats
    sums: Floats
    curvatures: Floats


class Response(NamedTuple):
    """Answers of all rows: Σ c ℓ(m), Σ dual(a) by sign, Σ a m, and the curvature of each.

    The curvatures are the place's own, and overwritten by its next answer.
    """

    loss: float
    duals: Floats
    work: float
    curvatures: Floats


def respond_all(task: Task, place: Place, floor: Floor, *, anew: bool) -> Response:
    """Let all rows pull; the sums follow the pulls that changed, or are made anew."""
    shape = (2, len(place.w))

    def here(block: Problem, *beside: Floats) -> Floats:
        sums = np.zeros(shape)
        told = pull_rows(block.rows, task.loss, 1.0 / floor.window, anew, beside, sums)
        return np.append(told, sums)

    beside = (place.margins, task.signs, task.costs, floor.centres, place.pulls, place.curvatures)
    totals = task.blocks.total(here, *beside)
    loss, dual, signed_dual, work = (float(total) for total in totals[:4])
    sums = totals[4:].reshape(shape)
    place.sums = sums if anew else place.sums + sums
    duals = 0.5 * np.array([dual - signed_dual, dual + signed_dual])
    return Response(loss, duals, work, place.curvatures)


def expect(task: Task, place: Place, moves: Floats, out: Floats) -> Floats:
    """Write the pulls a − θμ that the curvatures θ let expect where the margins have moved by μ."""

    def here(_: Problem, *beside: Floats) -> None:
        expect_rows(*beside)

    for _ in task.blocks.each(here, place.pulls, place.curvatures, moves, task.costs, out):
        pass
    return out


def slope(task: Task, place: Place, moves: Floats, floor: Floor, t: float) -> float:
    """Derivative of the sum of the floor along margins + t moves."""

    def here(_: Problem, m: Floats, dm: Floats, c: Floats, a0: Floats) -> float:
        return float(slope_of_rows(task.loss, 1.0 / floor.window, t, m, dm, (c, a0)))

    return task.blocks.total(here, place.margins, moves, task.costs, floor.centres)


def losses(task: Task, margins: Floats) -> float:
    """Σ c ℓ(m)."""

    def here(_: Problem, m: Floats, c: Floats) -> float:
        return float(loss_of_rows(task.loss, m, c))

    return task.blocks.total(here, margins, task.costs)


@njit(cache=True, nogil=True)
def pull_rows(  # noqa: PLR0915 (a hot loop is one function)
    X: Rows,
    loss: int,
    sharpness: float,
    anew: bool,  # noqa: FBT001
    beside: tuple[Floats, ...],
    sums: Floats,
) -> tuple[float, float, float, float]:
    """Write pull and curvature of each row, and add what moved to the sums of its sign.

    Gives Σ c ℓ(m), Σ dual(a), Σ y dual(a) and Σ a m.
    """
    margins, signs, costs, centres, pulls, curvatures = beside
    n, bias = len(margins), n_cols(X)
    values, answers = np.empty(n), np.empty(n)
    answer_rows(loss, sharpness, margins, costs, centres, (values, answers, curvatures))
    rows, factors = np.zeros((2, 4), np.int64), np.zeros((2, 4))
    held = np.zeros(2, np.int64)
    in_turn = loss >= NEVER_FLAT and bias <= SHORT
    total, duals, signed_duals, work = 0.0, 0.0, 0.0, 0.0
    for i in range(n):
        pull = answers[i]
        done = pull * margins[i]
        dual = pull if loss == HINGE else values[i] + done
        total += values[i]
        duals += dual
        signed_duals += signs[i] * dual
        work += done
        moved = pull if anew else pull - pulls[i]
        pulls[i] = pull
        if moved == 0.0:
            continue
        side = 1 if signs[i] > 0.0 else 0
        sums[side, bias] += moved
        if not in_groups(X):
            add(X, i, moved, sums[side])
            continue
        if in_turn:
            fetch_row(X, min(i + AHEAD, n - 1))
        k = held[side]
        rows[side, k], factors[side, k] = i, moved
        held[side] = k + 1
        if k == 3:
            add_four(X, rows[side], factors[side], sums[side])
            held[side] = 0
    for side in range(2):
        for k in range(held[side]):
            add(X, rows[side, k], factors[side, k], sums[side])
    return total, duals, signed_duals, work


@njit(cache=True, forceinline=True)
def answer_rows(
    loss: int,
    sharpness: float,
    margins: Floats,
    costs: Floats,
    centres: Floats,
    answers: tuple[Floats, Floats, Floats],
) -> None:
    """Write loss, pull and curvature of each row; a loop of its own for each loss is vectorised."""
    values, pulls, curvatures = answers
    if loss == HINGE:
        for i in range(len(margins)):
            values[i], pulls[i], curvatures[i] = respond(
                HINGE, margins[i], costs[i], centres[i], sharpness
            )
    elif loss == LOGISTIC:
        for i in range(len(margins)):
            values[i], pulls[i], curvatures[i] = respond(LOGISTIC, margins[i], costs[i], 0.0, 1.0)
    else:
        for i in range(len(margins)):
            values[i], pulls[i], curvatures[i] = respond(loss, margins[i], costs[i], 0.0, 1.0)


@njit(cache=True, forceinline=True)
def add_four(X: Rows, rows: Floats, a: Floats, total: Floats) -> None:
    """Add four rows, each times its own number."""
    now = (rows[0], rows[1], rows[2], rows[3])
    add4(X, now, (a[0], a[1], a[2], a[3]), total)


@njit(cache=True, nogil=True)
def expect_rows(
    pulls: Floats, curvatures: Floats, moves: Floats, costs: Floats, out: Floats
) -> None:
    """Write a − θμ of each row, held between 0 and c."""
    for i in range(len(pulls)):
        out[i] = min(max(pulls[i] - curvatures[i] * moves[i], 0.0), costs[i])


@njit(cache=True, nogil=True)
def slope_of_rows(
    loss: int,
    sharpness: float,
    t: float,
    margins: Floats,
    moves: Floats,
    beside: tuple[Floats, Floats],
) -> float:
    """−Σ pull · move at margins + t moves."""
    costs, centres = beside
    total = 0.0
    there, told = np.empty(FEW), (np.empty(FEW), np.empty(FEW), np.empty(FEW))
    for start in range(0, len(margins), FEW):
        n = min(FEW, len(margins) - start)
        for i in range(n):
            there[i] = margins[start + i] + t * moves[start + i]
        stop = start + n
        answer_rows(loss, sharpness, there[:n], costs[start:stop], centres[start:stop], told)
        for i in range(n):
            total -= told[1][i] * moves[start + i]
    return total


@njit(cache=True, nogil=True)
def loss_of_rows(loss: int, margins: Floats, costs: Floats) -> float:
    """Σ c ℓ(m)."""
    total = 0.0
    for i in range(len(margins)):
        total += costs[i] * value_and_slope(loss, margins[i])[0]
    return total
