"""Minimise a convex objective until the gap proves it: the method by the shape of the rows.

==========  ================================================================================
method      for
==========  ================================================================================
``newton``  dense rows, and sparse ones of up to 4,096 features: Newton's steps, for the hinge
            on smooth floors under it
``ascent``  sparse and wide rows: dual coordinate ascent
==========  ================================================================================

Where rows are many against the features, a run over every eighth of them comes first: its weights
are so near that few steps over all rows are left.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.kernels.rows import CSR, n_cols, n_rows
from rosenblatt.linalg import products
from rosenblatt.losses.margin_losses import HINGE
from rosenblatt.online.result import Ending
from rosenblatt.optim.centering import intercept_for
from rosenblatt.optim.certificate import Proof, prove, prove_with_refinement
from rosenblatt.optim.dual_cd import ascend
from rosenblatt.optim.duality_gap import (
    DualityGap,
    complementarity_gap,
    gap_at,
    stationarity_residual,
)
from rosenblatt.optim.newton import (
    Evaluation,
    iterate_at,
    margins_of,
    newton_iterates,
    warm_start_smoothing,
)
from rosenblatt.optim.objective import (
    BinaryObjective,
    Iterate,
    SmoothedHinge,
    evaluate_losses,
    total_loss,
)
from rosenblatt.optim.pcg import MAX_FACTORED_FEATURES, AdaptivePCG
from rosenblatt.types import Floats, Ints

FIRST_SMOOTHING = 2.0  # at zero weights every row is inside
WARM_START_SMOOTHING = 0.3
SMOOTHING_PER_MARGIN_ERROR = (
    4.0  # times what chance makes of margins is the window after a rough start,
)
SMOOTHING_DECREASE = 0.5  # of the next window; squared where a floor was done with
FEW_STEPS = 4  # steps
MAX_FIRST_STIFFNESS = (
    1e4  # how many times more curved than the penalty a first floor may be, along a row
)
STATIONARITY_RATIO = (
    1.0  # a floor is done with when its unrest is no more than this part of its slack
)
SUBSAMPLE_EVERY = 8  # a rough start learns from every eighth row
MIN_ROWS_PER_WEIGHT = 4  # that it must have at least,
MIN_SUBSAMPLE_ROWS = 500  # and in all
SUBSAMPLE_TOL = 3e-2
SUBSAMPLE_STOP_ERROR = (
    0.1  # times what chance makes of it is the error that its last step may begin with,
)
SUBSAMPLE_STOP_ERROR_HINGE = 0.2  # or this, with a hinge
VALIDATION_ERROR = 0.5  # times it, the error from which on other rows are asked, too
SUBSAMPLE_MAX_STEPS = 50
STEPS_BETWEEN_PROOFS = 4  # steps after a proof that fell short of `tol`
MAX_STEPS_WITHOUT_PROGRESS = (
    40  # steps without any progress, after which mostly only rounding is left,
)
FAR_FROM_ROUNDING_GAP = 1e-6  # but hardly at a gap above this


@dataclass(frozen=True)
class Step:
    """A run after a step: the best weights so far, their bounds, and the α that bounds them.

    The bounds are estimates, which say when it is time to ask for a proof: `prove()` gives bounds
    with all rounding counted, and a dual point that is feasible exactly. `rows` is how many rows
    had a curvature, so that Newton's step had to look at them. `advice` says what the ending alone
    does not know.
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
    """Where a run begins: weights, and the α that gave them where a method goes on from those.

    Weights are never far from those of other rows or another cost; dual variables may be, by orders
    of magnitude.
    """

    w: Floats
    alpha: Floats | None = None

    def moved(self, offsets: Floats) -> "Start":
        """The same start where the columns are less their offsets."""
        w = np.append(self.w[:-1], intercept_for(self.w[:-1], self.w[-1], offsets))
        return Start(w, self.alpha)


@dataclass(frozen=True)
class Limits:
    """When a run ends: a gap that is small enough, so many steps, or a time on the clock.

    The gap is a proved one, unless the run only prepares another. `heard`, if there is one, is told
    of every step of a unit, and may give an ending.
    """

    tol: float
    max_iter: int
    deadline: float = np.inf
    proved: bool = True
    progress: Callable[[int, Step], Ending | None] | None = None

    def ending(self, step: Step) -> Ending | None:
        """How a run ends at a step, if it does."""
        if step.bounds.gap <= self.tol:
            return Ending.CERTIFIED
        if step.number >= self.max_iter:
            return Ending.STEPS_SPENT
        return Ending.TIME_SPENT if self.spent(step.number) else None

    def spent(self, number: int) -> bool:
        """Whether steps or time have run out after so many steps; one is always made."""
        return number >= self.max_iter or (number > 0 and time.monotonic() > self.deadline)


def solve(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits, solver: str = "auto"
) -> Iterator[Step]:
    """Steps until a limit speaks or none comes nearer; the last names its ending."""
    method = method_for(objective) if solver == "auto" else solver
    start = start if start is not None and is_better_than_zero(objective, start.w) else None
    steps = METHODS[method](objective, start, seed, limits)
    if start is not None and method == "ascent" and limits.proved:  # its weights go up and down
        steps = best_since(steps, proved_start(objective, start, limits.tol), objective, limits.tol)
    steps = until(steps, limits)
    either = solver == "auto" and method == "newton" and objective.l2 > 0.0
    return ascent_where_newton_stalls(steps, objective, seed, limits) if either else steps


def is_better_than_zero(objective: BinaryObjective, w: Floats) -> bool:
    """Whether weights to start from have a lower objective than zero weights."""
    try:
        return primal_of_weights(objective, w) < primal_of_weights(objective, np.zeros_like(w))
    except FloatingPointError:
        return False


def ascent_where_newton_stalls(
    steps: Iterator[Step], objective: BinaryObjective, seed: int, limits: Limits
) -> Iterator[Step]:
    """Steps of a run; where they come no nearer, but far from rounding, ascent tries from zero.

    A few rows many times as long as others do that: no smooth floor suits both.
    """
    for last in steps:
        if last.ending is not Ending.AT_ROUNDING or last.bounds.gap <= FAR_FROM_ROUNDING_GAP:
            yield last
            continue
        left = replace(limits, max_iter=max(1, limits.max_iter - last.number))
        ascended = best_since(by_ascent(objective, None, seed, left), last, objective, limits.tol)
        for step in until(ascended, left):
            yield replace(step, number=last.number + step.number)


def proved_start(objective: BinaryObjective, start: Start, tol: float) -> Step:
    """Step 0 of a run that begins at given weights."""
    alpha = alpha_at_weights(objective, start.w) if start.alpha is None else start.alpha
    proof = prove(objective, start.w, alpha, tol)
    return Step(0, proof.w, proof.alpha, proof.bounds, "ascent", 0, partial(known_proof, proof))


def best_since(
    steps: Iterator[Step], last: Step, objective: BinaryObjective, tol: float
) -> Iterator[Step]:
    """Steps with the best weights, bounds and dual point since an earlier one."""
    w, alpha, best = last.w, last.alpha, last.bounds
    for step in steps:
        w = step.w if step.bounds.primal < best.primal else w
        alpha = step.alpha if step.bounds.dual > best.dual else alpha
        best = best.tightest(step.bounds)
        proof = partial(prove_with_refinement, objective, w, alpha, tol)
        yield replace(step, w=w, alpha=alpha, bounds=best, prove=proof)


def known_proof(proof: Proof) -> Proof:
    """A proof that was found before it was asked for."""
    return proof


def until(steps: Iterator[Step], limits: Limits) -> Iterator[Step]:
    """Steps of a run without an end, up to where a limit speaks or none comes nearer.

    An estimated gap of `tol` is a reason to ask for a proof; where that proves less, the run goes
    on, and asks again when the estimate has halved or some steps later.
    """
    n_stalled, best, asked_gap, asked_at = 0, DualityGap(np.inf, 0.0), np.inf, -STEPS_BETWEEN_PROOFS
    for step in steps:
        n_stalled = 0 if step.bounds.better_than(best) else n_stalled + 1
        best = step.bounds
        stuck = n_stalled > MAX_STEPS_WITHOUT_PROGRESS
        ending = limits.ending(step) or (Ending.AT_ROUNDING if stuck else None)
        worth_a_proof = (
            best.gap <= 0.5 * asked_gap or step.number >= asked_at + STEPS_BETWEEN_PROOFS
        )
        if ending is not None and (ending is not Ending.CERTIFIED or worth_a_proof):
            proved = with_proof(step) if limits.proved else step
            ending = limits.ending(proved) or (Ending.AT_ROUNDING if stuck else None)
            if ending is not None:
                yield replace(proved, ending=ending)
                return
            asked_gap, asked_at = best.gap, step.number
        yield step


def with_proof(step: Step) -> Step:
    """A step with proved bounds, the weights they are of, and the dual point they rest on."""
    proof = step.prove()
    return replace(step, w=proof.w, bounds=proof.bounds, alpha=proof.alpha)


def at_start(objective: BinaryObjective, start: Start | None) -> Iterator[Step]:
    """A run that may take no step: its weights are those it starts from, and nothing is proved."""
    w = np.zeros(n_cols(objective.blocks.problem.rows) + 1) if start is None else start.w
    yield unproved(w, np.zeros_like(objective.sample_C), primal_of_weights(objective, w))


def unproved(w: Floats, alpha: Floats, primal: float) -> Step:
    """The only step of a run that may take none; zero is below every objective."""
    bounds = DualityGap(primal, 0.0)
    proof = partial(known_proof, Proof(bounds, alpha, w))
    return Step(0, w, alpha, bounds, "start", 0, proof, ending=Ending.STEPS_SPENT)


def method_for(objective: BinaryObjective) -> str:
    """Name of the method that the shape of the rows calls for."""
    rows = objective.blocks.problem.rows
    wide = isinstance(rows, CSR) and n_cols(rows) > MAX_FACTORED_FEATURES
    return "ascent" if wide and objective.l2 > 0.0 else "newton"


def by_ascent(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Dual coordinate ascent, without an end; started from weights, it begins with their pulls."""
    first = None
    if start is not None:
        alpha = alpha_at_weights(objective, start.w) if start.alpha is None else start.alpha
        first = (alpha, float(start.w[-1]))
    for now in ascend(objective, seed=seed, tol=limits.tol, start=first, is_due=limits.spent):
        bounds = DualityGap(now.primal, now.dual)
        rows = int(np.count_nonzero(now.alpha))
        w = np.append(now.w, now.b)
        proof = partial(prove_with_refinement, objective, w, now.alpha, limits.tol)
        yield Step(now.passes, w, now.alpha, bounds, "ascent", rows, proof)


def alpha_at_weights(objective: BinaryObjective, w: Floats) -> Floats:
    """Pulls that the rows answer some weights with."""
    iterate = iterate_at(objective, w)
    evaluate_losses(
        objective,
        iterate,
        SmoothedHinge(np.zeros_like(objective.sample_C), WARM_START_SMOOTHING),
        from_scratch=True,
    )
    return iterate.alpha


def by_newton(
    objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Newton's steps, without an end."""
    return newton_steps(AdaptivePCG(seed), objective, start, seed, limits)


def newton_steps(
    pcg: AdaptivePCG, objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
) -> Iterator[Step]:
    """Newton's steps whose systems are solved by a leader."""
    width = n_cols(objective.blocks.problem.rows) + 1
    first, smoothing = (None, FIRST_SMOOTHING) if start is None else (start.w, WARM_START_SMOOTHING)
    if first is None and is_worth_subsampling(objective):
        first = subsample_start(pcg, objective, seed, limits)
        smoothing = (
            FIRST_SMOOTHING
            if first is None
            else min(1.0, SMOOTHING_PER_MARGIN_ERROR * margin_error(objective))
        )
    iterate = iterate_at(objective, np.zeros(width) if first is None else first)
    if objective.loss == HINGE:
        evaluations = newton_on_smoothed_hinges(
            objective, iterate, max(smoothing, smallest_smoothing(objective)), pcg
        )
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
                best, alpha, proof = (
                    best.tightest(found.bounds),
                    found.alpha,
                    partial(known_proof, found),
                )
        rows = int(np.count_nonzero(evaluation.loss_sums.curvatures))
        yield Step(
            number,
            w,
            alpha,
            best,
            method_name(objective, smoothed_hinge),
            rows,
            proof,
            evaluation.error,
        )


METHODS = {"newton": by_newton, "ascent": by_ascent}


def method_name(objective: BinaryObjective, smoothed_hinge: SmoothedHinge) -> str:
    """Name of Newton's step on a floor."""
    return (
        f"newton, smoothing {smoothed_hinge.smoothing:.1e}" if objective.loss == HINGE else "newton"
    )


def primal_of_weights(objective: BinaryObjective, w: Floats) -> float:
    """P of some weights."""
    loss = total_loss(objective, margins_of(objective, w, np.empty_like(objective.sample_C)))
    return 0.5 * objective.l2 * float(w[:-1] @ w[:-1]) + loss


def newton_on_smooth_loss(
    objective: BinaryObjective, iterate: Iterate, pcg: AdaptivePCG, tol: float
) -> Iterator[tuple[Evaluation, SmoothedHinge]]:
    """Newton's steps on a smooth loss."""
    known_proof = SmoothedHinge(objective.sample_C, 1.0)  # its centres and window are not looked at
    while True:
        for evaluation in newton_iterates(objective, iterate, known_proof, pcg, tol):
            yield evaluation, known_proof


def newton_on_smoothed_hinges(
    objective: BinaryObjective, iterate: Iterate, smoothing: float, pcg: AdaptivePCG
) -> Iterator[tuple[Evaluation, SmoothedHinge]]:
    """Newton's steps on one floor after another, each centred on the pulls of the one before."""
    smoothed_hinge = SmoothedHinge(np.zeros_like(objective.sample_C), smoothing)
    while True:
        steps = 0
        for evaluation in newton_iterates(objective, iterate, smoothed_hinge, pcg, 0.0):
            yield evaluation, smoothed_hinge
            steps += 1
            if stationarity_residual(
                objective, evaluation.gradient
            ) <= STATIONARITY_RATIO * complementarity_gap(evaluation.loss_sums):
                break
        narrowing = SMOOTHING_DECREASE if steps > FEW_STEPS else SMOOTHING_DECREASE**2
        smoothed_hinge = SmoothedHinge(iterate.alpha.copy(), narrowing * smoothed_hinge.smoothing)
        warm_start_smoothing(objective, iterate, smoothed_hinge, evaluation.gradient, pcg)


def margin_error(objective: BinaryObjective) -> float:
    """How far off the margins of a rough start are: more, the fewer rows a weight it has seen."""
    rows = objective.blocks.problem.rows
    return float(np.sqrt((n_cols(rows) + 1) * SUBSAMPLE_EVERY / n_rows(rows)))


def smallest_smoothing(objective: BinaryObjective) -> float:
    """Window below which rows of this length and cost would pull more than float64 can weigh."""
    return (
        float(objective.sample_C.mean())
        * products.mean_square(objective.blocks)
        / MAX_FIRST_STIFFNESS
    )


def is_worth_subsampling(objective: BinaryObjective) -> bool:
    """Whether a part of the rows tells enough about all."""
    rows = objective.blocks.problem.rows
    return n_rows(rows) >= SUBSAMPLE_EVERY * max(
        MIN_SUBSAMPLE_ROWS, MIN_ROWS_PER_WEIGHT * (n_cols(rows) + 1)
    )


def systematic_sample(part: int, n: int, seed: int) -> Ints:
    """Of every so many rows in a row, one drawn by a seed."""
    first = np.arange(0, n - part + 1, part)
    return np.asarray(first + np.random.default_rng(seed).integers(0, part, len(first)))


def subsample_start(
    pcg: AdaptivePCG, objective: BinaryObjective, seed: int, limits: Limits
) -> Floats | None:
    """Weights learned from every eighth row, until rows not learned from would rather have less.

    The rows are drawn by a seed; none is the answer where a class has none among them.
    """
    blocks, chosen = (
        objective.blocks,
        systematic_sample(SUBSAMPLE_EVERY, n_rows(objective.blocks.problem.rows), seed),
    )
    part, validation, before = (
        restricted(objective, subsample_blocks(blocks, seed), chosen),
        None,
        np.inf,
    )
    if not has_both_signs(part):
        return None
    stop_error = (
        SUBSAMPLE_STOP_ERROR_HINGE if objective.loss == HINGE else SUBSAMPLE_STOP_ERROR
    ) * margin_error(objective)
    w = np.zeros(n_cols(blocks.problem.rows) + 1)
    subsample_limits = replace(
        limits, tol=SUBSAMPLE_TOL, max_iter=SUBSAMPLE_MAX_STEPS, proved=False
    )
    for step in until(newton_steps(pcg, part, None, seed, subsample_limits), subsample_limits):
        w = step.w
        if step.error <= stop_error:
            break
        if (
            step.error > VALIDATION_ERROR * margin_error(objective) or objective.loss == HINGE
        ):  # too early, or on a floor
            continue
        if validation is None:
            validation = restricted(
                objective, validation_blocks(blocks, seed), validation_rows_of(chosen)
            )
        now = primal_of_weights(validation, w)
        if now > before:
            break
        before = now
    return w


def validation_rows_of(chosen: Ints) -> Ints:
    """Half as many rows as were chosen of every eight: others, of the same eight."""
    return np.asarray(chosen - chosen % SUBSAMPLE_EVERY + (chosen + 1) % SUBSAMPLE_EVERY)[::2]


def subsample_blocks(blocks: Blocks, seed: int) -> Blocks:
    """The rows that a rough start learns from."""
    return blocks.take(systematic_sample(SUBSAMPLE_EVERY, n_rows(blocks.problem.rows), seed))


def validation_blocks(blocks: Blocks, seed: int) -> Blocks:
    """Rows that it is judged by."""
    return blocks.take(
        validation_rows_of(systematic_sample(SUBSAMPLE_EVERY, n_rows(blocks.problem.rows), seed))
    )


def restricted(objective: BinaryObjective, blocks: Blocks, chosen: Ints) -> BinaryObjective:
    """The same task about the rows chosen alone, each costing as much more as there are fewer."""
    sample_C = objective.sample_C[chosen] * (len(objective.sample_C) / len(chosen))
    return objective._replace(blocks=blocks, signs=objective.signs[chosen], sample_C=sample_C)


def has_both_signs(objective: BinaryObjective) -> bool:
    """Whether rows that cost something are of both classes."""
    signs = objective.signs[objective.sample_C > 0.0]
    return len(signs) > 0 and bool(signs.min() < signs.max())
