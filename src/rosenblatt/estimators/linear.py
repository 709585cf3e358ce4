"""What every fitted line can do: score rows and decide. The scikit-learn contract."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.door import classes_of, codes_of, labels_of, not_finite, rows_of, weights_of
from rosenblatt.data.problem import Problem, no_weights
from rosenblatt.data.rows import Rows, n_rows
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.solvers.score import decided, scores_of


class Warm(NamedTuple):
    """Weights and classes of an earlier fit."""

    W: Floats
    classes: Array


class LinearClassifier(ClassifierMixin, BaseEstimator):
    """A classifier with one row of weights (w, b) a unit: one unit for two classes, else K.

    Subclasses set `classes_` and `_W`, the weights with the bias in the last column.
    """

    classes_: Array
    n_features_in_: int
    _W: Floats | None

    def decision_function(self, X: Any) -> Floats:
        """Score w·x + b of each row: one number a row for two classes, else one a class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to score.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive scores (0 included) of the first kind mean `classes_[1]`.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """Class of each row: the sign of the score, or the class with the best one.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows to decide.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of `classes_`.
        """
        scores = self._scores(X)
        decisions: Array = self.classes_[decided(scores)]
        return decisions

    @property
    def coef_(self) -> Floats:
        """Weights of the features, a row a unit."""
        return self._weights()[:, :-1]

    @property
    def intercept_(self) -> Floats:
        """Bias of each unit."""
        return self._weights()[:, -1]

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are weights to decide with."""
        return "_W" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that sparse rows are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _weights(self) -> Floats:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            # coef_ of an unfitted estimator is a missing attribute, as hasattr expects
            raise _UnfittedError(f"This {name} instance is not fitted yet: call `fit` first.")
        return np.asarray(self._W)

    def _scores(self, X: Any) -> Floats:
        W = self._weights()
        rows = self._rows(X, reset=False)
        problem = Problem(rows, np.zeros(n_rows(rows), np.int8), no_weights(n_rows(rows)), _ONE)
        blocks = Blocks(problem, self._threads())
        scores = np.concatenate(list(blocks.each(lambda block: scores_of(block.rows, W))))
        if not np.isfinite(scores).all():
            raise not_finite(rows, names=getattr(self, "feature_names_in_", None))
        return scores

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        """Take X through the door; its width and column names are remembered, or compared."""
        rows = rows_of(X)
        validate_data(self, X, "no_validation", reset=reset, skip_check_array=True)
        return rows

    def _problem(self, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> Problem:
        """Check training data, and set the classes."""
        rows = self._rows(X, reset=True)
        labels = labels_of(y, n_rows(rows))
        weights = weights_of(sample_weight, n_rows(rows))
        classes = classes_of(labels)
        if len(classes) < 2:
            raise DataError(
                "A classifier needs at least 2 classes to tell apart; the data hold one class,"
                f" {classes[0]!r}."
            )
        codes = codes_of(labels, classes)
        counts = np.bincount(codes, minlength=len(classes))
        self.classes_ = classes
        return Problem(rows, codes, weights, class_weights_of(class_weight, classes, counts))

    def _warm_weights(self) -> Warm | None:
        """Weights and classes of the last fit, where `warm_start` asks to go on from them."""
        if not getattr(self, "warm_start", False) or not self.__sklearn_is_fitted__():
            return None
        return Warm(self._weights().copy(), self.classes_)

    def _check_warm_classes(self, warm: Warm | None) -> None:
        if warm is not None and not np.array_equal(warm.classes, self.classes_):
            raise DataError(
                f"warm_start goes on with the classes {warm.classes.tolist()}; y now holds"
                f" {self.classes_.tolist()}. partial_fit, where there is one, lets classes join."
            )

    def _threads(self) -> int:
        n_jobs = getattr(self, "n_jobs", None)
        if n_jobs is None:
            return 1
        return int(n_jobs) if n_jobs > 0 else max(1, _cores() + 1 + int(n_jobs))


@contextmanager
def unchanged_by_failure(estimator: BaseEstimator) -> Iterator[None]:
    """Leave an estimator as it was, fitted or not, when something goes wrong inside."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class _UnfittedError(NotFittedError, AttributeError):
    """Not fitted: an AttributeError too, so that hasattr(model, "coef_") is False."""


_ONE = np.ones(1)


def class_weights_of(class_weight: Any, classes: Array, counts: Array) -> Floats:
    """Weight of each class: 1, as given by label, or "balanced" n / (K n_k)."""
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(
                f"class_weight must be None, 'balanced' or a dict; got {class_weight!r}."
            )
        seen = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (seen * np.maximum(counts, 1)), np.float64)
    if not isinstance(class_weight, dict):
        raise ParameterError(
            f"class_weight must be None, 'balanced' or a dict; got {class_weight!r}."
        )
    weights = np.array([class_weight.get(label, 1.0) for label in classes.tolist()], np.float64)
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ParameterError(f"class_weight must be finite and not negative; got {class_weight!r}.")
    return weights


def _cores() -> int:
    import os  # noqa: PLC0415 (only where all cores are asked for)

    return os.cpu_count() or 1
