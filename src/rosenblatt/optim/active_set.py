"""The active set of dual coordinate ascent, its epochs, and the shrinking of rows at their bounds.

Late in a run most dual variables stay at a bound, and only those of a few rows still change. These
rows form the active set, with a copy of their data, so that an epoch costs no more than they do. A
row whose α does not change at a visit is not visited for 2, 6, 14, then 30 … epochs (shrinking;
Hsieh et al. 2008, §3.2). Both are guesses: the gap is measured over all rows, and the active set is
chosen afresh each time.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.data.shuffle import Shape, sample_orders
from rosenblatt.data.training_data import row_bytes
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT, Rows, add, dot, n_cols, n_rows, prefetch_row
from rosenblatt.losses.conjugate import best_alpha, dual_increase_of, sample_gap
from rosenblatt.optim.duality_gap import LossTerms, inner
from rosenblatt.optim.subspace_acceleration import DualIterate, SubspaceAcceleration
from rosenblatt.types import Array, Floats, Ints

FIRST_SHRINK_EPOCHS, MAX_SHRINK_EPOCHS = 2, 32
INACTIVE_AFTER_EPOCHS = 14  # of shrinking: α did not change at three visits in succession
SLOW_INCREASE_RATIO = 0.3  # of the increases of D by two successive epochs: above it, accelerate
PREFETCH_ROWS = UINT(4)  # rows ahead


class DualVariables(NamedTuple):
    """α and ‖x‖² of each row, for how many epochs it is shrunk, and the epoch of its next visit."""

    alpha: Floats
    squares: Floats
    shrink_for: Array
    next_visit: Array

    def take(self, rows: Ints) -> "DualVariables":
        """Those of some rows, copied."""
        return DualVariables(*(each[rows] for each in self))


class Epoch(NamedTuple):
    """Number of an epoch, and db / d(Σ α y) within it (0: there is no intercept)."""

    number: int
    intercept_step: float


class Progress(NamedTuple):
    """Increase of D by an epoch, sum of the rows' gaps when visited, and number of visits."""

    dual_increase: float
    gap: float
    rows: int


class ActiveSet:
    """The rows of the active set, and their epochs.

    Parameters
    ----------
    rows, terms, state
        The rows, the losses on them, and their dual variables, which are changed in place.
    w : ndarray
        Weights (w, b) of all rows, changed in place.
    intercept_step : float
        db / d(Σ α y) within an epoch (dual_cd.py); 0 without an intercept.
    inactive_excess : float, default=0.0
        Σ α y of the rows that are not in the active set.
    accelerated : bool, default=False
        Whether epochs follow an accelerated step.
    """

    def __init__(  # noqa: PLR0913
        self,
        rows: Rows,
        terms: LossTerms,
        state: DualVariables,
        w: Floats,
        intercept_step: float,
        *,
        inactive_excess: float = 0.0,
        accelerated: bool = False,
    ) -> None:
        self.state, self.accelerated = state, accelerated
        self._rows, self._terms, self._w = rows, terms, w
        self._intercept_step, self._inactive_excess = intercept_step, inactive_excess
        self._shape = Shape(n_rows(rows), n_cols(rows), row_bytes(rows))
        self._acceleration = SubspaceAcceleration(rows, terms, intercept_step)
        self._last_increase = np.inf

    def run_epoch(self, seed: int, number: int) -> Progress:
        """Visit every row that is due once, after an accelerated step where epochs are slow."""
        visit_all = self._accelerate_and_visit_all if self.accelerated else self._visit_all
        progress = visit_all(seed, number)
        self.accelerated = (
            self.accelerated or progress.dual_increase > SLOW_INCREASE_RATIO * self._last_increase
        )
        self._last_increase = progress.dual_increase
        excess = self._inactive_excess + float(inner(self.state.alpha, self._terms.signs))
        self._w[-1] += self._intercept_step * excess
        return progress

    def _accelerate_and_visit_all(self, seed: int, number: int) -> Progress:
        iterate = DualIterate(self.state.alpha, self._w)
        saved = iterate.copy()
        accelerated_increase = self._acceleration.accelerate(iterate)
        progress = self._visit_all(seed, number)
        dual_increase = accelerated_increase + progress.dual_increase
        self._acceleration.adapt_damping(raised_dual=dual_increase >= 0.0)
        if dual_increase < 0.0:  # repeat the epoch without the accelerated step
            iterate.alpha[:], iterate.w[:] = saved
            progress = self._visit_all(seed, number)
            dual_increase = progress.dual_increase
        self._acceleration.remember(saved, iterate)
        return progress._replace(dual_increase=dual_increase)

    def _visit_all(self, seed: int, number: int) -> Progress:
        rows, state = self._rows, self.state
        epoch, progress = Epoch(number, self._intercept_step), Progress(0.0, 0.0, 0)
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
    terms: LossTerms, state: DualVariables, scores: Floats, b: float, is_active: Array
) -> None:
    """Write whether each row belongs to the active set, from the scores w·x of all rows.

    It does where a visit would change its α now, or a recent one has.
    """
    signs, sample_C, loss = terms
    alpha, squares, shrink_for, next_visit = state
    for i in range(len(signs)):
        if sample_C[i] > 0.0:
            margin = signs[i] * (scores[i] + b)
            changes = best_alpha(loss, alpha[i], margin, squares[i], sample_C[i]) != alpha[i]
            is_active[i] = changes or shrink_for[i] < INACTIVE_AFTER_EPOCHS
            if changes:
                shrink_for[i], next_visit[i] = 0, 0


@njit(cache=True, nogil=True)
def select_due(order: Ints, next_visit: Array, epoch: int) -> int:
    """Move the rows that are due to the front of an order; give their number."""
    n = UINT(0)
    for position in range(len(order)):
        row = order[position]
        order[n] = row
        n += UINT(next_visit[UINT(row)] <= epoch)
    return int(n)


@njit(cache=True, nogil=True)
def run_epoch(
    X: Rows, order: Ints, terms: LossTerms, state: DualVariables, w: Floats, epoch: Epoch
) -> tuple[float, float]:
    """Give each row of an order its best α; give the increase of D and the sum of the rows' gaps.

    Both are NaN where the score of a row is not finite.
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
            w[b] += epoch.intercept_step * step
            dual_increase += dual_increase_of(loss, before, after, margin, squares[i], sample_C[i])
            alpha[i], shrink_for[i] = after, 0
        else:
            shrink_for[i] = min(2 * shrink_for[i] + FIRST_SHRINK_EPOCHS, MAX_SHRINK_EPOCHS)
            next_visit[i] = epoch.number + shrink_for[i]
    return dual_increase, gap
