"""scikit-learn's interface without importing it: base classes, ConvergenceWarning, callbacks.

Importing scikit-learn takes longer than most commands do, and a command needs none of its tools.
So `__main__.py` calls `use_stand_ins` before any estimator is imported, and estimators/base.py
then takes its bases from here. Everywhere else estimators inherit from scikit-learn's own classes.

A ConvergenceWarning says where a fit ends before it has arrived:

=================================================  ===============================================
rule                                               warns where
=================================================  ===============================================
`LinearSVM`, `LogisticRegression`                  the gap is not certified to be at most `tol`
rules with epochs, `tol` a number                  epochs or time ran out before the loss levelled
                                                   off
rules with epochs, `tol=None`                      never: as in scikit-learn, epochs were asked for
any rule whose steps are too large                 always
=================================================  ===============================================

The message is `outcome_`, which says the same without a warning. Commands print outcomes, and do
not load scikit-learn to warn of them: see `outcomes_alone`.

Callbacks, which scikit-learn has from 1.9 on, hear of every digit of the gap. How many steps a run
will take is not known, but how far it has to come is: from a gap of 1 to one of `tol`. So a fit is
a task of as many subtasks as `tol` has digits, each of which ends when the gap has that digit.
Where each class has a run of its own, a run is a subtask of the fit, and its digits are subtasks of
the run. A callback may ask for the end at the end of a digit.
"""

import inspect
import math
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:  # the command line imports this module before it knows whether it will fit
    from rosenblatt.online.result import Outcome
    from rosenblatt.optim.solve import Step

MIN_GAP = 1e-15  # duality gap below which float64 has no digits

# names of endings
UNCERTIFIED = {"MAX_STEPS_REACHED", "TIME_LIMIT_REACHED", "AT_ROUNDING", "SEPARATED"}
SPENT = {
    "MAX_EPOCHS_REACHED",
    "LOSS_REMAINS",
    "MAX_DESCENT_EPOCHS_REACHED",
    "MAX_REGRESSION_EPOCHS_REACHED",
    "EPOCH_TIME_LIMIT_REACHED",
}
TOO_LARGE = {"DIVERGED", "OVERSHOT", "SATURATED"}

PACKAGE = "rosenblatt."

_wanted = False
_lock = Lock()
_users_of_outcomes = 0


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


@contextmanager
def outcomes_alone() -> Iterator[None]:
    """Let fits tell how they ended by `outcome_` alone, in all threads, for as long as this holds.

    For programs that print the outcome themselves.
    """
    _count_user(1)
    try:
        yield
    finally:
        _count_user(-1)


def warn_unless_converged(outcome: "Outcome", tol: float | None) -> None:
    """Warn whoever called `fit` where its outcome is none to rely on."""
    ending = outcome.ending.name
    spent = ending in SPENT and tol is not None
    if _users_of_outcomes or not (spent or ending in UNCERTIFIED or ending in TOO_LARGE):
        return
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 (slow to import)

    warnings.warn(str(outcome), ConvergenceWarning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """How many calls lie between the warning and whoever called this package."""
    frame, levels = sys._getframe(2), 2  # noqa: SLF001 (what warnings themselves count by)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(PACKAGE):
        frame, levels = frame.f_back, levels + 1
    return levels


def _count_user(change: int) -> None:
    global _users_of_outcomes  # noqa: PLW0603 (threads of a command share it)
    with _lock:
        _users_of_outcomes += change


def is_supported() -> bool:
    """Whether the scikit-learn that is installed has callbacks."""
    return find_spec("sklearn") is not None and find_spec("sklearn.callback") is not None


def set_callbacks(estimator: Any, *callbacks: Any) -> Any:
    """Let scikit-learn check the callbacks and keep them where its `clone` looks for them."""
    from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415 (slow, and of new versions)

    return CallbackSupportMixin.set_callbacks(estimator, *callbacks)


def correct_digits(gap: float) -> float:
    """How many decimal digits a relative gap leaves right."""
    return -math.log10(min(1.0, max(gap, MIN_GAP)))


class CallbackContext:
    """Reports to callbacks how far each run of a fit has come; runs may be on threads."""

    def __init__(
        self, estimator: Any, context: Any, data: dict[str, Any], size: tuple[int, int]
    ) -> None:
        self._estimator, self._data = estimator, data
        n_units, self._n_digits = size
        self._lock = threading.Lock()
        self._reached = [0] * n_units
        self._units = [context]
        if n_units > 1:
            self._units = [
                context.subcontext(f"unit {unit}", unit, max_subtasks=self._n_digits)
                for unit in range(n_units)
            ]
            for unit in self._units:
                unit.call_on_fit_task_begin(estimator=estimator)

    def wants_end(self, unit: int, step: "Step", learned: Callable[[], dict[str, Any]]) -> bool:
        """Report a step and the attributes fitted by then; whether a callback asks for the end."""
        digits = min(int(correct_digits(step.bounds.gap)), self._n_digits)
        alone, wanted = len(self._units) == 1, False
        with self._lock:
            for _ in range(self._reached[unit], digits):
                task = self._units[unit].subcontext("digit of the gap")
                task.call_on_fit_task_begin(estimator=self._estimator)
                wanted |= task.call_on_fit_task_end(
                    estimator=self._estimator,
                    reconstruction_attributes=learned if alone else None,
                    **self._data,
                )
            self._reached[unit] = max(self._reached[unit], digits)
            if not alone and (wanted or step.ending is not None):
                self._units[unit].call_on_fit_task_end(estimator=self._estimator)
        return wanted


def has_callbacks(estimator: Any) -> bool:
    """Whether callbacks are set."""
    return "_skl_callbacks" in vars(estimator)


def solve_with_callbacks(
    estimator: Any, data: dict[str, Any], size: tuple[int, float], solve: Callable[..., None]
) -> None:
    """Call `solve` with the callbacks that are set, of a fit of so many runs to a `tol`."""
    from sklearn.callback import CallbackSupportMixin, with_callbacks  # noqa: PLC0415 (as above)

    n_units, tol = size
    n_digits = max(1, math.ceil(correct_digits(tol)))

    def fit(estimator: Any) -> None:
        context = CallbackSupportMixin._init_callback_context(  # noqa: SLF001 (documented for this)
            estimator,
            max_subtasks=n_digits if n_units == 1 else n_units,
            sequential_subtasks=n_units == 1,
        )
        context.call_on_fit_task_begin(estimator=estimator, **data)
        solve(CallbackContext(estimator, context, data, (n_units, n_digits)))
        context.call_on_fit_task_end(estimator=estimator, reconstruction_attributes={}, **data)

    with_callbacks(fit)(estimator)
