"""The space of the weights (lecture 003): each row is a line there, and the solutions a region.

Two weights of a unit (w, b) are looked at, by their places among them; the others stay as they are.
A row (x, 1) of sign y asks that y(w·x + b) > 0, which is a half-plane of the two weights. All rows
together leave a convex region, the solutions, and a run is a path that seeks it. The regions here
are clipped to a box, for drawing; `rosenblatt.solution_region` decides exactly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.geometry.plane import Box, clipped
from rosenblatt.types import Floats


@dataclass(frozen=True, eq=False)
class WeightPlane:
    """Two weights to look at.

    Parameters
    ----------
    at
        All weights, bias last if there is one; those not looked at stay at these.
    chosen
        Places of the two that are looked at.
    """

    at: Floats
    chosen: tuple[int, int] = (0, 1)

    def halfplanes(self, X: npt.ArrayLike, signs: npt.ArrayLike) -> tuple[Floats, Floats]:
        """A (n × 2) and c (n): row i is on its side for the weights u with A[i]·u + c[i] > 0."""
        rows = np.asarray(X, dtype=float)
        if len(self.at) > rows.shape[1]:
            rows = np.column_stack([rows, np.ones(len(rows))])
        signed = np.asarray(signs, dtype=float)[:, None] * rows
        fixed = self.at.astype(float)
        fixed[list(self.chosen)] = 0.0
        return signed[:, list(self.chosen)], signed @ fixed

    def solutions(self, X: npt.ArrayLike, signs: npt.ArrayLike, box: Box) -> Floats:
        """The polygon of the weights in the box that put no row on the wrong side."""
        polygon = box.corners
        for a, c in zip(*self.halfplanes(X, signs), strict=True):
            polygon = clipped(polygon, a, float(c), ties=False)
            if not len(polygon):
                break
        return polygon

    def path(self, weights: Any) -> Floats:
        """The two weights in each of some states of a run (T × all weights)."""
        return np.asarray(weights, dtype=float)[:, list(self.chosen)]
