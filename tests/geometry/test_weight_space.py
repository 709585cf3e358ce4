"""Rows as lines of the space of weights, against the exact region and the lecture's numbers."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt import solution_region
from rosenblatt.geometry.plane import Box, WeightPlane, area

SQUARE = Box(-1.0, 1.0, -1.0, 1.0)
LECTURE = np.array([[1, 0], [1, 1], [0.6, 0.6], [0.7, 0.4], [0, 0], [0, 1], [0.25, 1], [0.3, 0.4]])
SIGNS = np.array([1, 1, 1, 1, -1, -1, -1, -1])


def test_the_region_of_two_weights_is_the_exact_one() -> None:
    X = np.array([[2.0, 1.0], [1.0, 2.0]])
    polygon = WeightPlane(np.zeros(2)).solutions(X, [1, 1], SQUARE)
    exact = solution_region(X, [1, 1], fit_intercept=False).polygon
    assert {tuple(corner) for corner in polygon} == {tuple(corner) for corner in exact}


@example(rows=[(1, -3), (-1, 3)])  # once: by rounding, an edge was left of the square
@example(rows=[(1, 2), (0, 1), (0, -1)])  # the same, of a corner that an earlier cut had made
@given(rows=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=6))
def test_it_is_empty_exactly_where_the_exact_one_is(rows: list[tuple[int, int]]) -> None:
    X, y = np.array(rows, dtype=float), np.ones(len(rows), dtype=int)
    polygon = WeightPlane(np.zeros(2)).solutions(X, y, SQUARE)
    exact = solution_region(X, y, fit_intercept=False)
    assert (len(polygon) == 0) == exact.empty
    if not exact.empty:
        assert area(polygon) == pytest.approx(abs(area(exact.polygon)))


def test_the_lecture_ends_inside_the_region_and_starts_outside() -> None:
    """Lecture 003: from (0, 1, −0.5) to (1.45, −0.6, −0.5), the bias as it is."""
    plane = WeightPlane(np.array([1.45, -0.6, -0.5]))
    A, c = plane.halfplanes(LECTURE, SIGNS)
    start, end = plane.path([[0, 1, -0.5], [1.45, -0.6, -0.5]])
    assert (A @ end + c > 0).all()
    assert [i + 1 for i in np.flatnonzero(A @ start + c <= 0)] == [1, 4, 6, 7]
    polygon = plane.solutions(LECTURE, SIGNS, Box(-1, 3, -3, 2))
    assert area(polygon) > 0
    assert (polygon @ A.T + c >= -1e-12).all()


def test_other_weights_can_be_looked_at() -> None:
    plane = WeightPlane(np.array([2.0, 5.0, 7.0]), chosen=(0, 2))
    A, c = plane.halfplanes([[3, 4]], [-1])
    assert (A.tolist(), c.tolist()) == ([[-3, -1]], [-20])
    assert plane.at.tolist() == [2, 5, 7]
