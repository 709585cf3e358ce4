"""Plot of the decision boundary of a classifier, or of several on one plane."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.estimators.kernel_perceptron import KernelPerceptron
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import MAX_DRAWN_ROWS, Boundary, View
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import line_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class BoundaryDisplay:
    """Rows and the decision boundary of a classifier.

    Straight boundaries are drawn exactly, as lines and polygons. More than two features are
    projected: for two classes on the direction of the weights, so that distances to the boundary
    are exact, for more on the plane in which their weights differ most. Of several classifiers
    there are the boundaries only, a line style each.

    Parameters
    ----------
    view : View
        The projected rows.
    boundary : Boundary
        The boundary in the same plane.
    classes : sequence
        Labels of the classes.
    ringed : ndarray of shape (n, 2)
        Points of the highlighted rows.
    named : dict of str to Boundary
        The boundaries of several classifiers by their names, to draw instead of `boundary`.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import LinearSVM, builtin
    >>> from rosenblatt.plotting import BoundaryDisplay
    >>> data = builtin("separable")
    >>> display = BoundaryDisplay.from_estimator(LinearSVM().fit(data.X, data.y), data.X, data.y)
    >>> len(display.boundary.lines), len(display.boundary.margins)
    (1, 2)
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        view: View,
        boundary: Boundary,
        classes: Any,
        ringed: Any = (),
        named: Mapping[str, Boundary] | None = None,
    ) -> None:
        self.view, self.boundary, self.classes = view, boundary, classes
        self.ringed = np.asarray(ringed, dtype=float).reshape(-1, 2)
        self.named = dict(named or {})

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        rows: Iterable[int] | None = None,
        feature_names: Sequence[str] | None = None,
        most: int = MAX_DRAWN_ROWS,
        ax: "Axes | None" = None,
        **drawing: Any,
    ) -> Self:
        """Compute and draw the boundary of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            Linear and fitted, of any number of features; or any other of two, such as a pipeline,
            a `KernelPerceptron`, or a nearest-neighbour classifier, which has predictions only.
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            Rows to draw.
        y : array-like of shape (n_samples,), optional
            Their labels; by default the predicted ones.
        rows : iterable of int, optional
            Rows to highlight; by default the support vectors, if the estimator has them.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        most : int
            Largest number of rows drawn.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        BoundaryDisplay
        """
        table, names = inputs.rows_of(X), inputs.names_of(X, feature_names)
        classes = inputs.classes_of(estimator)
        y = estimator.predict(X) if y is None else y
        codes = inputs.codes_of(y, classes, table.shape[0])
        if rows is None:
            rows = getattr(estimator, "support_", ())
        ringed = [int(row) for row in rows]
        if inputs.has_linear_scores(estimator, X, table):
            projection = Projection.of(table, estimator.coef_, estimator.intercept_, names)
            view = View.of(table, codes, projection, keep=ringed, max_rows=most)
            margin = _margin(estimator, table, codes)
            boundary = view.boundary(estimator.coef_, estimator.intercept_, margin)
        else:
            view = View.of(
                table, codes, _identity_projection(table, names), keep=ringed, max_rows=most
            )
            boundary = _boundary(estimator, X, view)
        display = cls(view=view, boundary=boundary, classes=classes, ringed=view.at(ringed))
        return display.plot(ax=ax, **drawing)

    @classmethod
    def from_estimators(
        cls,
        estimators: Any,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        most: int = MAX_DRAWN_ROWS,
        ax: "Axes | None" = None,
        **drawing: Any,
    ) -> Self:
        """Compute and draw the boundaries of several fitted classifiers on one plane.

        Parameters
        ----------
        estimators : dict of str to classifier, or sequence of classifiers
            Fitted to the same two features and the same classes. In a sequence they are named after
            their classes, and after the parameters in which they differ.
        X : array or frame of shape (n_samples, 2)
            Rows to draw.
        y : array-like of shape (n_samples,)
            Their labels.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        most : int
            Largest number of rows drawn.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        BoundaryDisplay
        """
        models = inputs.named_estimators(estimators)
        rows, names = inputs.plane_rows(X, "Several boundaries"), inputs.names_of(X, feature_names)
        classes = inputs.common_classes(models)
        codes = inputs.codes_of(y, classes, len(rows))
        view = View.of(rows, codes, _identity_projection(rows, names), max_rows=most)
        named = {name: _boundary(model, X, view) for name, model in models.items()}
        display = cls(view=view, boundary=Boundary(), classes=classes, named=named)
        return display.plot(ax=ax, **drawing)

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool
            Whether to add a legend of the classes, and of several classifiers.

        Returns
        -------
        BoundaryDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (8.4, 4.5) if self.named and legend else (6.0, 4.5))
        canvas.boundary(ax, self.boundary, self.view.box)
        canvas.scatter(ax, self.view, self.classes)
        if len(self.ringed):
            canvas.ring(ax, self.ringed)
        self._draw_named(ax)
        if legend and self.named:
            canvas.legend_outside(ax, own=own)
        elif legend:
            canvas.legend(ax, len(self.classes))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_named(self, ax: "Axes") -> None:
        """Draw the boundaries of several classifiers, none in the colour of a class."""
        colours = [palette.INK, *palette.COLOURS[len(self.classes) :]]
        for j, (name, found) in enumerate(self.named.items()):
            look: dict[str, Any] = {"color": colours[j % len(colours)], "ls": line_style(j)}
            ax.plot([], [], label=name, lw=2.0, **look)  # in the legend also if out of sight
            for line in found.lines:
                ax.plot(*line.T, lw=2.0, zorder=4, **look)


def _boundary(estimator: Any, X: Any, view: View) -> Boundary:
    """The boundary of a classifier in the plane of its two features."""
    rows = view.points
    if inputs.has_linear_scores(estimator, inputs.as_given(X, rows), rows):
        return view.line_boundary(estimator.coef_, estimator.intercept_)
    if hasattr(estimator, "decision_function"):
        return view.curved_boundary(
            lambda points: np.asarray(estimator.decision_function(inputs.as_given(X, points)))
        )
    classes = estimator.classes_

    def predicted(points: Any) -> Any:
        return inputs.codes_of(estimator.predict(inputs.as_given(X, points)), classes, len(points))

    return view.predicted_boundary(predicted, len(classes))


def _identity_projection(table: Any, names: Sequence[str]) -> Projection:
    """The plane of two features; an error if there are more."""
    if table.shape[1] != 2:
        raise DataError(
            f"The boundary of a classifier without weights is drawn for 2 features; X has"
            f" {table.shape[1]}. Choose two columns and fit it to these."
        )
    return Projection(np.zeros(2), np.eye(2), (names[0], names[1]))


def _margin(estimator: Any, table: Any, codes: Any) -> float | None:
    """The margin to draw: 1 for an SVM, else the smallest if all rows are classified correctly."""
    if len(estimator.coef_) > 1:
        return None
    if hasattr(estimator, "support_") and not isinstance(estimator, KernelPerceptron):
        return 1.0
    scores = table @ estimator.coef_[0] + estimator.intercept_[0]
    nearest = float(np.min(np.where(codes == 1, scores, -scores)))
    return nearest if nearest > 0 else None
