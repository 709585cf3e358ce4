"""What every map can do as a transformer: the scikit-learn contract."""

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from rosenblatt.csr import Rows
from rosenblatt.data.training_data import matrix_of
from rosenblatt.data.validation import require_finite, rows_of
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.maps.map import Map
from rosenblatt.maps.room import require_room
from rosenblatt.types import Array


class Feature(TransformerMixin, BaseEstimator):
    """A transformer that learns a map; subclasses say which."""

    _keeps: ClassVar[tuple[str, ...]] = ("float64", "float32")
    map_: Map
    n_features_in_: int

    @abstractmethod
    def _learn(self, rows: Rows) -> Map:
        """The map that these rows teach."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the map.

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
        self.map_ = self._learn(rows)
        require_room(type(self).__name__, self.map_, rows)
        return self

    def transform(self, X: Any) -> Any:
        """Features of some rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray or csr_array of shape (n_samples, n_outputs)
            Sparse where X is and float32 where X is, unless the map has it otherwise.
        """
        self._require_fitted()
        rows = self._rows(X, reset=False)
        require_room(type(self).__name__, self.map_, rows)
        return matrix_of(self.map_.rows(rows))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the features that came in; by default those seen in `fit`, or x0, x1, ….

        Returns
        -------
        ndarray of str
            One a feature, such as "age × fare".
        """
        self._require_fitted()
        return np.array(self.map_.names(self._names_in(input_features)), object)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a map."""
        return "map_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that sparse rows are welcome, and which types stay what they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = list(self._keeps)
        return tags

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise NotFittedError(f"This {name} instance is not fitted yet: call `fit` first.")

    def _rows(self, X: Any, *, reset: bool) -> Rows:
        rows = rows_of(X)
        validate_data(self, X, "no_validation", reset=reset, skip_check_array=True)
        require_finite(rows)
        return rows

    def _names_in(self, given: Any) -> list[str]:
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


def require_seed(name: str, value: Any) -> int:
    """A seed that can be written down: a map must come out the same wherever it is learned."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ParameterError(f"{name} must be an integer of at least 0; got {value!r}.")
    return int(value)


def require_sides(name: str, value: Any, *, optional: bool = False) -> Any:
    """Height and width of something (or None, where it is optional)."""
    if optional and value is None:
        return None
    sides = tuple(value) if np.ndim(value) == 1 else ()
    if len(sides) == 2 and all(isinstance(side, int | np.integer) and side > 0 for side in sides):
        return int(sides[0]), int(sides[1])
    nothing = ", or None" if optional else ""
    raise ParameterError(
        f"{name} must be a height and a width, such as (8, 8){nothing}; got {value!r}."
    )
