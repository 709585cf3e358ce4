"""Plot data of the plane after a step of a run: points, boundary, margins, normal, regions.

===========  =======================================================================================
data         how they are shown
===========  =======================================================================================
2 features   as they are; the boundary is a line
2 features,  as they are; the boundary in the mapped features is a curve
mapped
otherwise    projected: across, the distance to the boundary; up, the direction of largest variance
             orthogonal to it. The plot turns with w, so that distances are always exact.
===========  =======================================================================================
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from rosenblatt.geometry.plane import Box, Grid, class_margin, feet, regions, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import Sample, sample
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.linalg.scores import margins_of
from rosenblatt.losses.link import predicted_codes
from rosenblatt.types import Floats, Ints

MAX_DRAWN_ROWS = 1500
UNIT_MARGIN_RULES = {"linear-svm", "passive-aggressive"}  # their margins are at scores ±1
PROBABILISTIC = {"logistic-regression", "linear-discriminant"}  # their scores are log-odds
EMPTY_BOX = Box(-0.25, 1.25, -0.25, 1.25)
ARROW_LENGTH = 0.14  # as a share of the box
SHADING_POINTS_PER_SIDE = 90
MAX_ASPECT_RATIO = 6.0  # a longer box is not made square


class Drawn(NamedTuple):
    """The points that are drawn: their rows, classes, and predictions.

    `correct` is 1 for a correct prediction; `distance` to the boundary is then positive.
    """

    rows: Ints
    places: Floats
    codes: Ints
    correct: Ints
    distance: Floats


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything that the plane shows."""

    drawn: Drawn
    names: tuple[str, str]
    box: Box
    boundary: tuple[Floats, ...] = ()
    margins: tuple[Floats, ...] = ()
    normal: Floats | None = None
    cells: tuple[Floats, ...] = ()  # one polygon for each class
    decisions: Floats | None = None  # the class on a grid, if the boundary is curved
    probabilities: Floats | None = None  # the probability of the second class on a grid
    class_probabilities: Floats | None = None  # one grid for each of several classes
    shaded: Box | None = None  # the box of these grids, if it is another
    caption: str = ""


def chosen(dataset: LabDataset, keep: tuple[int, ...]) -> Sample:
    """The sample of rows that is drawn; those to keep are always in it."""
    return sample(dataset.codes, MAX_DRAWN_ROWS, keep)


def picture(dataset: LabDataset, W: Floats | None, rule: str, rows: Sample, box: Box) -> Picture:
    """The plot for some weights; without weights, the points alone."""
    if W is None or dataset.Z.shape[1] == 0:
        places = _projection(dataset, None).points(dataset.X[rows.rows])
        drawn = Drawn(rows.rows, places, dataset.codes[rows.rows], *_no_predictions(len(places)))
        shown = box if dataset.flat else box_around(places)
        return Picture(drawn, _names(dataset), shown, caption=_caption(rows))
    scores = dataset.Z[rows.rows] @ W[:, :-1].T + W[:, -1]
    codes = dataset.codes[rows.rows]
    margin = margins_of(scores, codes)
    correct = (predicted_codes(scores, len(dataset.classes)) == codes).astype(np.int64)
    level, distance = _margin_level(dataset, W, rule), _distance(margin, W, scores, codes)
    if dataset.flat and dataset.feature_map is not None:
        drawn = Drawn(rows.rows, dataset.X[rows.rows], codes, correct, distance)
        plot = Picture(drawn, _names(dataset), box, caption=_caption(rows))
        return _curved(dataset, W, rule, level, plot)
    projection = _projection(dataset, W)
    places = projection.points(dataset.Z[rows.rows])
    drawn = Drawn(rows.rows, places, codes, correct, distance)
    if dataset.flat:
        plot = Picture(drawn, _names(dataset), box, caption=_caption(rows))
    else:
        caption = _caption(rows, _projection_caption(projection, W))
        plot = Picture(drawn, projection.names, box_around(places), caption=caption)
    units = projection.project_weights(W[:, :-1], W[:, -1])
    return _straight(*units, rule, level, plot) if W.any() else plot


def box_around(places: Floats) -> Box:
    """A box around points, square unless they are long and thin."""
    if not len(places):
        return EMPTY_BOX
    box = Box.around(places, 0.15)
    width, height = box.right - box.left, box.top - box.bottom
    if max(width, height) > MAX_ASPECT_RATIO * min(width, height):
        return box
    half, (x, y) = max(width, height) / 2, box.centre
    return Box(x - half, x + half, y - half, y + half)


def foot_of(drawn: Drawn, place: int, W: Floats) -> Floats | None:
    """The segment from a point to its projection on the boundary, if that is one line."""
    if len(W) != 1 or W.shape[1] != 3 or not W[0, :-1].any():
        return None
    point = drawn.places[place : place + 1]
    return np.vstack([point, feet(point, W[0, :-1], float(W[0, -1]))])


def _straight(w: Floats, b: Floats, rule: str, level: float | None, plot: Picture) -> Picture:
    """A plot with the straight boundaries of weights (w, b) of its plane."""
    wide, shaded = _widened(plot.box), _widened(plot.box, 0.25)
    grid = Grid.over(shaded, SHADING_POINTS_PER_SIDE)
    cells = tuple(regions(w, b, wide))
    if len(w) > 1:
        boundary = tuple(np.vstack([cell, cell[:1]]) for cell in cells if len(cell))
        class_probabilities = _class_probabilities(grid, grid.points @ w.T + b, rule)
        return replace(
            plot,
            boundary=boundary,
            cells=cells,
            class_probabilities=class_probabilities,
            shaded=shaded,
        )
    unit, intercept = w[0], float(b[0])
    margins: tuple[Floats, ...] = ()
    if level is not None:
        margins = _not_none(
            segment(unit, intercept - level, wide), segment(unit, intercept + level, wide)
        )
    probabilities = None
    if rule in PROBABILISTIC:
        probabilities = grid.as_matrix(expit(grid.points @ unit + intercept))
    return replace(
        plot,
        boundary=_not_none(segment(unit, intercept, wide)),
        margins=margins,
        normal=_normal(unit, intercept, plot.box),
        cells=cells,
        probabilities=probabilities,
        shaded=shaded,
    )


def _curved(
    dataset: LabDataset, W: Floats, rule: str, level: float | None, plot: Picture
) -> Picture:
    """A plot with the curved boundaries of weights of mapped features."""
    if not W.any():
        return plot
    grid = Grid.over(plot.box)
    scores = dataset.mapped(grid.points) @ W[:, :-1].T + W[:, -1]
    if len(W) > 1:
        by_class = [class_margin(k, scores) for k in range(len(W))]
        lines = tuple(line for margin in by_class for line in grid.lines(margin))
        decisions = grid.as_matrix(scores.argmax(axis=1))
        class_probabilities = _class_probabilities(grid, scores, rule)
        return replace(
            plot, boundary=lines, decisions=decisions, class_probabilities=class_probabilities
        )
    score = scores[:, 0]
    margins: tuple[Floats, ...] = ()
    if level is not None:
        margins = tuple(grid.lines(score, level) + grid.lines(score, -level))
    return replace(
        plot,
        boundary=tuple(grid.lines(score)),
        margins=margins,
        decisions=grid.as_matrix(score >= 0),
        probabilities=grid.as_matrix(expit(score)) if rule in PROBABILISTIC else None,
    )


def _class_probabilities(grid: Grid, scores: Floats, rule: str) -> Floats | None:
    """Probabilities of several classes, if the rule has them."""
    if rule not in PROBABILISTIC:
        return None
    return np.array([grid.as_matrix(share) for share in softmax(scores, axis=1).T])


def _projection(dataset: LabDataset, W: Floats | None) -> Projection:
    rows = dataset.Z if W is not None else dataset.X
    if W is None:
        W = np.zeros((1, rows.shape[1] + 1))
    names = dataset.mapped_feature_names() if rows is dataset.Z else dataset.feature_names
    return Projection.of(rows, W[:, :-1], W[:, -1], names)


def _distance(margin: Floats, W: Floats, scores: Floats, codes: Ints) -> Floats:
    """The margin as a distance to the boundary in the space of the features."""
    if len(W) == 1:
        length = float(np.linalg.norm(W[0, :-1]))
        return margin / length if length > 0 else np.full(len(margin), np.nan)
    others = scores.copy()
    others[np.arange(len(scores)), codes] = -np.inf
    lengths = np.linalg.norm(W[codes, :-1] - W[others.argmax(axis=1), :-1], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        distance: Floats = margin / lengths
    return distance


def _margin_level(dataset: LabDataset, W: Floats, rule: str) -> float | None:
    """The score at the margins: 1 for a rule with a unit margin, else that of the nearest point."""
    if len(W) > 1 or not W[0, :-1].any():
        return None
    if rule in UNIT_MARGIN_RULES:
        return 1.0
    margins = margins_of(dataset.Z @ W[:, :-1].T + W[:, -1], dataset.codes)
    nearest = float(margins.min())
    return nearest if nearest > 0 else None


def _normal(w: Floats, b: float, box: Box) -> Floats | None:
    """An arrow along w from the middle of the boundary."""
    line = segment(w, b, box)
    if line is None:
        return None
    middle = line.mean(axis=0)
    share = np.abs(w) / (box.right - box.left, box.top - box.bottom)
    return np.vstack([middle, middle + ARROW_LENGTH * w / share.max()])


def _widened(box: Box, by: float = 1.0) -> Box:
    """A larger box, so that lines continue when the plot is moved."""
    width, height = by * (box.right - box.left), by * (box.top - box.bottom)
    return Box(box.left - width, box.right + width, box.bottom - height, box.top + height)


def _not_none(*lines: Floats | None) -> tuple[Floats, ...]:
    return tuple(line for line in lines if line is not None)


def _no_predictions(n: int) -> tuple[Ints, Floats]:
    return np.ones(n, np.int64), np.full(n, np.nan)


def _names(dataset: LabDataset) -> tuple[str, str]:
    how = " (scaled)" if dataset.scaled else ""
    names = (*(f"{name}{how}" for name in dataset.feature_names), "")
    return names[0], names[1]


def _projection_caption(projection: Projection, W: Floats) -> str:
    if W.shape[1] <= 3:
        return ""  # one or two features are not projected
    if len(W) == 1:
        return f"Projected: horizontally, {projection.names[0]}; vertically, {projection.names[1]}."
    exact = "" if projection.exact else " Points off that plane may be classified differently."
    return f"Projected to the plane in which the weights of the classes differ most.{exact}"


def _caption(rows: Sample, projected: str = "") -> str:
    sampled = "" if rows.whole else f"Drawn: {rows}; all computations use all of them."
    return " ".join(filter(None, [projected, sampled]))
