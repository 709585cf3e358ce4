"""Cells into which lines cut a box: where each of several scores w·x + b is ≥ 0, and where < 0.

If the largest score is predicted, the boundary of two classes is the part of the line where their
scores are equal and no other is larger.

A one-vs-rest classifier that takes every score by itself claims a point for all classes whose score
is positive, so that some cells have no class and others several (lecture 003). A network of
threshold units has one output in each cell.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.geometry.plane import Box, clip, segment
from rosenblatt.types import Floats


class Cell(NamedTuple):
    """A convex polygon, and whether each score is ≥ 0 inside."""

    polygon: Floats
    positive: tuple[bool, ...]


def arrangement(W: npt.ArrayLike, b: npt.ArrayLike, box: Box) -> list[Cell]:
    """The cells in the box of the lines w·x + b = 0, one line per row of W; they tile the box."""
    weights = np.atleast_2d(np.asarray(W, dtype=float))
    intercepts = np.atleast_1d(np.asarray(b, dtype=float))
    cells = [Cell(box.corners, ())]
    for w, offset in zip(weights, intercepts.tolist(), strict=True):
        halves = [
            Cell(part, (*positive, side))
            for polygon, positive in cells
            for side, part in (
                (True, clip(polygon, w, offset)),
                (False, clip(polygon, -w, -offset, ties=False)),
            )
        ]
        cells = [half for half in halves if len(half.polygon)]
    return cells


def lines_between(W: npt.ArrayLike, b: npt.ArrayLike, box: Box) -> list[Floats]:
    """The boundaries of several classes, each a segment where the largest score is that of two."""
    weights = np.atleast_2d(np.asarray(W, dtype=float))
    intercepts = np.atleast_1d(np.asarray(b, dtype=float))
    found = []
    for j in range(len(weights)):
        for k in range(j):
            ends = segment(weights[j] - weights[k], float(intercepts[j] - intercepts[k]), box)
            if ends is not None:
                above = ends @ (weights[j] - weights).T + intercepts[j] - intercepts
                shown = _positive_part(ends, np.delete(above, [j, k], axis=1))
                found += [] if shown is None else [shown]
    return found


def _positive_part(ends: Floats, scores: Floats) -> Floats | None:
    """The part of a segment where all of some scores, known at its two ends, are ≥ 0."""
    first, last = 0.0, 1.0
    for start, end in scores.T.tolist():
        if start < 0 and end < 0:
            return None
        if start < 0:
            first = max(first, start / (start - end))
        elif end < 0:
            last = min(last, start / (start - end))
    if first >= last:
        return None
    return np.array([(1 - t) * ends[0] + t * ends[1] for t in (first, last)])
