"""Estimators that minimise a convex objective and prove how near they came."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import not_finite
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import n_rows
from rosenblatt.errors import DataError
from rosenblatt.estimators import checks
from rosenblatt.estimators.linear import LinearClassifier, unchanged_by_failure
from rosenblatt.evidence.trace import Certified, Trace, certified_record
from rosenblatt.rules.losses import Loss
from rosenblatt.solvers.blas import one_thread
from rosenblatt.solvers.certified import METHODS, Limits, Step, certify
from rosenblatt.solvers.responses import Task
from rosenblatt.solvers.state import Ending, Outcome


class Run(NamedTuple):
    """The run of a unit: which class it is for, a record of every step, and the last itself."""

    positive: int
    records: list[Certified]
    last: Step


class CertifiedClassifier(LinearClassifier):
    """A line that minimises ½‖w‖² + C Σ loss, the bias free, until the duality gap proves it."""

    C: Any
    solver: str
    time_limit: float | None

    trace_: Trace
    outcome_: Outcome
    gap_: float
    objective_: float
    n_iter_: int

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
            self._require_weight(problem)
            try:
                with one_thread():
                    self._solve(problem, None if warm is None else warm.W)
            except FloatingPointError:
                raise not_finite(problem.rows) from None
        return self

    def _require_weight(self, problem: Problem) -> None:
        weights = np.bincount(problem.codes, problem.weights, problem.n_classes)
        empty = np.flatnonzero(weights * problem.class_weights == 0)
        if len(empty):
            label = self.classes_.tolist()[empty[0]]
            raise DataError(f"All rows of class {label!r} have weight 0; every class needs weight.")

    @property
    def _free(self) -> bool:
        """Whether long weights have no price: only the losses count."""
        return bool(np.inf == self.C)

    def _loss(self) -> Loss:
        raise NotImplementedError

    def _solve(self, problem: Problem, start: Floats | None) -> None:
        limits, seed = self._limits(), self._seed()
        positives = [1] if problem.n_classes == 2 else list(range(problem.n_classes))
        inside, across = (self._threads(), 1) if len(positives) == 1 else (1, self._threads())

        def solve(unit: int) -> Run:
            task = self._task(problem, positives[unit], inside)
            records: list[Certified] = []
            with np.errstate(over="raise", invalid="raise"):
                first = None if start is None else start[unit]
                for step in self._steps(task, first, seed, limits):
                    records.append(certified_record(step, unit))
            return Run(positives[unit], records, step)

        units = range(len(positives))
        if across == 1:
            runs = [solve(unit) for unit in units]
        else:
            with ThreadPoolExecutor(across) as pool:
                runs = list(pool.map(solve, units))
        self._store(problem, runs)

    def _steps(self, task: Task, start: Floats | None, seed: int, limits: Limits) -> Iterator[Step]:
        return certify(task, start, seed, limits, self.solver)

    def _limits(self) -> Limits:
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        return Limits(float(self.tol or 0.0), self.max_iter, deadline)

    def _task(self, problem: Problem, positive: int, n_jobs: int) -> Task:
        weights = problem.weights * problem.class_weights[problem.codes]
        return Task(
            blocks=Blocks(problem, n_jobs),
            loss=int(self._loss()),
            signs=np.where(problem.codes == positive, 1.0, -1.0),
            costs=np.ascontiguousarray(weights if self._free else self.C * weights),
            ridge=0.0 if self._free else 1.0,
            bias=self.fit_intercept,
        )

    def _store(self, problem: Problem, runs: list[Run]) -> None:
        last = [run.last for run in runs]
        self._W = np.array([step.w for step in last])
        self.trace_ = Trace([record for run in runs for record in run.records])
        self.objective_ = sum(step.bounds.objective for step in last)
        bound = sum(step.bounds.bound for step in last)
        self.gap_ = (self.objective_ - bound) / self.objective_ if self.objective_ > 0 else 0.0
        self.n_iter_ = max(step.number for step in last)
        endings = [step.ending for step in last if step.ending is not None]
        worst = next((e for e in endings if e is not Ending.CERTIFIED), Ending.CERTIFIED)
        advice = next((step.advice for step in last if step.ending is worst), "")
        self.outcome_ = Outcome(
            worst, self.n_iter_, n_rows(problem.rows), advice=advice, gap=self.gap_
        )

    def _check(self) -> None:
        checks.number("tol", self.tol, least=0)
        checks.whole("max_iter", self.max_iter, least=1)
        checks.number("time_limit", self.time_limit, above=0, optional=True)
        checks.flag("fit_intercept", self.fit_intercept)
        checks.one_of("solver", self.solver, ("auto", *METHODS))
        checks.flag("warm_start", self.warm_start)
        checks.jobs("n_jobs", self.n_jobs)
        checks.class_weight("class_weight", self.class_weight)
