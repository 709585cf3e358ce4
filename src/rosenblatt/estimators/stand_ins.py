"""Stand-ins for scikit-learn's base classes, for the process of a command.

Importing scikit-learn takes longer than most commands do, and a command needs none of its tools.
So `__main__.py` calls `use_stand_ins` before any estimator is imported, and estimators/base.py
then takes its bases from here. Everywhere else estimators inherit from scikit-learn's own classes.
"""

import inspect
import sys
from typing import Any, Self

_wanted = False


def use_stand_ins(*, wanted: bool = True) -> None:
    """Let estimators that are imported from now on do without scikit-learn, unless it is loaded."""
    global _wanted  # noqa: PLW0603 (one choice for the process)
    _wanted = wanted and "sklearn" not in sys.modules


def stand_ins_wanted() -> bool:
    """Whether estimators are to do without scikit-learn in this process."""
    return _wanted


class BaseEstimator:
    """Parameters by name, as the signature of `__init__` lists them."""

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002, FBT001, FBT002
        """Parameters and their values; no parameter of our estimators has parameters itself."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The call that makes this estimator, without the parameters left as they are."""
        defaults = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


class ClassifierMixin:
    """Every classifier of ours has its own `score`."""


class RegressorMixin:
    """No command fits a regressor, or scores one."""


class TransformerMixin:
    """What scikit-learn adds to `transform` are containers for its users."""


class ClassNamePrefixFeaturesOutMixin:
    """Names of features are for scikit-learn's users as well."""


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before it was fitted."""
