"""Replay of a run epoch by epoch: the weights after some of its passes.

A rule that is stopped after k passes has the weights that its whole run had then, since nothing in
a pass depends on what comes after it. So the run is repeated with fewer passes, and with as many:
where that does not end at the same weights, the run cannot be repeated, and there is no replay.
That takes nothing but `max_iter`, so it does for every rule that has passes; rules that learn row
by row can be entered at any row of them, in a run of their own (`replay_samples`).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.estimators.base import clone_with, iterations_of
from rosenblatt.estimators.convergence_warning import outcomes_alone
from rosenblatt.types import Floats

MAX_FRAMES = 24
FIRST_EPOCHS = 10  # epochs that are all replayed; later ones ever more rarely


class Frame(NamedTuple):
    """The weights after a pass: coef (units × features) and intercept (units)."""

    passes: int
    coef: Floats
    intercept: Floats


def replay(
    estimator: Any, X: Any, y: Any, *, most: int = MAX_FRAMES, work: float = np.inf, **fit: Any
) -> list[Frame]:
    """The weights of a fitted estimator after the first passes, some later ones, and the last.

    Parameters
    ----------
    estimator
        A fitted linear classifier. One without passes has no frames; one that chose its C is played
        from the start at that C.
    X, y
        The rows and labels it was fitted to.
    most
        At most so many frames.
    work
        How many passes may be made in all; fewer frames are played where that is too little.
    fit
        What else `fit` was given, such as `coef_init`.

    Returns
    -------
    list of Frame
        Empty where there are no passes, or where the run cannot be repeated, as one that started
        from other weights or was shuffled without a seed.
    """
    estimator = from_the_start(estimator, X, y, **fit)
    passes = iterations_of(estimator)
    if (
        passes is None
        or "max_iter" not in estimator.get_params()
        or not hasattr(estimator, "coef_")
    ):
        return []
    frames = [_frame(estimator, X, y, k, fit) for k in _chosen(passes, most, work)]
    if not frames or not _same(frames[-1], estimator):
        return []
    return frames


def from_the_start(estimator: Any, X: Any, y: Any, **fit: Any) -> Any:
    """The estimator itself, or one fitted at the C that it chose: its own run began elsewhere."""
    if estimator.get_params().get("C") != "cv":
        return estimator
    return clone_with(estimator, C=estimator.C_).fit(X, y, **fit)


def _frame(estimator: Any, X: Any, y: Any, passes: int, fit: dict[str, Any]) -> Frame:
    """The run ended after so many passes, in silence and however long they take."""
    known = estimator.get_params()
    still: dict[str, Any] = {"verbose": 0, "time_limit": None}
    settings = {name: value for name, value in still.items() if name in known}
    settings["max_iter"] = passes
    model = clone_with(estimator, **settings)
    with outcomes_alone():  # that it is cut short is meant
        model.fit(X, y, **fit)
    return Frame(passes, model.coef_.copy(), model.intercept_.copy())


def _chosen(passes: int, most: int, work: float) -> Sequence[int]:
    """Passes that are played; the last always, if there is time for any."""
    if passes < 1 or passes > work:
        return []
    for wanted in range(most, 0, -1):
        first = list(range(1, min(passes, FIRST_EPOCHS, wanted) + 1))
        later = np.geomspace(first[-1], passes, wanted - len(first) + 1)[1:]
        chosen = sorted({*first[: wanted - 1], *np.rint(later).astype(int).tolist(), passes})
        if sum(chosen) <= work:
            return chosen
    return [passes]


def _same(frame: Frame, estimator: Any) -> bool:
    return np.array_equal(frame.coef, estimator.coef_) and np.array_equal(
        frame.intercept, estimator.intercept_
    )
