"""Dual coordinate ascent (Hsieh et al. 2008): maximise D over one α at a time, all others fixed.

    D(α) = Σ dual(α_i) − ½ ‖w‖²,   w = Σ α_i y_i x_i,   0 ≤ α_i ≤ C_i

w is kept up to date, so a visit costs one inner product and, where α changes, one addition of the
row, like the update of a perceptron. Rows whose α stays at a bound are shrunk from the active set
(active_set.py). The gap is measured over all rows from time to time, and proves the weights.

The intercept is not penalised, so the dual has the constraint Σ α y = 0. It is met by the method of
multipliers: within an epoch b = b₀ + η Σ α y, as if the intercept were one more weight, penalised
by (b − b₀)²/2η; the next epoch begins with b₀ = b. η is `intercept_step`.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.csr import rows_take
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.optim.active_set import ActiveSet, DualVariables, Progress, choose_active
from rosenblatt.optim.duality_gap import (
    DualityGap,
    LossTerms,
    balance,
    best_intercept,
    dual_objective,
    half_square,
    inner,
    primal_objective,
    scores_of,
    sum_dual_terms,
    sum_of_rows,
)
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.types import Floats, Ints

INTERCEPT_STEP_SHARE = 0.1  # of the harmonic mean of ‖x‖²: measured on text
MIN_INTERCEPT_RANGE = 4.0  # of b within an epoch
NEVER_VISITED = np.iinfo(np.int32).max
MAX_ACTIVE_SHARE = 0.4  # of all rows: an active set so small is worth the memory of a copy
MAX_EPOCHS_BETWEEN_GAPS = 32
MAX_VISITS_BETWEEN_GAPS = 8  # a row
# measured on text: the gap after an epoch / the sum of the rows' gaps at their visits
INITIAL_GAP_RATIO = {HINGE: 0.6, SQUARED_HINGE: 0.35, LOGISTIC: 0.12}
EXPECTED_GAP_SHARE = 0.9  # of `tol`: an expected gap below it is worth measuring
MAX_DRIFT_SHARE = 1e-11  # of ‖w‖²: more rounding than this, and w is recomputed from α
MIN_SQUARED_NORM = 1e-300  # of a row: the α of an empty one goes straight to its bound


@dataclass(frozen=True)
class DualAscentState:
    """The best weights and the best dual variables so far, with their duality gap."""

    w: Floats
    b: float
    alpha: Floats
    bounds: DualityGap
    epoch: int


def never_due(_epoch: int) -> bool:
    """Require the gap after no particular epoch."""
    return False


def ascend(
    objective: BinaryObjective,
    *,
    seed: int,
    tol: float = 0.0,
    start: tuple[Floats, float] | None = None,
    is_due: Callable[[int], bool] = never_due,
) -> Iterator[DualAscentState]:
    """Dual coordinate ascent without end: the state whenever the gap was measured.

    `start` gives initial dual variables and an intercept; `is_due` tells whether the gap must be
    known after an epoch, by its number. The objective needs an l2 penalty.

    Measuring the gap costs as much as an epoch. But the gap of a row is known at its visit, and the
    ratio of the gap to their sum hardly changes between two measurements. So the gap is measured
    when it can be expected to be within `tol`, and otherwise only now and then.
    """
    ascent = DualCoordinateAscent(objective, start)
    best, gap_ratio, epochs, visits = None, INITIAL_GAP_RATIO[objective.loss], 0, 0
    max_visits = MAX_VISITS_BETWEEN_GAPS * len(objective.signs)
    for number in itertools.count(1):
        progress = ascent.run_epoch(seed, number)
        epochs, visits = epochs + 1, visits + progress.rows
        primal = ascent.dual_value() if best is None else best.bounds.primal
        target = EXPECTED_GAP_SHARE * tol * primal
        overdue = epochs == MAX_EPOCHS_BETWEEN_GAPS or visits >= max_visits
        if overdue or gap_ratio * progress.gap <= target or is_due(number):
            best = ascent.measure(best, number)
            gap = best.bounds.primal - best.bounds.dual
            gap_ratio = gap / progress.gap if progress.gap > 0.0 else 1.0
            epochs, visits = 0, 0
            yield scaled(best, objective.l2)


def scaled(state: DualAscentState, l2: float) -> DualAscentState:
    """The state for the objective with ½ρ‖w‖²: ascent solves it divided by ρ."""
    if l2 == 1.0:
        return state
    bounds = DualityGap(l2 * state.bounds.primal, l2 * state.bounds.dual)
    return replace(state, alpha=l2 * state.alpha, bounds=bounds)


class DualCoordinateAscent:
    """Dual variables of all rows, the weights (w, b) they give, and the active set."""

    def __init__(
        self, objective: BinaryObjective, start: tuple[Floats, float] | None = None
    ) -> None:
        blocks = objective.blocks
        terms = LossTerms(objective.signs, objective.sample_C / objective.l2, objective.loss)
        rows = blocks.problem.rows
        n, d = n_rows(rows), n_cols(rows)
        self._blocks, self._terms = blocks, terms
        self._fit_intercept = objective.fit_intercept
        squares = blocks.known(products.row_squared_norms)
        if not np.isfinite(squares).all():
            raise not_finite(rows)
        self._intercept_step = (
            intercept_step_of(squares, terms.sample_C) if objective.fit_intercept else 0.0
        )
        self._state = DualVariables(
            alpha=np.zeros(n),
            squares=np.maximum(squares + self._intercept_step, MIN_SQUARED_NORM),
            shrink_for=np.zeros(n, np.int32),
            next_visit=np.where(terms.sample_C > 0.0, 0, NEVER_VISITED).astype(np.int32),
        )
        self._w = np.zeros(d + 1)
        self._active_rows: Ints | None = None  # None: all rows
        smooth = terms.loss == LOGISTIC  # α never meets its bounds: accelerate from the start
        self._active_set = ActiveSet(
            rows, terms, self._state, self._w, self._intercept_step, accelerated=smooth
        )
        if start is not None:
            self._start_from(start[0] / objective.l2, start[1])

    def _start_from(self, alpha: Floats, b: float) -> None:
        """Start from dual variables, clipped to their bounds, and an intercept."""
        signs, sample_C, loss = self._terms
        upper = np.where(sample_C > 0.0, np.inf if loss == SQUARED_HINGE else sample_C, 0.0)
        np.clip(alpha, 0.0, upper, out=self._state.alpha)
        self._w[:-1] = sum_of_rows(self._blocks, self._state.alpha * signs)
        self._w[-1] = b
        self._rescale_alpha()

    def _rescale_alpha(self) -> None:
        """Scale α down to where D is highest, so that no start is worse than zero."""
        square = 2.0 * half_square(self._w[:-1])
        dual_terms = float(sum_dual_terms(self._terms, self._state.alpha))
        scale = dual_terms / square if square > 0.0 else 1.0
        if not scale < 1.0:
            return
        scale = max(0.0, scale)  # also where a number overflowed
        alpha = self._state.alpha
        alpha *= scale
        self._w[:-1] = scale * self._w[:-1] if scale > 0.0 else 0.0

    def run_epoch(self, seed: int, number: int) -> Progress:
        """Run an epoch over the active set."""
        return self._active_set.run_epoch(seed, number)

    def dual_value(self) -> float:
        """D at the current α, without the constraint Σ α y = 0."""
        return dual_objective(self._terms, self._state.alpha, self._w[:-1])

    def measure(self, best: DualAscentState | None, epoch: int) -> DualAscentState:
        """Measure the gap over all rows, and rebuild the active set; give the best state so far."""
        self._collect()
        blocks, terms, alpha = self._blocks, self._terms, self._state.alpha
        w, b, scores, drift = self._scores_and_drift()
        dual = dual_objective(terms, alpha, w)
        if self._fit_intercept:
            b = best_intercept(terms, scores, b)
            alpha, w_of_alpha = balance(blocks, terms, alpha, w)
            dual = dual_objective(terms, alpha, w_of_alpha)
        bounds = DualityGap(primal_objective(terms, scores, w, b), dual - drift)
        self._rebuild_active_set(scores)
        return best_of(best, DualAscentState(w, b, alpha, bounds, epoch))

    def _collect(self) -> None:
        """Copy the dual variables of the active set back to those of all rows."""
        if self._active_rows is not None:
            for all_rows, some in zip(self._state, self._active_set.state, strict=True):
                all_rows[self._active_rows] = some

    def _rebuild_active_set(self, scores: Floats) -> None:
        """Form an active set of the rows whose α still changes, where these are few."""
        terms, state, (signs, sample_C, loss) = self._terms, self._state, self._terms
        is_active = np.zeros(len(signs), np.bool_)
        choose_active(terms, state, scores, float(self._w[-1]), is_active)
        active = np.flatnonzero(is_active)
        if len(active) > MAX_ACTIVE_SHARE * len(signs):
            return
        self._active_rows = active
        self._active_set = ActiveSet(
            rows_take(self._blocks.problem.rows, active),
            LossTerms(signs[active], sample_C[active], loss),
            state.take(active),
            self._w,
            self._intercept_step,
            inactive_excess=float(inner(np.where(is_active, 0.0, state.alpha), signs)),
            accelerated=self._active_set.accelerated,
        )

    def _scores_and_drift(self) -> tuple[Floats, float, Floats, float]:
        """Weights, intercept, scores w·x, and the drift of w from Σ α y x by rounding.

        It is Σ α y (x·w) − ‖w‖², from the scores. Weights that drifted are recomputed from α.
        """
        alpha, w = self._state.alpha, self._w[:-1]
        for _ in range(2):
            scores = scores_of(self._blocks, w)
            square = 2.0 * half_square(w)
            drift = float(inner(alpha * self._terms.signs, scores)) - square
            if abs(drift) <= MAX_DRIFT_SHARE * square:
                break
            w[:] = sum_of_rows(self._blocks, alpha * self._terms.signs)
        return w, float(self._w[-1]), scores, drift


def best_of(best: DualAscentState | None, now: DualAscentState) -> DualAscentState:
    """The weights with the lower P and the α with the higher D of both, those of now copied."""
    if best is None:
        return replace(now, w=now.w.copy(), alpha=now.alpha.copy())
    w, b, alpha = best.w, best.b, best.alpha
    if now.bounds.primal < best.bounds.primal:
        w, b = now.w.copy(), now.b
    if now.bounds.dual > best.bounds.dual:
        alpha = now.alpha.copy()
    return DualAscentState(w, b, alpha, best.bounds.tightest(now.bounds), now.epoch)


def intercept_step_of(squares: Floats, sample_C: Floats) -> float:
    """Db / d(Σ α y) within an epoch: the square that the intercept adds to every ‖x‖².

    It should be small against most ‖x‖², as it shortens their steps; yet Σ α y, which is at most
    Σ C, must be able to move the intercept by the width of the margin.
    """
    positive = squares[(squares > 0.0) & (sample_C > 0.0)]
    typical = len(positive) / float((1.0 / positive).sum()) if len(positive) else 0.0
    total_C = float(sample_C.sum()) or 1.0
    return max(INTERCEPT_STEP_SHARE * typical, MIN_INTERCEPT_RANGE / total_C)
