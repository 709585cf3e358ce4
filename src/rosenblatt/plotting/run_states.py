"""The weights of a fitted estimator at the start of its run, after some epochs, and at the end."""

from typing import Any

import numpy as np

from rosenblatt.estimators.replay import replay
from rosenblatt.types import Floats

State = tuple[int, Floats]  # the number of epochs, and (w, b) after them


def states_of_run(estimator: Any, X: Any, y: Any, fit: dict[str, Any]) -> list[State]:
    """Epochs and weights (w, b) of two classes, the start first if it is known, the end last.

    Only the end if the estimator has no epochs or its run cannot be repeated.
    """
    frames = replay(estimator, X, y, **fit)
    states = [
        (frame.n_iter, np.append(np.ravel(frame.coef), np.ravel(frame.intercept)))
        for frame in frames
    ]
    if not states:
        return [(0, np.append(np.ravel(estimator.coef_), np.ravel(estimator.intercept_)))]
    start = None if states[0][0] == 0 else _start(estimator, fit)
    return states if start is None else [(0, start), *states]


def _start(estimator: Any, fit: dict[str, Any]) -> Floats | None:
    """The weights before the first epoch: those given, or zeros; None if they are others."""
    w, b = np.zeros(np.size(estimator.coef_)), 0.0
    if fit.get("coef_init") is not None:
        w = np.ravel(np.asarray(fit["coef_init"], dtype=float))
    elif getattr(estimator, "start", "zero") != "zero":
        return None
    if fit.get("intercept_init") is not None:
        b = float(np.ravel(fit["intercept_init"])[0])
    return np.append(w, b)
