"""The rows at work in a dual ascent, and their epochs.

Late in an ascent most multipliers have come to a bound for good, and only a few rows still move.
These then make a team, with a copy of their rows, so that an epoch and a leap cost what they are.
Who is in it is a guess, made anew at every look at the gap, which is over all rows.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Floats, Ints
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import row_bytes
from rosenblatt.data.rows import UINT, Rows, add, dot, fetch_row, n_cols, n_rows
from rosenblatt.data.visits import Shape, visits
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.duals import best_alpha, gain, owed
from rosenblatt.solvers.duality import Terms, inner
from rosenblatt.solvers.leaps import Leaps, Place

FIRST_REST, LONGEST_REST = 2, 32  # epochs
LONG_REST = 14  # after which a row may leave the team: it was left alone three times running
SLOW = 0.3  # an epoch that rises by more than this share of what the one before did
AHEAD = UINT(4)  # rows, to be fetched


class Multipliers(NamedTuple):
    """The multiplier α of each row, what its best value depends on, and when it is next visited."""

    alpha: Floats
    squares: Floats
    rests: Array
    wakes: Array

    def take(self, chosen: Ints) -> "Multipliers":
        """Those of the chosen rows, copied."""
        return Multipliers(*(each[chosen] for each in self))


class Epoch(NamedTuple):
    """Which epoch it is, and how far the bias gives way to Σ α y (0: there is no bias)."""

    number: int
    reach: float


class Progress(NamedTuple):
    """What an epoch did: the dual's rise, what rows added to the gap when visited, and how many."""

    rise: float
    gap: float
    rows: int


class Team:
    """Rows that climb together.

    Parameters
    ----------
    rows, terms, state
        The rows, and their multipliers, which are changed in place.
    w : ndarray
        Weights (w, b) of all rows, changed in place.
    reach : float
        How far the bias gives way to Σ α y; 0 if there is none.
    away : float, default=0.0
        Σ α y of the rows that are not in the team.
    slow : bool, default=False
        Whether leaps are needed.
    """

    def __init__(  # noqa: PLR0913
        self,
        rows: Rows,
        terms: Terms,
        state: Multipliers,
        w: Floats,
        reach: float,
        *,
        away: float = 0.0,
        slow: bool = False,
    ) -> None:
        self.state, self.slow = state, slow
        self._rows, self._terms, self._w = rows, terms, w
        self._reach, self._away = reach, away
        self._shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        self._leaps = Leaps(rows, terms, reach)
        self._last_rise = np.inf

    def climb(self, seed: int, number: int) -> Progress:
        """Visit every row that is awake once, after a leap where that is slow."""
        visit_all = self._leap_and_visit_all if self.slow else self._visit_all
        seen = visit_all(seed, number)
        self.slow = self.slow or seen.rise > SLOW * self._last_rise
        self._last_rise = seen.rise
        excess = self._away + float(inner(self.state.alpha, self._terms.signs))
        self._w[-1] += self._reach * excess
        return seen

    def _leap_and_visit_all(self, seed: int, number: int) -> Progress:
        place = Place(self.state.alpha, self._w)
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
        rows, state = self._rows, self.state
        epoch, seen = Epoch(number, self._reach), Progress(0.0, 0.0, 0)
        for visit in visits(self._shape, (seed, number)):
            order = visit.order[: keep_awake(visit.order, state.wakes, number)]
            rise, gap = climb(rows, order, self._terms, state, self._w, epoch)
            seen = Progress(seen.rise + rise, seen.gap + gap, seen.rows + len(order))
        if not np.isfinite(seen.rise):
            raise not_finite(rows)
        return seen


@njit(cache=True, nogil=True)
def choose(terms: Terms, state: Multipliers, scores: Floats, b: float, chosen: Array) -> None:
    """Tell of each row whether it is to be in the team, by the scores w·x of all rows.

    Those are that a visit would change now, and those that were changed of late.
    """
    signs, costs, loss = terms
    alpha, squares, rests, wakes = state
    for i in range(len(signs)):
        if costs[i] > 0.0:
            margin = signs[i] * (scores[i] + b)
            moves = best_alpha(loss, alpha[i], margin, squares[i], costs[i]) != alpha[i]
            chosen[i] = moves or rests[i] < LONG_REST
            if moves:
                rests[i], wakes[i] = 0, 0


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
        after = best_alpha(loss, before, margin, squares[i], costs[i])
        gap += owed(loss, before, after, margin, squares[i], costs[i])
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
