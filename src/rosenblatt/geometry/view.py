"""A sample of rows to draw if there are too many. Nothing is ever computed from it.

Rows and decision boundaries in a plane, as numbers: what pages and plots draw.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rosenblatt.geometry.arrangement import lines_between
from rosenblatt.geometry.plane import Box, Grid, class_margin, regions, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows to draw, in order, and the number of all."""

    rows: Ints
    total: int

    @property
    def whole(self) -> bool:
        """Whether it holds all rows."""
        return len(self.rows) == self.total

    def __str__(self) -> str:
        if self.whole:
            return f"all {self.total:,} rows"
        return f"{len(self.rows):,} of {self.total:,} rows, chosen at random from each class"


def sample(
    codes: npt.ArrayLike, max_rows: int = 2000, keep: Iterable[int] = (), seed: int = 0
) -> Sample:
    """A stratified sample of at most `max_rows` rows, with at least one of each class.

    Rows of `keep`, such as those of a proof, are added to it.
    """
    classes = np.asarray(codes)
    total = len(classes)
    if total <= max_rows:
        return Sample(np.arange(total), total)
    rng = np.random.default_rng(seed)
    chosen = [np.fromiter(keep, dtype=np.int64)]
    for code in np.unique(classes):
        own = np.flatnonzero(classes == code)
        share = max(1, max_rows * len(own) // total)
        chosen.append(rng.choice(own, min(share, len(own)), replace=False))
    return Sample(np.unique(np.concatenate(chosen)), total)


MAX_DRAWN_ROWS = 2000
PREDICTED_POINTS_PER_SIDE = 240  # where only predictions show where the boundary is
JITTER = 0.3  # largest displacement of rows of one feature from the middle of their class


@dataclass(frozen=True, eq=False)
class Boundary:
    """The decision boundary in a box.

    Parameters
    ----------
    cells
        The polygon of each class, if boundaries are straight.
    lines
        Polylines of the boundary: one segment for two classes, curves if scores are not linear. Of
        several classes with linear scores the edges of the cells are the boundaries.
    margins
        Segments along which the score is ± a margin.
    shade
        The predicted class on a grid over the box, the lowest row first, if boundaries are curved.
    """

    cells: list[Floats] = field(default_factory=list)
    lines: list[Floats] = field(default_factory=list)
    margins: list[Floats] = field(default_factory=list)
    shade: Floats | None = None


@dataclass(frozen=True, eq=False)
class View:
    """Rows projected to a plane.

    Parameters
    ----------
    projection
        The plane.
    box
        The part of it that is shown.
    points, codes
        The projection of each row that is drawn, and its class.
    drawn
        The sample of rows that is drawn.
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
        max_rows: int = MAX_DRAWN_ROWS,
    ) -> "View":
        """The view of rows (an array or a CSR matrix); rows to keep are always drawn."""
        drawn = sample(codes, max_rows, keep)
        classes = np.asarray(codes)[drawn.rows]
        points = projection.points(X[drawn.rows])
        if X.shape[1] == 1:
            points[:, 1] = _jittered(classes)
        return cls(projection, Box.around(points), points, classes, drawn)

    @property
    def flat(self) -> bool:
        """Whether there is only one feature, so that the height shows nothing but the class."""
        return bool(self.projection.axes.shape[1] == 1)

    def at(self, rows: Iterable[int]) -> Floats:
        """The points of some of the drawn rows."""
        places = np.searchsorted(self.drawn.rows, np.fromiter(rows, dtype=np.int64))
        return self.points[places]

    def boundary(
        self, coef: npt.ArrayLike, intercept: npt.ArrayLike, margin: float | None = None
    ) -> Boundary:
        """The boundary of a linear model; of two classes also where the score is ±margin."""
        W, b = self.projection.project_weights(coef, intercept)
        cells = regions(W, b, self.box)
        if len(W) > 1:
            return Boundary(cells)
        levels = [] if margin is None else [margin, -margin]
        ends = [segment(W[0], float(b[0]) - level, self.box) for level in (0.0, *levels)]
        line, *margins = ([] if found is None else [found] for found in ends)
        return Boundary(cells, line, [found for side in margins for found in side])

    def line_boundary(self, coef: npt.ArrayLike, intercept: npt.ArrayLike) -> Boundary:
        """The boundary of a linear model of any number of classes, as lines without cells."""
        W, b = self.projection.project_weights(coef, intercept)
        if len(W) == 1:
            W, b = np.vstack([0 * W, W]), np.append(0.0, b)
        return Boundary(lines=lines_between(W, b, self.box))

    def curved_boundary(self, scores: Callable[[Floats], Floats]) -> Boundary:
        """The boundary of any scores of points: n numbers for two classes, else n × K."""
        grid = Grid.over(self.box)
        values = scores(grid.points)
        if values.ndim == 1 or values.shape[1] == 1:
            margins = [np.ravel(values)]
            codes = margins[0] >= 0
        else:
            margins = [class_margin(k, values) for k in range(values.shape[1])]
            codes = values.argmax(axis=1)
        lines = [line for margin in margins for line in grid.lines(margin)]
        return Boundary(lines=lines, shade=grid.as_matrix(codes))

    def predicted_boundary(self, codes: Callable[[Floats], Ints], n_classes: int) -> Boundary:
        """The boundary of a classifier without scores, from the classes predicted on a fine grid.

        A line is exact to the distance of two points of the grid.
        """
        grid = Grid.over(self.box, PREDICTED_POINTS_PER_SIDE)
        predicted = codes(grid.points)
        last = n_classes if n_classes > 2 else 1  # of two classes one line is both boundaries
        indicators = [np.where(predicted == k, 0.5, -0.5) for k in range(last)]
        lines = [line for indicator in indicators for line in grid.lines(indicator)]
        return Boundary(lines=lines, shade=grid.as_matrix(predicted))


def _jittered(codes: Ints) -> Floats:
    """Heights for rows of one feature: the class plus jitter by a fixed seed."""
    heights: Floats = codes + np.random.default_rng(0).uniform(-JITTER, JITTER, len(codes))
    return heights
