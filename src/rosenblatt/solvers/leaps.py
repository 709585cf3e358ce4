"""Leaps: before an epoch of an ascent, to the best point of the space its last few steps span.

Coordinate ascent creeps where rows are much alike: an epoch then goes on in the direction of the
one before. The dual is a quadratic, or nearly one, so its best point over a few directions is found
from their inner products alone, without a look at the rows (conjugate directions, of which the
epochs are the preconditioner). Multipliers that would leave their bounds stop there, and only their
rows are read.

The rows that stopped miss the others, and the dual may fall far below where the leap began. But
what throws it down are the few directions that many rows share, and they are the ones an epoch
puts right at once: so a leap is judged only after the epoch that follows it.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.rows import Rows, add, n_cols, n_rows
from rosenblatt.kernel_cache import njit
from rosenblatt.rules.duals import bend, pull, within
from rosenblatt.solvers.duality import Terms, half_square, inner, sum_earned

DIRECTIONS = 3  # each of a leap and the epoch after it
BOLDER = 1.5
FARTHEST = 1e3  # times a step: more would blow up its rounding
FAINTEST = 3e-7  # of w: the slope along a shorter step is lost in the rounding of its weights
TINY = 1e-14  # added to the diagonal, as a share of its largest: steps may be parallel


class Place(NamedTuple):
    """A point of the ascent: the multipliers α, and the weights (w, b) they give."""

    alpha: Floats
    w: Floats

    def copy(self) -> "Place":
        """The same numbers in memory of their own."""
        return Place(self.alpha.copy(), self.w.copy())

    def between(self, start: "Place", end: "Place") -> None:
        """Become the step from one place to another."""
        np.subtract(end.alpha, start.alpha, out=self.alpha)
        np.subtract(end.w, start.w, out=self.w)


class Leaps:
    """Remembers the last few steps, and leaps to the best point they span, or part of the way.

    Parameters
    ----------
    rows, terms
        The problem.
    reach : float
        How far the bias gives way to Σ α y; 0 if there is none.
    """

    def __init__(self, rows: Rows, terms: Terms, reach: float) -> None:
        self._rows, self._terms, self._reach = rows, terms, reach
        self._grip = 1.0 / reach if reach > 0.0 else 0.0  # what b² counts, as a part of ‖w‖²
        # steps that were never made are zero, and do nothing
        self._alphas = np.zeros((DIRECTIONS, n_rows(rows)))
        self._ws = np.zeros((DIRECTIONS, n_cols(rows) + 1))
        self._oldest, self._boldness = 0, 1.0

    def remember(self, start: Place, end: Place) -> None:
        """Take the step from one place to another for a direction, instead of the oldest."""
        Place(self._alphas[self._oldest], self._ws[self._oldest]).between(start, end)
        self._oldest = (self._oldest + 1) % DIRECTIONS

    def leap(self, place: Place) -> float:
        """Move on, in place; tell by how much the dual rose, or fell where bounds were met."""
        newest = self._ws[self._oldest - 1]
        if half_square(newest) <= FAINTEST**2 * half_square(place.w):
            return 0.0
        bends, slopes = model(self._terms, place, self._alphas, self._ws, self._grip)
        shares: Floats = self._boldness * np.linalg.solve(bends, slopes).astype(np.float64)
        if not np.abs(shares).max() < FARTHEST:
            return 0.0
        before, height = place.alpha.copy(), self._height(place)
        add_shares(shares, self._alphas, place.alpha)
        add_shares(shares, self._ws, place.w)
        keep_within(self._rows, self._terms, before, place, self._reach)
        return self._height(place) - height

    def judge(self, *, paid: bool) -> None:
        """Go half as far next time where a leap did not pay; else farther, up to all the way."""
        self._boldness = min(1.0, BOLDER * self._boldness) if paid else 0.5 * self._boldness

    def _height(self, place: Place) -> float:
        spring = 0.5 * self._grip * float(place.w[-1]) ** 2
        return float(sum_earned(self._terms, place.alpha) - half_square(place.w[:-1])) - spring


@njit(cache=True, nogil=True)
def model(
    terms: Terms, place: Place, alphas: Floats, ws: Floats, grip: float
) -> tuple[Floats, Floats]:
    """How the dual bends along each two steps from a place, and its slope along each."""
    (signs, costs, loss), (alpha, w) = terms, place
    n, k, b = len(signs), len(ws), len(w) - 1
    forces, stiffs, stiff_steps = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        if costs[i] > 0.0:
            forces[i] = pull(loss, alpha[i], costs[i])
            stiffs[i] = bend(loss, alpha[i], costs[i])
    bends, slopes, largest = np.zeros((k, k)), np.zeros(k), 0.0
    for s in range(k):
        for i in range(n):
            stiff_steps[i] = stiffs[i] * alphas[s, i]
        spring = grip * ws[s, b]
        slopes[s] = inner(forces, alphas[s]) - inner(ws[s, :b], w[:b]) - spring * w[b]
        for t in range(s + 1):
            bends[s, t] = inner(stiff_steps, alphas[t]) + inner(ws[s, :b], ws[t, :b])
            bends[s, t] += spring * ws[t, b]
            bends[t, s] = bends[s, t]
        largest = max(largest, bends[s, s])
    for s in range(k):
        bends[s, s] += TINY * largest if largest > 0.0 else 1.0
    return bends, slopes


@njit(cache=True, nogil=True)
def add_shares(shares: Floats, steps: Floats, to: Floats) -> None:
    """Add each step, times its share."""
    for s in range(len(shares)):
        for j in range(len(to)):
            to[j] += shares[s] * steps[s, j]


@njit(cache=True, nogil=True)
def keep_within(X: Rows, terms: Terms, before: Floats, new: Place, reach: float) -> None:
    """Stop multipliers at their bounds, and take what they went too far out of the weights."""
    (signs, costs, loss), (alpha, w) = terms, new
    for i in range(len(signs)):
        if costs[i] > 0.0 and alpha[i] != before[i]:
            kept = within(loss, alpha[i], before[i], costs[i])
            if kept != alpha[i]:
                step = (kept - alpha[i]) * signs[i]
                add(X, i, step, w)
                w[len(w) - 1] += reach * step
                alpha[i] = kept
