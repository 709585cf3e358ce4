"""The space of the weights (lecture 003): each row is a line there, and the solutions a region.

Two of the weights (w, b) vary; the others are fixed. A row x with the sign y requires
y(w·x + b) > 0, which is a half-plane of the two weights. The intersection of all half-planes is
convex, the solutions, and a training run is a path towards it. The regions here are clipped to a
box, for drawing; `rosenblatt.solution_region` is exact.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.geometry.plane import Box, clip
from rosenblatt.types import Floats


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
