"""Minimise a convex objective until its duality gap is proved: the method depends on the rows.

==========  ================================================================================
method      for
==========  ================================================================================
``newton``  dense rows, and sparse ones of up to 4,096 features: Newton's method with
            conjugate gradients; for the hinge on a sequence of smoothed hinges
``ascent``  sparse rows of more features: dual coordinate ascent
==========  ================================================================================

Where there are many more rows than features, Newton's method starts from the weights of a subsample
(newton.py): few steps over all rows are left then.

Columns that lie far from zero relative to their spread are centred. An intercept that is not
penalised absorbs any shift of the rows: w stays, b becomes b + w·m. But float64 has fewer digits
there: of timestamps near 1.6e9, a product w·x keeps only the digits that 1.6e9 w leaves. So such
columns are solved about a value m in their middle, and the intercept is given for the original
columns: b − w·m, rounded once. Sparse columns with a zero among their entries are never far from
zero relative to their spread.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.data.training_data import TrainingData
from rosenblatt.linalg.error_free import two_product
from rosenblatt.losses.margin_losses import HINGE
from rosenblatt.online.result import Ending
from rosenblatt.optim.certificate import Proof, prove, prove_with_refinement
from rosenblatt.optim.dual_cd import ascend
from rosenblatt.optim.duality_gap import DualityGap, gap_at
from rosenblatt.optim.newton import (
    SUBSAMPLE_MAX_STEPS,
    SUBSAMPLE_TOL,
    is_worth_subsampling,
    iterate_at,
    margin_error,
    margins_of,
    newton_on_smooth_loss,
    newton_on_smoothed_hinges,
    smallest_smoothing,
    subsample_of,
    validation_of,
)
from rosenblatt.optim.objective import BinaryObjective, SmoothedHinge, evaluate_losses, total_loss
from rosenblatt.optim.pcg import MAX_FACTORED_FEATURES, AdaptivePCG
from rosenblatt.types import Floats, Ints

INITIAL_SMOOTHING = 2.0  # at zero weights every row is in the smoothed part of the hinge
WARM_START_SMOOTHING = 0.3
SMOOTHING_PER_MARGIN_ERROR = 4.0  # initial smoothing after a subsample, per standard error
SUBSAMPLE_STOP_ERROR = 0.1  # predicted relative error of the last step, per margin error
SUBSAMPLE_STOP_ERROR_HINGE = 0.2
VALIDATION_START_ERROR = 0.5  # relative error below which validation rows are looked at, likewise
STEPS_BETWEEN_PROOFS = 4  # after a proof that fell short of `tol`
MAX_STALLED_STEPS = 40  # without progress of either bound: only rounding is left
MIN_GAP_TO_FALL_BACK = 1e-6  # a stalled Newton's method with a larger gap is not at rounding
SAMPLE_ROWS = 1024
MIN_OFFSET_SPREADS = 32.0  # a column farther from zero than this many spreads is centred
MIN_CONSTANT_OFFSET = 1e3  # of a constant column that is centred


@dataclass(frozen=True)
class Step:
    """The state of a run after a step: the best weights and dual variables so far, and their gap.

    The bounds are estimates, which tell when a proof is worth its time: `prove()` gives bounds that
    include all rounding, and a dual point that is exactly feasible. `rows` is how many rows had a
    curvature, so that the Hessian is a sum over them. `error` is the predicted relative error of
    the objective before the step. `advice` says what the ending alone does not.
    """

    number: int
    w: Floats
    alpha: Floats
    bounds: DualityGap
    method: str
    rows: int
    prove: Callable[[], Proof]
    error: float = np.inf
    ending: Ending | None = None
    advice: str = ""


class Start(NamedTuple):
    """Initial weights of a run, and the dual variables that gave them where the method uses those.

    Weights for other rows or another C are close; dual variables may differ by orders of magnitude.
    """

    w: Floats
    alpha: Floats | None = None

    def moved(self, offsets: Floats) -> "Start":
        """The same start for columns less their offsets."""
        w = np.append(self.w[:-1], intercept_for(self.w[:-1], self.w[-1], offsets))
        return Start(w, self.alpha)


@dataclass(frozen=True)
class Limits:
    """Stopping criteria of a run: a gap of `tol`, a number of steps, a time on the clock.

    The gap must be proved, unless the run only prepares another. `progress` is called with the
    number of the binary problem and every step, and may return an ending.
    """

    tol: float
    max_iter: int
    deadline: float = np.inf
    proved: bool = True
    progress: Callable[[int, Step], Ending | None] | None = None

    def ending(self, step: Step) -> Ending | None:
        """Why a run ends at a step, if it does."""
        if step.bounds.gap <= self.tol:
            return Ending.CERTIFIED
        if step.number >= self.max_iter:
            return Ending.MAX_STEPS_REACHED
        return Ending.TIME_LIMIT_REACHED if self.spent(step.number) else None

    def spent(self, number: int) -> bool:
        """Whether no step or no time is left after so many steps; one step is always made."""
        return number >= self.max_iter or (number > 0 and time.monotonic() > self.deadline)

    def for_subsample(self) -> "Limits":
        """Stopping criteria of a run on the subsample that another run starts from."""
        return replace(self, tol=SUBSAMPLE_TOL, max_iter=SUBSAMPLE_MAX_STEPS, proved=False)


def solve(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits, solver: str = "auto"
) -> Iterator[Step]:
    """Steps until a stopping criterion is met or progress ends; the last one has an ending."""
    method = method_for(objective) if solver == "auto" else solver
    if start is not None and not is_below_zero_weights(
        partial(primal_of_weights, objective), start.w
    ):
        start = None
    steps = METHODS[method](objective, start, seed, limits)
    if start is not None and method == "ascent" and limits.proved:  # its primal is not monotone
        steps = best_since(steps, proved_start(objective, start, limits.tol), objective, limits.tol)
    steps = until(steps, limits)
    may_fall_back = solver == "auto" and method == "newton" and objective.l2 > 0.0
    return fall_back_to_ascent(steps, objective, seed, limits) if may_fall_back else steps


def is_below_zero_weights(primal: Callable[[Floats], float], w: Floats) -> bool:
    """Whether weights to start from have a lower objective than zero weights."""
    try:
        return primal(w) < primal(np.zeros_like(w))
    except FloatingPointError:
        return False


def fall_back_to_ascent(
    steps: Iterator[Step], objective: BinaryObjective, seed: int, limits: Limits
) -> Iterator[Step]:
    """Steps of Newton's method; where they stall far from rounding, then of dual ascent from zero.

    Few rows many times longer than the others cause that: no smoothing of the hinge suits both.
    """
    for last in steps:
        if last.ending is not Ending.AT_ROUNDING or last.bounds.gap <= MIN_GAP_TO_FALL_BACK:
            yield last
            continue
        left = replace(limits, max_iter=max(1, limits.max_iter - last.number))
        ascended = best_since(by_ascent(objective, None, seed, left), last, objective, limits.tol)
        for step in until(ascended, left):
            yield replace(step, number=last.number + step.number)


def proved_start(objective: BinaryObjective, start: Start, tol: float) -> Step:
    """Step 0 of a run from given weights, with its proof."""
    alpha = alpha_at_weights(objective, start.w) if start.alpha is None else start.alpha
    proof = prove(objective, start.w, alpha, tol)
    return Step(0, proof.w, proof.alpha, proof.bounds, "ascent", 0, partial(known_proof, proof))


def best_since(
    steps: Iterator[Step], last: Step, objective: BinaryObjective, tol: float
) -> Iterator[Step]:
    """Steps with the best weights and the best dual variables since an earlier step."""
    w, alpha, best = last.w, last.alpha, last.bounds
    for step in steps:
        w = step.w if step.bounds.primal < best.primal else w
        alpha = step.alpha if step.bounds.dual > best.dual else alpha
        best = best.tightest(step.bounds)
        proof = partial(prove_with_refinement, objective, w, alpha, tol)
        yield replace(step, w=w, alpha=alpha, bounds=best, prove=proof)


def known_proof(proof: Proof) -> Proof:
    """A proof that has been computed already."""
    return proof


def until(steps: Iterator[Step], limits: Limits) -> Iterator[Step]:
    """Steps up to the one at which a stopping criterion is met or progress ends.

    An estimated gap of `tol` is a reason to compute a proof; where that proves less, the run goes
    on, and tries again once the estimate has halved or some steps later.
    """
    n_stalled, best = 0, DualityGap(np.inf, 0.0)
    last_proved_gap, last_proof_at = np.inf, -STEPS_BETWEEN_PROOFS
    for step in steps:
        n_stalled = 0 if step.bounds.better_than(best) else n_stalled + 1
        best = step.bounds
        stalled = n_stalled > MAX_STALLED_STEPS
        ending = limits.ending(step) or (Ending.AT_ROUNDING if stalled else None)
        worth_a_proof = (
            best.gap <= 0.5 * last_proved_gap or step.number >= last_proof_at + STEPS_BETWEEN_PROOFS
        )
        if ending is not None and (ending is not Ending.CERTIFIED or worth_a_proof):
            proved = with_proof(step) if limits.proved else step
            ending = limits.ending(proved) or (Ending.AT_ROUNDING if stalled else None)
            if ending is not None:
                yield replace(proved, ending=ending)
                return
            last_proved_gap, last_proof_at = best.gap, step.number
        yield step


def with_proof(step: Step) -> Step:
    """A step with its proved bounds, the weights they hold for, and the dual point behind them."""
    proof = step.prove()
    return replace(step, w=proof.w, bounds=proof.bounds, alpha=proof.alpha)


def at_start(objective: BinaryObjective, start: Start | None) -> Iterator[Step]:
    """The run with `max_iter=0`: the initial weights, with nothing proved."""
    w = np.zeros(n_cols(objective.blocks.problem.rows) + 1) if start is None else start.w
    yield unproved(w, np.zeros_like(objective.sample_C), primal_of_weights(objective, w))


def unproved(w: Floats, alpha: Floats, primal: float) -> Step:
    """The only step of a run without steps; the dual bound is zero, which no objective is below."""
    bounds = DualityGap(primal, 0.0)
    proof = partial(known_proof, Proof(bounds, alpha, w))
    return Step(0, w, alpha, bounds, "start", 0, proof, ending=Ending.MAX_STEPS_REACHED)


def method_for(objective: BinaryObjective) -> str:
    """Name of the method for rows of this kind."""
    rows = objective.blocks.problem.rows
    wide = isinstance(rows, CSR) and n_cols(rows) > MAX_FACTORED_FEATURES
    return "ascent" if wide and objective.l2 > 0.0 else "newton"


def by_ascent(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Endless steps of dual coordinate ascent."""
    first = None
    if start is not None:
        alpha = alpha_at_weights(objective, start.w) if start.alpha is None else start.alpha
        first = (alpha, float(start.w[-1]))
    for state in ascend(objective, seed=seed, tol=limits.tol, start=first, is_due=limits.spent):
        rows = int(np.count_nonzero(state.alpha))
        w = np.append(state.w, state.b)
        proof = partial(prove_with_refinement, objective, w, state.alpha, limits.tol)
        yield Step(state.epoch, w, state.alpha, state.bounds, "ascent", rows, proof)


def alpha_at_weights(objective: BinaryObjective, w: Floats) -> Floats:
    """Dual variables α = −C ℓ′(m) at the margins of some weights, of a hinge smoothed."""
    iterate = iterate_at(objective, w)
    smoothed_hinge = SmoothedHinge(np.zeros_like(objective.sample_C), WARM_START_SMOOTHING)
    evaluate_losses(objective, iterate, smoothed_hinge, from_scratch=True)
    return iterate.alpha


def by_newton(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Endless steps of Newton's method."""
    return newton_steps(AdaptivePCG(seed), objective, start, seed, limits)


def newton_steps(
    pcg: AdaptivePCG, objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Endless steps of Newton's method, whose systems are solved by given conjugate gradients."""
    width = n_cols(objective.blocks.problem.rows) + 1
    w, smoothing = (None, INITIAL_SMOOTHING) if start is None else (start.w, WARM_START_SMOOTHING)
    if w is None and is_worth_subsampling(len(objective.signs), width):
        w = subsample_start(pcg, objective, seed, limits)
        if w is not None:
            smoothing = min(1.0, SMOOTHING_PER_MARGIN_ERROR * margin_error(objective))
    iterate = iterate_at(objective, np.zeros(width) if w is None else w)
    if objective.loss == HINGE:
        smoothing = max(smoothing, smallest_smoothing(objective))
        evaluations = newton_on_smoothed_hinges(objective, iterate, smoothing, pcg)
    else:
        evaluations = newton_on_smooth_loss(objective, iterate, pcg, limits.tol)
    w, alpha, best = iterate.w, np.zeros_like(objective.sample_C), DualityGap(np.inf, 0.0)
    for number, (evaluation, smoothed_hinge) in enumerate(evaluations):
        now = gap_at(objective, iterate, evaluation.loss_sums)
        w = iterate.w if now.primal < best.primal else w
        if now.dual > best.dual:
            np.copyto(alpha, iterate.alpha)
        best = best.tightest(now)
        proof = partial(prove_with_refinement, objective, w, alpha, limits.tol)
        if evaluation.predicted_alpha is not None and best.gap > limits.tol:
            found = prove(objective, w, evaluation.predicted_alpha, limits.tol)
            if found.bounds.dual > best.dual:
                best, alpha = best.tightest(found.bounds), found.alpha
                proof = partial(known_proof, found)
        rows = int(np.count_nonzero(evaluation.loss_sums.curvatures))
        method = method_name(objective, smoothed_hinge)
        yield Step(number, w, alpha, best, method, rows, proof, evaluation.error)


METHODS = {"newton": by_newton, "ascent": by_ascent}


def method_name(objective: BinaryObjective, smoothed_hinge: SmoothedHinge) -> str:
    """Name of the method, with the smoothing of a hinge."""
    return (
        f"newton, smoothing {smoothed_hinge.smoothing:.1e}" if objective.loss == HINGE else "newton"
    )


def primal_of_weights(objective: BinaryObjective, w: Floats) -> float:
    """P of some weights."""
    loss = total_loss(objective, margins_of(objective, w, np.empty_like(objective.sample_C)))
    return 0.5 * objective.l2 * float(w[:-1] @ w[:-1]) + loss


def subsample_start(
    pcg: AdaptivePCG, objective: BinaryObjective, seed: int, limits: Limits
) -> Floats | None:
    """Weights of the subsample, stopped early; None where the subsample has only one class.

    A run ends where its steps are within the error of the subsample, or where the objective of the
    validation rows rises. A smoothed hinge is not its own loss, so its rise says nothing.
    """
    part = subsample_of(objective, seed)
    if part is None:
        return None
    hinge, error = objective.loss == HINGE, margin_error(objective)
    stop_error = (SUBSAMPLE_STOP_ERROR_HINGE if hinge else SUBSAMPLE_STOP_ERROR) * error
    w = np.zeros(n_cols(objective.blocks.problem.rows) + 1)
    validation, before = None, np.inf
    limits = limits.for_subsample()
    for step in until(newton_steps(pcg, part, None, seed, limits), limits):
        w = step.w
        if step.error <= stop_error:
            break
        if hinge or step.error > VALIDATION_START_ERROR * error:
            continue
        if validation is None:
            validation = validation_of(objective, seed)
        now = primal_of_weights(validation, w)
        if now > before:
            break
        before = now
    return w


def far_offsets(rows: Rows) -> Floats | None:
    """Middle of each column that lies far from zero, 0 for others; None if no column does.

    From a sample of the rows: if it is not representative, digits are lost, but nothing is wrong.
    """
    n = n_rows(rows)
    chosen = np.unique(np.linspace(0, n - 1, min(n, SAMPLE_ROWS)).astype(np.int64))
    if not isinstance(rows, CSR):
        offsets = _middle(np.asarray(rows[chosen], np.float64))
        return offsets if offsets.any() else None
    offsets = np.zeros(n_cols(rows))
    for j in _stored_in_all(rows, chosen):
        offsets[j] = _middle(rows.data[_entries_of_column(rows, int(j))][:, None])[0]
    return offsets if offsets.any() else None


def _middle(sample: Floats) -> Floats:
    """Middle of each column that lies far from zero, 0 for others."""
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = sample.min(axis=0), sample.max(axis=0)
        middle, spread = 0.5 * low + 0.5 * high, high - low
        threshold = np.where(spread > 0.0, MIN_OFFSET_SPREADS * spread, MIN_CONSTANT_OFFSET)
        return np.where(np.isfinite(middle) & (np.abs(middle) > threshold), middle, 0.0)


def _stored_in_all(rows: CSR, chosen: Ints) -> Ints:
    """Columns with exactly one entry in every row; usually a few rows show that there are none."""
    common = np.unique(rows.indices[rows.indptr[chosen[0]] : rows.indptr[chosen[0] + 1]])
    for i in chosen:
        if not len(common):
            break
        common = np.intersect1d(common, rows.indices[rows.indptr[i] : rows.indptr[i + 1]])
    return np.array([j for j in common if len(_entries_of_column(rows, int(j)))], np.int64)


def moved(problem: TrainingData, offsets: Floats) -> TrainingData:
    """The problem with its columns less their offsets, copied in float64."""
    rows = problem.rows
    if not isinstance(rows, CSR):
        return problem._replace(rows=np.ascontiguousarray(rows - offsets))
    data = rows.data.astype(np.float64)
    for j in np.flatnonzero(offsets):
        data[_entries_of_column(rows, int(j))] -= offsets[j]
    return problem._replace(rows=rows._replace(data=data))


def intercept_for(w: Floats, b: float, offsets: Floats) -> float:
    """Intercept b + w·m for the offsets m, rounded once: the products are summed exactly."""
    terms = [b]
    for j in np.flatnonzero(offsets):
        terms.extend(two_product(w[j], offsets[j]))
    return math.fsum(terms) if np.isfinite(terms).all() else math.nan


def _entries_of_column(rows: CSR, j: int) -> Ints:
    """Positions of the entries of a column, if every row has exactly one; else none."""
    first, last = int(rows.indptr[0]), int(rows.indptr[-1])
    positions = first + np.flatnonzero(rows.indices[first:last] == j)
    owners = np.searchsorted(rows.indptr, positions, side="right") - 1
    one_each = np.array_equal(owners, np.arange(n_rows(rows)))
    return np.asarray(positions) if one_each else np.zeros(0, np.int64)
