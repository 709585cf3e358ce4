"""Samples of rows, and contours of scores."""

import numpy as np
import pytest

from rosenblatt.geometry.plane import Box, Grid, class_margin
from rosenblatt.geometry.view import sample


def test_few_rows_are_all_drawn() -> None:
    drawn = sample([0, 1, 1], max_rows=3)
    assert (drawn.rows.tolist(), str(drawn)) == ([0, 1, 2], "all 3 rows")


def test_many_rows_are_drawn_in_proportion_and_named_ones_always() -> None:
    codes = np.repeat([0, 1, 2], [90_000, 9_999, 1])
    drawn = sample(codes, max_rows=1000, keep=[5, 99_999, 17])
    assert {5, 17, 99_999} <= set(drawn.rows.tolist())
    counts = np.bincount(codes[drawn.rows])
    assert 900 <= counts[0] <= 902
    assert (counts[1], counts[2]) == (99, 1)
    assert str(drawn) == f"{len(drawn.rows):,} of 100,000 rows, chosen at random from each class"
    assert np.array_equal(drawn.rows, sample(codes, max_rows=1000, keep=[5, 99_999, 17]).rows)
    assert (np.diff(drawn.rows) > 0).all()


def test_a_circle_is_found() -> None:
    grid = Grid.over(Box(-2, 2, -1.5, 1.5), resolution=201)
    (circle,) = grid.lines((grid.points**2).sum(axis=1) - 1)
    assert np.hypot(*circle.T) == pytest.approx(1, abs=1e-3)
    assert circle[0] == pytest.approx(circle[-1])


def test_a_level_that_is_nowhere_has_no_lines() -> None:
    grid = Grid.over(Box(0, 1, 0, 1))
    assert grid.lines(grid.points[:, 0], level=2.0) == []


def test_the_lead_of_a_class() -> None:
    scores = np.array([[1.0, 3.0, 2.0], [5.0, 0.0, 5.0]])
    assert [class_margin(k, scores).tolist() for k in range(3)] == [[-2, 0], [1, -5], [-1, 0]]
