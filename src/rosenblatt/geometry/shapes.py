"""Shapes to draw: vectors and angles, circles, Gaussian densities, glyphs of edges.

With θ the angle between u and v (lecture 001),

    u·v = ‖u‖ ‖v‖ cos θ,      the scalar projection of u on v is u·v / ‖v‖ = ‖u‖ cos θ.

A point x₁ = x₀ + z with x₀ on the hyperplane w·x + b = 0 has the score w·x₁ + b = w·z: its sign is
that of the cosine of the angle between w and z (lecture 002).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import DataError
from rosenblatt.geometry.plane import feet
from rosenblatt.types import Floats

ARC_POINTS = 60
ELLIPSE_POINTS = 120
CELL_SHARE = 0.95  # of a cell that the longest line of its glyph takes


@dataclass(frozen=True, eq=False)
class DotProduct:
    """Two vectors of the plane, neither of them zero."""

    u: Floats
    v: Floats

    @classmethod
    def of(cls, u: npt.ArrayLike, v: npt.ArrayLike) -> "DotProduct":
        """The product of two checked vectors."""
        return cls(plane_vector(u, "u"), plane_vector(v, "v"))

    @property
    def value(self) -> float:
        """u·v."""
        return float(self.u @ self.v)

    @property
    def angle(self) -> float:
        """The angle θ between them, from 0 to π."""
        cross = self.u[0] * self.v[1] - self.u[1] * self.v[0]
        return float(np.arctan2(abs(cross), self.value))

    @property
    def length(self) -> float:
        """The scalar projection of u on v, negative if the angle is obtuse."""
        return self.value / float(np.linalg.norm(self.v))

    @property
    def foot(self) -> Floats:
        """The projection of u on v, as a vector."""
        projected: Floats = self.length / np.linalg.norm(self.v) * self.v
        return projected


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The line w·x + b = 0 of the plane, its normal w, and a point x₁ = x₀ + z with x₀ on it.

    `point` is None if there is only the line.
    """

    w: Floats
    b: float
    base: Floats
    point: Floats | None = None

    @classmethod
    def of(
        cls,
        w: npt.ArrayLike,
        b: float,
        point: npt.ArrayLike | None = None,
        base: npt.ArrayLike | None = None,
    ) -> "Hyperplane":
        """The line through the point of it nearest to `base`, by default to the origin."""
        normal = plane_vector(w, "w")
        if not np.isfinite(b):
            raise DataError(f"The intercept must be a finite number; got {b}.")
        start = np.zeros(2) if base is None else plane_vector(base, "x0", zero=True)
        end = None if point is None else plane_vector(point, "The point", zero=True)
        return cls(normal, float(b), feet(start, normal, float(b))[0], end)

    @property
    def z(self) -> Floats:
        """x₁ − x₀."""
        assert self.point is not None
        difference: Floats = self.point - self.base
        return difference

    @property
    def score(self) -> float:
        """w·x₁ + b, which is w·z."""
        assert self.point is not None
        return float(self.w @ self.point + self.b)

    @property
    def foot(self) -> Floats:
        """The point of the line nearest to x₁."""
        assert self.point is not None
        nearest: Floats = feet(self.point, self.w, self.b)[0]
        return nearest

    @property
    def distance(self) -> float:
        """The distance of x₁ to the line."""
        return abs(self.score) / float(np.linalg.norm(self.w))


def signed_rows(X: npt.ArrayLike, signs: npt.ArrayLike, *, intercept: bool) -> Floats:
    """The rows z = y (x, 1), or y x: w separates the classes where every w·z > 0."""
    rows = np.asarray(X, dtype=float)
    if intercept:
        rows = np.column_stack([rows, np.ones(len(rows))])
    signed: Floats = np.asarray(signs, dtype=float)[:, None] * rows
    return signed


def plane_vector(values: npt.ArrayLike, name: str, *, zero: bool = False) -> Floats:
    """Two finite numbers, not both 0 unless `zero` allows it; else an error."""
    vector = np.asarray(values, dtype=float)
    if vector.shape != (2,) or not np.isfinite(vector).all():
        raise DataError(f"{name} must have 2 finite entries, as the plane has; got {values!r}.")
    if not zero and not vector.any():
        raise DataError(f"{name} must not be the zero vector, which has no direction.")
    return vector


def arc(centre: Floats, first: Floats, second: Floats, radius: float) -> Floats:
    """Points of the arc around a centre from one direction to another, the shorter way."""
    start = np.arctan2(first[1], first[0])
    turn = np.angle(np.exp(1j * (np.arctan2(second[1], second[0]) - start)))
    angles = start + np.linspace(0.0, turn, ARC_POINTS)
    return circle_points(centre, radius, angles)


def circle(centre: Floats, radius: float) -> Floats:
    """Points of a circle, the first repeated at the end."""
    return circle_points(centre, radius, np.linspace(0.0, 2 * np.pi, 4 * ARC_POINTS + 1))


def circle_points(centre: Floats, radius: float, angles: Floats) -> Floats:
    """The points of a circle at some angles."""
    return np.asarray(centre + radius * np.column_stack([np.cos(angles), np.sin(angles)]))


def right_angle(corner: Floats, first: Floats, second: Floats, size: float) -> Floats:
    """The three points of the mark of a right angle between two directions."""
    a, b = (size * side / np.linalg.norm(side) for side in (first, second))
    return np.array([corner + a, corner + a + b, corner + b])


def ellipse(mean: Floats, covariance: Floats, deviations: float) -> Floats:
    """The contour of a density in the plane, so many standard deviations from its mean."""
    squares, directions = np.linalg.eigh(covariance)
    angles = np.linspace(0.0, 2 * np.pi, ELLIPSE_POINTS)
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    scaled = unit * np.sqrt(np.maximum(squares, 0.0))
    return np.asarray(mean + deviations * scaled @ directions.T)


def density(places: Floats, mean: float, variance: float) -> Floats:
    """The density of a Gaussian along a line."""
    scaled = (places - mean) ** 2 / (2 * variance)
    return np.asarray(np.exp(-scaled) / np.sqrt(2 * np.pi * variance))


def along_normal(means: Floats, covariance: Floats, w: Floats, b: float) -> tuple[Floats, float]:
    """Means and common variance of classes along the normal of w·x + b = 0, in signed distances."""
    length = float(np.linalg.norm(w))
    return (means @ w + b) / length, float(w @ covariance @ w) / length**2


def edge_segments(histograms: Floats, angles: Floats, cell: tuple[int, int]) -> Floats:
    """Lines along the edges in each cell, cells × bins × 2 ends × 2, in pixels from the upper left.

    `histograms` are down × across × bins, and `angles` those of the gradient of each bin, clockwise
    from the right; an edge is perpendicular to it. The longest line fills its cell; lengths are in
    proportion to the histograms.
    """
    down, across, _ = histograms.shape
    height, width = cell
    rows, columns = (np.arange(down) + 0.5) * height, (np.arange(across) + 0.5) * width
    centres = np.stack(np.meshgrid(columns, rows), axis=-1).reshape(-1, 1, 1, 2) - 0.5
    along = np.column_stack([-np.sin(angles), np.cos(angles)])
    largest = float(histograms.max()) or 1.0
    half = CELL_SHARE * min(cell) / 2 * histograms.reshape(-1, len(angles)) / largest
    reach = half[:, :, None, None] * along[None, :, None, :]
    return np.asarray(centres + reach * np.array([-1.0, 1.0])[None, None, :, None])
