"""Estimators whose weights follow from the moments of the classes: `fit` at once, or by chunks."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from rosenblatt.arrays import Floats
from rosenblatt.data.blocks import Blocks
from rosenblatt.data.labels import (
    check_same_kind,
    classes_of,
    codes_of,
    given_classes,
    labels_of,
    weights_of,
)
from rosenblatt.data.problem import Problem
from rosenblatt.data.rows import n_rows
from rosenblatt.errors import DataError
from rosenblatt.estimators.linear import LinearClassifier, unchanged_by_failure
from rosenblatt.solvers.moments import Moments, moments_of
from rosenblatt.solvers.state import Outcome


class ClosedFormClassifier(LinearClassifier):
    """A line solved for, not iterated to. Subclasses say how weights follow from moments."""

    _moments: Moments
    _n_rows: int

    @abstractmethod
    def _check(self) -> None:
        """Check the settings."""

    def _apart(self) -> bool:
        """Whether the scatter of each class must be kept apart."""
        return False

    def _measure(self, X: Any, y: Any, sample_weight: Any) -> Blocks:
        """Check training data, set the classes and their moments, and give the blocks."""
        problem = self._problem(X, y, sample_weight, None)
        blocks = Blocks(problem, self._threads())
        self._moments = moments_of(blocks, by_class=self._apart())
        self._n_rows = n_rows(problem.rows)
        self._require_weight()
        return blocks

    def _require_weight(self) -> None:
        empty = np.flatnonzero(self._moments.counts == 0)
        if len(empty):
            label = self.classes_.tolist()[empty[0]]
            raise DataError(f"All rows of class {label!r} have weight 0; every class needs weight.")


class StreamingClosedForm(ClosedFormClassifier):
    """The same from a stream: the moments go on, and the weights are solved for when wanted."""

    _outcome: Outcome

    @available_if(lambda self: self._streams())  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows; the result is that of `fit` on all rows so far, to rounding.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The next rows of the stream.
        y : array-like of shape (n_samples,)
            Their labels. A class that was never seen joins at its first row.
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
            check_same_kind(labels, known)
            joined = classes_of(labels if first else np.concatenate([known, labels]))
            problem = Problem(rows, codes_of(labels, joined), weights, np.ones(len(joined)))
            apart = self._apart()
            moments = moments_of(Blocks(problem, self._threads()), by_class=apart)
            if not first:
                places = np.searchsorted(joined, known)
                before = self._moments.spread(places, len(joined), by_class=apart)
                moments = before + moments
            self.classes_, self._moments = joined, moments
            self._n_rows = n_rows(rows) + (0 if first else self._n_rows)
            self._W = None
        return self

    @property
    def outcome_(self) -> Outcome:
        """How the weights were found; `str` of it is a sentence."""
        self._weights()
        return self._outcome

    @abstractmethod
    def _solve(self, moments: Moments) -> None:
        """Set `_W` and `_outcome` from the moments."""

    def _streams(self) -> bool:
        """Whether the rows are needed only once."""
        return True

    def _weights(self) -> Floats:
        if vars(self).get("_W", ...) is None:  # the stream has moved on since they were wanted
            if np.count_nonzero(self._moments.counts) < 2:
                raise DataError(
                    "The stream holds rows of only one class so far; there is nothing to tell"
                    " apart. Call partial_fit with rows of another class first."
                )
            self._require_weight()
            self._solve(self._moments)
        return super()._weights()
