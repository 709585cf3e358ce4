"""Logistic regression, certified: maximum a posteriori."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.data.rows import n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.estimators import checks
from rosenblatt.estimators.certified import CertifiedClassifier
from rosenblatt.evidence.separation import watched
from rosenblatt.rules.losses import Loss
from rosenblatt.solvers.certified import Limits, Step, until
from rosenblatt.solvers.likelihood import MOST_FEATURES, climb
from rosenblatt.solvers.responses import Task


class LogisticRegression(CertifiedClassifier):
    """Logistic regression: ½‖w‖² + C Σ log(1 + exp(−y (w·x + b))) is as small as can be."""

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int = 1000,
        solver: str = "auto",
        class_weight: Any = None,
        warm_start: bool = False,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check(self) -> None:
        super()._check()
        if not self._free:
            checks.number("C", self.C, above=0)

    def _steps(self, task: Task, start: Floats | None, seed: int, limits: Limits) -> Iterator[Step]:
        if not self._free:
            return super()._steps(task, start, seed, limits)
        features = n_cols(task.blocks.problem.rows)
        if features > MOST_FEATURES:
            raise ParameterError(
                f"C=inf takes at most {MOST_FEATURES:,} features; X has {features:,}. Use a finite"
                " C: so many features nearly always separate the classes."
            )
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(features)])
        return watched(until(climb(task, start), limits), task, list(names), limits)

    def _loss(self) -> Loss:
        return Loss.LOGISTIC

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            positive = 0.5 * (1.0 + np.tanh(0.5 * scores[:, 0]))
            return np.column_stack([1.0 - positive, positive])
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))
