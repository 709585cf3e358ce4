"""Copies of an estimator that learn, several at once, and how it is called."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rosenblatt.comparison.inputs import LabelledData
from rosenblatt.parallel import processors


def fit_copy(estimator: Any, data: LabelledData) -> Any:
    """A new estimator of the same settings that has learned from rows."""
    return clone(estimator).fit(data.X, data.y)


def estimator_name(estimator: Any) -> str:
    """The name of an estimator; of a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return " → ".join(estimator_name(step) for _, step in estimator.steps)
    return type(estimator).__name__


def thread_count(n_jobs: int | None) -> int:
    """How many threads a number of jobs means: None for one, any below 0 for all cores."""
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else processors()
