"""The nearest point of a hull: products and orthogonal vectors agree, and quadratic programs do."""

import numpy as np
import pytest
from scipy.optimize import nnls

from rosenblatt.separation.search import min_norm_point
from rosenblatt.separation.search.min_norm_point import Corral, improve, point


def nearest_point(M, corral):
    for _ in range(200):
        p = point(M, corral) if corral.at else M.mean(axis=0)
        height = p @ p if corral.at else np.inf
        if improve(M, corral, M @ p, height * (1 - 1e-12)) == 0:
            break
    return point(M, corral)


def referee(M):
    """Least |Σ λ a|² with Σ λ = 1, as least squares with λ ≥ 0 and a heavy row for the sum."""
    heavy = 1e4
    weights, _ = nnls(
        np.vstack([M.T, np.full(len(M), heavy)]), np.append(np.zeros(M.shape[1]), heavy)
    )
    return (weights / weights.sum()) @ M


@pytest.fixture(params=["products", "orthogonal", "no room"])
def way(request, monkeypatch):
    monkeypatch.setattr(
        min_norm_point, "MIN_GRAM_HEIGHT", 0.0 if request.param == "products" else np.inf
    )
    if request.param == "no room":
        monkeypatch.setattr(min_norm_point, "MAX_ORTHOGONAL_ENTRIES", 0)
    return request.param


@pytest.mark.parametrize("seed", range(5))
def test_the_point_is_the_nearest(way, seed):
    rng = np.random.default_rng(seed)
    M = rng.normal(size=(60, 12)) + 0.6
    corral = Corral()
    p = nearest_point(M, corral)
    assert (corral.Q is not None) == (way == "orthogonal")
    assert (M @ p).min() >= p @ p * (1 - 1e-9)  # Wolfe's condition: no vector is before p
    np.testing.assert_allclose(p, referee(M), rtol=1e-5, atol=1e-7)


@pytest.mark.usefixtures("way")
def test_the_factor_follows_what_comes_and_goes():
    rng = np.random.default_rng(1)
    M = rng.normal(size=(200, 70)) + 0.05
    corral = Corral()
    nearest_point(M, corral)
    k = len(corral.at)
    assert k > 32  # it had to make room
    B = np.hstack([np.ones((k, 1)), M[corral.at]])
    R = corral.R[:k, :k]
    np.testing.assert_allclose(R.T @ R, B @ B.T, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(R.T @ corral.u[:k], np.ones(k), rtol=1e-9)
    if corral.Q is not None:
        np.testing.assert_allclose(R.T @ corral.Q[:k], B, atol=1e-12)


def test_orthogonal_vectors_keep_digits_that_products_lose(monkeypatch):
    """Flat clouds around a point near the origin: squares of their thickness are below rounding."""
    rng = np.random.default_rng(2)
    height = 2.0**-34
    M = np.hstack([rng.normal(size=(60, 8)) * 10.0 ** -np.arange(8), np.full((60, 1), height)])
    truth = np.append(np.zeros(8), height)
    monkeypatch.setattr(min_norm_point, "MIN_GRAM_HEIGHT", 1e-6)
    np.testing.assert_allclose(nearest_point(M, Corral()), truth, atol=1e-4 * height)
    monkeypatch.setattr(min_norm_point, "MIN_GRAM_HEIGHT", 0.0)
    assert np.abs(nearest_point(M, Corral()) - truth).max() > height
