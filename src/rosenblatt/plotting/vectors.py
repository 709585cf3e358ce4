"""Plots of vectors: a dot product as a projection, a hyperplane with its normal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from rosenblatt import palette
from rosenblatt.errors import DataError
from rosenblatt.geometry.plane import Box, clip, segment
from rosenblatt.geometry.shapes import DotProduct, Hyperplane, arc, right_angle
from rosenblatt.plotting import canvas, inputs
from rosenblatt.plotting.marks import arrow, equal_aspect, number, write
from rosenblatt.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PADDING = 0.25  # around the vectors, as a share of their extent
RIGHT = 90.0  # degrees


class VectorDisplay:
    """Two vectors, the angle between them, and the projection of the first on the second.

    Parameters
    ----------
    product : DotProduct
        The vectors.
    names : tuple of str
        Their names.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt.plotting import VectorDisplay
    >>> display = VectorDisplay.from_vectors([2, 3], [4, 0])
    >>> display.product.value, display.product.foot
    (8.0, array([2., 0.]))
    """

    ax_: "Axes"
    figure_: Any

    def __init__(self, *, product: DotProduct, names: tuple[str, str] = ("u", "v")) -> None:
        self.product, self.names = product, names

    @classmethod
    def from_vectors(
        cls,
        u: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        names: tuple[str, str] = ("u", "v"),
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw two vectors of the plane.

        Parameters
        ----------
        u, v : array-like of shape (2,)
            The vectors, from the origin. Neither may be zero.
        names : tuple of str
            What to call them.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        VectorDisplay
        """
        return cls(product=DotProduct.of(u, v), names=names).plot(ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        VectorDisplay
        """
        product, (u, v) = self.product, self.names
        ax = canvas.axes(ax, (6.4, 5.0))
        origin, foot = np.zeros(2), product.foot
        box = Box.around([origin, product.u, product.v, foot], PADDING).widened(1.6)
        equal_aspect(ax, box)
        size = max(box.right - box.left, box.top - box.bottom)
        line = segment([product.v[1], -product.v[0]], 0.0, box)
        if line is not None:
            ax.plot(*line.T, color=palette.PALE, lw=1.2, zorder=1)
        projected = f"{u} on {v}: ‖{u}‖ cos θ = {number(product.length)}"
        green = palette.colour(2)
        ax.plot(*np.array([origin, foot]).T, color=green, lw=7, alpha=0.55, label=projected)
        ax.plot(*np.array([product.u, foot]).T, color=palette.GREY, lw=1.4, ls="--", zorder=2)
        if np.linalg.norm(product.u - foot) > 0.04 * size and np.any(foot):
            mark = right_angle(foot, product.u - foot, -foot, 0.035 * size)
            ax.plot(*mark.T, color=palette.GREY, lw=1.2)
        arrow(ax, origin, product.v, v, colour=palette.colour(0))
        arrow(ax, origin, product.u, u, colour=palette.colour(1))
        label = f"θ = {np.degrees(product.angle):.4g}°"
        _angle(ax, origin, (product.v, product.u), 0.16 * size, label)
        ax.plot(0, 0, "o", color=palette.INK, ms=4)
        ax.set(xlabel="x1", ylabel="x2")
        factors = f"{number(product.length)} × {number(float(np.linalg.norm(product.v)))}"
        title = f"{u}·{v} = {number(product.value)} = {factors}  (projection × ‖{v}‖)"
        ax.set_title(title, fontsize="medium")
        ax.legend(**{**canvas.LEGEND, "loc": "upper center", "bbox_to_anchor": (0.5, -0.14)})
        self.ax_, self.figure_ = ax, ax.figure
        return self


class HyperplaneDisplay:
    """The line w·x + b = 0, its normal w, and a point x₁ = x₀ + z whose score has the sign of w·z.

    The arrow of w shows its direction; its length is chosen to fit.

    Parameters
    ----------
    hyperplane : Hyperplane
        The line, and the point if there is one.
    box : Box
        The part of the plane that is shown.
    names : tuple of str
        Names of the features.

    Attributes
    ----------
    ax_, figure_ :
        The axes and the figure it was drawn on.

    Examples
    --------
    >>> from rosenblatt.plotting import HyperplaneDisplay
    >>> display = HyperplaneDisplay.from_weights([0.5, 0.5], -20, point=[10, 15])
    >>> display.hyperplane.score
    -7.5
    """

    ax_: "Axes"
    figure_: Any

    def __init__(
        self, *, hyperplane: Hyperplane, box: Box, names: tuple[str, str] = ("x1", "x2")
    ) -> None:
        self.hyperplane, self.box, self.names = hyperplane, box, names

    @classmethod
    def from_weights(
        cls,
        coef: npt.ArrayLike,
        intercept: float,
        *,
        point: npt.ArrayLike | None = None,
        base: npt.ArrayLike | None = None,
        feature_names: Sequence[str] = ("x1", "x2"),
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the hyperplane of two weights and an intercept.

        Parameters
        ----------
        coef : array-like of shape (2,)
            The weights w, not both 0.
        intercept : float
            The intercept b.
        point : array-like of shape (2,), optional
            A point x₁ to classify.
        base : array-like of shape (2,), optional
            Where x₀ is to lie: the nearest point of the hyperplane is taken. By default the one
            nearest to the origin.
        feature_names : sequence of str
            Names of the axes.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        HyperplaneDisplay
        """
        found = Hyperplane.of(np.ravel(np.asarray(coef, dtype=float)), intercept, point, base)
        first, second = inputs.names_of(np.zeros((1, 2)), feature_names)
        return cls(hyperplane=found, box=_box_of(found), names=(first, second)).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        point: npt.ArrayLike | None = None,
        base: npt.ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        ax: "Axes | None" = None,
    ) -> Self:
        """Draw the hyperplane of a fitted linear classifier of two classes and two features.

        Parameters
        ----------
        estimator : classifier
            Linear and fitted.
        point, base : array-like of shape (2,), optional
            As in `from_weights`.
        feature_names : sequence of str, optional
            By default those the estimator was fitted with.
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        HyperplaneDisplay
        """
        w, b = inputs.line_of(estimator)
        if len(w) != 2:
            raise DataError(
                f"A hyperplane is drawn for 2 features; this {type(estimator).__name__} has"
                f" {len(w)}. Fit it to two of them."
            )
        known = getattr(estimator, "feature_names_in_", ("x1", "x2"))
        names = known if feature_names is None else feature_names
        return cls.from_weights(w, b, point=point, base=base, feature_names=names, ax=ax)

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw on axes, or on those of a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        HyperplaneDisplay
        """
        plane, box = self.hyperplane, self.box
        ax = canvas.axes(ax, (6.4, 5.0))
        equal_aspect(ax, box)
        for sign in (-1, 1):
            side = clip(box.corners, sign * plane.w, sign * plane.b)
            colour = palette.colour(int(sign > 0))
            if len(side):
                ax.fill(*side.T, facecolor=colour, edgecolor="none", alpha=0.13, zorder=1)
        line = segment(plane.w, plane.b, box)
        if line is not None:
            ax.plot(*line.T, color=palette.INK, lw=2.0, label="w·x + b = 0", zorder=3)
        size = max(box.right - box.left, box.top - box.bottom)
        unit = plane.w / np.linalg.norm(plane.w)
        self._draw_normal(ax, unit, size)
        if plane.point is not None:
            self._draw_point(ax, unit, size)
        for side, word in ((unit, "> 0"), (-unit, "< 0")):
            place = plane.base + size * (0.33 * side + 0.3 * _turned(unit))
            colour = palette.colour(int(word == "> 0"))
            write(ax, _inside(box, place), f"w·x + b {word}", colour=colour, distance=0.0)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        if plane.point is not None:
            output = "+1" if plane.score >= 0 else "−1"
            title = f"w·x₁ + b = w·z = {number(plane.score)}, so f(x₁) = {output}"
            ax.set_title(title, fontsize="medium")
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_normal(self, ax: "Axes", unit: Floats, size: float) -> None:
        """Draw w from x₀, at right angles to the line."""
        plane = self.hyperplane
        arrow(ax, plane.base, plane.base + 0.26 * size * unit, "w", colour=palette.colour(2))
        mark = right_angle(plane.base, unit, -_turned(unit), 0.03 * size)
        ax.plot(*mark.T, color=palette.GREY, lw=1.2)
        ax.plot(*plane.base, "o", color=palette.INK, ms=6, zorder=6)
        write(ax, plane.base, "x₀", towards=-unit, size="large")

    def _draw_point(self, ax: "Axes", unit: Floats, size: float) -> None:
        """Draw x₁, z = x₁ − x₀, the distance to the line, and the angle between z and w."""
        plane = self.hyperplane
        assert plane.point is not None
        k = int(plane.score >= 0)
        ax.plot(*np.array([plane.point, plane.foot]).T, color=palette.GREY, lw=1.4, ls="--")
        middle = (plane.point + plane.foot) / 2
        write(ax, middle, number(plane.distance), towards=middle - plane.base, colour=palette.GREY)
        if np.any(plane.z):
            arrow(ax, plane.base, plane.point, colour=palette.colour(k))
            half = plane.base + 0.55 * plane.z
            write(ax, half, "z", towards=_turned(plane.z), colour=palette.colour(k), size="large")
            between = DotProduct(unit, plane.z)
            label = f"{np.degrees(between.angle):.3g}°"
            _angle(ax, plane.base, (unit, plane.z), 0.1 * size, label)
        marker = canvas.MARKERS[palette.shape(k)]
        ax.plot(*plane.point, marker=marker, color=palette.colour(k), ms=8, zorder=6)
        write(ax, plane.point, "x₁", towards=plane.z, size="large")


def _box_of(plane: Hyperplane) -> Box:
    """A box around x₀, the origin and the point, with space for the normal."""
    points = [plane.base, np.zeros(2)]
    if plane.point is not None:
        points += [plane.point, plane.foot]
    size = float(np.ptp(np.array(points), axis=0).max()) or 1.0
    unit = plane.w / np.linalg.norm(plane.w)
    around = [
        plane.base + 0.6 * size * side for side in (unit, -unit, _turned(unit), -_turned(unit))
    ]
    return Box.around([*points, *around], 0.1).widened(1.3)


def _turned(vector: Floats) -> Floats:
    """The vector turned left by a right angle."""
    return np.array([-vector[1], vector[0]])


def _inside(box: Box, place: Floats) -> Floats:
    """The point of the box nearest to a place, not at its edge."""
    low, high = box.corners[0], box.corners[2]
    edge = 0.14 * (high - low)
    nearest: Floats = np.clip(place, low + edge, high - edge)
    return nearest


def _angle(
    ax: "Axes", centre: Floats, sides: tuple[Floats, Floats], radius: float, label: str
) -> None:
    """Draw the angle between two directions as an arc with a label."""
    points = arc(centre, *sides, radius)
    ax.plot(*points.T, color=palette.INK, lw=1.2, zorder=4)
    middle = points[len(points) // 2]
    write(ax, middle, label, towards=middle - centre, distance=6.0)
