"""Plot of the error as a function of two weights or one, with the path of gradient descent."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from rosenblatt import palette
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.geometry.plane import Box, Grid
from rosenblatt.geometry.shapes import signed_rows
from rosenblatt.losses.curves import ErrorSurface, loss_named
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import equal_aspect, line_style, number
from rosenblatt.plotting.steps import states_of_run
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOSSES = {  # of the estimators whose path can be drawn
    "Perceptron": "perceptron",
    "BatchPerceptron": "perceptron",
    "LMS": "square",
    "LeastSquares": "square",
    "TanhPerceptron": "tanh",
    "LinearSVM": "hinge",
    "LogisticRegression": "logistic",
}
PATH_COLOURS = (palette.INK, *palette.COLOURS[2:])  # none of a class
RESOLUTION = 130  # points a side of the grid
N_CONTOURS = 16
PADDING = 0.35  # around the paths, as a share of their extent
MAX_SPREAD = 6.0  # times the extent of start and minimum: a path that leaves them is cut
CURVE_POINTS = 400


class Descent(NamedTuple):
    """A path of weights on the surface, the first point its start, with its η if that is known."""

    points: Floats
    eta: float | None
    label: str = "descent"


class ErrorSurfaceDisplay:
    """The error J(w) = Σ ℓ(y (w·x + b)) over two weights as contours, or over one as a curve.

    Paths of gradient descent are drawn on it: a panel for each η, a line for each start.

    Parameters
    ----------
    surface : ErrorSurface
        The error as a function of the chosen weights.
    panels : list of list of Descent
        The paths in each panel.
    box : tuple of float
        The part of the plane of weights that is shown; of one weight its smallest and largest
        value.
    names : tuple of str
        Names of the chosen weights.
    remark : str
        A note on the weights that are fixed.

    Attributes
    ----------
    ax_ : matplotlib Axes, or a list of them for several η
        The axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import builtin
    >>> from rosenblatt.plotting import ErrorSurfaceDisplay
    >>> data = builtin("4f10")
    >>> display = ErrorSurfaceDisplay.from_data(
    ...     data.X, data.y, loss="square", eta0=[0.02, 0.2, 0.4], n_steps=9, fit_intercept=False
    ... )
    >>> len(display.ax_), [len(paths[0].points) for paths in display.panels]
    (3, [10, 10, 10])
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        surface: ErrorSurface,
        panels: list[list[Descent]],
        box: tuple[float, ...],
        names: tuple[str, ...],
        remark: str = "",
    ) -> None:
        self.surface, self.panels, self.box = surface, panels, box
        self.names, self.remark = names, remark

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        loss: str = "square",
        eta0: float | Sequence[float] = 0.1,
        n_steps: int = 30,
        starts: npt.ArrayLike | None = None,
        coef: npt.ArrayLike | None = None,
        weights: Sequence[int] | None = None,
        fit_intercept: bool = True,
        box: Sequence[float] | None = None,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the error of two classes and gradient descent on it, all rows at each step.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels, of two classes.
        loss : str
            "perceptron", "hinge", "squared_hinge", "square", "tanh", "sigmoid" or "logistic".
        eta0 : float or sequence of float
            The learning rate η; each of several has a panel.
        n_steps : int
            Number of steps of each descent.
        starts : array-like of shape (n_starts, n_chosen), optional
            Values of the chosen weights to start from; by default those in `coef`.
        coef : array-like of shape (n_weights,), optional
            All weights, the intercept last: those not chosen are fixed at these. Zeros by default.
        weights : sequence of int, optional
            Indices of the one or two weights that vary; the intercept comes after the features. By
            default the first two.
        fit_intercept : bool
            Whether there is an intercept.
        box : sequence of float, optional
            What to show: left, right, bottom and top; of one weight left and right.
        feature_names : sequence of str, optional
            Names of the features.
        ax : matplotlib Axes, or one for each η, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        ErrorSurfaceDisplay
        """
        rows = inputs.finite_rows(inputs.rows_of(X))
        codes = inputs.codes_of(y, inputs.two_classes(y), len(rows))
        Z = signed_rows(rows, 2 * codes - 1, intercept=fit_intercept)
        names = _weight_names(inputs.names_of(X, feature_names), intercept=fit_intercept)
        fixed = np.zeros(Z.shape[1]) if coef is None else np.ravel(np.asarray(coef, dtype=float))
        surface = ErrorSurface(loss_named(loss), Z, fixed, _chosen(weights, names, fixed))
        begins = _starts(starts, surface)
        etas = [float(eta) for eta in np.ravel(np.asarray(eta0, dtype=float))]
        if not etas or not all(0 < eta < np.inf for eta in etas) or n_steps < 0:
            raise ParameterError(
                f"eta0 must be positive, one number or several, and n_steps at least 0; got"
                f" eta0={eta0!r}, n_steps={n_steps!r}."
            )
        labels = [f"descent from start {k + 1}" for k in range(len(begins))]
        labels = labels if len(begins) > 1 else ["descent"]
        panels = [
            [
                Descent(surface.descend(start, eta, n_steps), eta, label)
                for start, label in zip(begins, labels, strict=True)
            ]
            for eta in etas
        ]
        return cls(
            surface=surface,
            panels=panels,
            box=_box(box, surface, panels),
            names=tuple(names[j] for j in surface.chosen),
            remark=_remark(surface, names),
        ).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        loss: str | None = None,
        weights: Sequence[int] | None = None,
        box: Sequence[float] | None = None,
        feature_names: Sequence[str] | None = None,
        ax: "Axes | None" = None,
        **fit: Any,
    ) -> Self:
        """Draw the error that a fitted classifier minimises, and its weights epoch by epoch.

        Parameters
        ----------
        estimator : classifier
            Linear, of two classes, fitted in epochs.
        X, y : array-like
            The rows and labels it was fitted to.
        loss : str, optional
            By default that of the estimator.
        weights, box, feature_names :
            As in `from_data`. Weights not chosen are fixed at those of the estimator.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **fit :
            Other arguments that `fit` was given, such as `coef_init`, to replay the run.

        Returns
        -------
        ErrorSurfaceDisplay
        """
        w, b = inputs.line_of(estimator)
        rows = inputs.finite_rows(inputs.rows_of(X))
        codes = inputs.codes_of(y, inputs.classes_of(estimator), len(rows))
        intercept = bool(getattr(estimator, "fit_intercept", True))
        Z = signed_rows(rows, 2 * codes - 1, intercept=intercept)
        final = np.append(w, b) if intercept else w
        known = getattr(estimator, "feature_names_in_", None)
        columns = inputs.names_of(X, known if feature_names is None else feature_names)
        names = _weight_names(columns, intercept=intercept)
        chosen = _chosen(weights, names, final)
        surface = ErrorSurface(loss_named(loss or _loss_of(estimator)), Z, final, chosen)
        path = np.array([weights for _, weights in states_of_run(estimator, X, y, fit)])
        constant = getattr(estimator, "learning_rate", "constant") == "constant"
        eta = getattr(estimator, "eta0", None) if constant else None
        panels = [[Descent(path[:, list(chosen)], eta, "training run")]]
        return cls(
            surface=surface,
            panels=panels,
            box=_box(box, surface, panels),
            names=tuple(names[j] for j in chosen),
            remark=_remark(surface, names),
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, or one for each panel, optional
            Where to draw.

        Returns
        -------
        ErrorSurfaceDisplay
        """
        size = (5.2, 4.6) if len(self.panels) == 1 else (3.6, 3.6)
        found = canvas.panels(ax, len(self.panels), size=size)
        for place, paths in zip(found, self.panels, strict=True):
            if len(self.surface.chosen) == 1:
                self._draw_curve(place, paths)
            else:
                self._draw_contours(place, paths)
            if paths[0].eta is not None:
                place.set_title(f"η = {number(paths[0].eta)}", fontsize="medium", loc="left")
        if self.remark:
            canvas.note(found[-1], self.remark)
        _legend(found[-1], own=ax is None)
        self.ax_ = found if len(found) > 1 else found[0]
        self.figure_ = found[0].figure
        return self

    def _draw_contours(self, ax: "Axes", paths: list[Descent]) -> None:
        """Draw contours of the error, closer together near its minimum, and the paths."""
        box = Box(*self.box)
        grid = Grid.over(box, RESOLUTION)
        values = grid.as_matrix(self.surface.values(grid.points))
        levels = _levels(values)
        ax.contourf(grid.x, grid.y, values, levels, cmap=canvas.sequential(), alpha=0.6)
        lines = ax.contour(grid.x, grid.y, values, levels, colors=palette.GREY, linewidths=0.5)
        lines.set_linestyle("-")
        for k, path in enumerate(paths):
            _draw_path(ax, path.points, k, path.label)
        equal_aspect(ax, box)  # so that steps are seen to go straight down
        ax.set(xlabel=self.names[0], ylabel=self.names[1])

    def _draw_curve(self, ax: "Axes", paths: list[Descent]) -> None:
        """Draw the error over one weight, and the paths on the curve."""
        low, high = self.box
        places = np.linspace(low, high, CURVE_POINTS)
        values = self.surface.values(places)
        ax.plot(places, values, color=palette.INK, lw=2.0, label="error J(w)", zorder=2)
        for k, path in enumerate(paths):
            heights = self.surface.values(path.points)
            _draw_path(ax, np.column_stack([path.points, heights]), k, path.label)
        span = float(np.ptp(values)) or 1.0
        ax.set(xlim=(low, high), ylim=(values.min() - 0.08 * span, values.max() + 0.08 * span))
        ax.set(xlabel=self.names[0], ylabel="error J(w)")


def _draw_path(ax: "Axes", points: Floats, k: int, label: str) -> None:
    """Draw a path, its start as a ring and its end as a star."""
    colour = PATH_COLOURS[k % len(PATH_COLOURS)]
    look: dict[str, Any] = {"color": colour, "ls": line_style(k), "lw": 1.6, "zorder": 4}
    ax.plot(*points.T, marker=".", ms=5, label=label, **look)
    ax.plot(*points[:1].T, "o", ms=9, mfc="white", mec=colour, mew=2.0, zorder=5)
    ax.plot(*points[-1:].T, "*", ms=13, color=colour, mec="white", mew=0.6, zorder=6)


def _legend(ax: "Axes", *, own: bool) -> None:
    """Add a legend of the lines, and of the marks at their ends."""
    ax.plot([], [], "o", ms=9, mfc="white", mec=palette.INK, mew=2.0, label="start")
    ax.plot([], [], "*", ms=13, color=palette.INK, label="end")
    canvas.legend_outside(ax, own=own)


def _weight_names(names: Sequence[str], *, intercept: bool) -> list[str]:
    return [f"weight of {name}" for name in names] + (["intercept b"] if intercept else [])


def _chosen(weights: Sequence[int] | None, names: Sequence[str], coef: Floats) -> tuple[int, ...]:
    """The indices of the weights that vary; an error if there are no such weights."""
    if coef.shape != (len(names),) or not np.isfinite(coef).all():
        raise DataError(
            f"coef must be {len(names)} finite numbers, {', '.join(names)}; got shape {coef.shape}."
        )
    found = tuple(range(min(2, len(names)))) if weights is None else tuple(np.ravel(weights))
    valid = all(0 <= j < len(names) for j in found) and len(set(found)) == len(found)
    if len(found) not in (1, 2) or not valid:
        raise DataError(
            f"weights must be one or two different indices from 0 to {len(names) - 1}; got"
            f" {weights!r}."
        )
    return tuple(int(j) for j in found)


def _starts(starts: Any, surface: ErrorSurface) -> Floats:
    """The values to start from, one start per row."""
    if starts is None:
        return surface.at[None, list(surface.chosen)]
    width = len(surface.chosen)
    values = np.asarray(starts, dtype=float)
    if values.size == 0 or values.size % width or not np.isfinite(values).all():
        raise DataError(f"starts must be rows of {width} finite numbers; got {starts!r}.")
    return values.reshape(-1, width)


def _loss_of(estimator: Any) -> str:
    """The loss that an estimator minimises: its parameter, or that of its class."""
    named = getattr(estimator, "loss", None)
    if getattr(estimator, "activation", None) == "logistic":
        return "sigmoid"
    found = named if isinstance(named, str) else LOSSES.get(type(estimator).__name__)
    if found is None:
        raise DataError(
            f"The loss of a {type(estimator).__name__} is not known; name one, such as"
            " loss='square'."
        )
    return found


def _box(
    box: Sequence[float] | None, surface: ErrorSurface, panels: list[list[Descent]]
) -> tuple[float, ...]:
    """The part that is shown: that asked for, or that of starts and ends, not of what diverges."""
    width = len(surface.chosen)
    if box is not None:
        limits = tuple(float(limit) for limit in box)
        if len(limits) != 2 * width or not np.isfinite(limits).all():
            raise DataError(f"box must be {2 * width} finite numbers; got {box!r}.")
        return limits
    paths = [path.points for paths in panels for path in paths]
    core = np.vstack([np.vstack([path[:1], _lowest(surface, path)]) for path in paths])
    spread = np.maximum(np.ptp(core, axis=0), 1e-3 * np.maximum(1.0, np.abs(core).max()))
    centre = (core.min(axis=0) + core.max(axis=0)) / 2
    everything = np.vstack(paths)
    near = everything[(np.abs(everything - centre) <= MAX_SPREAD / 2 * spread).all(axis=1)]
    if width == 2:
        return tuple(Box.around(np.vstack([core, near]), PADDING).widened(2.0))
    shown = np.vstack([core, near]).ravel()
    space = PADDING * (float(np.ptp(shown)) or 1.0)
    return float(shown.min() - space), float(shown.max() + space)


def _lowest(surface: ErrorSurface, path: Floats) -> Floats:
    """The point of a path with the smallest error."""
    return path[[int(np.argmin(surface.values(path)))]]


def _levels(values: Floats) -> Floats:
    """Levels of contours whose distance grows with the height above the minimum."""
    low, high = float(values.min()), float(values.max())
    if high <= low:
        high = low + 1.0
    return np.asarray(low + (high - low) * np.linspace(0.0, 1.0, N_CONTOURS) ** 2)


def _remark(surface: ErrorSurface, names: Sequence[str]) -> str:
    """A note on the weights that are fixed."""
    others = [j for j in range(len(names)) if j not in surface.chosen]
    if not others:
        return ""
    if len(others) > 2:
        return f"the other {len(others)} weights fixed"
    return ", ".join(f"{names[j]} = {number(float(surface.at[j]))}" for j in others)
