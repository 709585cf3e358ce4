"""Rows of anything that scikit-learn's estimators take: arrays, sparse matrices, frames, lists."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import check_random_state

from rosenblatt.data.labels import classes_of, labels_of
from rosenblatt.errors import DataError, ParameterError
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
        """The rows of these numbers."""
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
        raise DataError(f"y must hold one value a row: X has {n} rows, y the shape {values.shape}.")
    return LabelledData(X, values)


def classes_in(y: Array) -> Array:
    """The classes of labels; one alone is refused."""
    classes = classes_of(y)
    if len(classes) < 2:
        raise DataError(f"y holds one class only, {classes[0]!r}; at least two are needed.")
    return classes


def generator_of(random_state: Any) -> Random:
    """The random generator of a seed."""
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ParameterError(
            f"random_state must be a whole number, a RandomState or None: {error}"
        ) from error


def split_order(order: Ints, share: float) -> tuple[Ints, Ints]:
    """The first rows of an order, to train on, and the last, a share of all, to test on."""
    first = len(order) - round(share * len(order))
    if not 0 < first < len(order):
        raise DataError(f"A share of {share:g} of {len(order)} rows leaves none on one side.")
    return order[:first], order[first:]


def stratified_order(y: Array, rng: Random) -> Ints:
    """A stratified order of the rows: every part of it has the classes by their shares.

    One row of each class comes first of all.
    """
    places = np.empty(len(y))
    for label in classes_of(y):
        own = rng.permutation(np.flatnonzero(y == label))
        places[own] = (np.arange(len(own)) + rng.uniform()) / len(own)
        places[own[0]] = -1.0
    return np.argsort(places, kind="stable")


def _taken(X: Any, rows: Ints) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
