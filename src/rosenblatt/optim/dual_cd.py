"""Dual coordinate ascent: visit the rows, and give each the multiplier α that is best for it now.

The weights w = Σ α_i y_i x_i go along, so a visit costs one inner product and, where α changes, one
addition of the row: what a perceptron does. A row whose α stays at a bound is left alone, for twice
as many epochs each time, and in the end out of the team of rows at work. That is only a guess of
what matters: whatever was left alone, the gap between the objective and its dual is measured over
all rows, and proves how good the weights are.

The bias has no penalty, so the dual wants Σ α y = 0. It is reached by steps: within an epoch the
bias is one more weight, held by a spring to where the epoch began, b = b₀ + reach · Σ α y; the next
epoch begins where it came to (the method of multipliers).
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from rosenblatt.csr import rows_take
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import not_finite
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import Rows, n_cols, n_rows, square
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.optim.active_set import ActiveSet, DualVariables, Progress, choose_active
from rosenblatt.optim.duality_gap import (
    Terms,
    balance,
    best_bias,
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

BIAS_STEP_SHARE = 0.1  # of the harmonic mean of ‖x‖²: measured on text
MIN_BIAS_RANGE = 4.0
NEVER_VISITED = np.iinfo(np.int32).max
MAX_ACTIVE_SHARE = 0.4  # of all rows: a copy of theirs is worth its memory
MAX_EPOCHS_BETWEEN_GAPS, MAX_VISITS_BETWEEN_GAPS = (
    32,
    8,
)  # between two looks at the gap: epochs, and visits for each row
# the gap after an epoch, of what rows added to it at their visits: as it was on text
USUAL_GAP_RATIO = {HINGE: 0.6, SQUARED_HINGE: 0.35, LOGISTIC: 0.12}
EXPECTED_GAP_SHARE = 0.9  # of `tol` is expected, before it is worth a look
MAX_DRIFT_SHARE = 1e-11  # of ‖w‖² by rounding, before w is made anew
MIN_SQUARED_NORM = 1e-300  # of a row: an empty one goes straight to its bound


@dataclass(frozen=True)
class DualAscentState:
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


def never_due(_epoch: int) -> bool:
    """Ask for no look at the gap."""
    return False


def ascend(
    objective: BinaryObjective,
    *,
    seed: int,
    tol: float = 0.0,
    start: tuple[Floats, float] | None = None,
    is_due: Callable[[int], bool] = never_due,
) -> Iterator[DualAscentState]:
    """Climb the dual without an end: an Ascent whenever the gap was measured.

    `start` gives multipliers and a bias to start from; `is_due` tells whether the gap has to be
    known after the epoch of a number. The weights need a penalty, `task.ridge`.

    To measure the gap costs as much as an epoch. But what a row adds to it is known at its visit,
    and the sum of that stays in much the same proportion to the gap from one look to the next: so
    it is measured when it can be expected to be within `tol`, and else only now and then.
    """
    ascent = DualCoordinateAscent(objective, start)
    best, share, epochs, rows = None, USUAL_GAP_RATIO[objective.loss], 0, 0
    for number in itertools.count(1):
        progress = ascent.run_epoch(seed, number)
        epochs, rows = epochs + 1, rows + progress.rows
        target = EXPECTED_GAP_SHARE * tol * (ascent.dual_value() if best is None else best.primal)
        long = epochs == MAX_EPOCHS_BETWEEN_GAPS or rows >= MAX_VISITS_BETWEEN_GAPS * len(
            objective.signs
        )
        if long or share * progress.gap <= target or is_due(number):
            best = ascent.measure(best, number)
            share = (best.primal - best.dual) / progress.gap if progress.gap > 0.0 else 1.0
            epochs, rows = 0, 0
            yield scaled(best, objective.l2)


def scaled(ascent: DualAscentState, l2: float) -> DualAscentState:
    """The same for the objective as it was given: it was divided by ρ, to make ½‖w‖² of ½ρ‖w‖²."""
    if l2 == 1.0:
        return ascent
    return replace(
        ascent,
        alpha=l2 * ascent.alpha,
        primal=l2 * ascent.primal,
        dual=l2 * ascent.dual,
    )


class DualCoordinateAscent:
    """The state of an ascent: multipliers, and the weights (w, b) they give."""

    def __init__(
        self, objective: BinaryObjective, start: tuple[Floats, float] | None = None
    ) -> None:
        blocks, bias = objective.blocks, objective.bias
        terms = Terms(objective.signs, objective.sample_C / objective.l2, objective.loss)
        rows = blocks.problem.rows
        n, d = n_rows(rows), n_cols(rows)
        self._blocks, self._terms, self._bias = blocks, terms, bias
        squares = blocks.known(squares_of)
        if not np.isfinite(squares).all():
            raise not_finite(rows)
        self._bias_step = bias_step_of(squares, terms.sample_C) if bias else 0.0
        self._state = DualVariables(
            alpha=np.zeros(n),
            squares=np.maximum(squares + self._bias_step, MIN_SQUARED_NORM),
            shrink_for=np.zeros(n, np.int32),
            next_visit=np.where(terms.sample_C > 0.0, 0, NEVER_VISITED).astype(np.int32),
        )
        self._w = np.zeros(d + 1)
        self._chosen: Ints | None = None  # the rows in the team, unless all are
        smooth = terms.loss == LOGISTIC  # no bounds are met: leaps pay from the start
        self._active_set = ActiveSet(
            rows, terms, self._state, self._w, self._bias_step, accelerated=smooth
        )
        if start is not None:
            self._start_from(start[0] / objective.l2, start[1])

    def _start_from(self, alpha: Floats, b: float) -> None:
        signs, sample_C, loss = self._terms
        most = np.where(sample_C > 0.0, np.inf if loss == SQUARED_HINGE else sample_C, 0.0)
        np.clip(alpha, 0.0, most, out=self._state.alpha)
        self._w[:-1] = sum_of_rows(self._blocks, self._state.alpha * signs)
        self._w[-1] = b
        self._rescale_alpha()

    def _rescale_alpha(self) -> None:
        """Scale α to where the dual is highest, so that no start is worse than zero."""
        square = 2.0 * half_square(self._w[:-1])
        dual_terms = float(sum_dual_terms(self._terms, self._state.alpha))
        part = dual_terms / square if square > 0.0 else 1.0
        if not part < 1.0:
            return
        part = max(0.0, part)  # also where a number left float64
        alpha = self._state.alpha
        alpha *= part
        self._w[:-1] = part * self._w[:-1] if part > 0.0 else 0.0

    def run_epoch(self, seed: int, number: int) -> Progress:
        """An epoch of the rows at work."""
        return self._active_set.run_epoch(seed, number)

    def dual_value(self) -> float:
        """The dual as it stands, but for the bias."""
        return dual_objective(self._terms, self._state.alpha, self._w[:-1])

    def measure(self, best: DualAscentState | None, passes: int) -> DualAscentState:
        """The gap as it stands, from the best weights and multipliers there have been."""
        self._collect()
        blocks, terms, alpha = self._blocks, self._terms, self._state.alpha
        w, b, scores, drift = self._scores_and_drift()
        below = dual_objective(terms, alpha, w)
        if self._bias:
            b = best_bias(terms, scores, b)
            alpha, balanced = balance(blocks, terms, alpha, w)
            below = dual_objective(terms, alpha, balanced)
        now = DualAscentState(
            w, b, alpha, primal_objective(terms, scores, w, b), below - drift, passes
        )
        self._rebuild_active_set(scores)
        return best_of(best, now)

    def _collect(self) -> None:
        """Take over what the team did since it was formed."""
        if self._chosen is not None:
            for all_rows, some in zip(self._state, self._active_set.state, strict=True):
                all_rows[self._chosen] = some

    def _rebuild_active_set(self, scores: Floats) -> None:
        """Form a team of the rows that still move, where these are few."""
        terms, state, (signs, sample_C, loss) = self._terms, self._state, self._terms
        wanted = np.zeros(len(signs), np.bool_)
        choose_active(terms, state, scores, float(self._w[-1]), wanted)
        chosen = np.flatnonzero(wanted)
        if len(chosen) > MAX_ACTIVE_SHARE * len(signs):
            return
        self._chosen = chosen
        self._active_set = ActiveSet(
            rows_take(self._blocks.problem.rows, chosen),
            Terms(signs[chosen], sample_C[chosen], loss),
            state.take(chosen),
            self._w,
            self._bias_step,
            inactive_excess=float(inner(np.where(wanted, 0.0, state.alpha), signs)),
            accelerated=self._active_set.accelerated,
        )

    def _scores_and_drift(self) -> tuple[Floats, float, Floats, float]:
        """Weights, bias, scores, and the drift of ½‖w‖² from ½‖Σ α y x‖² by rounding.

        It shows in the scores: Σ α y (x·w) is the inner product of the two. Weights that drifted
        are made anew from α.
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
    """The lower objective and the higher dual of two ascents, copied from the newer one."""
    if best is None or now.primal < best.primal:
        w, b, lowest = now.w.copy(), now.b, now.primal
    else:
        w, b, lowest = best.w, best.b, best.primal
    if best is None or now.dual > best.dual:
        alpha, highest = now.alpha.copy(), now.dual
    else:
        alpha, highest = best.alpha, best.dual
    return DualAscentState(w, b, alpha, lowest, highest, now.passes)


def bias_step_of(squares: Floats, sample_C: Floats) -> float:
    """How far the bias gives way to Σ α y, as one more feature with this square.

    Little against ‖x‖² of most rows, whose steps it shortens; yet Σ α y, which is at most the sum
    of the costs, must be able to move the bias by the width of the margin.
    """
    filled = squares[(squares > 0.0) & (sample_C > 0.0)]
    typical = len(filled) / float((1.0 / filled).sum()) if len(filled) else 0.0
    return max(BIAS_STEP_SHARE * typical, MIN_BIAS_RANGE / (float(sample_C.sum()) or 1.0))


def squares_of(blocks: Blocks) -> Floats:
    """Squared length of each row."""
    squares = np.empty(n_rows(blocks.problem.rows))

    def here(block: TrainingData, part: Floats) -> None:
        square_all(block.rows, part)

    for _ in blocks.each(here, squares):
        pass
    return squares


@njit(cache=True, nogil=True)
def square_all(X: Rows, squares: Floats) -> None:
    """Write the squared length of each row."""
    for i in range(len(squares)):
        squares[i] = square(X, i)
