"""What the plots take: fitted linear classifiers, pipelines that end in one, rows and labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.errors import DataError
from rosenblatt.types import Ints

SOME = 50  # rows whose scores are held against the weights


def rows_of(X: Any) -> Any:
    """Rows as an array of floats, or as a CSR matrix."""
    if sparse.issparse(X):
        matrix: Any = X
        return matrix.tocsr().astype(float)
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or not rows.size:
        raise DataError(f"X must have rows and columns; got an array of shape {rows.shape}.")
    return rows


def names_of(X: Any, given: Sequence[str] | None = None) -> tuple[str, ...]:
    """Names of the features: those given, those of a frame, or x1, x2 and so on."""
    width = X.shape[1] if hasattr(X, "shape") else np.shape(X)[1]
    names = getattr(X, "columns", None) if given is None else given
    if names is None:
        return tuple(f"x{j + 1}" for j in range(width))
    if len(names) != width:
        raise DataError(f"There are {width} features; got {len(names)} names.")
    return tuple(str(name) for name in names)


def codes_of(y: Any, classes: Any, n: int) -> Ints:
    """Place of each label among the classes."""
    labels = np.asarray(y).tolist()
    if np.shape(y) != (n,):
        raise DataError(f"y must have one label a row, {n} of them; got shape {np.shape(y)}.")
    places = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    strange = [label for label in labels if label not in places]
    if strange:
        raise DataError(f"y holds {strange[0]!r}, which is none of the classes {list(places)}.")
    return np.array([places[label] for label in labels], dtype=np.int64)


def is_linear(estimator: Any) -> bool:
    """Whether an estimator has weights of the features as they come."""
    return hasattr(estimator, "coef_") and hasattr(estimator, "intercept_")


def decides_by_weights(estimator: Any, X: Any, table: Any) -> bool:
    """Whether scores are w·x + b of one unit a class; they are not where pairs of classes vote."""
    if not is_linear(estimator):
        return False
    some = X.head(SOME) if hasattr(X, "head") else X[:SOME]
    scores = np.asarray(estimator.decision_function(some))
    own = table[:SOME] @ np.atleast_2d(estimator.coef_).T + estimator.intercept_
    if scores.size != own.size:
        return False
    return bool(np.allclose(scores.reshape(own.shape), own, atol=1e-6 * float(np.abs(own).max())))


def require_linear(estimator: Any) -> None:
    """Refuse what has no weights to show."""
    if not is_linear(estimator):
        raise DataError(
            f"A {type(estimator).__name__} has no weights of its features (coef_): give a fitted"
            " linear classifier. Of a pipeline take the last step, and the rows as it gets them."
        )
