"""Copies of an estimator that learn, several at once, and how it is called."""

from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from rosenblatt.sources.threads import processors
from rosenblatt.studies.rows import Labelled


def fitted_to(estimator: Any, data: Labelled) -> Any:
    """A new estimator of the same settings that has learned from rows."""
    return clone(estimator).fit(data.X, data.y)


def called(estimator: Any) -> str:
    """The name of an estimator; of a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return " → ".join(called(step) for _, step in estimator.steps)
    return type(estimator).__name__


def n_threads(n_jobs: int | None) -> int:
    """How many threads a number of jobs means: None for one, any below 0 for all cores."""
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else processors()
