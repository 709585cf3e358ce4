"""Where any score of two features has some value: the boundaries behind feature maps.

A score is a function of points (n × 2) that gives n numbers. It is looked at on a grid, and its
contour lines are interpolated; straight boundaries of units in the plane need none of this.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Floats
from rosenblatt.geometry.plane import Box

FINE = 150  # points a side
Score = Callable[[Floats], Floats]


class Field(NamedTuple):
    """A score on a grid: values[i, j] is that at (x[j], y[i])."""

    x: Floats
    y: Floats
    values: Floats


def field(score: Score, box: Box, resolution: int = FINE) -> Field:
    """The values of a score on a grid over the box."""
    x = np.linspace(box.left, box.right, resolution)
    y = np.linspace(box.bottom, box.top, resolution)
    points = np.column_stack([grid.ravel() for grid in np.meshgrid(x, y)])
    return Field(x, y, np.asarray(score(points), dtype=float).reshape(resolution, resolution))


def contour_lines(seen: Field, level: float = 0.0) -> list[Floats]:
    """Polylines along which the score has the value `level`."""
    try:
        from contourpy import contour_generator  # noqa: PLC0415 (comes with extras)
    except ImportError as missing:
        raise ImportError(
            "Curved boundaries need contourpy, which comes with pip install 'rosenblatt[plot]'."
        ) from missing
    return [np.asarray(line) for line in contour_generator(*seen).lines(level)]


def lead_of(k: int, scores: Floats) -> Floats:
    """By how much class k leads the best other class: its boundary is where that is 0."""
    others = np.delete(scores, k, axis=1).max(axis=1)
    return np.asarray(scores[:, k] - others)
