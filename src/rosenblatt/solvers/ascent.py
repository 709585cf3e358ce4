"""Dual coordinate ascent: visit the rows, and give each the multiplier α that is best for it now.

The weights w = Σ α_i y_i x_i go along, so a visit costs one inner product and, where α changes, one
addition of the row: what a perceptron does. A row whose α stays at a bound is left alone, for twice
as many epochs each time. That is only a guess of what matters: whatever was left alone, the gap
between the objective and its dual is measured over all rows, and proves how good the weights are.

The bias has no penalty, so the dual wants Σ α y = 0. It is reached by steps: within an epoch the
bias is one more weight, held by a spring to where the epoch began, b = b₀ + reach · Σ α y; the next
epoch begins where it came to (the method of multipliers).
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem, row_bytes
from rosenblatt.data.rows import UINT, Rows, add, dot, fetch_row, n_cols, n_rows, square
from rosenblatt.data.visits import Shape, visits
from rosenblatt.rules.duals import best_alpha, gain, owed
from rosenblatt.rules.losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.solvers.duality import (
    Terms,
    balance,
    best_bias,
    combination,
    dual,
    half_square,
    inner,
    primal,
    scores_by,
)
from rosenblatt.solvers.leaps import Leaps, Place
from rosenblatt.solvers.responses import Task

FIRST_REST, LONGEST_REST = 2, 32  # epochs
SLOW = 0.7  # an epoch that rises by more than this share of what the one before did
SHARE = 0.1  # of the harmonic mean of ‖x‖²: measured on text
MARGIN = 4.0
NEVER = np.iinfo(np.int32).max
AHEAD = UINT(4)  # rows, to be fetched
MOST_EPOCHS, MOST_READINGS = 32, 8  # between two looks at the gap: epochs, and visits for each row
# the gap after an epoch, of what rows added to it at their visits: as it was on text
USUAL_SHARE = {HINGE: 0.6, SQUARED_HINGE: 0.35, LOGISTIC: 0.12}
HOPE = 0.9  # of `tol` is expected, before it is worth a look
DRIFT = 1e-11  # of ‖w‖² by rounding, before w is made anew
SMALLEST_SQUARE = 1e-300  # of a row: an empty one goes straight to its bound


@dataclass(frozen=True)
class Ascent:
    """The best weights and the best multipliers so far, with their objectives: P ≥ best ≥ D."""

    w: Floats
    b: float
    alpha: Floats
    primal: float
    dual: float
    passes: int

    @property
    def gap(self) -> float:
        """How far the objective can be above the best possible, as a share of it."""
        return (self.primal - self.dual) / self.primal if self.primal > 0.0 else 0.0


class Multipliers(NamedTuple):
    """The multiplier α of each row, what its best value depends on, and when it is next visited."""

    alpha: Floats
    squares: Floats
    rests: Array
    wakes: Array


class Epoch(NamedTuple):
    """Which epoch it is, and how far the bias gives way to Σ α y (0: there is no bias)."""

    number: int
    reach: float


class Progress(NamedTuple):
    """What an epoch did: the dual's rise, what rows added to the gap when visited, and how many."""

    rise: float
    gap: float
    rows: int


def ascend(
    task: Task, *, seed: int, tol: float = 0.0, start: tuple[Floats, float] | None = None
) -> Iterator[Ascent]:
    """Climb the dual without an end: an Ascent whenever the gap was measured.

    `start` gives multipliers and a bias to start from. The weights need a penalty, `task.ridge`.

    To measure the gap costs as much as an epoch. But what a row adds to it is known at its visit,
    and the sum of that stays in much the same proportion to the gap from one look to the next: so
    it is measured when it can be expected to be within `tol`, and else only now and then.
    """
    climber = Climber(task, start)
    best, share, epochs, rows = None, USUAL_SHARE[task.loss], 0, 0
    for number in itertools.count(1):
        seen = climber.climb(seed, number)
        epochs, rows = epochs + 1, rows + seen.rows
        hoped = HOPE * tol * (climber.height() if best is None else best.primal)
        long = epochs == MOST_EPOCHS or rows >= MOST_READINGS * len(task.signs)
        if long or share * seen.gap <= hoped:
            best = climber.measure(best, number)
            share = (best.primal - best.dual) / seen.gap if seen.gap > 0.0 else 1.0
            epochs, rows = 0, 0
            yield scaled(best, task.ridge)


def scaled(ascent: Ascent, ridge: float) -> Ascent:
    """The same for the objective as it was given: it was divided by ρ, to make ½‖w‖² of ½ρ‖w‖²."""
    if ridge == 1.0:
        return ascent
    return replace(
        ascent,
        alpha=ridge * ascent.alpha,
        primal=ridge * ascent.primal,
        dual=ridge * ascent.dual,
    )


class Climber:
    """The state of an ascent: multipliers, and the weights (w, b) they give."""

    def __init__(self, task: Task, start: tuple[Floats, float] | None = None) -> None:
        blocks, bias = task.blocks, task.bias
        terms = Terms(task.signs, task.costs / task.ridge, task.loss)
        rows = blocks.problem.rows
        n, d = n_rows(rows), n_cols(rows)
        self._blocks, self._terms, self._bias = blocks, terms, bias
        self._shape = Shape(n, d, row_bytes(rows))
        squares = np.concatenate(list(blocks.each(squares_of)))
        if not np.isfinite(squares).all():
            raise not_finite(rows)
        self._reach = reach_of(squares, terms.costs) if bias else 0.0
        self._state = Multipliers(
            alpha=np.zeros(n),
            squares=np.maximum(squares + self._reach, SMALLEST_SQUARE),
            rests=np.zeros(n, np.int32),
            wakes=np.where(terms.costs > 0.0, 0, NEVER).astype(np.int32),
        )
        self._w = np.zeros(d + 1)
        self._leaps = Leaps(rows, terms, self._reach)
        self._last_rise, self._slow = np.inf, False
        if start is not None:
            self._begin_at(start[0] / task.ridge, start[1])

    def _begin_at(self, alpha: Floats, b: float) -> None:
        signs, costs, loss = self._terms
        most = np.where(costs > 0.0, np.inf if loss == SQUARED_HINGE else costs, 0.0)
        np.clip(alpha, 0.0, most, out=self._state.alpha)
        self._w[:-1] = combination(self._blocks, self._state.alpha * signs)
        self._w[-1] = b

    def climb(self, seed: int, number: int) -> Progress:
        """Visit every row that is awake once, after a leap where that is slow."""
        visit_all = self._leap_and_visit_all if self._slow else self._visit_all
        seen = visit_all(seed, number)
        self._slow = self._slow or seen.rise > SLOW * self._last_rise
        self._last_rise = seen.rise
        if self._bias:
            self._w[-1] += self._reach * float(inner(self._state.alpha, self._terms.signs))
        return seen

    def _leap_and_visit_all(self, seed: int, number: int) -> Progress:
        place = Place(self._state.alpha, self._w)
        camp = place.copy()
        leapt = self._leaps.leap(place)
        seen = self._visit_all(seed, number)
        rise = leapt + seen.rise
        self._leaps.judge(paid=rise >= 0.0)
        if rise < 0.0:  # again, without the leap
            place.alpha[:], place.w[:] = camp
            seen = self._visit_all(seed, number)
            rise = seen.rise
        self._leaps.remember(camp, place)
        return seen._replace(rise=rise)

    def _visit_all(self, seed: int, number: int) -> Progress:
        rows, state = self._blocks.problem.rows, self._state
        epoch, seen = Epoch(number, self._reach), Progress(0.0, 0.0, 0)
        for visit in visits(self._shape, (seed, number)):
            order = visit.order[: keep_awake(visit.order, state.wakes, number)]
            rise, gap = climb(rows, order, self._terms, state, self._w, epoch)
            seen = Progress(seen.rise + rise, seen.gap + gap, seen.rows + len(order))
        if not np.isfinite(seen.rise):
            raise not_finite(rows)
        return seen

    def height(self) -> float:
        """The dual as it stands, but for the bias."""
        return dual(self._terms, self._state.alpha, self._w[:-1])

    def measure(self, best: Ascent | None, passes: int) -> Ascent:
        """The gap as it stands, from the best weights and multipliers there have been."""
        blocks, terms, alpha = self._blocks, self._terms, self._state.alpha
        w, b, scores, drift = self._scored()
        below = dual(terms, alpha, w)
        if self._bias:
            b = best_bias(terms, scores, b)
            alpha, balanced = balance(blocks, terms, alpha, w)
            below = dual(terms, alpha, balanced)
        now = Ascent(w, b, alpha, primal(terms, scores, w, b), below - drift, passes)
        return better(best, now)

    def _scored(self) -> tuple[Floats, float, Floats, float]:
        """Weights, bias, scores, and the drift of ½‖w‖² from ½‖Σ α y x‖² by rounding.

        It shows in the scores: Σ α y (x·w) is the inner product of the two. Weights that drifted
        are made anew from α.
        """
        alpha, w = self._state.alpha, self._w[:-1]
        for _ in range(2):
            scores = scores_by(self._blocks, w)
            square = 2.0 * half_square(w)
            drift = float(inner(alpha * self._terms.signs, scores)) - square
            if abs(drift) <= DRIFT * square:
                break
            w[:] = combination(self._blocks, alpha * self._terms.signs)
        return w, float(self._w[-1]), scores, drift


def better(best: Ascent | None, now: Ascent) -> Ascent:
    """The lower objective and the higher dual of two ascents, copied from the newer one."""
    if best is None or now.primal < best.primal:
        w, b, lowest = now.w.copy(), now.b, now.primal
    else:
        w, b, lowest = best.w, best.b, best.primal
    if best is None or now.dual > best.dual:
        alpha, highest = now.alpha.copy(), now.dual
    else:
        alpha, highest = best.alpha, best.dual
    return Ascent(w, b, alpha, lowest, highest, now.passes)


def reach_of(squares: Floats, costs: Floats) -> float:
    """How far the bias gives way to Σ α y, as one more feature with this square.

    Little against ‖x‖² of most rows, whose steps it shortens; yet Σ α y, which is at most the sum
    of the costs, must be able to move the bias by the width of the margin.
    """
    filled = squares[(squares > 0.0) & (costs > 0.0)]
    typical = len(filled) / float((1.0 / filled).sum()) if len(filled) else 0.0
    return max(SHARE * typical, MARGIN / (float(costs.sum()) or 1.0))


def squares_of(block: Problem) -> Floats:
    """Squared length of each row."""
    squares = np.empty(n_rows(block.rows))
    square_all(block.rows, squares)
    return squares


@njit(cache=True, nogil=True)
def square_all(X: Rows, squares: Floats) -> None:
    """Write the squared length of each row."""
    for i in range(len(squares)):
        squares[i] = square(X, i)


@njit(cache=True, nogil=True)
def keep_awake(order: Ints, wakes: Array, epoch: int) -> int:
    """Move the rows that are to be visited to the front of an order; give how many they are."""
    n = UINT(0)
    for place in range(len(order)):
        row = order[place]
        order[n] = row
        n += UINT(wakes[UINT(row)] <= epoch)
    return int(n)


@njit(cache=True, nogil=True)
def climb(
    X: Rows, order: Ints, terms: Terms, state: Multipliers, w: Floats, epoch: Epoch
) -> tuple[float, float]:
    """Give each row of an order its best multiplier; tell by how much the dual rose.

    And what the rows, each at its visit, added to the gap. Both are NaN where the score of a row is
    not a finite number.
    """
    signs, costs, loss = terms
    alpha, squares, rests, wakes = state
    b, last = len(w) - 1, UINT(len(order) - 1)
    rise, gap = 0.0, 0.0
    for place in range(UINT(len(order))):
        fetch_row(X, order[min(place + AHEAD, last)])
        i = UINT(order[place])
        margin = signs[i] * (dot(X, i, w) + w[b])
        if not np.isfinite(margin):
            return np.nan, np.nan
        before = alpha[i]
        gap += owed(loss, before, margin, costs[i])
        after = best_alpha(loss, before, margin, squares[i], costs[i])
        if after != before:
            step = (after - before) * signs[i]
            add(X, i, step, w)
            w[b] += epoch.reach * step
            rise += gain(loss, before, after, margin, squares[i], costs[i])
            alpha[i], rests[i] = after, 0
        else:
            rests[i] = min(2 * rests[i] + FIRST_REST, LONGEST_REST)
            wakes[i] = epoch.number + rests[i]
    return rise, gap
