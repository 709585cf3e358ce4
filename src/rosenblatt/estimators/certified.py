"""Estimators that minimise a convex objective and prove how near they came."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import not_finite
from rosenblatt.data.meeting import Meeting
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import n_rows
from rosenblatt.data.weights import LEAST, MOST
from rosenblatt.errors import DataError, ParameterError, TooLargeError
from rosenblatt.estimators import checks
from rosenblatt.estimators.choosing import choose
from rosenblatt.estimators.convergence import warn_unless_converged
from rosenblatt.estimators.linear import LinearClassifier, unchanged_by_failure
from rosenblatt.estimators.telling import tell_step
from rosenblatt.evidence.trace import Certified, Trace, certified_record
from rosenblatt.rules.decisions import decided
from rosenblatt.rules.losses import Loss
from rosenblatt.solvers import products
from rosenblatt.solvers.blas import one_thread
from rosenblatt.solvers.certified import Limits, Start, Step, at_start, certify
from rosenblatt.solvers.responses import Task
from rosenblatt.solvers.state import Ending, Outcome


class Run(NamedTuple):
    """The run of a unit: which class it is for, a record of every step, and the last itself."""

    positive: int
    records: list[Certified]
    last: Step


class CertifiedClassifier(LinearClassifier):
    """A line that minimises ½‖w‖² + C Σ loss, the bias free, until the duality gap proves it."""

    C: Any  # a number, or "cv"
    solver: str
    time_limit: float | None

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
            warm = self._warm_weights()
            problem = self._problem(X, y, sample_weight, self.class_weight)
            self._check_warm(warm)
            weights = np.bincount(problem.codes, problem.weights, problem.n_classes)
            self._require_weight(weights * problem.class_weights)
            try:
                with one_thread():
                    self._solve(problem, None if warm is None else [Start(w) for w in warm.W])
            except FloatingPointError:
                raise _beyond(problem) from None
        warn_unless_converged(self.outcome_, self.tol)
        return self

    def _repeats(self) -> bool:
        return True

    def _loss(self) -> Loss:
        raise NotImplementedError

    def _solve(self, problem: Problem, start: list[Start] | None) -> None:
        limits = self._limits()
        self.C_ = self._price()
        self.__dict__.pop("cv_results_", None)
        if isinstance(self.C, str):
            rough = replace(limits, tol=max(limits.tol, self._choosing_tol))
            fit_at = partial(self._ends, rough)
            choice = choose(fit_at, self._marks, problem, self._seed())
            self.C_, self.cv_results_, start = choice.C, choice.results, choice.start
        self._store(problem, self._runs(problem, self.C_, start, limits))

    def _marks(self, scores: Floats, codes: Array) -> Floats:
        """Mark of each row by its scores, for choosing C: 1 where it is right, else 0."""
        return np.equal(decided(scores, len(self.classes_)), codes).astype(np.float64)

    def _price(self) -> Any:
        """C, as the settings have it."""
        return self.C if isinstance(self.C, str) else float(self.C)

    def _ends(
        self, limits: Limits, problem: Problem, C: float, start: list[Start] | None
    ) -> list[Start]:
        """Where the runs for a C end, for others to begin there."""
        return [beginning_at(run.last) for run in self._runs(problem, C, start, limits)]

    def _runs(
        self, problem: Problem, C: float, start: list[Start] | None, limits: Limits
    ) -> list[Run]:
        """Run every unit to its end; several meet to read the rows together, where that pays."""
        seed, n_jobs = self._seed(), self._threads()
        positives = [1] if problem.n_classes == 2 else list(range(problem.n_classes))
        meeting = Meeting(n_jobs) if len(positives) > 1 and self._reads_much(problem) else None
        blocks = Blocks(problem, n_jobs if len(positives) == 1 else 1, meeting)

        def solve(unit: int) -> Run:
            task = self._task(blocks, C, positives[unit])
            first = None if start is None else start[unit]
            steps = at_start(task, first)
            if limits.max_iter > 0:
                steps = self._steps(task, first, seed, limits)
            return recorded(steps, unit, positives[unit], limits.tol)

        units = range(len(positives))
        if meeting is not None:
            with np.errstate(over="raise", invalid="raise"):
                return meeting.hold([partial(solve, unit) for unit in units])
        if n_jobs == 1 or len(units) == 1:
            return [solve(unit) for unit in units]
        with ThreadPoolExecutor(n_jobs) as pool:
            return list(pool.map(solve, units))

    def _reads_much(self, problem: Problem) -> bool:
        """Whether reading the rows is what takes the time of a unit."""
        return self._method() != "ascent" and products.worth_sharing(problem.rows)

    def _steps(self, task: Task, start: Start | None, seed: int, limits: Limits) -> Iterator[Step]:
        """Steps of a unit to their end."""
        return certify(task, start, seed, limits, self._method())

    def _method(self) -> str:
        """Name of the solver, as the table of methods has it."""
        return self.solver

    def _limits(self) -> Limits:
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        return Limits(float(self.tol or 0.0), self.max_iter, deadline)

    def _task(self, blocks: Blocks, C: float, positive: int) -> Task:
        free = np.isinf(C)  # then only the losses count
        return Task(
            blocks=blocks,
            loss=int(self._loss()),
            signs=np.where(blocks.problem.codes == positive, 1.0, -1.0),
            costs=costs_of(blocks.problem, 1.0 if free else C),
            ridge=0.0 if free else 1.0,
            bias=self.fit_intercept,
        )

    def _store(self, problem: Problem, runs: list[Run]) -> None:
        last = [run.last for run in runs]
        self._W = weights_of_runs(runs)
        self.trace_ = Trace([record for run in runs for record in run.records])
        self.objective_ = sum(step.bounds.objective for step in last)
        bound = sum(step.bounds.bound for step in last)
        self.gap_ = (self.objective_ - bound) / self.objective_ if self.objective_ > 0 else 0.0
        self.n_iter_ = steps = max(step.number for step in last)
        endings = [step.ending for step in last if step.ending is not None]
        worst = next((e for e in endings if e is not Ending.CERTIFIED), Ending.CERTIFIED)
        advice = next((step.advice for step in last if step.ending is worst), "")
        rows = n_rows(problem.rows)
        self.outcome_ = Outcome(worst, steps, rows, advice=advice, gap=self.gap_)

    def _check(self) -> None:
        checks.number("tol", self.tol, least=0)
        checks.whole("max_iter", self.max_iter, least=0)
        checks.number("time_limit", self.time_limit, above=0, optional=True)
        checks.flag("fit_intercept", self.fit_intercept)
        self._check_price()
        checks.flag("warm_start", self.warm_start)
        checks.jobs("n_jobs", self.n_jobs)
        checks.class_weight("class_weight", self.class_weight)

    def _check_price(self) -> None:
        if not (isinstance(self.C, str) and self.C == "cv"):
            checks.number("C", self.C, above=0)


def recorded(steps: Iterator[Step], unit: int, positive: int, tol: float) -> Run:
    """Run a unit to its end, at a gap of `tol`; tell and keep a record of every step."""
    records: list[Certified] = []
    with np.errstate(over="raise", invalid="raise"):
        for step in steps:
            records.append(certified_record(step, unit))
            tell_step(records[-1], tol)
    return Run(positive, records, step)


def beginning_at(step: Step) -> Start:
    """Where a run stood, for another to begin there; Newton's method needs no pulls."""
    return Start(step.w, step.pulls if step.method == "ascent" else None)


def weights_of_runs(runs: list[Run]) -> Floats:
    """Weights of all units."""
    return np.vstack([run.last.w for run in runs])


def costs_of(problem: Problem, C: float) -> Floats:
    """Price of each row's loss."""
    costs = problem.class_weights[problem.codes]  # fresh memory takes its time: one array is enough
    costs *= problem.weights
    costs *= C
    least, most = float(costs.min()), float(costs.max())
    if least < LEAST:
        least = float(costs.min(where=costs > 0.0, initial=most))
    if not LEAST <= least <= most <= MOST:
        raise ParameterError(
            f"C times the weight of a row must be 0 or between {LEAST:g} and {MOST:g}; it"
            f" goes from {least:.1e} to {most:.1e}. Choose another C, or other weights."
        )
    return np.ascontiguousarray(costs)


def _beyond(problem: Problem) -> DataError:
    """Say what was not finite, or what may have been too large where all of X was."""
    told = not_finite(problem.rows)
    if not isinstance(told, TooLargeError):
        return told
    return TooLargeError(
        "The objective grew beyond float64: X holds values too large, or C and the weights of rows"
        " are too large or too far apart. Scale its columns, or choose others."
    )
