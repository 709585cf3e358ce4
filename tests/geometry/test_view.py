"""Rows and what decides about them, as numbers to draw."""

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.geometry.plane import area
from rosenblatt.geometry.projection import Projection
from rosenblatt.geometry.view import View


def test_a_view_of_two_features_and_one_unit() -> None:
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    view = View.of(X, [0, 1, 1, 1], Projection.of(X, [1, 1], -0.5))
    seen = view.boundary([1, 1], -0.5, margin=0.5)
    assert view.points.tolist() == X.tolist()
    assert len(seen.cells) == 2
    (line,) = seen.lines
    assert line.sum(axis=1) == pytest.approx([0.5, 0.5])
    first, second = seen.margins
    assert first.sum(axis=1) == pytest.approx([1, 1])
    assert second.sum(axis=1) == pytest.approx([0, 0], abs=1e-12)


def test_margins_beyond_the_box_are_left_out() -> None:
    view = View.of(np.eye(2), [0, 1], Projection.of(np.eye(2), [1, 1], 0))
    assert len(view.boundary([1, 1], -1, margin=50.0).margins) == 0
    assert len(view.boundary([0, 0], 0).lines) == 0


def test_one_feature_is_seen_in_a_lane_for_each_class() -> None:
    X = np.arange(6.0)[:, None]
    view = View.of(X, [0, 0, 0, 1, 1, 1], Projection.of(X, [1], -2.5))
    assert view.flat
    assert np.round(view.points[:, 1]).tolist() == [0, 0, 0, 1, 1, 1]
    (line,) = view.boundary([1], -2.5).lines
    assert line[:, 0].tolist() == [2.5, 2.5]


def test_rows_to_keep_are_found_again(rng: np.random.Generator) -> None:
    X = sparse.csr_array(rng.normal(size=(5000, 4)))
    codes = rng.integers(0, 3, 5000)
    W = rng.normal(size=(3, 4))
    view = View.of(X, codes, Projection.of(X, W, np.zeros(3)), keep=[4999, 7], max_rows=100)
    assert view.at([4999, 7]) == pytest.approx(view.projection.points(X[[4999, 7]]))
    assert view.codes.tolist() == codes[view.drawn.rows].tolist()
    cells = view.boundary(W, np.zeros(3)).cells
    left, right, bottom, top = view.box
    assert sum(map(area, cells)) == pytest.approx((right - left) * (top - bottom))


def test_curves_of_one_score_and_of_several() -> None:
    X = np.array([[-2.0, -2.0], [2.0, 2.0]])
    view = View.of(X, [0, 1], Projection.of(X, [1, 0], 0))
    one = view.curved_boundary(lambda p: (p**2).sum(axis=1) - 1)
    (circle,) = one.lines
    assert np.hypot(*circle.T) == pytest.approx(1, abs=1e-2)
    assert one.shade is not None
    assert (one.shade[0, 0], one.shade[75, 75]) == (1, 0)
    several = view.curved_boundary(
        lambda p: np.column_stack([p[:, 0], -p[:, 0], np.full(len(p), -9.0)])
    )
    assert all(line[:, 0] == pytest.approx(0, abs=1e-9) for line in several.lines)
    assert len(several.lines) == 2
