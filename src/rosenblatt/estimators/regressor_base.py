"""Base class of linear regressors: values w·x + b of one output or several."""

from typing import Any

import numpy as np

from rosenblatt.data.targets import regression_targets
from rosenblatt.data.training_data import MultiOutputData
from rosenblatt.data.validation import weights_of
from rosenblatt.errors import DataError
from rosenblatt.estimators.base import RegressorMixin
from rosenblatt.estimators.linear_base import RowEstimator
from rosenblatt.kernels.rows import n_rows
from rosenblatt.linalg.scores import scores_of
from rosenblatt.types import Floats


class LinearRegressor(RegressorMixin, RowEstimator):
    """A regressor with weights (w, b) for each output: its values are w·x + b.

    Subclasses set `_W`, the weights with the intercept in the last column, and `_target_shape`: ()
    where y holds a number a row, else (n_outputs,).
    """

    fit_intercept: bool

    _W: Floats | None
    _target_shape: tuple[int, ...]

    @property
    def coef_(self) -> Floats:
        """Weights of the features: d numbers, or a row of them for each output."""
        return self._weights()[:, :-1].reshape(*self._target_shape, -1)

    @property
    def intercept_(self) -> Any:
        """Intercept: a number, or one for each output."""
        intercepts = self._weights()[:, -1]
        return intercepts if self._target_shape else float(intercepts[0])

    def predict(self, X: Any) -> Floats:
        """Value w·x + b of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            In the shape of the targets that were learned.
        """
        W = self._weights()
        values = self._scored(X, lambda rows: scores_of(rows, W))
        return values.reshape(len(values), *self._target_shape)

    def __sklearn_tags__(self) -> Any:
        """Tags of a regressor that takes sparse rows and several outputs."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are weights to predict with."""
        return "_W" in vars(self)

    def _weights(self) -> Floats:
        self._require_fitted()
        return np.asarray(self._W)

    def _regression_data(
        self, X: Any, y: Any, sample_weight: Any = None, *, first: bool = True
    ) -> MultiOutputData:
        """Check rows and targets; the shape of the first ones is remembered, or compared."""
        rows = self._rows(X, reset=first)
        targets = regression_targets(y, n_rows(rows))
        if first:
            self._target_shape = targets.shape[1:]
        elif targets.shape[1:] != self._target_shape:
            wanted = (n_rows(rows), *self._target_shape)
            raise DataError(
                f"y must have shape {wanted}, like the targets before; got {targets.shape}."
            )
        weights = weights_of(sample_weight, n_rows(rows), some_positive=first)
        return MultiOutputData(rows, targets.reshape(n_rows(rows), -1), weights, 0.0)
