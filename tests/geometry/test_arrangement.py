"""Cells of several lines, and boundaries of several classes: laws over random lines."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.geometry.arrangement import arrangement, lines_between
from rosenblatt.geometry.plane import Box, area, round_up, uphill_direction

BOX = Box(-1.0, 3.0, -2.0, 2.0)
numbers = st.integers(-5, 5).map(float)
models = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=5)


@example([(0.0, 1.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)])  # once a cell without an area
@given(models)
def test_cells_tile_the_box_and_have_the_signs_of_their_points(lines: list) -> None:
    W, b = np.array(lines)[:, :2], np.array(lines)[:, 2]
    cells = arrangement(W, b, BOX)
    assert sum(area(cell.polygon) for cell in cells) == pytest.approx(16.0)
    for polygon, positive in cells:
        inside = polygon.mean(axis=0)
        assert (W @ inside + b >= 0).tolist() == list(positive)
    assert len({cell.positive for cell in cells}) == len(cells)


@given(models)
def test_on_a_boundary_two_scores_are_the_largest(lines: list) -> None:
    W, b = np.array(lines)[:, :2], np.array(lines)[:, 2]
    for ends in lines_between(W, b, BOX):
        for point in (ends.mean(axis=0), 0.9 * ends[0] + 0.1 * ends[1]):
            scores = np.sort(W @ point + b)
            assert scores[-1] - scores[-2] == pytest.approx(0, abs=1e-9)
            assert BOX.contains(point).all()


def test_three_classes_meet_in_a_point() -> None:
    W, b = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]), np.array([0.0, 0.0, 0.0])
    found = lines_between(W, b, Box(-1.0, 1.0, -1.0, 1.0))
    assert len(found) == 3
    assert all(np.abs(ends).min(axis=0).max() == 0 for ends in found)  # each ends at the origin


def test_a_box_is_made_less_narrow() -> None:
    assert Box(0.0, 10.0, 0.0, 1.0).widened(2.0) == Box(0.0, 10.0, -2.0, 3.0)
    assert Box(0.0, 1.0, 0.0, 1.0).widened() == Box(0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("value", "step"), [(1.7, 2), (0.21, 0.25), (30, 50), (7, 10), (5, 5), (0, 1), (np.inf, 1)]
)
def test_steps_of_an_axis_are_round(value: float, step: float) -> None:
    assert round_up(value) == pytest.approx(step)


def test_uphill_is_the_direction_of_the_gradient() -> None:
    x, y = np.meshgrid(np.arange(4.0), np.arange(5.0))
    assert uphill_direction(x) == 0
    assert uphill_direction(-2 * y) == -90
    assert uphill_direction(x + y) == pytest.approx(45)
