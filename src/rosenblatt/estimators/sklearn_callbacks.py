"""scikit-learn's callbacks, which its versions from 1.9 on have: every digit of the gap is a task.

How many steps a run will take is not known, but how far it has to come is: from a gap of 1 to one
of `tol`. So a fit is a task of as many subtasks as `tol` has digits, each of which ends when the
gap has that digit. Where each class has a run of its own, a run is a subtask of the fit, and its
digits are subtasks of the run. A callback may ask for the end at the end of a digit.
"""

import threading
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from rosenblatt.estimators.fit_loop import correct_digits
from rosenblatt.optim.solve import Step


def is_supported() -> bool:
    """Whether the scikit-learn that is installed has callbacks."""
    return find_spec("sklearn") is not None and find_spec("sklearn.callback") is not None


def set_callbacks(estimator: Any, *callbacks: Any) -> Any:
    """Let scikit-learn check the callbacks and keep them where its `clone` looks for them."""
    from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415 (slow, and of new versions)

    return CallbackSupportMixin.set_callbacks(estimator, *callbacks)


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

    def wants_end(self, unit: int, step: Step, learned: Callable[[], dict[str, Any]]) -> bool:
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


def solve_with_callbacks(
    estimator: Any, data: dict[str, Any], size: tuple[int, float], solve: Callable[..., None]
) -> None:
    """Call `solve` with the callbacks of a fit of so many runs to a `tol`, if callbacks are set."""
    if "_skl_callbacks" not in vars(estimator):
        solve(None)
        return
    from sklearn.callback import CallbackSupportMixin, with_callbacks  # noqa: PLC0415 (as above)

    n_units, tol = size
    n_digits = max(1, int(np.ceil(correct_digits(tol))))

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
