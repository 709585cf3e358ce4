"""Validation of what the plots take: fitted classifiers, rows and labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.errors import DataError
from rosenblatt.types import Ints

MAX_CHECKED_ROWS = 50  # whose scores are compared with those of the weights


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
    """Index of each label among the classes."""
    labels = np.asarray(y).tolist()
    if np.shape(y) != (n,):
        raise DataError(f"y must have one label per row, {n} of them; got shape {np.shape(y)}.")
    codes = {label: k for k, label in enumerate(np.asarray(classes).tolist())}
    unknown = [label for label in labels if label not in codes]
    if unknown:
        raise DataError(f"y holds {unknown[0]!r}, which is not one of the classes {list(codes)}.")
    return np.array([codes[label] for label in labels], dtype=np.int64)


def is_linear(estimator: Any) -> bool:
    """Whether an estimator has weights of its input features."""
    return hasattr(estimator, "coef_") and hasattr(estimator, "intercept_")


def has_linear_scores(estimator: Any, X: Any, table: Any) -> bool:
    """Whether the scores are w·x + b of each class; they are not if pairs of classes vote."""
    if not is_linear(estimator):
        return False
    sample = X.head(MAX_CHECKED_ROWS) if hasattr(X, "head") else X[:MAX_CHECKED_ROWS]
    scores = np.asarray(estimator.decision_function(sample))
    linear = table[:MAX_CHECKED_ROWS] @ np.atleast_2d(estimator.coef_).T + estimator.intercept_
    if scores.size != linear.size:
        return False
    tolerance = 1e-6 * float(np.abs(linear).max())
    return bool(np.allclose(scores.reshape(linear.shape), linear, atol=tolerance))


def require_linear(estimator: Any) -> None:
    """Raise an error if an estimator has no weights to show."""
    if not is_linear(estimator):
        raise DataError(
            f"A {type(estimator).__name__} has no weights of its features (coef_): give a fitted"
            " linear classifier. Of a pipeline, take the last step and the rows transformed for it."
        )
