"""Estimators that minimise a convex objective and prove how near they came."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.data.blocks import Blocks
from rosenblatt.data.labels import codes_of, labels_of
from rosenblatt.data.training_data import TrainingData
from rosenblatt.data.validation import (
    MAX_WEIGHT,
    MIN_WEIGHT,
    class_weights_of,
    not_finite,
    require_finite,
    weights_of,
)
from rosenblatt.errors import DataError, ParameterError, TooLargeError
from rosenblatt.estimators import parameter_checks, sklearn_callbacks
from rosenblatt.estimators.absent_classes import class_sizes, never_chosen
from rosenblatt.estimators.convergence_warning import warn_unless_converged
from rosenblatt.estimators.linear_base import LinearClassifier, unchanged_by_failure
from rosenblatt.estimators.log_messages import log_step
from rosenblatt.estimators.parameters import ConvexParameters
from rosenblatt.estimators.sklearn_callbacks import Listener
from rosenblatt.kernels.rows import n_rows
from rosenblatt.linalg.blas import one_thread
from rosenblatt.losses.link import predicted_codes
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.model_selection.choose_c import choose
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.optim.centering import far_offsets, intercept_for, moved
from rosenblatt.optim.certificate import (
    Certificate,
    Proof,
    certificate_of,
    prove_stored,
    prove_with_refinement,
)
from rosenblatt.optim.duality_gap import DualityGap
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.solve import Limits, Start, Step, at_start, solve, with_proof
from rosenblatt.trace.trace import Certified, Trace, certified_record
from rosenblatt.types import Array, Floats

FELL_SHORT = {Ending.AT_ROUNDING, Ending.STEPS_SPENT, Ending.TIME_SPENT}


class Run(NamedTuple):
    """The run of a unit: which class it is for, a record of every step, and the last itself."""

    positive: int
    records: list[Certified]
    last: Step


class CertifiedClassifier(ConvexParameters, LinearClassifier):
    """A line that minimises ½‖w‖² + C Σ loss, the bias free, until the duality gap proves it."""

    _choosing_tol = 1e-2  # gap of fits that only choose C: by then few rows change sides

    trace_: Trace
    outcome_: Outcome
    gap_: float
    objective_: float
    n_iter_: int | Array
    C_: float
    cv_results_: dict[str, Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the objective until its gap is at most `tol`.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts: it multiplies C.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            warm = self._warm_start()
            problem = self._training_data(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            sizes = class_sizes(problem)
            if np.count_nonzero(sizes) < 2 or self._price() == np.inf:
                self._require_weight(sizes)
            starts = None if warm is None else self._starts(warm.W, problem)
            data = {"X": X, "y": y, "metadata": _metadata(sample_weight)}
            size = (self._n_runs(problem), float(self.tol or 0.0))
            try:
                with one_thread():
                    sklearn_callbacks.solve_heard(
                        self, data, size, partial(self._solve, problem, starts)
                    )
            except (FloatingPointError, OverflowError):
                raise _beyond(problem) from None
        warn_unless_converged(self.outcome_, self.tol)
        return self

    @property
    def set_callbacks(self) -> Callable[..., Self]:
        """Set callbacks, where the scikit-learn that is installed has them (1.9 or later).

        Every digit of the gap is a task they are told of: `set_callbacks(ProgressBar()).fit(X, y)`.
        """
        if not sklearn_callbacks.is_supported():
            raise AttributeError("set_callbacks needs scikit-learn 1.9 or later.")
        return partial(sklearn_callbacks.set_callbacks, self)

    def _n_runs(self, problem: TrainingData) -> int:
        """How many runs a fit is: one for each unit."""
        return 1 if problem.n_classes == 2 else problem.n_classes

    def _weights_are_repetitions(self) -> bool:
        return True

    def _loss(self) -> Loss:
        raise NotImplementedError

    def certificate(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Check the gap of this fit anew, from its weights and dual variables alone.

        It needs a penalty: with C=inf `gap_` rests on an estimate of how long the best weights are.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training rows.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights, if the fit had any.

        Returns
        -------
        Certificate
            `primal_upper` is at least the objective of `coef_` and `intercept_`; no weights have an
            objective below `dual_lower`; `gap` is (primal_upper − dual_lower)/primal_upper, and
            `holds` tells whether that is at most `gap_`. All rounding is counted. `units` has the
            same for each unit, with the dual variables `alpha` that prove it.
        """
        self._require_fitted()
        problem = self._problem_again(X, y, sample_weight)
        with one_thread():
            proofs = self._proofs(problem)
        return certificate_of(proofs, self.gap_)

    def _problem_again(self, X: Any, y: Any, sample_weight: Any) -> TrainingData:
        """Training data of the last fit, checked again; nothing learned changes."""
        rows = self._rows(X, reset=False)
        require_finite(rows)
        codes = codes_of(labels_of(y, n_rows(rows)), self.classes_)
        weights = weights_of(sample_weight, n_rows(rows))
        n_classes = len(self.classes_)
        class_weights = class_weights_of(
            self.class_weight, self.classes_, lambda: self._class_sizes(codes, weights, n_classes)
        )
        return TrainingData(rows, codes, weights, class_weights)

    def _proofs(self, problem: TrainingData) -> list[Proof]:
        """Proofs of all units by the dual variables that were kept."""
        if np.isinf(self.C_):
            raise ParameterError(
                "certificate() needs a penalty: with C=inf no finite set of dual variables in"
                " float64 bounds the likelihood exactly. Fit with a finite C."
            )
        blocks = Blocks(problem, self._threads())
        positives = [1] if problem.n_classes == 2 else list(range(problem.n_classes))
        return [
            prove_stored(
                self._binary_objective(blocks, self.C_, positive),
                self._weights()[unit],
                self._alpha(unit, problem, positive),
            )
            for unit, positive in enumerate(positives)
        ]

    def _alpha(self, unit: int, problem: TrainingData, positive: int) -> Floats:
        """Dual variables of a unit, one for each row."""
        raise NotImplementedError

    def _solve(
        self, problem: TrainingData, start: list[Start] | None, listener: Listener | None
    ) -> None:
        limits = self._limits()
        original, offsets = problem, self._offsets(problem)
        if offsets is not None:
            problem = moved(problem, offsets)
            start = start and [unit.moved(offsets) for unit in start]
        self.C_ = self._price()
        self.__dict__.pop("cv_results_", None)
        if isinstance(self.C, str):
            rough = replace(limits, tol=max(limits.tol, self._choosing_tol), proved=False)
            fit_at = partial(self._ends, rough)
            choice = choose(fit_at, self._marks, problem, self._seed())
            self.C_, self.cv_results_, start = choice.C, choice.results, choice.start
        progress = None if listener is None else partial(self._heard, listener, offsets)
        runs = self._warm_or_cold(problem, start, replace(limits, progress=progress))
        if offsets is not None:
            runs = self._moved_back(original, runs, offsets, limits.tol)
        self._store(original, runs)

    def _starts(self, W: Floats, problem: TrainingData) -> list[Start]:
        """Where the last fit ended, with its dual variables if they may be of these rows."""
        if "dual_coef_" not in vars(self):
            return [Start(w) for w in W]
        positives = [1] if problem.n_classes == 2 else list(range(problem.n_classes))
        try:
            alphas = [self._alpha(unit, problem, k) for unit, k in enumerate(positives)]
        except DataError:
            return [Start(w) for w in W]
        return [Start(w, alpha) for w, alpha in zip(W, alphas, strict=True)]

    def _heard(
        self, listener: Listener, offsets: Floats | None, unit: int, step: Step
    ) -> Ending | None:
        """Tell callbacks of a step; the ending, where one of them asks for it."""

        def weights() -> dict[str, Floats]:
            W = np.atleast_2d(step.w)
            return {"_W": W if offsets is None else at_origin(W, offsets)}

        wanted = listener.wants_end(unit, step, weights)
        return Ending.STOPPED_BY_CALLBACK if wanted else None

    def _warm_or_cold(
        self, problem: TrainingData, start: list[Start] | None, limits: Limits
    ) -> list[Run]:
        """Runs from a start, or from zero where those are better: they are made if need be."""
        if start is None:
            return self._runs(problem, self.C_, None, limits)
        try:
            warm = self._runs(problem, self.C_, start, limits)
        except (FloatingPointError, OverflowError):
            return self._runs(problem, self.C_, None, limits)
        if all(run.last.ending not in FELL_SHORT for run in warm):
            return warm
        cold = self._runs(problem, self.C_, None, replace(limits, progress=None))
        return [
            self._better_of(problem, *pair, limits.tol) for pair in zip(warm, cold, strict=True)
        ]

    def _offsets(self, problem: TrainingData) -> Floats | None:
        """Where columns far from zero are solved about, if a free intercept takes that up."""
        return far_offsets(problem.rows) if self.fit_intercept and self._price() != np.inf else None

    def _moved_back(
        self, problem: TrainingData, runs: list[Run], offsets: Floats, tol: float
    ) -> list[Run]:
        """Runs told of the columns as they came, the intercept rounded."""
        return [
            run
            if run.last.ending is Ending.SEPARATED or moved_nothing(run)
            else self._retold(problem, run, at_origin(run.last.w, offsets), run.last.alpha, tol)
            for run in runs
        ]

    def _retold(self, problem: TrainingData, run: Run, w: Floats, alpha: Floats, tol: float) -> Run:
        """A run with other weights and dual variables than it ended with, proved anew."""
        objective = self._binary_objective(Blocks(problem, self._threads()), self.C_, run.positive)
        return retold(run, prove_with_refinement(objective, w, alpha, tol), tol)

    def _better_of(self, problem: TrainingData, run: Run, other: Run, tol: float) -> Run:
        """The run with the smaller gap, with the better weights and the better bound of both."""
        best, rest = sorted((run, other), key=lambda one: one.last.bounds.gap)
        last, beside = best.last, rest.last
        if np.isinf(self.C_) or last.bounds.primal <= beside.bounds.primal:
            return best
        alpha = last.alpha if last.bounds.dual >= beside.bounds.dual else beside.alpha
        return self._retold(problem, best, beside.w, alpha, tol)

    def _marks(self, scores: Floats, codes: Array) -> Floats:
        """Mark of each row by its scores, for choosing C: 1 where it is right, else 0."""
        return np.equal(predicted_codes(scores, len(self.classes_)), codes).astype(np.float64)

    def _price(self) -> Any:
        """C, as the settings have it."""
        return self.C if isinstance(self.C, str) else float(self.C)

    def _ends(
        self, limits: Limits, problem: TrainingData, C: float, start: list[Start] | None
    ) -> list[Start]:
        """Where the runs for a C end, for others to begin there."""
        return [beginning_at(run.last) for run in self._runs(problem, C, start, limits)]

    def _runs(
        self, problem: TrainingData, C: float, start: list[Start] | None, limits: Limits
    ) -> list[Run]:
        """Run every unit to its end, several side by side on threads."""
        seed, n_jobs = self._seed(), self._threads()
        positives = [1] if problem.n_classes == 2 else list(range(problem.n_classes))
        several = len(positives) > 1
        absent = np.flatnonzero(class_sizes(problem) == 0) if several and self.fit_intercept else ()
        blocks = Blocks(problem, 1 if several else n_jobs)

        def solve(unit: int) -> Run:
            objective = self._binary_objective(blocks, C, positives[unit])
            first = None if start is None else start[unit]
            steps = at_start(objective, first)
            if positives[unit] in absent:
                steps = never_chosen(objective)
            elif limits.max_iter > 0:
                steps = self._steps(objective, first, seed, limits)
            return recorded(steps, unit, positives[unit], limits)

        units = range(len(positives))
        if n_jobs == 1 or len(units) == 1:
            return [solve(unit) for unit in units]
        with ThreadPoolExecutor(n_jobs) as pool:
            return list(pool.map(solve, units))

    def _steps(
        self, objective: BinaryObjective, start: Start | None, seed: int, limits: Limits
    ) -> Iterator[Step]:
        """Steps of a unit to their end."""
        return solve(objective, start, seed, limits, self._method())

    def _method(self) -> str:
        """Name of the solver, as the table of methods has it."""
        return self.solver

    def _limits(self) -> Limits:
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        return Limits(float(self.tol or 0.0), self.max_iter, deadline)

    def _binary_objective(self, blocks: Blocks, C: float, positive: int) -> BinaryObjective:
        free = np.isinf(C)  # then only the losses count
        return BinaryObjective(
            blocks=blocks,
            loss=int(self._loss()),
            signs=np.where(blocks.problem.codes == positive, 1.0, -1.0),
            sample_C=sample_C_of(blocks.problem, 1.0 if free else C),
            l2=0.0 if free else 1.0,
            fit_intercept=self.fit_intercept,
        )

    def _store(self, problem: TrainingData, runs: list[Run]) -> None:
        last = [run.last for run in runs]
        self._W = weights_of_runs(runs)
        self.trace_ = Trace([record for run in runs for record in run.records])
        total = DualityGap.summed([step.bounds for step in last])
        self.objective_, self.gap_ = total.primal, total.gap
        self.n_iter_ = steps = max(step.number for step in last)
        endings = [step.ending for step in last if step.ending is not None]
        worst = next((e for e in endings if e is not Ending.CERTIFIED), Ending.CERTIFIED)
        if self.gap_ <= float(self.tol or 0.0):  # of all units together, which is what counts
            worst = Ending.CERTIFIED
        if worst is Ending.CERTIFIED and np.isinf(self.C_):
            worst = Ending.CONVERGED
        advice = next((step.advice for step in last if step.ending is worst), "")
        rows = n_rows(problem.rows)
        self.outcome_ = Outcome(worst, steps, rows, advice=advice, gap=self.gap_)

    def _check(self) -> None:
        parameter_checks.number("tol", self.tol, least=0)
        parameter_checks.whole("max_iter", self.max_iter, least=0)
        parameter_checks.number("time_limit", self.time_limit, above=0, optional=True)
        parameter_checks.flag("fit_intercept", self.fit_intercept)
        self._check_price()
        parameter_checks.flag("warm_start", self.warm_start)
        parameter_checks.jobs("n_jobs", self.n_jobs)
        parameter_checks.class_weight("class_weight", self.class_weight)

    def _check_price(self) -> None:
        if not (isinstance(self.C, str) and self.C == "cv"):
            parameter_checks.number("C", self.C, above=0)


def recorded(steps: Iterator[Step], unit: int, positive: int, limits: Limits) -> Run:
    """Run a unit to its end within limits; tell and keep a record of every step."""
    records: list[Certified] = []
    with np.errstate(over="raise", invalid="raise"):
        for last in steps:
            asked = None if limits.progress is None else limits.progress(unit, last)
            stopped = asked is not None and last.ending is None
            step = replace(with_proof(last), ending=asked) if stopped else last
            records.append(certified_record(step, unit))
            log_step(records[-1], limits.tol)
            if stopped:
                break
    return Run(positive, records, step)


def _metadata(sample_weight: Any) -> dict[str, Any] | None:
    """What callbacks are given beside the data."""
    return None if sample_weight is None else {"sample_weight": sample_weight}


def moved_nothing(run: Run) -> bool:
    """Whether a run ended at zero weights, with no dual variables."""
    return not (run.last.w[..., :-1].any() or run.last.alpha.any())


def at_origin(w: Floats, offsets: Floats) -> Floats:
    """Weights about moved columns as weights of the columns as they came."""
    if w.ndim > 1:
        return np.vstack([at_origin(unit, offsets) for unit in w])
    return np.append(w[:-1], intercept_for(w[:-1], w[-1], -offsets))


def retold(run: Run, proof: Proof, tol: float) -> Run:
    """A run with the weights and the proof it ended with in the end."""
    last = replace(run.last, w=proof.w, alpha=proof.alpha, bounds=proof.bounds)
    if last.ending is Ending.CERTIFIED and proof.bounds.gap > tol:
        last = replace(last, ending=Ending.FAR_FROM_ZERO)
    elif last.ending in {Ending.AT_ROUNDING, Ending.FAR_FROM_ZERO} and proof.bounds.gap <= tol:
        last = replace(last, ending=Ending.CERTIFIED)
    unit = run.records[-1].unit
    return run._replace(records=[*run.records[:-1], certified_record(last, unit)], last=last)


def beginning_at(step: Step) -> Start:
    """Where a run stood, for another to begin there; Newton's method needs no pulls."""
    return Start(step.w, step.alpha if step.method == "ascent" else None)


def weights_of_runs(runs: list[Run]) -> Floats:
    """Weights of all units."""
    return np.vstack([run.last.w for run in runs])


def sample_C_of(problem: TrainingData, C: float) -> Floats:  # noqa: N802 (C as in the formulas)
    """Price of each row's loss."""
    sample_C = problem.class_weights[
        problem.codes
    ]  # fresh memory takes its time: one array is enough
    sample_C *= problem.weights
    sample_C *= C
    least, most = float(sample_C.min()), float(sample_C.max())
    if least < MIN_WEIGHT:
        least = float(sample_C.min(where=sample_C > 0.0, initial=most))
    if not MIN_WEIGHT <= least <= most <= MAX_WEIGHT:
        raise ParameterError(
            f"C times the weight of a row must be 0 or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g};"
            f" it goes from {least:.1e} to {most:.1e}. Choose another C, or other weights."
        )
    return np.ascontiguousarray(sample_C)


def _beyond(problem: TrainingData) -> DataError:
    """Say what was not finite, or what may have been too large where all of X was."""
    told = not_finite(problem.rows)
    if not isinstance(told, TooLargeError):
        return told
    return TooLargeError(
        "The objective grew beyond float64: X holds values too large, or C and the weights of rows"
        " are too large or too far apart. Scale its columns, or choose others."
    )
