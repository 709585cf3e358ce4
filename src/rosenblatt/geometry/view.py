"""A picture of rows and of what decides about them, as numbers: what pages and plots draw."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.geometry import contours
from rosenblatt.geometry.plane import Box, regions, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.sampling import Sample, sample
from rosenblatt.types import Floats, Ints

MOST = 2000  # rows on a picture
LANE = 0.3  # how far rows of one feature are spread about the middle of their lane


@dataclass(frozen=True, eq=False)
class Boundary:
    """What decides, in a box.

    Parameters
    ----------
    cells
        The polygon of each class, where boundaries are straight.
    lines
        Polylines of the boundary: one segment for one unit, curves where scores are not linear. Of
        several linear units the edges of the cells are the boundaries.
    margins
        Segments along which the score of one unit is ± a margin.
    shade
        The decided class on a grid over the box, the lowest row first, where boundaries are curved.
    """

    cells: list[Floats] = field(default_factory=list)
    lines: list[Floats] = field(default_factory=list)
    margins: list[Floats] = field(default_factory=list)
    shade: Floats | None = None


@dataclass(frozen=True, eq=False)
class View:
    """Rows as they are seen in a plane.

    Parameters
    ----------
    projection
        The plane.
    box
        What of it is shown.
    points, codes
        Where each row that is drawn is seen, and its class.
    drawn
        Which rows these are, out of how many.
    """

    projection: Projection
    box: Box
    points: Floats
    codes: Ints
    drawn: Sample

    @classmethod
    def of(
        cls,
        X: Any,
        codes: npt.ArrayLike,
        projection: Projection,
        *,
        keep: Iterable[int] = (),
        most: int = MOST,
    ) -> "View":
        """See rows (an array or a CSR matrix) in a plane; rows to keep are always drawn."""
        drawn = sample(codes, most, keep)
        classes = np.asarray(codes)[drawn.rows]
        points = projection.points(X[drawn.rows])
        if X.shape[1] == 1:
            points[:, 1] = _lanes(classes)
        return cls(projection, Box.around(points), points, classes, drawn)

    @property
    def flat(self) -> bool:
        """Whether there is one feature only, so that up means nothing but the class."""
        return bool(self.projection.axes.shape[1] == 1)

    def at(self, rows: Iterable[int]) -> Floats:
        """Where some rows, out of those drawn, are seen."""
        places = np.searchsorted(self.drawn.rows, np.fromiter(rows, dtype=np.int64))
        return self.points[places]

    def boundary(
        self, coef: npt.ArrayLike, intercept: npt.ArrayLike, margin: float | None = None
    ) -> Boundary:
        """What linear units decide in the box; of one unit also where its score is ±margin."""
        W, b = self.projection.units(coef, intercept)
        cells = regions(W, b, self.box)
        if len(W) > 1:
            return Boundary(cells)
        levels = [] if margin is None else [margin, -margin]
        ends = [segment(W[0], float(b[0]) - level, self.box) for level in (0.0, *levels)]
        line, *margins = ([] if found is None else [found] for found in ends)
        return Boundary(cells, line, [found for side in margins for found in side])

    def curves(self, scores: Callable[[Floats], Floats]) -> Boundary:
        """What scores of points in the box decide: n numbers for two classes, else n × K."""
        grid = contours.Grid.over(self.box)
        seen = scores(grid.points)
        if seen.ndim == 1 or seen.shape[1] == 1:
            leads = [np.ravel(seen)]
            codes = leads[0] >= 0
        else:
            leads = [contours.lead_of(k, seen) for k in range(seen.shape[1])]
            codes = seen.argmax(axis=1)
        lines = [line for lead in leads for line in grid.lines(lead)]
        return Boundary(lines=lines, shade=grid.shaped(codes))


def _lanes(codes: Ints) -> Floats:
    """Heights for rows of one feature: a lane a class, and a place in it by a fixed seed."""
    spread: Floats = codes + np.random.default_rng(0).uniform(-LANE, LANE, len(codes))
    return spread
