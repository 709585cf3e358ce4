"""Estimators whose weights follow from the moments of the classes: `fit` at once, or by chunks."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from rosenblatt.closed_form.moments import Moments, moments_of
from rosenblatt.data.labels import (
    check_same_kind,
    classes_joined,
    classes_of,
    codes_of,
    given_classes,
    labels_of,
)
from rosenblatt.data.training_data import Blocks, TrainingData
from rosenblatt.data.validation import not_finite, weights_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.base import available_if
from rosenblatt.estimators.linear_base import LinearClassifier, unchanged_by_failure
from rosenblatt.kernels.rows import n_rows
from rosenblatt.online.result import Ending, Outcome
from rosenblatt.types import Floats


class ClosedFormClassifier(LinearClassifier):
    """A line solved for, not iterated to. Subclasses say how weights follow from moments."""

    _moments: Moments
    _n_rows: int

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve for the weights.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows: float32 and float64 in C order and CSR are used without a copy.
        y : array-like of shape (n_samples,)
            Labels of any type.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            data = self._training_data(X, y, sample_weight, None)
            blocks = Blocks(data, self._threads())
            self._moments = moments_of(blocks, by_class=self._apart() is not None)
            self._n_rows = n_rows(data.rows)
            self._require_weight(self._moments.counts)
            self._solve(self._moments, blocks)
        return self

    @abstractmethod
    def _check(self) -> None:
        """Check the settings."""

    @abstractmethod
    def _solve(self, moments: Moments, blocks: Blocks | None) -> None:
        """Set the weights and what else was found; of a stream the rows are gone (None)."""

    def _apart(self) -> str | None:
        """Parameter for which the scatter of each class must be kept apart, if there is one."""
        return None


class StreamingClosedForm(ClosedFormClassifier):
    """The same from a stream: the moments go on, and the weights are solved for when wanted."""

    _outcome: Outcome
    _rank: int

    @available_if(lambda self: self._streams())
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the result is that of `fit` on all rows so far, to rounding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,)
            Their labels. A new class is added at its first row.
        classes : array-like, optional
            Classes expected; they take part once they have rows.
        sample_weight : array-like of shape (n_samples,), optional
            How many times each row counts.

        Returns
        -------
        self
        """
        with unchanged_by_failure(self):
            self._check()
            first = "_moments" not in vars(self)
            rows = self._rows(X, reset=first)
            labels = labels_of(y, n_rows(rows))
            weights = weights_of(sample_weight, n_rows(rows), some_positive=False)
            known = np.array([]) if first else self.classes_
            if classes is not None:
                check_same_kind(labels, given_classes(classes))
            joined = classes_joined(known, classes_of(labels))
            data = TrainingData(rows, codes_of(labels, joined), weights, np.ones(len(joined)))
            apart = self._apart() is not None
            if not first:
                self._require_apart()
                apart = apart or len(self._moments.scatter) > 1
            moments = moments_of(Blocks(data, self._threads()), by_class=apart)
            if not first:
                places = np.searchsorted(joined, known)
                before = self._moments.spread(places, len(joined), by_class=apart)
                moments = before + moments
            if not moments.finite():
                raise not_finite(rows)
            self.classes_, self._moments = joined, moments
            self._n_rows = n_rows(rows) + (0 if first else self._n_rows)
            self._W = None
        return self

    @property
    def outcome_(self) -> Outcome:
        """How the weights were found; `str` of it is a sentence."""
        self._weights()
        return self._outcome

    @property
    def rank_(self) -> int:
        """How many directions the rows span, within the classes or in all."""
        self._weights()
        return self._rank

    def _take_weights(self, W: Floats) -> None:
        self._W, self._outcome = W, Outcome(Ending.SET, 0, 0)

    def _require_apart(self) -> None:
        """Refuse settings for which the stream would have to begin anew."""
        name, known = self._apart(), self._moments
        if name is not None and len(known.scatter) < len(known.counts):
            raise ParameterError(
                f"{name} needs the scatter of each class, which this stream has not kept so far."
                f" Set {name} before the first partial_fit, or fit again."
            )

    def _streams(self) -> bool:
        """Whether the rows are needed only once."""
        return True

    def _weights(self) -> Floats:
        if vars(self).get("_W", ...) is None:  # the stream has moved on since they were wanted
            if np.count_nonzero(self._moments.counts) < 2:
                raise _OneClassError(
                    "The stream holds rows of only one class so far; there is nothing to"
                    " separate. Call partial_fit with rows of another class first."
                )
            self._require_weight(self._moments.counts)
            self._require_apart()
            self._solve(self._moments, None)
        return super()._weights()


class _OneClassError(DataError, AttributeError):
    """One class only: an AttributeError too, so that hasattr(model, "coef_") is False."""
