"""Boundaries and decision regions of linear models in the plane, clipped to a box.

The score of a point x is w·x + b. The boundary of two classes is the line where it is 0; of several
classes the largest score is predicted, so each region is convex. Polygons are arrays of corners
in order, the first not repeated; an empty one has no corners. The curved boundaries behind feature
maps are contour lines of the score, interpolated between the points of a grid.

In the space of the weights (lecture 003) a row x with the sign y requires y(w·x + b) > 0: a
half-plane of two of the weights, where the others are fixed. The intersection of all half-planes is
convex, the solutions, and a training run is a path towards it. The regions here are clipped to a
box, for drawing; `rosenblatt.solution_region` is exact.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Array, Floats

BOX_MARGIN = 0.08  # around points, as a share of their extent
MAX_COORDINATE = 1e150  # farther points are not drawn: their squares could overflow
EMPTY_POLYGON: Floats = np.zeros((0, 2))


class Box(NamedTuple):
    """A rectangle of the plane: the part that a plot shows."""

    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, points: npt.ArrayLike, margin: float = BOX_MARGIN) -> "Box":
        """The bounding box of points with a margin; one unit each way if they have no extent."""
        finite = np.asarray(points, dtype=float).reshape(-1, 2)
        finite = finite[(np.abs(finite) < MAX_COORDINATE).all(axis=1)]
        if not len(finite):
            return cls(-1.0, 1.0, -1.0, 1.0)
        low, high = finite.min(axis=0), finite.max(axis=0)
        padding = margin * (high - low)
        smallest = 1e-9 * np.maximum(1.0, np.maximum(abs(low), abs(high)))
        padding = np.where(high - low > smallest, padding, np.maximum(1.0, abs(low)))
        (left, bottom), (right, top) = (low - padding).tolist(), (high + padding).tolist()
        return cls(left, right, bottom, top)

    @property
    def corners(self) -> Floats:
        """The four corners, counterclockwise from the lower left."""
        left, right, bottom, top = self
        return np.array([[left, bottom], [right, bottom], [right, top], [left, top]])

    @property
    def centre(self) -> Floats:
        """The midpoint."""
        left, right, bottom, top = self
        return np.array([left + right, bottom + top]) / 2

    def widened(self, most: float = 2.0) -> "Box":
        """The box with its shorter side lengthened until the longer is at most `most` times it."""
        left, right, bottom, top = self
        across = max(0.0, (top - bottom) / most - (right - left)) / 2
        up = max(0.0, (right - left) / most - (top - bottom)) / 2
        return Box(left - across, right + across, bottom - up, top + up)

    def contains(self, points: npt.ArrayLike) -> Array:
        """Whether each point lies inside or on the edge."""
        x, y = np.asarray(points, dtype=float).reshape(-1, 2).T
        left, right, bottom, top = self
        inside: Array = (left <= x) & (x <= right) & (bottom <= y) & (y <= top)
        return inside


def segment(w: npt.ArrayLike, b: float, box: Box) -> Floats | None:
    """The two ends of the line w·x + b = 0 in the box, with w to the left of its direction.

    None if there is no line (w = 0), or if it misses the box or meets it in one point only.
    The margins w·x + b = ±1 are `segment(w, b - 1, box)` and `segment(w, b + 1, box)`.
    """
    low, high = box.corners[0], box.corners[2]
    half = (high - low) / 2
    # in coordinates in which the box is [−1, 1]², so that large numbers do not lose digits
    scaled = np.asarray(w, dtype=float) * half
    offset = float(np.dot(w, box.centre)) + b
    largest = max(np.abs(scaled).max(), abs(offset))
    if not 0 < largest < np.inf:
        return None
    scaled, offset = scaled / largest, offset / largest
    square = float(scaled @ scaled)
    if square == 0:
        return None
    foot = -offset * scaled / square
    along = np.array([scaled[1], -scaled[0]]) / np.sqrt(square)
    interval = _box_interval(foot, along)
    if interval is None:
        return None
    ends = box.centre + half * (foot + np.outer(interval, along))
    clipped: Floats = np.clip(ends, low, high)
    return clipped


def _box_interval(start: Floats, along: Floats) -> tuple[float, float] | None:
    """The interval of t in which start + t·along lies in the box [−1, 1]²."""
    first, last = -np.inf, np.inf
    for place, step in zip(start.tolist(), along.tolist(), strict=True):
        if step == 0:
            if abs(place) > 1:
                return None
            continue
        enter, leave = sorted(((-1 - place) / step, (1 - place) / step))
        first, last = max(first, enter), min(last, leave)
    return (first, last) if first < last else None


def clip(polygon: Floats, w: npt.ArrayLike, b: float, *, ties: bool = True) -> Floats:
    """The part of a convex polygon where w·x + b ≥ 0.

    `ties` says whether a score of 0 everywhere (w = 0 and b = 0) keeps all of it.
    """
    normal = np.asarray(w, dtype=float)
    if not normal.any():
        return polygon if b > 0 or (b == 0 and ties) else EMPTY_POLYGON
    scores = polygon @ normal + b
    largest = np.abs(polygon).max(axis=0)  # of which corners cut off before are rounded
    rounding = 4 * np.finfo(float).eps * (largest @ np.abs(normal) + abs(b))
    if (scores <= rounding).all():  # at most an edge is kept
        return EMPTY_POLYGON
    kept = []
    for i, (here, score) in enumerate(zip(polygon, scores, strict=True)):
        following = (i + 1) % len(polygon)
        if score >= 0:
            kept.append(here)
        if np.sign(score) * np.sign(scores[following]) < 0:
            share = score / (score - scores[following])
            kept.append((1 - share) * here + share * polygon[following])
    return np.array(kept) if len(kept) > 2 else EMPTY_POLYGON


def regions(W: npt.ArrayLike, b: npt.ArrayLike, box: Box) -> list[Floats]:
    """The decision region of each class in the box, a convex polygon; together they tile the box.

    A single row of W separates two classes: the first where w·x + b < 0, the second elsewhere. Of
    several the largest score is predicted, ties by the lowest class, so a region may be empty.
    """
    weights = np.atleast_2d(np.asarray(W, dtype=float))
    intercepts = np.atleast_1d(np.asarray(b, dtype=float))
    if len(weights) == 1:
        weights, intercepts = np.vstack([0 * weights, weights]), np.append(0.0, intercepts)
        order = [1, 0]  # a score of 0 is the second class
    else:
        order = list(range(len(weights)))
    cells = []
    for k in range(len(weights)):
        cell = box.corners
        for j in range(len(weights)):
            if j != k and len(cell):
                wins = order.index(k) < order.index(j)
                offset = intercepts[k] - intercepts[j]
                cell = clip(cell, weights[k] - weights[j], offset, ties=wins)
        cells.append(cell)
    return cells


def area(polygon: Floats) -> float:
    """The area of a polygon with counterclockwise corners."""
    if not len(polygon):
        return 0.0
    x, y = (polygon - polygon[0]).T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def distances(points: npt.ArrayLike, w: npt.ArrayLike, b: float) -> Floats:
    """The signed distance of each point to the line w·x + b = 0, positive on the side of w."""
    signed: Floats = (np.asarray(points, dtype=float) @ np.asarray(w) + b) / np.linalg.norm(w)
    return signed


def feet(points: npt.ArrayLike, w: npt.ArrayLike, b: float) -> Floats:
    """The nearest point of the line w·x + b = 0 to each point."""
    unit = np.asarray(w, dtype=float) / np.linalg.norm(w)
    nearest: Floats = np.asarray(points, dtype=float) - np.outer(distances(points, w, b), unit)
    return nearest


GRID_POINTS_PER_SIDE = 150


class Grid(NamedTuple):
    """Points over a box: `x` from left to right, `y` from the bottom up."""

    x: Floats
    y: Floats

    @classmethod
    def over(cls, box: Box, resolution: int = GRID_POINTS_PER_SIDE) -> "Grid":
        """A grid with this many points a side, the edges of the box included."""
        across = np.linspace(box.left, box.right, resolution)
        return cls(across, np.linspace(box.bottom, box.top, resolution))

    @property
    def points(self) -> Floats:
        """All points, n × 2, the lowest row first."""
        return np.column_stack([each.ravel() for each in np.meshgrid(self.x, self.y)])

    def as_matrix(self, values: Any) -> Floats:
        """Values at the points as a matrix, the lowest row first."""
        return np.asarray(values, dtype=float).reshape(len(self.y), len(self.x))

    def lines(self, values: Any, level: float = 0.0) -> list[Floats]:
        """Polylines along which a score with these values at the points has the value `level`."""
        try:
            from contourpy import contour_generator  # noqa: PLC0415 (comes with extras)
        except ImportError as missing:
            raise ImportError(
                "Curved boundaries need contourpy, which comes with pip install 'rosenblatt[plot]'."
            ) from missing
        generator = contour_generator(self.x, self.y, self.as_matrix(values))
        return [np.asarray(line) for line in generator.lines(level)]


def round_up(value: float) -> float:
    """The next of 1, 2, 2.5, 5 and 10 times a power of 10: a step for an axis; 1 for 0."""
    if not 0 < value < np.inf:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    steps = np.array([1.0, 2.0, 2.5, 5.0, 10.0]) * power
    return float(steps[steps >= value * (1 - 1e-12)][0])


def uphill_direction(values: Floats) -> float:
    """The mean direction in which values on a grid rise, in degrees from the right."""
    up, across = (float(part.mean()) for part in np.gradient(values))
    return float(np.degrees(np.arctan2(up, across)))


def class_margin(k: int, scores: Floats) -> Floats:
    """The score of class k less the best other one: 0 on the boundary of the class."""
    others = np.delete(scores, k, axis=1).max(axis=1)
    return np.asarray(scores[:, k] - others)


@dataclass(frozen=True, eq=False)
class WeightPlane:
    """The plane of two weights, with all others fixed.

    Parameters
    ----------
    at
        All weights, the intercept last if there is one; the others are fixed at these.
    chosen
        Indices of the two weights that vary.
    """

    at: Floats
    chosen: tuple[int, int] = (0, 1)

    def halfplanes(self, X: npt.ArrayLike, signs: npt.ArrayLike) -> tuple[Floats, Floats]:
        """A (n × 2) and c (n): weights u classify row i correctly if A[i]·u + c[i] > 0."""
        rows = np.asarray(X, dtype=float)
        if len(self.at) > rows.shape[1]:
            rows = np.column_stack([rows, np.ones(len(rows))])
        signed = np.asarray(signs, dtype=float)[:, None] * rows
        fixed = self.at.astype(float)
        fixed[list(self.chosen)] = 0.0
        return signed[:, list(self.chosen)], signed @ fixed

    def solutions(self, X: npt.ArrayLike, signs: npt.ArrayLike, box: Box) -> Floats:
        """The polygon of the weights in the box that classify all rows correctly."""
        polygon = box.corners
        for a, c in zip(*self.halfplanes(X, signs), strict=True):
            polygon = clip(polygon, a, float(c), ties=False)
            if not len(polygon):
                break
        return polygon

    def path(self, weights: Any) -> Floats:
        """The two weights in the states of a run (T × all weights)."""
        return np.asarray(weights, dtype=float)[:, list(self.chosen)]
