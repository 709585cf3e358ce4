"""Plot of a score or a probability over the plane: as colours, or as a surface."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.geometry.plane import Box, Grid, round_up, uphill_direction
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import MAX_DRAWN_ROWS, View
from rosenblatt.plotting import canvas, inputs
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["score", "probability"]
KINDS = {"score": "decision_function", "probability": "predict_proba"}
PADDING = 0.25  # around the rows, as a share of their extent
N_LEVELS = 10  # of the colours, on either side of the boundary
SURFACE_POINTS = 60  # a side
ACROSS = -125.0  # degrees from the direction uphill to that of the eye: it rises to the right


class ScoreDisplay:
    """The score w·x + b, or the probability of a class, over the plane of two features.

    The contours of an affine function are parallel lines; the one at 0 is the decision boundary.

    Parameters
    ----------
    view : View
        The rows.
    grid : Grid
        The places at which the score is known.
    values : ndarray of shape (n_places, n_places)
        The score there, the lowest row first.
    heights : ndarray of shape (n_rows,)
        The score of each row that is drawn.
    kind : {"score", "probability"}
        Which of the two it is.
    label : str
        What the colours mean.
    classes : sequence
        Labels of the classes.
    surface : bool
        Whether to draw it in three dimensions.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import LinearSVM, builtin
    >>> from rosenblatt.plotting import ScoreDisplay
    >>> data = builtin("separable")
    >>> model = LinearSVM().fit(data.X, data.y)
    >>> ScoreDisplay.from_estimator(model, data.X, data.y).label
    'score w·x + b'
    >>> ScoreDisplay.from_estimator(model, data.X, data.y, surface=True).ax_.name
    '3d'
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        view: View,
        grid: Grid,
        values: Floats,
        heights: Floats,
        kind: Kind,
        label: str,
        classes: Any,
        surface: bool = False,
    ) -> None:
        self.view, self.grid, self.values, self.heights = view, grid, values, heights
        self.kind, self.label, self.classes, self.surface = kind, label, classes, surface

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        kind: Kind | None = None,
        target: Any = None,
        surface: bool = False,
        feature_names: Sequence[str] | None = None,
        most: int = MAX_DRAWN_ROWS,
        ax: Any = None,
    ) -> Self:
        """Compute and draw the score of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Fitted to two features; with linear scores or others, pipelines included.
        X : array or frame of shape (n_samples, 2)
            Rows to draw.
        y : array-like of shape (n_samples,), optional
            Their labels; by default the predicted ones.
        kind : {"score", "probability"}, optional
            The decision function or the probability of a class; by default the score if there is
            one. The probability of a nearest-neighbour classifier is the share of the votes.
        target : label, optional
            The class whose score or probability is drawn; of two classes the second by default.
        surface : bool
            Whether to draw a surface over the plane, in three dimensions.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        most : int
            Largest number of rows drawn.
        ax : matplotlib Axes, optional
            Where to draw, three-dimensional for a surface; by default on a new figure.

        Returns
        -------
        ScoreDisplay
        """
        classes = inputs.classes_of(estimator)
        rows, names = inputs.plane_rows(X, "A score"), inputs.names_of(X, feature_names)
        y = estimator.predict(X) if y is None else y
        codes = inputs.codes_of(y, classes, len(rows))
        projection = Projection(np.zeros(2), np.eye(2), (names[0], names[1]))
        view = View.of(rows, codes, projection, max_rows=most)
        view = View(projection, Box.around(rows, PADDING), view.points, view.codes, view.drawn)
        grid = Grid.over(view.box, SURFACE_POINTS) if surface else Grid.over(view.box)
        kind = _kind(estimator, kind)
        k = _target(classes, target)
        display = cls(
            view=view,
            grid=grid,
            values=grid.as_matrix(_values(estimator, kind, inputs.as_given(X, grid.points), k)),
            heights=_values(estimator, kind, inputs.as_given(X, view.points), k),
            kind=kind,
            label=_label(estimator, kind, classes[k], len(classes)),
            classes=classes,
            surface=surface,
        )
        return display.plot(ax=ax)

    @property
    def middle(self) -> float:
        """The value at the boundary of two classes: the score 0, or the probability ½."""
        return 0.0 if self.kind == "score" else 0.5

    @property
    def reach(self) -> float:
        """The largest distance of a value from the middle, rounded up for scores."""
        if self.kind == "probability":
            return 0.5
        return N_LEVELS * round_up(float(np.abs(self.values).max()) / N_LEVELS)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw, three-dimensional for a surface.

        Returns
        -------
        ScoreDisplay
        """
        if self.surface:
            ax = canvas.axes_3d(ax)
            self._draw_surface(ax)
        else:
            own = ax is None
            ax = canvas.axes(ax, (6.8, 4.8))
            self._draw_colours(ax, own=own)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_colours(self, ax: "Axes", *, own: bool) -> None:
        """Draw colours, some contours with their values, the boundary, and the rows."""
        low, high = self.middle - self.reach, self.middle + self.reach
        levels = np.linspace(low, high, 2 * N_LEVELS + 1)
        x, y = self.grid
        colours = ax.contourf(x, y, self.values, levels, cmap=canvas.diverging(), alpha=0.6)
        lines = ax.contour(x, y, self.values, levels[::2], colors=palette.GREY, linewidths=0.7)
        lines.set_linestyle("-")
        for line in self.grid.lines(self.values, self.middle):
            ax.plot(*line.T, color=palette.INK, lw=2.2, zorder=4)
        bar = ax.figure.colorbar(colours, ax=ax, label=self.label, ticks=levels[::5])
        bar.ax.axhline(self.middle, color=palette.INK, lw=2.2)
        canvas.scatter(ax, self.view, self.classes, edge="white")
        canvas.legend_outside(ax, own=own, above=True)

    def _draw_surface(self, ax: Any) -> None:
        """Draw the surface, the boundary at its height, and the rows on the surface."""
        ax.plot_surface(
            *np.meshgrid(*self.grid),
            self.values,
            cmap=canvas.diverging(),
            vmin=self.middle - self.reach,
            vmax=self.middle + self.reach,
            alpha=0.55,
            rcount=SURFACE_POINTS,
            ccount=SURFACE_POINTS,
            edgecolor="none",
        )
        for line in self.grid.lines(self.values, self.middle):
            ax.plot(*line.T, self.middle, color=palette.INK, lw=2.4, zorder=10)
            floor = float(self.values.min())
            ax.plot(*line.T, floor, color=palette.INK, lw=1.2, ls="--", zorder=1)
        for k, label in enumerate(self.classes):
            own = self.view.codes == k
            ax.scatter(
                *self.view.points[own].T,
                self.heights[own],
                color=palette.colour(k),
                marker=canvas.MARKERS[palette.shape(k)],
                s=18,
                depthshade=False,
                label=str(label),
            )
        across_name, up_name = self.view.projection.names
        ax.set(xlabel=across_name, ylabel=up_name, zlabel=self.label)
        ax.view_init(elev=24, azim=uphill_direction(self.values) + ACROSS)
        canvas.legend(ax, len(self.classes))


def _kind(estimator: Any, kind: Kind | None) -> Kind:
    """The kind asked for, or the first that the estimator has; else an error."""
    if kind is not None and kind not in KINDS:
        raise ParameterError(f"kind must be 'score' or 'probability'; got {kind!r}.")
    wanted: tuple[Kind, ...] = ("score", "probability") if kind is None else (kind,)
    for each in wanted:
        if hasattr(estimator, KINDS[each]):
            return each
    missing = " and no ".join(KINDS[each] for each in wanted)
    raise DataError(
        f"A {type(estimator).__name__} has no {missing}; BoundaryDisplay draws any classifier."
    )


def _target(classes: Any, target: Any) -> int:
    """The index of the class whose score is drawn."""
    known = np.asarray(classes).tolist()
    if target is None:
        if len(known) == 2:
            return 1
        raise ParameterError(f"There are {len(known)} classes: name one of {known} as target.")
    if target not in known:
        raise ParameterError(f"target must be one of {known}; got {target!r}.")
    return int(known.index(target))


def _values(estimator: Any, kind: Kind, rows: Any, k: int) -> Floats:
    """The score or probability of class k at some rows; of two classes one score has both."""
    values = np.asarray(getattr(estimator, KINDS[kind])(rows), dtype=float)
    if values.ndim == 1 or values.shape[1] == 1:
        return np.ravel(values) * (1 if k else -1)
    return np.ascontiguousarray(values[:, k])


def _label(estimator: Any, kind: Kind, label: Any, n_classes: int) -> str:
    if kind == "probability":
        return f"probability of {label}"
    text = "score w·x + b" if inputs.is_linear(estimator) else "score"
    return text if n_classes == 2 else f"{text} of {label}"
