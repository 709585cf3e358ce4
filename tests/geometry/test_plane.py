"""Lines and cells in a box: known numbers, and laws over lines drawn at random."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.geometry.plane import Box, area, clip, distances, feet, regions, segment

UNIT = Box(0.0, 1.0, 0.0, 1.0)
numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
lines = st.tuples(numbers, numbers, numbers)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    left, bottom = draw(numbers), draw(numbers)
    width, height = draw(st.floats(0.01, 1e4)), draw(st.floats(0.01, 1e4))
    return Box(left, left + width, bottom, bottom + height)


def test_a_diagonal_ends_in_the_corners() -> None:
    assert segment([1, -1], 0, UNIT) == pytest.approx(np.array([[1, 1], [0, 0]]))


def test_the_line_of_the_or_gate() -> None:
    assert segment([1, 1], -0.5, UNIT) == pytest.approx(np.array([[0, 0.5], [0.5, 0]]))


@pytest.mark.parametrize(
    ("w", "b"), [([0, 0], 0), ([0, 0], 1), ([1, 0], 0.5), ([1, 1], 0), ([np.inf, 1], 0)]
)
def test_no_line_where_there_is_none(w: list[float], b: float) -> None:
    """No weights, beside the box, in one corner only, beyond all numbers."""
    assert segment(w, b, UNIT) is None


@given(lines, boxes())
def test_the_ends_of_a_segment_lie_on_the_line_and_on_the_edge(
    line: tuple[float, float, float], box: Box
) -> None:
    *w, b = line
    ends = segment(w, b, box)
    scores = box.corners @ w + b
    size = np.abs(box.corners).max() * np.abs(w).sum() + abs(b)
    if ends is None:
        assert not (scores.min() < -1e-9 * size and scores.max() > 1e-9 * size)
        return
    assert box.contains(ends).all()
    assert np.abs(ends @ w + b).max() <= 1e-12 * size
    edges = np.abs(ends[:, [0, 0, 1, 1]] - np.array(box))
    assert (edges.min(axis=1) <= 1e-9 * np.abs(box).max()).all()


@given(lines, boxes())
def test_w_is_to_the_left_of_its_line(line: tuple[float, float, float], box: Box) -> None:
    *w, b = line
    ends = segment(w, b, box)
    if ends is None or np.abs(ends[1] - ends[0]).max() < 1e-6 * np.abs(box).max():
        return
    along = ends[1] - ends[0]
    assert along[0] * w[1] - along[1] * w[0] > 0


@given(st.lists(lines, min_size=1, max_size=6), boxes())
def test_cells_tile_the_box(units: list[tuple[float, float, float]], box: Box) -> None:
    W = np.array(units)
    cells = regions(W[:, :2], W[:, 2], box)
    whole = (box.right - box.left) * (box.top - box.bottom)
    assert len(cells) == max(2, len(units))
    assert sum(map(area, cells)) == pytest.approx(whole, rel=1e-6)
    assert min(map(area, cells)) >= 0


@given(st.lists(lines, min_size=1, max_size=6), st.integers(0, 1000))
def test_each_point_lies_in_the_cell_of_its_class(
    units: list[tuple[float, float, float]], seed: int
) -> None:
    W = np.array(units)
    points = np.random.default_rng(seed).uniform(-1, 1, (30, 2))
    scores = points @ W[:, :2].T + W[:, 2]
    if len(W) == 1:
        scores = np.hstack([-scores, scores])
        ties = np.abs(scores[:, 1]) <= 1e-9 * np.abs(W).sum()
    else:
        ties = np.ptp(np.sort(scores, axis=1)[:, -2:], axis=1) <= 1e-9 * np.abs(W).sum()
    cells = regions(W[:, :2], W[:, 2], Box(-1, 1, -1, 1))
    for point, k in zip(points[~ties], scores.argmax(axis=1)[~ties], strict=True):
        assert inside(cells[k], point)


def inside(polygon: np.ndarray, point: np.ndarray) -> bool:
    sides = np.roll(polygon, -1, axis=0) - polygon
    away = point - polygon
    turns = sides[:, 0] * away[:, 1] - sides[:, 1] * away[:, 0]
    return len(polygon) > 2 and bool((turns >= -1e-6).all())


def test_two_classes_in_order() -> None:
    first, second = regions([[1, 0]], [-0.25], UNIT)
    assert first[:, 0].max() == pytest.approx(0.25)
    assert area(second) == pytest.approx(0.75)


def test_equal_units_are_decided_for_the_lowest_class() -> None:
    cells = regions([[1, 0], [1, 0], [-1, 0]], [0, 0, 1], UNIT)
    assert [round(area(cell), 12) for cell in cells] == [0.5, 0.0, 0.5]


def test_zero_weights_decide_for_the_second_class_of_two() -> None:
    first, second = regions([[0, 0]], [0], UNIT)
    assert (len(first), area(second)) == (0, 1.0)


def test_a_polygon_that_only_touches_is_empty() -> None:
    assert len(clip(UNIT.corners, [1, 0], -1.0)) == 0
    assert len(clip(UNIT.corners, [1, 1], -2.0)) == 0
    assert clip(UNIT.corners, [1, 0], 0.0).tolist() == UNIT.corners.tolist()


@pytest.mark.parametrize(
    ("points", "box"),
    [
        ([], (-1, 1, -1, 1)),
        ([[np.nan, 0]], (-1, 1, -1, 1)),
        ([[1e300, 0], [np.inf, 0]], (-1, 1, -1, 1)),
        ([[0, 0], [10, 10]], (-1, 11, -1, 11)),
        ([[3, 5], [3, 5]], (0, 6, 0, 10)),
        ([[0, 0], [0, 10]], (-1, 1, -1, 11)),
    ],
)
def test_a_box_has_an_extent_whatever_the_points(points: list, box: tuple) -> None:
    assert Box.around(points, margin=0.1) == pytest.approx(box)


def test_distances_and_feet() -> None:
    points = np.array([[2.0, 0.0], [0.0, 0.0]])
    assert distances(points, [3, 4], -5).tolist() == pytest.approx([0.2, -1.0])
    assert feet(points, [3, 4], -5) == pytest.approx(np.array([[1.88, -0.16], [0.6, 0.8]]))
