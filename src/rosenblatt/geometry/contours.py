"""Contour lines of any score of two features: the curved boundaries behind feature maps.

A score is computed at the points of a grid, and its contour lines are interpolated. The straight
boundaries of linear models in the plane need none of this.
"""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.geometry.plane import Box
from rosenblatt.types import Floats

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


def class_margin(k: int, scores: Floats) -> Floats:
    """The score of class k less the best other one: 0 on the boundary of the class."""
    others = np.delete(scores, k, axis=1).max(axis=1)
    return np.asarray(scores[:, k] - others)
