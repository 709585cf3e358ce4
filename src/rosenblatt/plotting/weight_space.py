"""Plot of weight space: rows as lines, solutions as a region, a training run as a path."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.estimators.replay import replay
from rosenblatt.geometry.plane import Box, WeightPlane, segment
from rosenblatt.plotting import canvas, inputs
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PATH_PADDING = 0.6  # around the path, as a share of its extent
MAX_LINES = 200


class WeightSpaceDisplay:
    """The plane of two weights: each row requires one side of a line, all rows a region.

    Parameters
    ----------
    lines : list of ndarray of shape (2, 2)
        The line of each row that crosses the box.
    signs : list of int
        The class of its row: −1 or 1.
    solutions : ndarray of shape (n_corners, 2)
        Corners of the region that classifies all rows correctly; none if it is empty.
    path : ndarray of shape (n_states, 2)
        The weights at the start of the run, after some epochs, and at its end.
    box : Box
        The part of the plane that is shown.
    names : tuple of str
        Names of the two weights.
    remark : str
        A sentence above the axes.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import Perceptron, builtin
    >>> from rosenblatt.plotting import WeightSpaceDisplay
    >>> data = builtin("4f10")
    >>> model = Perceptron(shuffle=False).fit(data.X, data.y)
    >>> display = WeightSpaceDisplay.from_estimator(model, data.X, data.y)
    >>> bool((display.path[-1] == model.coef_[0]).all())
    True
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        lines: list[Floats],
        signs: list[int],
        solutions: Floats,
        path: Floats,
        box: Box,
        names: tuple[str, str],
        remark: str = "",
    ) -> None:
        self.lines, self.signs, self.solutions = lines, signs, solutions
        self.path, self.box, self.names, self.remark = path, box, names, remark

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        weights: tuple[int, int] = (0, 1),
        feature_names: Sequence[str] | None = None,
        box: Box | None = None,
        ax: "Axes | None" = None,
        **fit: Any,
    ) -> Self:
        """Compute and draw the space of two weights of a fitted linear classifier.

        Parameters
        ----------
        estimator : classifier
            Linear, of two classes, fitted.
        X, y : array-like
            The rows and labels it was fitted to.
        weights : tuple of int
            Indices of the two weights; the intercept comes after the features. The others are fixed
            at those of the estimator.
        feature_names : sequence of str, optional
            Names of the features.
        box : Box, optional
            What to show; by default the path and the origin.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **fit :
            Other arguments that `fit` was given, such as `coef_init`, to replay the run.

        Returns
        -------
        WeightSpaceDisplay
        """
        inputs.require_linear(estimator)
        rows = np.asarray(X, dtype=float)
        if len(estimator.coef_) != 1:
            raise DataError(f"Weight space is drawn for 2 classes; got {len(estimator.coef_)}.")
        signs = 2 * inputs.codes_of(y, estimator.classes_, len(rows)) - 1
        plane = WeightPlane(np.append(estimator.coef_[0], estimator.intercept_[0]), weights)
        if not 0 <= min(weights) < max(weights) < len(plane.at):
            raise DataError(
                f"weights must be two indices from 0 to {len(plane.at) - 1}, the intercept last;"
                f" got {weights}."
            )
        frames = replay(estimator, X, y, **fit)
        states = [np.append(frame.coef[0], frame.intercept[0]) for frame in frames]
        path = plane.path(states or [plane.at])
        shown = (
            Box.around(np.vstack([path, np.zeros((1, 2))]), PATH_PADDING) if box is None else box
        )
        A, c = plane.halfplanes(rows, signs)
        found = [segment(a, float(offset), shown) for a, offset in zip(A, c, strict=True)]
        crossing = [(s, int(sign)) for s, sign in zip(found, signs, strict=True) if s is not None]
        names = [*inputs.names_of(rows, feature_names or getattr(X, "columns", None)), "intercept"]
        return cls(
            lines=[line for line, _ in crossing],
            signs=[sign for _, sign in crossing],
            solutions=plane.solutions(rows, signs, shown),
            path=path,
            box=shown,
            names=(names[weights[0]], names[weights[1]]),
            remark=_remark(plane, weights, names),
        ).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        WeightSpaceDisplay
        """
        ax = canvas.axes(ax)
        if len(self.solutions):
            green = palette.colour(2)
            ax.fill(*self.solutions.T, color=green, alpha=0.25, lw=0, label="solutions")
        shown = np.linspace(0, len(self.lines) - 1, min(MAX_LINES, len(self.lines))).astype(int)
        for i in shown:
            colour = palette.colour(int(self.signs[i] > 0))
            ax.plot(*self.lines[i].T, color=colour, lw=0.9, alpha=0.6, zorder=2)
        ax.plot(
            *self.path.T,
            color=palette.INK,
            lw=1.4,
            marker="o",
            ms=3,
            zorder=4,
            label="training run",
        )
        ax.plot(*self.path[-1:].T, "*", ms=12, color=palette.INK, zorder=5, label="final weights")
        ax.plot(0, 0, marker="+", color=palette.GREY, ms=9, zorder=3)
        canvas.set_limits(ax, self.box)
        ax.set(xlabel=f"weight of {self.names[0]}", ylabel=f"weight of {self.names[1]}")
        ax.legend(**canvas.LEGEND)
        if self.remark:
            canvas.note(ax, self.remark)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _remark(plane: WeightPlane, weights: tuple[int, int], names: Sequence[str]) -> str:
    """A note on the weights that are fixed."""
    others = [j for j in range(len(plane.at)) if j not in weights]
    if not others:
        return ""
    if len(others) > 2:
        return f"the other {len(others)} weights fixed at their final values"
    return ", ".join(f"{names[j]} = {plane.at[j]:.4g}" for j in others)
