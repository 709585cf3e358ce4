"""Validation of what the plots take: fitted classifiers, rows and labels."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from rosenblatt.data.validation import require_finite
from rosenblatt.errors import DataError
from rosenblatt.types import Floats, Ints

PLAIN = (bool, int, float, str, type(None))  # parameters that a name can hold
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


def plane_rows(X: Any, what: str) -> Floats:
    """Dense finite rows of two features; an error that names what is drawn if there are others."""
    rows = rows_of(X)
    if rows.shape[1] != 2:
        raise DataError(
            f"{what} is drawn for 2 features; X has {rows.shape[1]}. Choose two columns."
        )
    return finite_rows(rows)


def finite_rows(rows: Any) -> Floats:
    """Rows as a dense array; an error that names the first entry that is NaN or infinite."""
    dense: Floats = np.ascontiguousarray(rows.toarray() if hasattr(rows, "toarray") else rows)
    require_finite(dense)
    return dense


def longest(rows: Any) -> float:
    """The largest norm of a row, dense or sparse."""
    squares = rows**2 if isinstance(rows, np.ndarray) else rows.power(2)
    return float(np.sqrt(np.asarray(squares.sum(axis=1)).max()))


def as_given(X: Any, rows: Floats) -> Any:
    """Rows in a frame with the columns of X, if X is a frame: what was fitted to one wants one."""
    if not hasattr(X, "columns"):
        return rows
    columns = {name: rows[:, j] for j, name in enumerate(X.columns)}
    return type(X)(columns)


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


def classes_of(estimator: Any) -> Any:
    """The classes of a fitted classifier; an error if it has none."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        raise DataError(
            f"This {type(estimator).__name__} has no classes_: give a fitted classifier. Call"
            " fit(X, y) first."
        )
    return classes


def named_estimators(given: Any) -> dict[str, Any]:
    """Estimators by their names; without names by class and the parameters that differ."""
    models = dict(given) if isinstance(given, Mapping) else {}
    if not models:
        found = list(given)
        models = dict(zip(_names(found), found, strict=True))
    if not models:
        raise DataError("Give at least one fitted estimator; got none.")
    return {str(name): model for name, model in models.items()}


def _names(models: Sequence[Any]) -> list[str]:
    """The class of each model; of models of one class also the parameters that differ."""
    kinds = [type(model).__name__ for model in models]
    names = []
    for kind, model in zip(kinds, models, strict=True):
        alike = [
            other.get_params() for other, name in zip(models, kinds, strict=True) if name == kind
        ]
        own = model.get_params() if len(alike) > 1 else {}
        differ = [
            f"{key.rsplit('__', 1)[-1]}={value!r}"
            for key, value in own.items()
            if isinstance(value, PLAIN) and any(other.get(key) != value for other in alike)
        ]
        names.append(f"{kind}({', '.join(differ)})" if differ else kind)
    repeated = {name for name in names if names.count(name) > 1}
    return [f"{name} {k + 1}" if name in repeated else name for k, name in enumerate(names)]


def common_classes(models: Mapping[str, Any]) -> Any:
    """The classes of several fitted classifiers; an error if they differ."""
    found = [classes_of(model) for model in models.values()]
    for name, classes in zip(models, found, strict=True):
        if not np.array_equal(classes, found[0]):
            raise DataError(
                f"All classifiers must have the same classes; {name} has {list(classes)}, the first"
                f" has {list(found[0])}."
            )
    return found[0]


def two_classes(y: Any) -> Any:
    """The two classes among labels; an error if there are fewer or more."""
    classes = np.unique(np.asarray(y))
    if len(classes) != 2:
        listed = ", ".join(repr(label) for label in classes.tolist()[:5])
        raise DataError(f"This picture is that of 2 classes; y holds {len(classes)}: {listed}.")
    return classes


def line_of(estimator: Any) -> tuple[Floats, float]:
    """The weights w and the intercept b of a fitted linear classifier of two classes."""
    require_linear(estimator)
    coef = np.atleast_2d(np.asarray(estimator.coef_, dtype=float))
    if len(coef) != 1:
        raise DataError(
            f"This picture shows one score w·x + b, that of 2 classes; this"
            f" {type(estimator).__name__} has {len(coef)}. Fit it to two of the classes."
        )
    return coef[0], float(np.ravel(estimator.intercept_)[0])


def is_linear(estimator: Any) -> bool:
    """Whether an estimator has weights of its input features."""
    return hasattr(estimator, "coef_") and hasattr(estimator, "intercept_")


def has_linear_scores(estimator: Any, X: Any, table: Any) -> bool:
    """Whether the scores are w·x + b of each class; they are not if pairs of classes vote."""
    if not is_linear(estimator):
        return False
    if not hasattr(estimator, "decision_function"):
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
