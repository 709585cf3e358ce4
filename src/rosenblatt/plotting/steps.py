"""Plot of a run step by step: the line before and after each update, and the row behind it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators.base import clone_with
from rosenblatt.estimators.replay import replay
from rosenblatt.estimators.sklearn_interface import outcomes_alone
from rosenblatt.geometry.plane import Box, feet
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.shapes import signed_rows
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import number
from rosenblatt.types import Floats

MAX_STEPS = 5  # by default, besides the start
MAX_RINGS = 60
FARTHEST_LINE = 1.0  # from the middle of the rows to a line that is shown, in diagonals of the box
BEFORE: dict[str, Any] = {"color": palette.GREY, "ls": "--", "lw": 1.6}
State = tuple[int, Floats]  # the number of epochs, and (w, b) after them
AFTER: dict[str, Any] = {"color": palette.INK, "ls": "-", "lw": 2.0}


class Step(NamedTuple):
    """An update: the weights (w, b) before and after it, the rows behind it, and a title.

    The start has no weights before it.
    """

    title: str
    before: Floats | None
    after: Floats
    rows: tuple[int, ...]


class StepsDisplay:
    """The first updates of a run as small multiples: the old line dashed, the new one solid.

    A rule that learns row by row has a panel for each update, whose row is ringed. One that learns
    in batches has a panel for each epoch, in which the mistakes of the old line are ringed.

    Parameters
    ----------
    steps : list of Step
        The start, and updates in order.
    view : View
        The rows.
    classes : sequence
        Labels of the two classes.
    n_updates : int
        How many updates (or epochs) the whole run has.

    Attributes
    ----------
    ax_ : list of matplotlib Axes
        The axes it was drawn on, one for each step.
    figure_ :
        Their figure.

    Examples
    --------
    The worked example of lecture 001:

    >>> from rosenblatt import Perceptron
    >>> from rosenblatt.plotting import StepsDisplay
    >>> model = Perceptron(eta0=0.1, max_iter=1, shuffle=False)
    >>> start = {"coef_init": [0.2, 0], "intercept_init": -0.1}
    >>> display = StepsDisplay.from_estimator(model, [[1, 1], [2, 1]], [-1, 1], **start)
    >>> [step.after.round(1).tolist() for step in display.steps]
    [[0.2, 0.0, -0.1], [0.1, -0.1, -0.2], [0.3, 0.0, -0.1]]
    """

    ax_: Any
    figure_: Any

    def __init__(self, *, steps: list[Step], view: View, classes: Any, n_updates: int) -> None:
        self.steps, self.view, self.classes, self.n_updates = steps, view, classes, n_updates

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        most: int = MAX_STEPS,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
        **fit: Any,
    ) -> Self:
        """Repeat the run of a linear classifier and draw its first updates.

        Parameters
        ----------
        estimator : classifier
            Linear, trained in epochs, fitted or not: a copy of it is fitted.
        X : array or frame of shape (n_samples, 2)
            Training rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        most : int
            Largest number of updates drawn. Of a longer run the last one is its end.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        ax : sequence of matplotlib Axes, optional
            Where to draw, one for each step; by default on a new figure.
        **fit :
            Other arguments of `fit`, such as `coef_init` and `intercept_init`.

        Returns
        -------
        StepsDisplay
        """
        if most < 1:
            raise ParameterError(f"most must be at least 1; got {most}.")
        if not hasattr(estimator, "max_iter"):
            raise _not_in_epochs(estimator)
        rows, names = inputs.plane_rows(X, "A run"), inputs.names_of(X, feature_names)
        classes = inputs.two_classes(y)
        codes = inputs.codes_of(y, classes, len(rows))
        if _learns_by_rows(estimator):
            steps, n_updates = _by_rows(estimator, X, y, most, fit)
        else:
            Z = signed_rows(rows, 2 * codes - 1, intercept=True)
            steps, n_updates = _by_epochs(estimator, X, y, Z, most, fit)
        kept = [row for step in steps for row in step.rows]
        projection = Projection(np.zeros(2), np.eye(2), (names[0], names[1]))
        view = View.of(rows, codes, projection, keep=kept)
        view = replace(view, box=_box(view, steps))
        return cls(steps=steps, view=view, classes=classes, n_updates=n_updates).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, optional
            Where to draw, one for each step.

        Returns
        -------
        StepsDisplay
        """
        found = canvas.panels(ax, len(self.steps), size=(3.2, 3.3))
        for place, step in zip(found, self.steps, strict=True):
            cells = self.view.boundary(step.after[None, :2], step.after[2:]).cells
            canvas.boundary(place, Boundary(cells=cells), self.view.box)
            canvas.scatter(place, self.view, self.classes)
            for weights, look in ((step.before, BEFORE), (step.after, AFTER)):
                if weights is not None:
                    for line in self.view.line_boundary(weights[None, :2], weights[2:]).lines:
                        place.plot(*line.T, zorder=4, **look)
            if 0 < len(step.rows) <= MAX_RINGS:
                canvas.ring(place, self.view.at(step.rows))
            place.set_title(f"{step.title}\n{_formula(step.after)}", fontsize="medium", loc="left")
        last = found[-1]
        last.plot([], [], label="line before", **BEFORE)
        last.plot([], [], label="line after", **AFTER)
        last.plot([], [], "o", ms=9, mfc="none", mec=palette.INK, label="row behind the update")
        canvas.legend_outside(last, own=ax is None)
        self.ax_, self.figure_ = found, found[0].figure
        return self


def _learns_by_rows(estimator: Any) -> bool:
    """Whether its run can be replayed row by row; solvers and batches go by epochs."""
    online = hasattr(estimator, "replay") and hasattr(estimator, "shuffle")
    return online and getattr(estimator, "batch_size", 1) == 1


def _by_rows(
    estimator: Any, X: Any, y: Any, most: int, fit: dict[str, Any]
) -> tuple[list[Step], int]:
    """The start and the first updates of a run row by row, and how many there are in all."""
    model = clone_with(estimator)
    with outcomes_alone():
        run = model.replay(X, y, **fit)
    inputs.require_linear(model)
    found = list(islice(_updates(run), most + 1))
    steps = [Step("start", None, run.start()[0], ())]
    for k, (row, before, after) in enumerate(found[:most], 1):
        steps.append(Step(f"update {k}, by row {row}", before, after, (row,)))
    n_updates = sum(model.trace_.column("updates"))
    if len(found) > most:
        final = np.append(model.coef_[0], model.intercept_[0])
        steps[-1] = Step(f"end, after {n_updates:,} updates", steps[-2].after, final, ())
    return steps, n_updates


def _updates(run: Any) -> Iterator[tuple[int, Floats, Floats]]:
    """The row of each update, and the weights before and after it."""
    before = run.start()[0]
    for epoch in range(1, run.n_epochs + 1):
        for row, W in zip(run.order(epoch).tolist(), run.path(epoch), strict=True):
            if not np.array_equal(W[0], before):
                yield row, before, W[0]
            before = W[0]


def _by_epochs(
    estimator: Any, X: Any, y: Any, Z: Floats, most: int, fit: dict[str, Any]
) -> tuple[list[Step], int]:
    """The start and the first epochs of a run in batches, and how many there are in all."""
    model = clone_with(estimator)
    with outcomes_alone():
        model.fit(X, y, **fit)
    inputs.require_linear(model)
    states = states_of_run(model, X, y, fit)
    if len(states) < 2:
        raise _not_in_epochs(estimator)
    n_epochs = states[-1][0]
    shown = states if len(states) <= most + 1 else [*states[:most], states[-1]]
    first, weights = shown[0]
    steps = [Step(f"after epoch {first}" if first else "start", None, weights, ())]
    for (earlier, before), (epoch, after) in pairwise(shown):
        next_one = epoch == earlier + 1
        rows = tuple(np.flatnonzero(Z @ before <= 0).tolist()) if next_one else ()
        counted = {0: "no mistake", 1: "1 mistake"}.get(len(rows), f"{len(rows)} mistakes")
        title = f"epoch {epoch}: {counted}" if next_one else f"end, after epoch {epoch}"
        steps.append(Step(title, before, after, rows))
    return steps, n_epochs


def _not_in_epochs(estimator: Any) -> DataError:
    return DataError(
        f"The run of a {type(estimator).__name__} cannot be shown step by step: give a linear"
        " classifier that learns in epochs, such as Perceptron()."
    )


def _box(view: View, steps: list[Step]) -> Box:
    """The box of the rows, made larger where a line passes near by."""
    low, high = view.box.corners[0], view.box.corners[2]
    scale = np.where(high > low, high - low, 1.0)
    middle = (low + high) / 2
    points = [low, high]
    for step in steps:
        w = step.after[:2] * scale  # distances are those on a square picture
        if w.any():
            foot = feet(np.zeros(2), w, float(step.after[:2] @ middle + step.after[2]))[0]
            if np.linalg.norm(foot) <= FARTHEST_LINE * np.sqrt(2):
                points.append(middle + scale * foot)
    inside = view.box.contains(points).all()
    return view.box if inside else Box.around(points)


def _formula(weights: Floats) -> str:
    first, second, b = (number(value, 3) for value in weights.tolist())
    return f"w = ({first}, {second}), b = {b}"


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
    given = [fit.get("coef_init"), fit.get("intercept_init")]
    if getattr(estimator, "start", None) != "zero" and any(part is None for part in given):
        return None
    zeros = [np.zeros(np.size(estimator.coef_)), np.zeros(1)]
    parts = [zero if part is None else part for part, zero in zip(given, zeros, strict=True)]
    return np.concatenate([np.ravel(np.asarray(part, dtype=float)) for part in parts])
