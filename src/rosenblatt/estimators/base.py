"""scikit-learn's contract, kept without loading scikit-learn.

Its tools know an estimator by what it can do: give and take parameters by name, tell its tags, say
which metadata it wants. All of that is here, and scikit-learn itself, which takes longer to load
than most fits take, is loaded when one of its tools asks for something that only it can give.
"""

import inspect
from abc import abstractmethod
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from operator import attrgetter
from types import MethodType
from typing import Any, Self

import numpy as np

from rosenblatt.errors import DataError, ParameterError

ROUTED = ("fit", "partial_fit", "score")  # methods that may take more than rows and labels
ROWS_AND_LABELS = {"self", "X", "y"}


class Estimator:
    """Parameters by name, as the signature of `__init__` lists them."""

    _metadata_request: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Give each method that takes metadata its `set_…_request`."""
        super().__init_subclass__(**kwargs)
        for method in ROUTED:
            setter = f"set_{method}_request"
            if hasattr(cls, method) and not hasattr(cls, setter):
                setattr(cls, setter, _request_setter(method))

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002
        """Parameters and their values.

        Parameters
        ----------
        deep : bool, default=True
            Makes no difference: no parameter has parameters itself.

        Returns
        -------
        dict
            Values by name.
        """
        return {name: getattr(self, name) for name in _defaults(type(self))}

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
        known = _defaults(type(self))
        for name in params:
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def _settings(self) -> tuple[Any, ...]:
        """Values of all parameters."""
        model: Any = type(self)
        return _parameter_getter(model)(self)

    def _require_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            from rosenblatt.estimators.not_fitted import UnfittedError  # noqa: PLC0415 (loads sklearn)

            name = type(self).__name__
            raise UnfittedError(f"This {name} instance is not fitted yet: call `fit` first.")

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is something to decide with."""

    def __repr__(self) -> str:
        """The call that makes this estimator, without the parameters left as they are."""
        usual = _defaults(type(self))
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(usual[name])
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def _repr_html_(self) -> str:
        """How a notebook shows it."""
        from sklearn.utils import estimator_html_repr  # noqa: PLC0415 (slow to import)

        return str(estimator_html_repr(self))

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn's tools may expect."""
        from sklearn.utils import InputTags, Tags, TargetTags  # noqa: PLC0415 (slow to import)

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(),
        )

    def get_metadata_routing(self) -> Any:
        """Which metadata are wanted, for scikit-learn's routing of them.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
            What `set_fit_request` and its like asked for; else nothing was decided.
        """
        from sklearn.utils.metadata_routing import (  # noqa: PLC0415 (slow to import)
            MetadataRequest,
            get_routing_for_object,
        )

        if "_metadata_request" in vars(self):
            return get_routing_for_object(self._metadata_request)
        request = MetadataRequest(owner=type(self).__name__)
        for method in ROUTED:
            for name in _metadata(type(self), method):
                getattr(request, method).add_request(param=name, alias=None)
        return request


def available_if(check: Callable[[Any], bool]) -> Callable[[Any], Any]:
    """A method that an estimator has, or has not, by its parameters."""
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
    """Passes or steps that a fit took, the most of any unit; None where a rule has none."""
    taken = getattr(estimator, "n_iter_", None)
    return None if taken is None else int(np.max(taken))


def remember_columns(model: Any, X: Any, width: int, *, reset: bool) -> None:
    """Remember how many columns X has and how they are called, or compare with those known."""
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
    """A seed by `random_state`: a whole number, a RandomState, or None for another every time."""
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


def _request_setter(method: str) -> Callable[..., Any]:
    """The method by which an estimator is told to ask for metadata."""

    def ask(self: Any, **metadata: Any) -> Any:
        import sklearn  # noqa: PLC0415 (slow to import)

        if not sklearn.get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "This method is only available when metadata routing is enabled: call"
                " sklearn.set_config(enable_metadata_routing=True) first."
            )
        known = _metadata(type(self), method)
        request = self.get_metadata_routing()
        for name, alias in metadata.items():
            if name not in known:
                raise TypeError(f"`{method}` takes no {name!r}; it takes {', '.join(known)}.")
            getattr(request, method).add_request(param=name, alias=alias)
        self._metadata_request = request
        return self

    ask.__name__ = f"set_{method}_request"
    ask.__doc__ = f"Say which metadata `{method}` wants: True, False, None or another name."
    return ask


def _metadata(model: type, method: str) -> list[str]:
    """What a method takes beside rows and labels."""
    if not hasattr(model, method):
        return []
    return [name for name in _parameters(getattr(model, method)) if name not in ROWS_AND_LABELS]


@cache
def _parameter_getter(model: Any) -> Callable[[Any], tuple[Any, ...]]:
    """What reads the values of all parameters of an estimator at once."""
    return attrgetter(*_defaults(model))


def _defaults(model: type) -> dict[str, Any]:
    """Parameters of an estimator in alphabetical order, and their defaults."""
    parameters = _parameters(model.__init__)  # type: ignore[misc]
    return {name: parameters[name].default for name in sorted(parameters) if name != "self"}


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)
