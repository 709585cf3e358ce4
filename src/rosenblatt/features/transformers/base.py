"""The base class of all transformers: scikit-learn's contract for a feature map."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import validate_data

from rosenblatt.csr import Rows
from rosenblatt.data.training_data import matrix_of
from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.base import Estimator, TransformerMixin
from rosenblatt.features.maps.feature_map import FeatureMap, require_memory
from rosenblatt.types import Array


class FeatureTransformer(TransformerMixin, Estimator):
    """A transformer that fits a feature map; `_fit_map` says which."""

    _preserved_dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")
    map_: FeatureMap
    n_features_in_: int

    @abstractmethod
    def _fit_map(self, rows: Rows) -> FeatureMap:
        """The map fitted to some rows."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : ignored
            For pipelines.

        Returns
        -------
        self
        """
        del y
        rows = self._rows(X, reset=True)
        self.map_ = self._fit_map(rows)
        require_memory(type(self).__name__, self.map_, rows)
        return self

    def transform(self, X: Any) -> Any:
        """Output features of some rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_outputs)
            Sparse if X is and float32 if X is, unless the map says otherwise.
        """
        self._require_fitted()
        rows = self._rows(X, reset=False)
        require_memory(type(self).__name__, self.map_, rows)
        return matrix_of(self.map_.transform(rows))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the output features.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the input features; by default those seen in `fit`, or x0, x1, ….

        Returns
        -------
        ndarray of str
            One a feature, such as "age × fare".
        """
        self._require_fitted()
        return np.array(self.map_.feature_names(self._input_names(input_features)), object)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether the map is fitted."""
        return "map_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tags: sparse input is accepted, and some dtypes are preserved."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = list(self._preserved_dtypes)
        return tags

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        rows = rows_of(X)
        validate_data(self, X, "no_validation", reset=reset, skip_check_array=True)
        require_finite(rows)
        return rows

    def _input_names(self, given: Any) -> list[str]:
        known = vars(self).get("feature_names_in_")
        if given is None:
            return [f"x{j}" for j in range(self.n_features_in_)] if known is None else list(known)
        names = [str(name) for name in given]
        if len(names) != self.n_features_in_:
            raise DataError(
                f"input_features should have length equal to {self.n_features_in_}, the number of"
                f" features seen in `fit`; got {len(names)}."
            )
        if known is not None and names != list(known):
            raise DataError("input_features is not equal to feature_names_in_")
        return names


@dataclass(eq=False, repr=False)
class FittedTransformer(FeatureTransformer):
    """A map that is already fitted, as a transformer.

    Parameters
    ----------
    map : FeatureMap
        The map.
    """

    map: FeatureMap

    def mark_fitted(self) -> Self:
        """Be ready to transform, without any rows."""
        self.map_, self.n_features_in_ = self.map, self.map.n_inputs
        return self

    def _fit_map(self, rows: Rows) -> FeatureMap:
        del rows
        return self.map


def require_seed(name: str, value: Any) -> int:
    """Require an integer seed, so that a map is the same wherever it is fitted."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ParameterError(f"{name} must be an integer of at least 0; got {value!r}.")
    return int(value)


def require_shape(name: str, value: Any, *, optional: bool = False) -> Any:
    """Require a height and a width (or None, where it is optional)."""
    if optional and value is None:
        return None
    shape = tuple(value) if np.ndim(value) == 1 else ()
    if len(shape) == 2 and all(isinstance(side, int | np.integer) and side > 0 for side in shape):
        return int(shape[0]), int(shape[1])
    nothing = ", or None" if optional else ""
    raise ParameterError(
        f"{name} must be a height and a width, such as (8, 8){nothing}; got {value!r}."
    )
