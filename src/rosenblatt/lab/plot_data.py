"""What the plane shows at a moment of a run: points, boundary, margins, normal, regions.

===========  =======================================================================================
rows         how they are seen
===========  =======================================================================================
in a plane   as they are; the boundary of a line is a line
in a plane,  as they are; the boundary of a line through their features is a curve
with features
otherwise    projected: across, the distance to the boundary; up, the direction of largest variance
             of the rest. The picture turns with w, so that distances are always exact.
===========  =======================================================================================
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, softmax

from rosenblatt.geometry.contours import Grid, class_margin
from rosenblatt.geometry.plane import Box, feet, regions, segment
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.sampling import Sample, sample
from rosenblatt.lab.dataset import LabDataset
from rosenblatt.losses.link import predicted_codes
from rosenblatt.losses.margins import margins_of
from rosenblatt.types import Floats, Ints

DRAWN_ROWS = 1500
UNIT_MARGINS = {"linear-svm", "passive-aggressive"}  # their margin is where the score is ±1
PROBABLE = {"logistic-regression", "linear-discriminant"}  # their scores are log odds
EMPTY = Box(-0.25, 1.25, -0.25, 1.25)
ARROW = 0.14  # of the box
SHADES = 90  # a side
LONGEST = 6.0  # a box that is longer than this times its width is not made square


class Drawn(NamedTuple):
    """The points that are drawn: their rows, places, classes, and how they are decided.

    `distance` is to the boundary, positive on the side of the own class.
    """

    rows: Ints
    places: Floats
    codes: Ints
    right: Ints
    distance: Floats


@dataclass(frozen=True, eq=False)
class Picture:
    """Everything the plane shows."""

    drawn: Drawn
    names: tuple[str, str]
    box: Box
    boundary: tuple[Floats, ...] = ()
    margins: tuple[Floats, ...] = ()
    normal: Floats | None = None
    cells: tuple[Floats, ...] = ()  # a polygon a class
    decisions: Floats | None = None  # the class on a grid, where cells are no polygons
    chances: Floats | None = None  # the probability of the second class on a grid
    shares: Floats | None = None  # the probability of each of several classes, a grid a class
    shaded: Box | None = None  # where these grids lie, if not in the box
    caption: str = ""


def chosen(dataset: LabDataset, keep: tuple[int, ...]) -> Sample:
    """The rows that are drawn; those to keep are always among them."""
    return sample(dataset.codes, DRAWN_ROWS, keep)


def picture(dataset: LabDataset, W: Floats | None, rule: str, rows: Sample, box: Box) -> Picture:
    """What there is to see with some weights; before there are any, the points alone."""
    if W is None or dataset.Z.shape[1] == 0:
        places = _projection(dataset, None).points(dataset.X[rows.rows])
        drawn = Drawn(rows.rows, places, dataset.codes[rows.rows], *_undecided(len(places)))
        shown = box if dataset.flat else box_around(places)
        return Picture(drawn, _names(dataset), shown, caption=_caption(rows))
    scores = dataset.Z[rows.rows] @ W[:, :-1].T + W[:, -1]
    codes = dataset.codes[rows.rows]
    lead = margins_of(scores, codes)
    right = (predicted_codes(scores, len(dataset.classes)) == codes).astype(np.int64)
    level, away = _level(dataset, W, rule), _away(lead, W, scores, codes)
    if dataset.flat and dataset.lift is not None:
        drawn = Drawn(rows.rows, dataset.X[rows.rows], codes, right, away)
        seen = Picture(drawn, _names(dataset), box, caption=_caption(rows))
        return _curved(dataset, W, rule, level, seen)
    projection = _projection(dataset, W)
    places = projection.points(dataset.Z[rows.rows])
    drawn = Drawn(rows.rows, places, codes, right, away)
    if dataset.flat:
        seen = Picture(drawn, _names(dataset), box, caption=_caption(rows))
    else:
        caption = _caption(rows, _how(projection, W))
        seen = Picture(drawn, projection.names, box_around(places), caption=caption)
    units = projection.project_weights(W[:, :-1], W[:, -1])
    return _straight(*units, rule, level, seen) if W.any() else seen


def box_around(places: Floats) -> Box:
    """A box around points, with the same scale both ways unless they are long and thin."""
    if not len(places):
        return EMPTY
    box = Box.around(places, 0.15)
    width, height = box.right - box.left, box.top - box.bottom
    if max(width, height) > LONGEST * min(width, height):
        return box
    half, (x, y) = max(width, height) / 2, box.centre
    return Box(x - half, x + half, y - half, y + half)


def foot_of(drawn: Drawn, place: int, W: Floats) -> Floats | None:
    """From a point of the plane straight to the boundary, where that is one line."""
    if len(W) != 1 or W.shape[1] != 3 or not W[0, :-1].any():
        return None
    point = drawn.places[place : place + 1]
    return np.vstack([point, feet(point, W[0, :-1], float(W[0, -1]))])


def _straight(w: Floats, b: Floats, rule: str, level: float | None, seen: Picture) -> Picture:
    """A picture with the lines of units (w, b) of its plane."""
    wide, shaded = _widened(seen.box), _widened(seen.box, 0.25)
    grid = Grid.over(shaded, SHADES)
    cells = tuple(regions(w, b, wide))
    if len(w) > 1:
        boundary = tuple(np.vstack([cell, cell[:1]]) for cell in cells if len(cell))
        shares = _shares(grid, grid.points @ w.T + b, rule)
        return replace(seen, boundary=boundary, cells=cells, shares=shares, shaded=shaded)
    unit, bias = w[0], float(b[0])
    margins: tuple[Floats, ...] = ()
    if level is not None:
        margins = _some(segment(unit, bias - level, wide), segment(unit, bias + level, wide))
    chances = None
    if rule in PROBABLE:
        chances = grid.as_matrix(expit(grid.points @ unit + bias))
    return replace(
        seen,
        boundary=_some(segment(unit, bias, wide)),
        margins=margins,
        normal=_normal(unit, bias, seen.box),
        cells=cells,
        chances=chances,
        shaded=shaded,
    )


def _curved(
    dataset: LabDataset, W: Floats, rule: str, level: float | None, seen: Picture
) -> Picture:
    """A picture with the curves where units of the features change their mind."""
    if not W.any():
        return seen
    grid = Grid.over(seen.box)
    scores = dataset.lifted(grid.points) @ W[:, :-1].T + W[:, -1]
    if len(W) > 1:
        leads = [class_margin(k, scores) for k in range(len(W))]
        lines = tuple(line for lead in leads for line in grid.lines(lead))
        decisions = grid.as_matrix(scores.argmax(axis=1))
        shares = _shares(grid, scores, rule)
        return replace(seen, boundary=lines, decisions=decisions, shares=shares)
    score = scores[:, 0]
    margins: tuple[Floats, ...] = ()
    if level is not None:
        margins = tuple(grid.lines(score, level) + grid.lines(score, -level))
    return replace(
        seen,
        boundary=tuple(grid.lines(score)),
        margins=margins,
        decisions=grid.as_matrix(score >= 0),
        chances=grid.as_matrix(expit(score)) if rule in PROBABLE else None,
    )


def _shares(grid: Grid, scores: Floats, rule: str) -> Floats | None:
    """Probabilities of several classes, where the rule has them."""
    if rule not in PROBABLE:
        return None
    return np.array([grid.as_matrix(share) for share in softmax(scores, axis=1).T])


def _projection(dataset: LabDataset, W: Floats | None) -> Projection:
    rows = dataset.Z if W is not None else dataset.X
    if W is None:
        W = np.zeros((1, rows.shape[1] + 1))
    names = dataset.lifted_names() if rows is dataset.Z else dataset.feature_names
    return Projection.of(rows, W[:, :-1], W[:, -1], names)


def _away(lead: Floats, W: Floats, scores: Floats, codes: Ints) -> Floats:
    """The lead as a distance to the boundary in the space of the features."""
    if len(W) == 1:
        length = float(np.linalg.norm(W[0, :-1]))
        return lead / length if length > 0 else np.full(len(lead), np.nan)
    others = scores.copy()
    others[np.arange(len(scores)), codes] = -np.inf
    lengths = np.linalg.norm(W[codes, :-1] - W[others.argmax(axis=1), :-1], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        away: Floats = lead / lengths
    return away


def _level(dataset: LabDataset, W: Floats, rule: str) -> float | None:
    """The score at the margins: 1 where the rule says so, else that of the nearest point."""
    if len(W) > 1 or not W[0, :-1].any():
        return None
    if rule in UNIT_MARGINS:
        return 1.0
    lead = margins_of(dataset.Z @ W[:, :-1].T + W[:, -1], dataset.codes)
    nearest = float(lead.min())
    return nearest if nearest > 0 else None


def _normal(w: Floats, b: float, box: Box) -> Floats | None:
    """An arrow along w from the middle of the boundary."""
    line = segment(w, b, box)
    if line is None:
        return None
    middle = line.mean(axis=0)
    share = np.abs(w) / (box.right - box.left, box.top - box.bottom)
    return np.vstack([middle, middle + ARROW * w / share.max()])


def _widened(box: Box, by: float = 1.0) -> Box:
    """A larger box, so that lines go on where the picture is moved."""
    width, height = by * (box.right - box.left), by * (box.top - box.bottom)
    return Box(box.left - width, box.right + width, box.bottom - height, box.top + height)


def _some(*lines: Floats | None) -> tuple[Floats, ...]:
    return tuple(line for line in lines if line is not None)


def _undecided(n: int) -> tuple[Ints, Floats]:
    return np.ones(n, np.int64), np.full(n, np.nan)


def _names(dataset: LabDataset) -> tuple[str, str]:
    how = " (scaled)" if dataset.scaled else ""
    names = (*(f"{name}{how}" for name in dataset.feature_names), "")
    return names[0], names[1]


def _how(projection: Projection, W: Floats) -> str:
    if W.shape[1] <= 3:
        return ""  # one or two features are seen as they are
    if len(W) == 1:
        return f"Projected: across, {projection.names[0]}; up, {projection.names[1]}."
    exact = "" if projection.exact else " A point off that plane may be decided otherwise."
    return f"Projected to the plane in which the weights of the classes differ most.{exact}"


def _caption(rows: Sample, seen: str = "") -> str:
    some = "" if rows.whole else f"Drawn: {rows}; computed: all of them."
    return " ".join(filter(None, [seen, some]))
