"""Plots of two classes along the normal of a line: Gaussian densities, or projected rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.geometry.plane import Box, feet
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.shapes import along_normal, density, ellipse
from rosenblatt.geometry.view import Boundary, View
from rosenblatt.losses.curves import activation_at
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.margins import bin_edges
from rosenblatt.plotting.marks import arrow, equal_aspect, number
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEVIATIONS = (1.0, 2.0)  # at which contours of a density are drawn
REACH = 3.5  # standard deviations beyond the means, along the normal
PLACES = 400
BINS = 24
MAX_FEET = 80  # rows that are joined to their projections
NORMAL_SHARE = 0.3  # length of the arrow of w, as a share of the shorter side
PANELS = (4.2, 3.8)
STYLES, HATCHES = ("--", "-."), ("", "//")  # of the two classes: colours do not show in print


class GaussianDisplay:
    """Two Gaussian classes with a common covariance: densities, the line, and the posterior.

    In the left panel are the contours of both densities at one and two standard deviations, and the
    line w·x + b = 0. The right panel is a cut along the normal of the line: both densities times
    their priors, and the posterior of the second class, σ(w·x + b).

    Parameters
    ----------
    view : View
        The projected rows.
    boundary : Boundary
        The line in the same plane.
    means : ndarray of shape (2, 2)
        The class means in the plane.
    covariance : ndarray of shape (2, 2)
        The common covariance in the plane.
    distances : ndarray of shape (n_places,)
        Signed distances to the line, along its normal.
    densities : ndarray of shape (2, n_places)
        The density of each class there, times its prior.
    posterior : ndarray of shape (n_places,)
        The posterior of the second class there.
    classes : sequence
        Labels of the two classes.

    Attributes
    ----------
    ax_ : list of matplotlib Axes
        The two axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import LinearDiscriminant, builtin
    >>> from rosenblatt.plotting import GaussianDisplay
    >>> data = builtin("overlapping")
    >>> model = LinearDiscriminant().fit(data.X, data.y)
    >>> display = GaussianDisplay.from_estimator(model, data.X, data.y)
    >>> bayes = display.densities[1] / display.densities.sum(axis=0)
    >>> bool(abs(bayes - display.posterior).max() < 1e-12)
    True
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        view: View,
        boundary: Boundary,
        means: Floats,
        covariance: Floats,
        distances: Floats,
        densities: Floats,
        posterior: Floats,
        classes: Any,
    ) -> None:
        self.view, self.boundary, self.classes = view, boundary, classes
        self.means, self.covariance = means, covariance
        self.distances, self.densities, self.posterior = distances, densities, posterior

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw a fitted linear discriminant analysis of two classes.

        Parameters
        ----------
        estimator : LinearDiscriminant
            Fitted to two classes; or another with `means_`, `covariance_` and `priors_`.
        X, y : array-like
            Rows of any number of features, and their labels.
        feature_names : sequence of str, optional
            Names of the features, instead of those of a frame.
        ax : sequence of two matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        GaussianDisplay
        """
        w, b = inputs.line_of(estimator)
        missing = [name for name in NEEDED if not hasattr(estimator, name)]
        if missing:
            raise DataError(
                f"Densities are drawn of Gaussian classes; a {type(estimator).__name__} has no"
                f" {' and no '.join(missing)}. Give a fitted LinearDiscriminant."
            )
        view, boundary = _seen(estimator, X, y, (w, b), feature_names)
        axes = view.projection.axes
        spots, variance = along_normal(estimator.means_, estimator.covariance_, w, b)
        reach = REACH * variance**0.5
        distances = np.linspace(spots.min() - reach, spots.max() + reach, PLACES)
        parts = zip(estimator.priors_, spots.tolist(), strict=True)
        return cls(
            view=view,
            boundary=boundary,
            means=view.projection.points(np.asarray(estimator.means_)),
            covariance=axes @ estimator.covariance_ @ axes.T,
            distances=distances,
            densities=np.array([prior * density(distances, m, variance) for prior, m in parts]),
            posterior=activation_at("logistic", float(np.linalg.norm(w)) * distances).outputs,
            classes=estimator.classes_,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on two axes, or on those of a new figure.

        Parameters
        ----------
        ax : sequence of two matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        GaussianDisplay
        """
        plane, cut = canvas.panels(ax, 2, size=PANELS)
        self._draw_plane(plane)
        self._draw_cut(cut)
        canvas.legend_outside(plane, cut, own=ax is None)
        self.ax_, self.figure_ = [plane, cut], plane.figure
        return self

    def _draw_plane(self, ax: "Axes") -> None:
        """Draw the rows, the contours of both densities, their means and the line."""
        outlines = [
            [ellipse(mean, self.covariance, size) for size in DEVIATIONS] for mean in self.means
        ]
        corners = [self.view.box.corners, *(contour for each in outlines for contour in each)]
        box = Box.around(np.vstack(corners), 0.02).widened(1.6)
        canvas.boundary(ax, self.boundary, box)
        canvas.scatter(ax, self.view, self.classes, faint=True)
        for k, (mean, contours) in enumerate(zip(self.means, outlines, strict=True)):
            for contour in contours:
                ax.plot(*contour.T, color=palette.colour(k), ls=STYLES[k], lw=1.8, zorder=5)
            marker = canvas.MARKERS[palette.shape(k)]
            ax.plot(*mean, marker=marker, ms=9, color=palette.colour(k), mec="white", zorder=6)
        equal_aspect(ax, box)
        canvas.note(ax, "densities at 1 and 2 standard deviations")

    def _draw_cut(self, ax: "Axes") -> None:
        """Draw the densities and the posterior along the normal."""
        for k, (label, values) in enumerate(zip(self.classes, self.densities, strict=True)):
            look: dict[str, Any] = {"color": palette.colour(k), "ls": STYLES[k], "lw": 1.8}
            ax.plot(self.distances, values, label=f"density of {label} × prior", **look)
            ax.fill_between(self.distances, values, color=palette.colour(k), alpha=0.13, lw=0)
        ax.axvline(0, color=palette.INK, lw=1.2)
        ax.set(xlabel="signed distance to the line, along w", ylabel="density × prior")
        ax.set_ylim(0, 1.2 * float(self.densities.max()))
        right = ax.twinx()
        right.plot(self.distances, self.posterior, color=palette.INK, lw=2.2)
        ax.plot([], [], color=palette.INK, lw=2.2, label=f"P({self.classes[1]} | x) = σ(w·x + b)")
        right.plot(0, 0.5, "o", color=palette.INK, ms=6)
        right.set(ylim=(0, 1.2), yticks=[0, 0.5, 1], ylabel="posterior")
        right.spines["top"].set_visible(False)


class ProjectionDisplay:
    """Two classes projected on the weights w of a linear classifier, with the threshold −b.

    In the left panel are the rows, the direction of w and the line; in the right one histograms of
    the projections w·x, on which Fisher's discriminant keeps the classes apart best.

    Parameters
    ----------
    view : View
        The rows in the plane.
    boundary : Boundary
        The line in the same plane.
    direction : ndarray of shape (2,)
        w in the plane.
    projections : ndarray of shape (n_rows,)
        w·x of every row.
    codes : ndarray of shape (n_rows,)
        The class of every row.
    threshold : float
        −b: w·x is above it for the second class.
    classes : sequence
        Labels of the two classes.

    Attributes
    ----------
    ax_ : list of matplotlib Axes
        The two axes it was drawn on.
    figure_ :
        Their figure.

    Examples
    --------
    >>> from rosenblatt import FisherDiscriminant, builtin
    >>> from rosenblatt.plotting import ProjectionDisplay
    >>> data = builtin("4f10")
    >>> model = FisherDiscriminant().fit(data.X, data.y)
    >>> display = ProjectionDisplay.from_estimator(model, data.X, data.y)
    >>> display.projections[:2].round(3), round(display.threshold, 4)
    (array([3.388, 3.225]), 1.4432)
    """

    ax_: Any
    figure_: Any

    def __init__(
        self,
        *,
        view: View,
        boundary: Boundary,
        direction: Floats,
        projections: Floats,
        codes: Any,
        threshold: float,
        classes: Any,
    ) -> None:
        self.view, self.boundary, self.direction = view, boundary, direction
        self.projections, self.codes = projections, codes
        self.threshold, self.classes = threshold, classes

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        feature_names: Sequence[str] | None = None,
        ax: Any = None,
        **drawing: Any,
    ) -> Self:
        """Project rows on the weights of a fitted linear classifier of two classes.

        Parameters
        ----------
        estimator : classifier
            Linear, of two classes, fitted.
        X, y : array-like
            Rows of any number of features, and their labels.
        feature_names : sequence of str, optional
            Names of the features, instead of those of a frame.
        ax : sequence of two matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **drawing :
            Passed on to `plot`.

        Returns
        -------
        ProjectionDisplay
        """
        w, b = inputs.line_of(estimator)
        view, boundary = _seen(estimator, X, y, (w, b), feature_names)
        rows = inputs.rows_of(X)
        return cls(
            view=view,
            boundary=boundary,
            direction=view.projection.axes @ w,
            projections=np.asarray(rows @ w),
            codes=inputs.codes_of(y, estimator.classes_, rows.shape[0]),
            threshold=-b,
            classes=estimator.classes_,
        ).plot(ax=ax, **drawing)

    def plot(self, ax: Any = None, *, bins: int = BINS) -> Self:
        """Draw on two axes, or on those of a new figure.

        Parameters
        ----------
        ax : sequence of two matplotlib Axes, optional
            Where to draw.
        bins : int
            Approximate number of bins; the threshold is an edge of one.

        Returns
        -------
        ProjectionDisplay
        """
        plane, histogram = canvas.panels(ax, 2, size=PANELS)
        self._draw_plane(plane)
        self._draw_histogram(histogram, bins)
        canvas.legend_outside(plane, histogram, own=ax is None)
        self.ax_, self.figure_ = [plane, histogram], plane.figure
        return self

    def _draw_plane(self, ax: "Axes") -> None:
        """Draw the rows, joined to their projections on the direction of w, and the line."""
        box = self.view.box.widened(1.6)
        points = self.view.points
        canvas.boundary(ax, self.boundary, box)
        canvas.scatter(ax, self.view, self.classes)
        if np.any(self.direction):
            unit = self.direction / np.linalg.norm(self.direction)
            middle = points.mean(axis=0)
            normal = np.array([-unit[1], unit[0]])
            spots = feet(points, normal, float(-normal @ middle))
            line = np.array([spots[(spots @ unit).argmin()], spots[(spots @ unit).argmax()]])
            ax.plot(*line.T, color=palette.GREY, lw=1.2, zorder=2)
            if len(points) <= MAX_FEET:
                for point, spot in zip(points, spots, strict=True):
                    ax.plot(*np.array([point, spot]).T, color=palette.GREY, lw=0.7, ls=":")
            length = NORMAL_SHARE * min(box.right - box.left, box.top - box.bottom)
            arrow(ax, middle, middle + length * unit, "w", colour=palette.colour(2))
        equal_aspect(ax, box)

    def _draw_histogram(self, ax: "Axes", bins: int) -> None:
        """Draw the projections of each class, their means and the threshold."""
        edges = bin_edges(self.projections - self.threshold, bins) + self.threshold
        for k, label in enumerate(self.classes):
            own = self.projections[self.codes == k]
            colour = palette.colour(k)
            ax.hist(
                own,
                bins=edges.tolist(),
                color=colour,
                alpha=0.55,
                hatch=HATCHES[k],
                edgecolor="white",
                label=f"projections of {label}",
            )
            mean = float(own.mean())
            look: dict[str, Any] = {"color": colour, "lw": 1.6, "ls": STYLES[k]}
            ax.axvline(mean, label=f"their mean {number(mean)}", **look)
        text = f"threshold −b = {number(self.threshold)}"
        ax.axvline(self.threshold, color=palette.INK, lw=2.2, label=text)
        ax.set(xlabel="projection w·x", ylabel="rows")
        ax.locator_params(axis="y", integer=True)


NEEDED = ("means_", "covariance_", "priors_")


def _seen(
    estimator: Any, X: Any, y: Any, line: tuple[Floats, float], names: Sequence[str] | None
) -> tuple[View, Boundary]:
    """The rows and the line in a plane that holds the normal."""
    table = inputs.rows_of(X)
    w, b = line
    if table.shape[1] < 2:
        raise DataError("A plane is drawn for 2 features or more; X has 1.")
    codes = inputs.codes_of(y, inputs.classes_of(estimator), table.shape[0])
    if len(np.unique(codes)) < 2:
        raise DataError("This picture is that of 2 classes; all rows of y have the same label.")
    projection = Projection.of(table, w[None], np.array([b]), inputs.names_of(X, names))
    view = View.of(table, codes, projection)
    view = View(projection, view.box.widened(1.6), view.points, view.codes, view.drawn)
    return view, view.boundary(w[None], np.array([b]))
