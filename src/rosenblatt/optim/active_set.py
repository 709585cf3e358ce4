"""The rows at work in a dual ascent, and their epochs.

Late in an ascent most multipliers have come to a bound for good, and only a few rows still move.
These then make a team, with a copy of their rows, so that an epoch and a leap cost what they are.
Who is in it is a guess, made anew at every look at the gap, which is over all rows.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import Shape, sample_orders
from rosenblatt.data.training_data import row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT, Rows, add, dot, n_cols, n_rows, prefetch_row
from rosenblatt.losses.conjugate import best_alpha, dual_increase_of, sample_gap
from rosenblatt.optim.duality_gap import Terms, inner
from rosenblatt.optim.subspace_acceleration import DualIterate, SubspaceAcceleration
from rosenblatt.types import Array, Floats, Ints

FIRST_SHRINK_EPOCHS, MAX_SHRINK_EPOCHS = 2, 32  # epochs
INACTIVE_AFTER_EPOCHS = (
    14  # after which a row may leave the team: it was left alone three times running
)
SLOW_INCREASE_RATIO = 0.3  # an epoch that rises by more than this share of what the one before did
PREFETCH_ROWS = UINT(4)  # rows, to be fetched


class DualVariables(NamedTuple):
    """The multiplier α of each row, what its best value depends on, and when it is next visited."""

    alpha: Floats
    squares: Floats
    shrink_for: Array
    next_visit: Array

    def take(self, chosen: Ints) -> "DualVariables":
        """Those of the chosen rows, copied."""
        return DualVariables(*(each[chosen] for each in self))


class Epoch(NamedTuple):
    """Which epoch it is, and how far the bias gives way to Σ α y (0: there is no bias)."""

    number: int
    bias_step: float


class Progress(NamedTuple):
    """What an epoch did: the dual's rise, what rows added to the gap when visited, and how many."""

    dual_increase: float
    gap: float
    rows: int


class ActiveSet:
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
        state: DualVariables,
        w: Floats,
        bias_step: float,
        *,
        inactive_excess: float = 0.0,
        accelerated: bool = False,
    ) -> None:
        self.state, self.accelerated = state, accelerated
        self._rows, self._terms, self._w = rows, terms, w
        self._bias_step, self._inactive_excess = bias_step, inactive_excess
        self._shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        self._acceleration = SubspaceAcceleration(rows, terms, bias_step)
        self._last_increase = np.inf

    def run_epoch(self, seed: int, number: int) -> Progress:
        """Visit every row that is awake once, after a leap where that is slow."""
        visit_all = self._accelerate_and_visit_all if self.accelerated else self._visit_all
        progress = visit_all(seed, number)
        self.accelerated = (
            self.accelerated or progress.dual_increase > SLOW_INCREASE_RATIO * self._last_increase
        )
        self._last_increase = progress.dual_increase
        excess = self._inactive_excess + float(inner(self.state.alpha, self._terms.signs))
        self._w[-1] += self._bias_step * excess
        return progress

    def _accelerate_and_visit_all(self, seed: int, number: int) -> Progress:
        iterate = DualIterate(self.state.alpha, self._w)
        saved = iterate.copy()
        accelerated_increase = self._acceleration.accelerate(iterate)
        progress = self._visit_all(seed, number)
        dual_increase = accelerated_increase + progress.dual_increase
        self._acceleration.adapt_damping(raised_dual=dual_increase >= 0.0)
        if dual_increase < 0.0:  # again, without the leap
            iterate.alpha[:], iterate.w[:] = saved
            progress = self._visit_all(seed, number)
            dual_increase = progress.dual_increase
        self._acceleration.remember(saved, iterate)
        return progress._replace(dual_increase=dual_increase)

    def _visit_all(self, seed: int, number: int) -> Progress:
        rows, state = self._rows, self.state
        epoch, progress = Epoch(number, self._bias_step), Progress(0.0, 0.0, 0)
        for visit in sample_orders(self._shape, (seed, number)):
            order = visit.order[: select_due(visit.order, state.next_visit, number)]
            dual_increase, gap = run_epoch(rows, order, self._terms, state, self._w, epoch)
            progress = Progress(
                progress.dual_increase + dual_increase,
                progress.gap + gap,
                progress.rows + len(order),
            )
        if not np.isfinite(progress.dual_increase):
            raise not_finite(rows)
        return progress


@njit(cache=True, nogil=True)
def choose_active(
    terms: Terms, state: DualVariables, scores: Floats, b: float, chosen: Array
) -> None:
    """Tell of each row whether it is to be in the team, by the scores w·x of all rows.

    Those are that a visit would change now, and those that were changed of late.
    """
    signs, sample_C, loss = terms
    alpha, squares, shrink_for, next_visit = state
    for i in range(len(signs)):
        if sample_C[i] > 0.0:
            margin = signs[i] * (scores[i] + b)
            moves = best_alpha(loss, alpha[i], margin, squares[i], sample_C[i]) != alpha[i]
            chosen[i] = moves or shrink_for[i] < INACTIVE_AFTER_EPOCHS
            if moves:
                shrink_for[i], next_visit[i] = 0, 0


@njit(cache=True, nogil=True)
def select_due(order: Ints, next_visit: Array, epoch: int) -> int:
    """Move the rows that are to be visited to the front of an order; give how many they are."""
    n = UINT(0)
    for position in range(len(order)):
        row = order[position]
        order[n] = row
        n += UINT(next_visit[UINT(row)] <= epoch)
    return int(n)


@njit(cache=True, nogil=True)
def run_epoch(
    X: Rows, order: Ints, terms: Terms, state: DualVariables, w: Floats, epoch: Epoch
) -> tuple[float, float]:
    """Give each row of an order its best multiplier; tell by how much the dual rose.

    And what the rows, each at its visit, added to the gap. Both are NaN where the score of a row is
    not a finite number.
    """
    signs, sample_C, loss = terms
    alpha, squares, shrink_for, next_visit = state
    b, last = len(w) - 1, UINT(len(order) - 1)
    dual_increase, gap = 0.0, 0.0
    for position in range(UINT(len(order))):
        prefetch_row(X, order[min(position + PREFETCH_ROWS, last)])
        i = UINT(order[position])
        margin = signs[i] * (dot(X, i, w) + w[b])
        if not np.isfinite(margin):
            return np.nan, np.nan
        before = alpha[i]
        after = best_alpha(loss, before, margin, squares[i], sample_C[i])
        gap += sample_gap(loss, before, after, margin, squares[i], sample_C[i])
        if after != before:
            step = (after - before) * signs[i]
            add(X, i, step, w)
            w[b] += epoch.bias_step * step
            dual_increase += dual_increase_of(loss, before, after, margin, squares[i], sample_C[i])
            alpha[i], shrink_for[i] = after, 0
        else:
            shrink_for[i] = min(2 * shrink_for[i] + FIRST_SHRINK_EPOCHS, MAX_SHRINK_EPOCHS)
            next_visit[i] = epoch.number + shrink_for[i]
    return dual_increase, gap
