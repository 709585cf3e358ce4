"""The plane that is looked at keeps what is told about it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.geometry.projection import Projection


@given(st.integers(3, 12), st.integers(2, 40), st.integers(0, 10_000))
def test_one_unit_keeps_its_signed_distances(d: int, n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, w, b = rng.normal(size=(n, d)), rng.normal(size=d), rng.normal()
    seen = Projection.of(X, w, b)
    assert seen.points(X)[:, 0] == pytest.approx((X @ w + b) / np.linalg.norm(w))
    assert seen.axes @ seen.axes.T == pytest.approx(np.eye(2), abs=1e-9)
    W, bias = seen.project_weights(w, b)
    assert W[0] == pytest.approx([np.linalg.norm(w), 0])
    assert bias == pytest.approx([0], abs=1e-9)


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e140])
@pytest.mark.parametrize("weight", [1e-150, 1.0, 1e160])
def test_distances_are_kept_at_any_scale(
    rng: np.random.Generator, scale: float, weight: float
) -> None:
    X, w, b = scale * rng.normal(size=(20, 4)), weight * rng.normal(size=4), scale * weight
    seen = Projection.of(X, w, b)
    expected = (X / scale) @ (w / weight) / np.linalg.norm(w / weight)
    assert seen.points(X)[:, 0] / scale == pytest.approx(
        expected + 1 / np.linalg.norm(w / weight), rel=1e-9
    )
    assert seen.axes @ seen.axes.T == pytest.approx(np.eye(2), abs=1e-9)


def test_rows_far_from_the_origin_vary_as_near_it(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 4)) * [1, 4, 2, 1]
    near, far = Projection.of(X, [1, 0, 0, 0], 0), Projection.of(X + 1e7, [1, 0, 0, 0], -1e7)
    assert far.axes == pytest.approx(near.axes, abs=1e-6)


def test_up_is_the_largest_variance_of_the_rest(rng: np.random.Generator) -> None:
    """The referee: the first singular vector of the rows less their parts along w."""
    X, w = rng.normal(size=(60, 5)) * [1, 5, 1, 3, 1], np.array([1.0, 2, 0, 0, 1])
    unit = w / np.linalg.norm(w)
    rest = X - X.mean(axis=0)
    rest = rest - np.outer(rest @ unit, unit)
    expected = np.linalg.svd(rest)[2][0]
    assert abs(Projection.of(X, w, 0.0).axes[1] @ expected) == pytest.approx(1)


def test_other_weights_are_scored_as_on_the_plane(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 4))
    seen = Projection.of(X, rng.normal(size=4), 1.0)
    W, b = rng.normal(size=(3, 4)), rng.normal(size=3)
    on_plane = seen.origin + seen.points(X) @ seen.axes
    flat, bias = seen.project_weights(W, b)
    assert seen.points(X) @ flat.T + bias == pytest.approx(on_plane @ W.T + b)


@given(st.integers(3, 9), st.integers(0, 10_000))
def test_three_classes_are_decided_in_the_plane_as_in_space(d: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, W, b = rng.normal(size=(30, d)), rng.normal(size=(3, d)), rng.normal(size=3)
    seen = Projection.of(X, W, b)
    flat, bias = seen.project_weights(W, b)
    assert seen.exact
    there, here = seen.points(X) @ flat.T + bias, X @ W.T + b
    assert there - there[:, :1] == pytest.approx(here - here[:, :1])


def test_more_classes_are_seen_in_a_slice(rng: np.random.Generator) -> None:
    X, W = rng.normal(size=(30, 6)), rng.normal(size=(5, 6))
    seen = Projection.of(X, W, np.zeros(5))
    assert not seen.exact
    assert seen.axes @ seen.axes.T == pytest.approx(np.eye(2), abs=1e-9)
    assert seen.points(X).mean(axis=0) == pytest.approx([0, 0], abs=1e-9)


def test_two_features_are_seen_as_they_are(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5, 2))
    seen = Projection.of(X, [1, 2], 3, names=["width", "length"])
    assert (seen.points(X).tolist(), seen.names) == (X.tolist(), ("width", "length"))


def test_one_feature_is_a_strip() -> None:
    seen = Projection.of(np.array([[1.0], [2.0]]), [2], -3)
    assert seen.points(np.array([[1.0], [2.0]])).tolist() == [[1, 0], [2, 0]]
    W, b = seen.project_weights([2], -3)
    assert (W.tolist(), b.tolist(), seen.names) == ([[2, 0]], [-3], ("x1", ""))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_rows_are_seen_as_dense_ones(rng: np.random.Generator, kind: type) -> None:
    X = rng.normal(size=(700, 6)) * (rng.random((700, 6)) < 0.4)
    w = rng.normal(size=6)
    dense, thin = Projection.of(X, w, 0.5), Projection.of(kind(X), w, 0.5)
    assert thin.axes == pytest.approx(dense.axes)
    assert thin.points(kind(X)) == pytest.approx(dense.points(X))


@pytest.mark.parametrize("units", [np.zeros((1, 4)), np.ones((3, 4)), np.eye(1, 4)])
@pytest.mark.parametrize("rows", [np.zeros((3, 4)), np.full((1, 4), 7.0), np.eye(4)])
def test_there_is_always_a_plane(units: np.ndarray, rows: np.ndarray) -> None:
    """No weights, equal weights; rows that are all the same, or only one."""
    seen = Projection.of(rows, units, np.zeros(len(units)))
    assert seen.axes @ seen.axes.T == pytest.approx(np.eye(2), abs=1e-9)
    assert np.isfinite(seen.points(rows)).all()
