"""Vectors, ellipses and glyphs: lengths and angles by other formulas."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from rosenblatt.errors import DataError
from rosenblatt.geometry.shapes import (
    DotProduct,
    Hyperplane,
    along_normal,
    arc,
    density,
    edge_segments,
    ellipse,
    right_angle,
)

vectors = st.tuples(st.integers(-9, 9), st.integers(-9, 9)).filter(any)


@given(vectors, vectors)
def test_the_projection_is_the_nearest_point_of_the_line(u: tuple, v: tuple) -> None:
    product = DotProduct.of(u, v)
    assert (product.u - product.foot) @ product.v == pytest.approx(0, abs=1e-9)
    lengths = np.hypot(*u) * np.hypot(*v)
    assert np.cos(product.angle) * lengths == pytest.approx(np.dot(u, v), abs=1e-9)
    assert product.length * np.hypot(*v) == pytest.approx(np.dot(u, v))


@given(vectors, st.integers(-5, 5), vectors, vectors)
def test_a_score_has_the_sign_of_w_times_z(w: tuple, b: int, point: tuple, base: tuple) -> None:
    plane = Hyperplane.of(w, b, point, base)
    assert plane.w @ plane.base + b == pytest.approx(0, abs=1e-9)
    assert plane.w @ plane.z == pytest.approx(plane.score, abs=1e-9)
    assert np.linalg.norm(plane.point - plane.foot) == pytest.approx(plane.distance, abs=1e-9)


@given(vectors, vectors)
def test_an_arc_goes_the_shorter_way(first: tuple, second: tuple) -> None:
    assume(np.dot(first, second) > -np.hypot(*first) * np.hypot(*second) + 1e-6)
    points = arc(np.zeros(2), np.array(first, float), np.array(second, float), 2.0)
    assert np.hypot(*points.T) == pytest.approx(2.0)
    assert points[0] == pytest.approx(2 * np.array(first) / np.hypot(*first))
    assert points[-1] == pytest.approx(2 * np.array(second) / np.hypot(*second))
    assert np.hypot(*np.diff(points, axis=0).T).sum() <= 2 * np.pi + 1e-6


def test_the_mark_of_a_right_angle_is_a_square() -> None:
    a, b, c = right_angle(np.array([1.0, 1.0]), np.array([0, 3.0]), np.array([5.0, 0]), 0.5)
    assert [a.tolist(), b.tolist(), c.tolist()] == [[1, 1.5], [1.5, 1.5], [1.5, 1]]


@pytest.mark.parametrize("bad", [(0, 0), (1, 2, 3), (np.nan, 1), 4])
def test_vectors_of_the_plane_have_two_entries_and_a_direction(bad: object) -> None:
    with pytest.raises(DataError, match=r"^v must"):
        DotProduct.of([1, 2], bad)


def test_an_ellipse_has_one_density(rng: np.random.Generator) -> None:
    A = rng.normal(size=(2, 2))
    mean, covariance = np.array([1.0, -2.0]), A @ A.T
    heights = multivariate_normal(mean, covariance).pdf(ellipse(mean, covariance, 1.5))
    assert heights == pytest.approx(heights[0])
    assert heights[0] / multivariate_normal(mean, covariance).pdf(mean) == pytest.approx(
        np.exp(-(1.5**2) / 2)
    )


def test_a_cut_along_the_normal_is_the_gaussian_of_the_distances(rng: np.random.Generator) -> None:
    A, w, b = rng.normal(size=(3, 3)), np.array([1.0, 2.0, -1.0]), 0.5
    means = rng.normal(size=(2, 3))
    spots, variance = along_normal(means, A @ A.T, w, b)
    rows = rng.multivariate_normal(means[0], A @ A.T, size=200_000) @ w + b
    assert spots[0] == pytest.approx(rows.mean() / np.linalg.norm(w), abs=0.02)
    assert variance == pytest.approx(rows.var() / (w @ w), rel=0.02)
    places = np.linspace(-1, 1, 5)
    assert density(places, 0.3, 2.0) == pytest.approx(norm(0.3, 2.0**0.5).pdf(places))


def test_lines_of_a_glyph_are_perpendicular_to_their_gradients() -> None:
    angles = np.deg2rad([10.0, 50.0, 90.0])
    histograms = np.zeros((2, 3, 3))
    histograms[1, 2] = [1.0, 0.5, 2.0]
    segments = edge_segments(histograms, angles, (4, 6))
    assert segments.shape == (6, 3, 2, 2)
    own = segments[5]  # the last cell of the second row
    assert own.mean(axis=1) == pytest.approx(np.tile([2.5 * 6 - 0.5, 1.5 * 4 - 0.5], (3, 1)))
    lines = own[:, 1] - own[:, 0]
    gradients = np.column_stack([np.cos(angles), np.sin(angles)])
    assert (lines * gradients).sum(axis=1) == pytest.approx(np.zeros(3), abs=1e-12)
    lengths = np.hypot(*lines.T)
    assert lengths / lengths[2] == pytest.approx([0.5, 0.25, 1.0])
    assert lengths[2] <= 4
    assert not np.ptp(segments[:5], axis=2).any()
