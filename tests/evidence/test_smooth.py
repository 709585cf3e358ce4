"""The smooth perceptron keeps what its theorem promises, on data whose margin is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.data.toys import rings, separable
from rosenblatt.evidence.search.smooth import most_steps, separator_or_hull, smooth, softmin


def signed(X, y):
    """Vectors y(x, 1), the longest of length 1, and the radius they were divided by."""
    Z = y[:, None] * np.column_stack([X, np.ones(len(X))])
    radius = np.linalg.norm(Z, axis=1).max()
    return Z / radius, radius


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.02])
@pytest.mark.parametrize(("n", "d"), [(10, 1), (300, 2), (2000, 20)])
def test_separates_within_the_steps_of_the_theorem(n, d, margin):
    X, y, truth = separable(n, d, margin)
    M, radius = signed(X, y)
    step = separator_or_hull(M, 0.0)
    assert step.separates
    assert step.k <= most_steps(n, truth.margin / radius)
    assert (M @ step.y > 0).all()


@given(st.integers(0, 100), st.floats(0.01, 0.5))
def test_the_margin_lies_between_the_weights_and_the_hull(seed, margin):
    X, y, truth = separable(50, 3, margin, seed=seed)
    M, radius = signed(X, y)
    for step in smooth(M):
        gamma = truth.margin / radius
        assert step.slack.min() / np.linalg.norm(step.y) <= gamma * (1 + 1e-9)
        assert step.length >= gamma * (1 - 1e-9)
        assert step.x.min() >= 0
        assert step.x.sum() == pytest.approx(1)
        if step.k == 30:
            break


@pytest.mark.parametrize("epsilon", [0.1, 0.01])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, np.float32])
def test_the_hull_comes_near_the_origin_where_nothing_separates(storage, epsilon):
    X, y, _ = rings(200)
    M, _ = signed(X, y)
    step = separator_or_hull(storage(M), epsilon)
    assert not step.separates
    assert step.length <= epsilon
    assert step.k <= most_steps(len(M), epsilon) + 1
    assert np.linalg.norm(M.T @ step.x) == pytest.approx(step.length, rel=1e-4)


def test_as_long_as_nothing_separates_the_hull_shrinks_with_the_steps():
    X, y, _ = rings(100)
    M, _ = signed(X, y)
    for step in smooth(M):
        assert step.length <= 2 * np.sqrt(2 * np.log(len(M))) / (step.k + 1)
        if step.k == 200:
            break


def test_softmin_counts_the_most_wrong_most():
    slack = np.array([3.0, -1.0, 0.5])
    assert softmin(slack, 1e3) == pytest.approx(np.full(3, 1 / 3), rel=1e-2)
    assert softmin(slack, 1e-3).tolist() == [0, 1, 0]
