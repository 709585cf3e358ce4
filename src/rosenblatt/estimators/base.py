"""The root of all estimators: scikit-learn's `BaseEstimator`, and what ours do beyond it."""

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from operator import attrgetter
from types import MethodType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.sklearn_interface import stand_ins_wanted

if TYPE_CHECKING or not stand_ins_wanted():
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        RegressorMixin,
        TransformerMixin,
    )
    from sklearn.exceptions import NotFittedError
else:
    from rosenblatt.estimators.sklearn_interface import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        NotFittedError,
        RegressorMixin,
        TransformerMixin,
    )

__all__ = [
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "Estimator",
    "RegressorMixin",
    "TransformerMixin",
    "UnfittedError",
    "available_if",
    "clone_with",
    "iterations_of",
    "remember_columns",
    "seed_of",
]


class UnfittedError(NotFittedError, AttributeError):
    """Not fitted: an AttributeError too, so that hasattr(model, "coef_") is False."""


class Estimator(BaseEstimator):
    """An estimator of ours; `__sklearn_is_fitted__` says whether it was fitted."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self
        """
        known = self._get_param_names()
        for name in params:
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}."
                )
        super().set_params(**params)
        return self

    def _parameter_values(self) -> tuple[Any, ...]:
        """Values of all parameters, in alphabetical order of their names."""
        cls: Any = type(self)
        values: tuple[Any, ...] = _parameter_getter(cls)(self)
        return values

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise UnfittedError(f"This {name} instance is not fitted yet: call `fit` first.")


def available_if(check: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A method that an estimator has only with some of its parameters."""
    return lambda method: _Conditional(method, check)


class _Conditional:
    """A method where the check holds, else a missing attribute, as `hasattr` expects."""

    def __init__(self, method: Any, check: Callable[[Any], bool]) -> None:
        self._method, self._check = method, check

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self._method
        if not self._check(model):
            raise AttributeError(
                f"This {owner.__name__} has no `{self._method.__name__}` with its parameters."
            )
        return MethodType(self._method, model)


def clone_with(estimator: Any, **settings: Any) -> Any:
    """An unfitted estimator with the same parameters but these."""
    return type(estimator)(**deepcopy(estimator.get_params()) | settings)


def iterations_of(estimator: Any) -> int | None:
    """Number of epochs or steps of a fit, the most of any output; None where a rule has none."""
    taken = getattr(estimator, "n_iter_", None)
    return None if taken is None else int(np.max(taken))


def remember_columns(model: Any, X: Any, width: int, *, reset: bool) -> None:
    """Remember the number and names of the columns of X, or compare them with those of `fit`."""
    if hasattr(X, "columns") or hasattr(X, "__dataframe__") or hasattr(model, "feature_names_in_"):
        from sklearn.utils.validation import validate_data  # noqa: PLC0415 (slow to import)

        validate_data(model, X, "no_validation", reset=reset, skip_check_array=True)
    elif reset:
        model.n_features_in_ = width
    elif width != getattr(model, "n_features_in_", width):
        raise DataError(
            f"X has {width} features, but {type(model).__name__} is expecting"
            f" {model.n_features_in_} features as input: those it was fitted to."
        )


def seed_of(random_state: Any) -> int:
    """The seed that `random_state` gives: an integer, a RandomState, or None for a random one."""
    if random_state is None or random_state is np.random:
        return int(np.random.randint(2**31))  # noqa: NPY002 (what np.random.seed governs)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    try:
        return int(np.random.RandomState(random_state).randint(2**31))
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "random_state must be a whole number, a RandomState or None; got"
            f" {random_state!r}: {error}"
        ) from error


@cache
def _parameter_getter(estimator: Any) -> Callable[[Any], Any]:
    """Reads the values of all parameters of an estimator at once."""
    return attrgetter(*estimator._get_param_names())  # noqa: SLF001 (scikit-learn's)
