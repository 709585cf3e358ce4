"""A linear classifier with given weights: the rule that a lecture starts with, before it learns."""

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from rosenblatt.data.labels import codes_of, given_classes, labels_of
from rosenblatt.data.validation import require_finite
from rosenblatt.errors import DataError
from rosenblatt.estimators.linear_base import (
    LinearClassifier,
    given_numbers,
    unchanged_by_failure,
)
from rosenblatt.estimators.partial_fit import count_outputs
from rosenblatt.kernels.rows import n_cols, n_rows
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.types import Array, Floats


@dataclass(eq=False, repr=False)
class FixedWeightsClassifier(LinearClassifier):
    """A linear classifier whose weights are given, not trained; `from_weights` makes it fitted.

    Parameters
    ----------
    coef : array-like of shape (n_features,), (1, n_features) or (n_classes, n_features), default=()
        Weights of the features: of two classes one row, of more one row a class.
    intercept : float or array-like of shape (1,) or (n_classes,), default=0.0
        Intercepts.
    classes : array-like of shape (n_classes,) or None, default=None
        Labels in sorted order, as every classifier has them: of two, the second is the positive
        one. None numbers them from 0.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    outcome_ : Outcome
        That the weights were set by hand.

    Examples
    --------
    >>> from rosenblatt import from_weights
    >>> rule = from_weights([0.5, 0.5], -20, classes=["cat", "dog"])
    >>> rule.predict([[1, 100], [0, 20]]).tolist()
    ['dog', 'cat']
    """

    coef: Any = ()
    intercept: Any = 0.0
    classes: Any = None

    outcome_: Outcome = field(init=False)
    feature_names_in_: Array = field(init=False)

    n_jobs = None  # scores of given weights take no more than one thread

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check that the weights fit the rows and labels; nothing is trained.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), optional
            Their labels, all of them among the classes.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            W, classes = self._given()
            self._set(W, classes)
            rows = self._rows(X, reset=True)
            if n_cols(rows) != W.shape[1] - 1:
                raise DataError(
                    f"X has {n_cols(rows)} features, but coef has weights of {W.shape[1] - 1}."
                )
            require_finite(rows)
            if y is not None:
                codes_of(labels_of(y, n_rows(rows)), classes)
        return self

    def _check(self) -> None:
        self._given()

    def _given(self) -> tuple[Floats, Array]:
        """Weights (w, b), a row an output, and the classes."""
        coef = np.atleast_2d(given_numbers("coef", self.coef))
        if coef.ndim != 2 or coef.shape[1] == 0:
            raise DataError(
                "coef must have one number for each feature, in one row for two classes or in one"
                f" for each of more; got shape {np.shape(self.coef)}."
            )
        if len(coef) == 2:
            raise DataError(
                "coef must have one row for two classes; got 2. Their scores differ by one row:"
                " give coef[1] - coef[0] and intercept[1] - intercept[0]."
            )
        n_classes = 2 if len(coef) == 1 else len(coef)
        intercept = given_numbers("intercept", self.intercept)
        if intercept.ndim and intercept.shape != (len(coef),):
            raise DataError(
                f"intercept must be a number or have shape {(len(coef),)}, one for each row of"
                f" coef; got shape {intercept.shape}."
            )
        W = np.column_stack([coef, np.broadcast_to(intercept, len(coef))])
        return W, self._labels(n_classes)

    def _labels(self, n_classes: int) -> Array:
        if self.classes is None:
            return np.arange(n_classes)
        given = list(np.asarray(self.classes, object).ravel())
        classes = given_classes(given)
        if len(classes) != n_classes or len(given) != n_classes:
            rows = count_outputs(n_classes)
            raise DataError(
                f"classes must be {n_classes} different labels for {rows} row(s) of coef; got"
                f" {given!r}."
            )
        if classes.tolist() != given:
            how = "turn the signs of coef and intercept" if n_classes == 2 else "sort the rows"
            raise DataError(
                f"classes must be in sorted order, {classes.tolist()!r}; got {given!r}. Sort them"
                f" and {how} likewise."
            )
        return classes

    def _set(self, W: Floats, classes: Array) -> None:
        """Become fitted."""
        self.__dict__.pop("_sparse_coef", None)
        self.__dict__.pop("feature_names_in_", None)
        self._W, self.classes_ = W, classes
        self.n_features_in_ = W.shape[1] - 1
        self.outcome_ = Outcome(Ending.SET, 0, 0)


def from_weights(coef: Any, intercept: Any, classes: Any = None) -> FixedWeightsClassifier:
    """A fitted linear classifier with given weights: it predicts, scores, draws and saves.

    Parameters
    ----------
    coef : array-like of shape (n_features,), (1, n_features) or (n_classes, n_features)
        Weights of the features: of two classes one row, of more one row a class. A pandas series or
        frame also names the features.
    intercept : float or array-like of shape (1,) or (n_classes,)
        Intercepts.
    classes : array-like of shape (n_classes,), optional
        Labels in sorted order; of two, the second is the positive one, which is predicted where
        w·x + b ≥ 0. By default they are numbered from 0.

    Returns
    -------
    FixedWeightsClassifier

    Examples
    --------
    The rule of lecture 004, a dog where 0.5 x1 + 0.5 x2 > 20:

    >>> from rosenblatt import builtin, from_weights
    >>> rule = from_weights([0.5, 0.5], -20, classes=["cat", "dog"])
    >>> animals = builtin("dogs-vs-cats")
    >>> rule.decision_function(animals.X).tolist(), rule.score(animals.X, animals.y)
    ([30.5, 5.0, -10.0], 1.0)
    """
    model = FixedWeightsClassifier(coef, intercept, classes)
    W, labels = model._given()  # noqa: SLF001 (of the same module)
    model.coef, model.intercept = W[:, :-1].copy(), W[:, -1].copy()
    model.classes = labels.copy()
    model._set(W, labels)  # noqa: SLF001 (of the same module)
    names = _names_in(coef)
    if names is not None:
        model.feature_names_in_ = names
    return model


def _names_in(coef: Any) -> Array | None:
    """Names of the features, where a pandas series or frame has them."""
    names = getattr(coef, "columns", getattr(coef, "index", None))
    if names is None or callable(names) or not all(isinstance(name, str) for name in names):
        return None
    return np.array(list(names), object)
