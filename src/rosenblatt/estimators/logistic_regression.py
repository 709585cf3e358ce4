"""Logistic regression, certified: maximum a posteriori."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.estimators import checks
from rosenblatt.estimators.certified import CertifiedClassifier
from rosenblatt.rules.losses import Loss


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
        checks.number("C", self.C, above=0)

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
