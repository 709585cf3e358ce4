"""Plot of a verdict on separability and its proof."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from rosenblatt import palette
from rosenblatt.geometry.plane import Box
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.shapes import circle
from rosenblatt.geometry.view import MAX_DRAWN_ROWS, Boundary, View
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import arrow, double_arrow, equal_aspect, number, write
from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.verdict import Inseparable, Proof, Separable
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_LABELLED_ROWS = 12  # of a proof, whose weights are written next to them
PROOF_PADDING = 0.15  # around the rows, for these weights
MAX_FRACTION_LENGTH = 6  # characters of a fraction that is written exactly


class SeparabilityDisplay:
    """The separating line with its margin, or the rows that prove that there is none.

    If no line separates two classes, the rows of the proof have weights that give both classes the
    same weighted mean: their convex hulls intersect there, at the cross.

    Parameters
    ----------
    proof : Separable, Inseparable or Undecided
        The verdict.
    view : View
        The projected rows.
    boundary : Boundary
        The separating line and its margins, if there is one.
    classes : sequence
        Labels of the classes.
    radius : float, optional
        The radius R of the smallest sphere around the origin that holds all rows, to draw it.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt import builtin
    >>> from rosenblatt.plotting import SeparabilityDisplay
    >>> xor = builtin("xor")
    >>> display = SeparabilityDisplay.from_data(xor.X, xor.y)
    >>> display.meeting_point
    array([0.5, 0.5])
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self,
        *,
        proof: Proof,
        view: View,
        boundary: Boundary,
        classes: Any,
        radius: float | None = None,
    ) -> None:
        self.proof, self.view, self.boundary, self.classes = proof, view, boundary, classes
        self.radius = radius

    @property
    def rows(self) -> tuple[int, ...]:
        """The support vectors of the margin, or the rows of the proof."""
        return _rows(self.proof)

    @property
    def meeting_point(self) -> Floats | None:
        """The common mean of both classes, weighted as in the proof."""
        if not isinstance(self.proof, Inseparable) or len(self.classes) != 2:
            return None
        if not self.proof.fit_intercept:  # only their signed sum is 0
            return None
        own = np.array([float(weight) for weight in self.proof.weights])
        own[self._codes() == 0] = 0.0
        middle: Floats = own @ self.view.at(self.proof.rows) / own.sum()
        return middle

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        proof: Proof | None = None,
        sphere: bool = False,
        feature_names: Sequence[str] | None = None,
        most: int = MAX_DRAWN_ROWS,
        ax: "Axes | None" = None,
        **deciding: Any,
    ) -> Self:
        """Decide whether the classes are separable, with the largest margin, and draw the proof.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        y : array-like of shape (n_samples,)
            Their labels.
        proof : Separable, Inseparable or Undecided, optional
            A verdict that is already known, instead of a new one.
        sphere : bool
            Whether to draw the sphere of radius R and the margin γ of the convergence theorem. With
            `fit_intercept=False` they are exactly those of the theorem; else its numbers, which are
            those of (x, 1), are in the note.
        feature_names : sequence of str, optional
            Names of the axes, instead of those of a frame.
        most : int
            Largest number of rows drawn; those of the proof always are.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        **deciding :
            Passed on to `separability`, such as `fit_intercept` or `time_limit`.

        Returns
        -------
        SeparabilityDisplay
        """
        table, names = inputs.rows_of(X), inputs.names_of(X, feature_names)
        if proof is None:
            proof = separability(X, y, **{"maximise": True, **deciding})
        classes = np.unique(y)
        codes = inputs.codes_of(y, classes, table.shape[0])
        coef, intercept = np.zeros((1, table.shape[1])), np.zeros(1)
        if isinstance(proof, Separable):
            coef, intercept = np.atleast_2d(proof.coef), np.atleast_1d(proof.intercept)
        projection = Projection.of(table, coef, intercept, names)
        view = View.of(table, codes, projection, keep=_rows(proof), max_rows=most)
        radius = None
        if sphere:
            radius = inputs.longest(table)
            view = replace(view, box=Box.around(circle(_origin(view), radius)))
        boundary = Boundary()
        if isinstance(proof, Separable):
            margin = proof.geometric_margin * float(np.linalg.norm(coef[0]))
            boundary = view.boundary(coef, intercept, margin)
        display = cls(proof=proof, view=view, boundary=boundary, classes=classes, radius=radius)
        return display.plot(ax=ax)

    def plot(self, ax: "Axes | None" = None, *, legend: bool = True) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool
            Whether to add a legend of the classes.

        Returns
        -------
        SeparabilityDisplay
        """
        own = ax is None
        ax = canvas.axes(ax, (6.0, 4.5) if self.radius is None else (6.6, 5.6))
        canvas.boundary(ax, self.boundary, self.view.box)
        inseparable = isinstance(self.proof, Inseparable)
        canvas.scatter(ax, self.view, self.classes, faint=inseparable)
        if len(self.rows):
            canvas.ring(ax, self.view.at(self.rows))
        if inseparable:
            self._draw_proof(ax)
        canvas.note(ax, self._summary())
        if self.radius is not None:
            self._draw_sphere(ax, self.radius)
        if legend and self.radius is not None:
            canvas.legend_outside(ax, own=own)
        elif legend:
            canvas.legend(ax, len(self.classes))
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _codes(self) -> Any:
        places = np.searchsorted(self.view.drawn.rows, self.rows)
        return self.view.codes[places]

    def _draw_proof(self, ax: "Axes") -> None:
        """Draw the rows of a proof, their hulls, their weights, and their common mean."""
        assert isinstance(self.proof, Inseparable)
        points, codes = self.view.at(self.rows), self._codes()
        canvas.set_limits(ax, Box.around(self.view.points, PROOF_PADDING))
        for k in np.unique(codes).tolist():
            own = points[codes == k]
            marker = canvas.MARKERS[palette.shape(k)]
            if len(self.classes) == 2:
                ax.fill(*_by_angle(own).T, facecolor="none", edgecolor=palette.colour(k), lw=2)
            ax.plot(*own.T, ls="", color=palette.colour(k), marker=marker, ms=6, zorder=4)
        if self.meeting_point is not None:
            ax.plot(*self.meeting_point, marker="x", color=palette.INK, ms=10, mew=2.2, zorder=6)
        if len(self.rows) <= MAX_LABELLED_ROWS:
            for place, weight in zip(points, self.proof.weights, strict=True):
                exact = str(weight)
                text = exact if len(exact) <= MAX_FRACTION_LENGTH else f"{float(weight):.2f}"
                _label(ax, place, text, points.mean(axis=0))

    def _draw_sphere(self, ax: "Axes", radius: float) -> None:
        """Draw the sphere with its radius R, and the margin γ as a length."""
        centre = _origin(self.view)
        ax.plot(*circle(centre, radius).T, color=palette.GREY, lw=1.6, zorder=2)
        ax.plot(*centre, "o", color=palette.INK, ms=4, zorder=6)
        equal_aspect(ax, self.view.box)
        away = self._radius_direction(centre)
        rim = centre + radius * away / (np.linalg.norm(away) or 1.0)
        arrow(ax, centre, rim, colour=palette.GREY)
        middle = (centre + 2 * rim) / 3
        side = np.array([-away[1], away[0]])
        write(ax, middle, f"R = {number(radius)}", towards=side, colour=palette.GREY)
        if self.boundary.lines and len(self.boundary.margins) == 2:
            self._draw_margin(ax)

    def _radius_direction(self, centre: Floats) -> Floats:
        """To the farthest row of two features; of more, whose view is from the side, away from all.

        The rows of a projection do not reach the sphere.
        """
        away = self.view.points - centre
        if self.view.projection.axes.shape[1] == 2:
            return np.asarray(away[np.linalg.norm(away, axis=1).argmax()])
        return np.asarray(-away.mean(axis=0))

    def _draw_margin(self, ax: "Axes") -> None:
        """Draw the margin γ as the length from the line to the edge of its strip."""
        assert isinstance(self.proof, Separable)
        line, edge = self.boundary.lines[0], self.boundary.margins[0]
        along = line[1] - line[0]
        across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        across = across * np.sign((edge[0] - line[0]) @ across)
        place = 0.97 * line[0] + 0.03 * line[1]  # beyond the sphere, where no row is
        rim = place + self.proof.geometric_margin * across
        double_arrow(ax, place, rim)
        write(ax, rim, f"γ = {number(self.proof.geometric_margin)}", towards=across)

    def _summary(self) -> str:
        if isinstance(self.proof, Separable) and self.radius is not None:
            return _theorem(self.proof)
        if isinstance(self.proof, Separable):
            return f"separable: margin {self.proof.geometric_margin:.4g}"
        if isinstance(self.proof, Inseparable):
            return f"not separable: proved by {len(set(self.rows))} rows"
        return "undecided within the time limit"


def _origin(view: View) -> Floats:
    """The projection of the zero vector."""
    return np.asarray(-view.projection.axes @ view.projection.origin)


def _theorem(proof: Separable) -> str:
    """What the convergence theorem says of these rows."""
    if proof.mistake_bound is None or len(proof.W) != 1:
        return f"separable: margin {proof.geometric_margin:.4g}"
    of = "of (x, 1): " if proof.fit_intercept else ""
    sizes = f"R = {number(proof.radius)}, γ = {number(proof.margin)}"
    return f"{of}{sizes}: at most (R/γ)² = {proof.mistake_bound:,} mistakes"


def _rows(proof: Proof) -> tuple[int, ...]:
    if isinstance(proof, Separable):
        return proof.support
    return proof.rows if isinstance(proof, Inseparable) else ()


def _by_angle(points: Floats) -> Floats:
    """Points sorted by their angle around the mean, as the corners of their hull are."""
    centred = points - points.mean(axis=0)
    order = np.argsort(np.arctan2(centred[:, 1], centred[:, 0]))
    return points[order]


def _label(ax: "Axes", place: Floats, text: str, centre: Floats) -> None:
    """Write next to a point, on the side away from the centre."""
    side = np.where(place >= centre, 1, -1)
    ax.annotate(
        text,
        (float(place[0]), float(place[1])),
        (float(9 * side[0]), float(9 * side[1])),
        textcoords="offset points",
        ha="left" if side[0] > 0 else "right",
        va="bottom" if side[1] > 0 else "top",
        fontsize="small",
        zorder=6,
    )
