"""Fits of convex objectives: an estimator says what, and `minimise` finds the weights.

1. Columns far from zero are moved there, where an intercept can take that up.
2. C is selected by cross-validation, if asked for.
3. Each run starts from the weights of the last fit, or at zero where that leads further: one run
   for all classes (softmax), or one for each binary problem, a class against the rest, on threads.
4. The weights are moved back, and the duality gap is proved again.

A class whose rows all have weight 0 costs nothing, so the best model never chooses it. With a free
intercept that of such a class falls without end, and the objective with it, towards the objective
of the other classes alone. So these are fitted without it; it gets zero weights, and an intercept
so low that what it adds to the objective is lost in rounding. Against the rest such a class has all
rows on one side; there a hinge has no loss from −1 on.
"""

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.data.validation import MAX_WEIGHT, MIN_WEIGHT
from rosenblatt.errors import ParameterError
from rosenblatt.estimators.replay import StepRecorder
from rosenblatt.estimators.sklearn_interface import CallbackContext, correct_digits
from rosenblatt.kernels.rows import n_cols
from rosenblatt.linalg.multi_output import scores
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.model_selection.choose_c import Choice, choose
from rosenblatt.online.result import Ending
from rosenblatt.optim import softmax_mle, softmax_newton
from rosenblatt.optim.certificate import (
    COMPENSATED,
    Proof,
    prove_stored,
    prove_with_refinement,
)
from rosenblatt.optim.mle import MAX_MLE_WEIGHTS, maximise_likelihood
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.softmax import SoftmaxObjective
from rosenblatt.optim.softmax_certificate import prove_softmax
from rosenblatt.optim.solve import (
    Limits,
    Start,
    Step,
    at_start,
    far_offsets,
    intercept_for,
    moved,
    primal_of_weights,
    solve,
    unproved,
    until,
    with_proof,
)
from rosenblatt.separation.mle_existence import stop_if_separated
from rosenblatt.trace.trace import Certified, certified_record
from rosenblatt.types import Array, Floats, Ints

_LOG = logging.getLogger("rosenblatt")
FELL_SHORT = {Ending.AT_ROUNDING, Ending.MAX_STEPS_REACHED, Ending.TIME_LIMIT_REACHED}
FAR_BELOW = 100.0  # the other scores: a probability below e⁻¹⁰⁰


@dataclass(frozen=True, eq=False)
class ConvexObjective:
    """What is minimised, ½‖w‖² + C Σ loss with the intercept not penalised, and how.

    With C = inf only the losses count, and with C = "cv" it is selected: `row_scores` are of each
    row by its scores and class, the larger the better. `softmax` treats all classes at once.
    """

    loss: Loss
    C: Any
    softmax: bool
    fit_intercept: bool
    method: str
    n_jobs: int
    seed: Callable[[], int]
    row_scores: Callable[[Floats, Array], Floats]
    selection_tol: float  # duality gap of fits that only select C
    feature_names: Sequence[str] | None

    def binary(self, blocks: Blocks, C: float, positive: int) -> BinaryObjective:
        """The objective of one class against the rest, for some C."""
        free = np.isinf(C)
        return BinaryObjective(
            blocks=blocks,
            loss=int(self.loss),
            signs=signs_of(blocks.problem, positive),
            sample_C=sample_C_of(blocks.problem, 1.0 if free else C),
            l2=0.0 if free else 1.0,
            fit_intercept=self.fit_intercept,
        )

    def of_all_classes(self, data: TrainingData, C: float) -> SoftmaxObjective:
        """The objective of the softmax over all classes, for some C."""
        free = np.isinf(C)
        return SoftmaxObjective(
            blocks=Blocks(data, self.n_jobs),
            sample_C=sample_C_of(data, 1.0 if free else C),
            l2=0.0 if free else 1.0,
            fit_intercept=self.fit_intercept,
        )


class Run(NamedTuple):
    """A run of the solver: its positive class (−1: all), a record of every step, the last step."""

    positive: int
    records: list[Certified]
    last: Step


class ConvexFit(NamedTuple):
    """The runs of a fit, its C, and how that was selected (None where it was given)."""

    C: float
    runs: list[Run]
    selection: dict[str, Any] | None

    @property
    def W(self) -> Floats:  # noqa: N802 (a matrix)
        """Weights (w, b), a row for each output."""
        return np.vstack([run.last.w for run in self.runs])


def minimise(
    objective: ConvexObjective,
    data: TrainingData,
    start: list[Start] | None,
    limits: Limits,
    callbacks: CallbackContext | StepRecorder | None,
    *,
    also_from_zero: bool = True,
) -> ConvexFit:
    """Weights that minimise the objective, from a start or from zero.

    A start that falls short is tried against zero, unless it is where the run is to start.
    """
    original, offsets = data, None
    if objective.fit_intercept and np.inf != objective.C:
        offsets = far_offsets(data.rows)
    if offsets is not None:
        data = moved(data, offsets)
        start = start and [one.moved(offsets) for one in start]
    C, selection = objective.C, None
    if isinstance(C, str):
        C, start, selection = select_C(objective, data, limits)
    if callbacks is not None:
        limits = replace(limits, progress=partial(ending_asked_for, callbacks, offsets))
    begin = run_from if also_from_zero else run_solver
    runs = begin(objective, data, C, start, limits)
    if offsets is not None:
        runs = [move_back(objective, original, C, run, offsets, limits.tol) for run in runs]
    return ConvexFit(C, runs, selection)


def select_C(objective: ConvexObjective, data: TrainingData, limits: Limits) -> Choice:  # noqa: N802
    """The C of the best score by cross-validation, and where to start with it."""
    coarse = replace(limits, tol=max(limits.tol, objective.selection_tol), proved=False)

    def ends_at(part: TrainingData, C: float, start: list[Start] | None) -> list[Start]:
        return [start_at(run.last) for run in run_solver(objective, part, C, start, coarse)]

    return choose(ends_at, objective.row_scores, data, objective.seed())


def run_from(
    objective: ConvexObjective,
    data: TrainingData,
    C: float,
    start: list[Start] | None,
    limits: Limits,
) -> list[Run]:
    """Runs from a start; where they fall short, also from zero, and the better of both."""
    if start is None:
        return run_solver(objective, data, C, None, limits)
    try:
        warm = run_solver(objective, data, C, start, limits)
    except (FloatingPointError, OverflowError):
        return run_solver(objective, data, C, None, limits)
    if all(run.last.ending not in FELL_SHORT for run in warm):
        return warm
    cold = run_solver(objective, data, C, None, replace(limits, progress=None))
    pairs = zip(warm, cold, strict=True)
    return [better_of(objective, data, C, pair, limits.tol) for pair in pairs]


def run_solver(
    objective: ConvexObjective,
    data: TrainingData,
    C: float,
    start: list[Start] | None,
    limits: Limits,
) -> list[Run]:
    """One run for the softmax over all classes, or one for each binary problem."""
    if objective.softmax:
        W = None if start is None else np.vstack([one.w for one in start])
        return [run_softmax(objective, data, C, W, limits)]
    return run_binary_problems(objective, data, C, start, limits)


def run_binary_problems(
    objective: ConvexObjective,
    data: TrainingData,
    C: float,
    start: list[Start] | None,
    limits: Limits,
) -> list[Run]:
    """One run for each class against the rest, several at a time on threads."""
    seed, n_jobs, positives = objective.seed(), objective.n_jobs, positive_classes(data)
    several = len(positives) > 1
    hidden = several and objective.fit_intercept
    absent = np.flatnonzero(data.class_sizes == 0) if hidden else ()
    blocks = Blocks(data, 1 if several else n_jobs)

    def run(output: int) -> Run:
        binary = objective.binary(blocks, C, positives[output])
        first = None if start is None else start[output]
        if positives[output] in absent:
            steps = never_chosen(binary)
        elif limits.max_iter == 0:
            steps = at_start(binary, first)
        elif np.isinf(C):
            steps = maximise_likelihood(binary, None if first is None else first.w)
            steps = watch_separation(objective, binary, steps, limits)
        else:
            steps = solve(binary, first, seed, limits, objective.method)
        return recorded(steps, output, positives[output], limits)

    outputs = range(len(positives))
    if n_jobs == 1 or not several:
        return [run(output) for output in outputs]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(run, outputs))


def run_softmax(
    objective: ConvexObjective, data: TrainingData, C: float, W: Floats | None, limits: Limits
) -> Run:
    """The run for all classes at once; classes without weight are put far below the others."""
    present = np.flatnonzero(data.class_sizes)
    if len(present) == data.n_classes or not objective.fit_intercept:
        return _run_softmax(objective, data, C, W, limits)
    part, rows = present_only(data, present)
    run = _run_softmax(objective, part, C, None if W is None else W[present], limits)
    softmax = objective.of_all_classes(data, C)
    W, alpha = with_absent(softmax, run.last, present, rows)
    return with_new_proof(run, prove_softmax(softmax, W, alpha, limits.tol), limits.tol)


def _run_softmax(
    objective: ConvexObjective, data: TrainingData, C: float, W: Floats | None, limits: Limits
) -> Run:
    softmax = objective.of_all_classes(data, C)
    if limits.max_iter == 0:
        steps = softmax_newton.at_start(softmax, W)
    elif np.isinf(C):
        steps = softmax_mle.maximise_likelihood(softmax, W)
        steps = watch_separation(objective, softmax, steps, limits)
    else:
        steps = softmax_newton.solve(softmax, W, objective.seed(), limits)
    return recorded(steps, 0, -1, limits)


def watch_separation(
    objective: ConvexObjective,
    likelihood: BinaryObjective | SoftmaxObjective,
    steps: Iterator[Step],
    limits: Limits,
) -> Iterator[Step]:
    """Steps up the likelihood to its maximum, or to where separation shows that it has none."""
    features = n_cols(likelihood.blocks.problem.rows)
    outputs = likelihood.n_classes if isinstance(likelihood, SoftmaxObjective) else 1
    most = MAX_MLE_WEIGHTS // outputs - 1
    if features > most:
        of_classes = f" of {outputs} classes" if outputs > 1 else ""
        raise ParameterError(
            f"C=inf allows at most {most:,} features{of_classes}; X has {features:,}. Use a"
            " finite C: so many features nearly always separate the classes."
        )
    names = objective.feature_names
    names = [f"x{j}" for j in range(features)] if names is None else list(names)
    return stop_if_separated(until(steps, limits), likelihood, names, limits)


def recorded(steps: Iterator[Step], output: int, positive: int, limits: Limits) -> Run:
    """Run the solver to its end within limits; log and keep a record of every step."""
    records: list[Certified] = []
    with np.errstate(over="raise", invalid="raise"):
        for last in steps:
            asked = None if limits.progress is None else limits.progress(output, last)
            stopped = asked is not None and last.ending is None
            step = replace(with_proof(last), ending=asked) if stopped else last
            records.append(certified_record(step, output))
            log_step(records[-1], limits.tol)
            if stopped:
                break
    return Run(positive, records, step)


def log_step(record: Certified, tol: float) -> None:
    """Log a step of a certified solver; progress is measured in digits of the duality gap."""
    share = min(1.0, correct_digits(record.gap) / (correct_digits(tol) or math.inf))
    _LOG.info("step %d: gap %.1e", record.step, record.gap, extra={"share": share})


def ending_asked_for(
    callbacks: CallbackContext | StepRecorder, offsets: Floats | None, output: int, step: Step
) -> Ending | None:
    """Report a step to callbacks; the ending, where one of them asks for it."""

    def weights() -> dict[str, Floats]:
        W = np.atleast_2d(step.w)
        return {"_W": W if offsets is None else at_origin(W, offsets)}

    wanted = callbacks.wants_end(output, step, weights)
    return Ending.STOPPED_BY_CALLBACK if wanted else None


def move_back(
    objective: ConvexObjective, data: TrainingData, C: float, run: Run, offsets: Floats, tol: float
) -> Run:
    """A run about moved columns as one of the columns as they came, the intercept rounded."""
    at_zero = not (run.last.w[..., :-1].any() or run.last.alpha.any())
    if run.last.ending is Ending.SEPARATED or at_zero:
        return run
    w = at_origin(run.last.w, offsets)
    return prove_again(objective, data, C, run._replace(last=replace(run.last, w=w)), tol)


def better_of(
    objective: ConvexObjective, data: TrainingData, C: float, runs: tuple[Run, Run], tol: float
) -> Run:
    """The run with the smaller gap, with the better weights and the better bound of both."""
    best, other = sorted(runs, key=lambda run: run.last.bounds.gap)
    last, second = best.last, other.last
    if np.isinf(C) or last.bounds.primal <= second.bounds.primal:
        return best
    alpha = last.alpha if last.bounds.dual >= second.bounds.dual else second.alpha
    mixed = best._replace(last=replace(last, w=second.w, alpha=alpha))
    return prove_again(objective, data, C, mixed, tol)


def prove_again(
    objective: ConvexObjective, data: TrainingData, C: float, run: Run, tol: float
) -> Run:
    """A run whose last weights or dual variables were changed, with its gap proved anew."""
    w, alpha = run.last.w, run.last.alpha
    if objective.softmax:
        proof = prove_softmax(objective.of_all_classes(data, C), w, alpha, tol)
    else:
        binary = objective.binary(Blocks(data, objective.n_jobs), C, run.positive)
        proof = prove_with_refinement(binary, w, alpha, tol)
    return with_new_proof(run, proof, tol)


def with_new_proof(run: Run, proof: Proof, tol: float) -> Run:
    """A run with the weights of a proof, and the ending that its gap allows."""
    last = replace(run.last, w=proof.w, alpha=proof.alpha, bounds=proof.bounds)
    if last.ending is Ending.CERTIFIED and proof.bounds.gap > tol:
        last = replace(last, ending=Ending.FAR_FROM_ZERO)
    elif last.ending in {Ending.AT_ROUNDING, Ending.FAR_FROM_ZERO} and proof.bounds.gap <= tol:
        last = replace(last, ending=Ending.CERTIFIED)
    output = run.records[-1].output
    return run._replace(records=[*run.records[:-1], certified_record(last, output)], last=last)


def prove_fitted(
    objective: ConvexObjective, data: TrainingData, C: float, W: Floats, alphas: list[Floats]
) -> list[Proof]:
    """Proofs of fitted weights by the dual variables of each run, with all rounding counted."""
    if objective.softmax:
        softmax = objective.of_all_classes(data, C)
        return [prove_softmax(softmax, W, alphas[0], 0.0, COMPENSATED)]
    blocks = Blocks(data, objective.n_jobs)
    return [
        prove_stored(objective.binary(blocks, C, positive), w, alpha)
        for positive, w, alpha in zip(positive_classes(data), W, alphas, strict=True)
    ]


def never_chosen(objective: BinaryObjective) -> Iterator[Step]:
    """The run of an absent class against the rest: one step, which is its end."""
    w = np.zeros(n_cols(objective.blocks.problem.rows) + 1)
    w[-1] = -FAR_BELOW
    step = unproved(w, np.zeros_like(objective.sample_C), primal_of_weights(objective, w))
    yield replace(step, ending=Ending.CERTIFIED)


def present_only(problem: TrainingData, present: Ints) -> tuple[TrainingData, Ints]:
    """The problem of the classes present alone, and the numbers of its rows."""
    codes = np.full(problem.n_classes, -1, problem.codes.dtype)
    codes[present] = np.arange(len(present))
    rows = np.flatnonzero(codes[problem.codes] >= 0)
    part = problem.take(rows)
    part = part._replace(codes=codes[part.codes], class_weights=problem.class_weights[present])
    return part, rows


def with_absent(
    objective: SoftmaxObjective, step: Step, present: Ints, rows: Ints
) -> tuple[Floats, Floats]:
    """Weights and dual variables of all classes, from the last step of those present alone."""
    n, K = len(objective.sample_C), objective.n_classes
    W, alpha = np.zeros((K, step.w.shape[1])), np.zeros((n, K))
    W[present] = step.w
    alpha[np.ix_(rows, present)] = step.alpha
    lowest = scores(objective.blocks, np.ascontiguousarray(step.w.T)).max(axis=1).min()
    absent = np.setdiff1d(np.arange(K), present)
    W[absent, -1] = min(float(lowest), 0.0) - FAR_BELOW
    return W, alpha


def start_at(step: Step) -> Start:
    """Where a run ended, for another to start there; Newton's method needs no dual variables."""
    return Start(step.w, step.alpha if step.method == "ascent" else None)


def positive_classes(data: TrainingData) -> list[int]:
    """The positive class of each binary problem: the second of two, or each against the rest."""
    return [1] if data.n_classes == 2 else list(range(data.n_classes))


def signs_of(data: TrainingData, positive: int) -> Floats:
    """+1 for the rows of a class, and −1 for the rest."""
    return np.where(data.codes == positive, 1.0, -1.0)


def at_origin(w: Floats, offsets: Floats) -> Floats:
    """Weights about moved columns as weights of the columns as they came."""
    if w.ndim > 1:
        return np.vstack([at_origin(row, offsets) for row in w])
    return np.append(w[:-1], intercept_for(w[:-1], w[-1], -offsets))


def sample_C_of(data: TrainingData, C: float) -> Floats:  # noqa: N802 (C as in the formulas)
    """C times the weight of each row."""
    sample_C = data.class_weights[data.codes]  # in place: fresh memory takes its time
    sample_C *= data.weights
    sample_C *= C
    least, most = float(sample_C.min()), float(sample_C.max())
    if least < MIN_WEIGHT:
        least = float(sample_C.min(where=sample_C > 0.0, initial=most))
    if not MIN_WEIGHT <= least <= most <= MAX_WEIGHT:
        raise ParameterError(
            f"C times the weight of a row must be 0 or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g};"
            f" it ranges from {least:.1e} to {most:.1e}. Choose another C, or other weights."
        )
    return np.ascontiguousarray(sample_C)
