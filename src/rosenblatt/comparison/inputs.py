"""Rows, labels and estimators of any kind that scikit-learn takes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state

from rosenblatt.data.labels import classes_of, labels_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.parallel import processors
from rosenblatt.types import Array, Ints

Random = np.random.RandomState


@dataclass(frozen=True, eq=False)
class LabelledData:
    """Rows, and the label or the value of each."""

    X: Any
    y: Array

    def __len__(self) -> int:
        """How many rows."""
        return len(self.y)

    def take(self, rows: Ints) -> "LabelledData":
        """Some of the rows, by number."""
        return LabelledData(_taken(self.X, rows), self.y[rows])


def labelled(X: Any, y: Any, estimator: Any) -> LabelledData:
    """Rows that can be indexed, with labels, or with the target values of a regressor."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
    elif not hasattr(X, "shape"):
        X = np.asarray(X)
    n = int(X.shape[0])
    if not is_regressor(estimator):
        return LabelledData(X, labels_of(y, n))
    values = np.asarray(y, np.float64)
    if values.shape != (n,):
        raise DataError(
            f"y must hold one value for each of the {n} rows of X; got the shape {values.shape}."
        )
    return LabelledData(X, values)


def classes_in(y: Array) -> Array:
    """The classes of labels, two at least."""
    classes = classes_of(y)
    if len(classes) < 2:
        raise DataError(f"y must hold at least two classes; got one, {classes[0]!r}.")
    return classes


def generator_of(random_state: Any) -> Random:
    """The random generator of a seed."""
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ParameterError(
            f"random_state must be an integer, a RandomState or None: {error}"
        ) from error


def fit_copy(estimator: Any, data: LabelledData) -> Any:
    """A clone of an estimator, fitted to rows."""
    return clone(estimator).fit(data.X, data.y)


def estimator_name(estimator: Any) -> str:
    """The name of an estimator; of a pipeline, those of its steps."""
    if isinstance(estimator, Pipeline):
        return " → ".join(estimator_name(step) for _, step in estimator.steps)
    return type(estimator).__name__


def thread_count(n_jobs: int | None) -> int:
    """The number of threads: 1 for None, all cores for numbers below 0."""
    if n_jobs is None:
        return 1
    return n_jobs if n_jobs > 0 else processors()


def _taken(X: Any, rows: Ints) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
