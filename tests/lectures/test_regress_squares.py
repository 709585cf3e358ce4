"""Least squares (lecture 002), Fisher's criterion (003) and LDA (000), with the decks' numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import FisherDiscriminant, LeastSquares, LinearDiscriminant, builtin, load, save
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Floats

POINTS, IRIS = builtin("4f10"), builtin("iris")
STORAGES: dict[str, Callable[[Floats], Any]] = {
    "dense": lambda X: X,
    "csr": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
}


def scatters(X: Floats, y: Array, weights: Floats) -> tuple[Floats, Floats]:
    """S_w and S_b as the slides define them, S_b of several classes as textbooks do."""
    classes = np.unique(y)
    n = np.array([weights[y == c].sum() for c in classes])
    means = np.array([np.average(X[y == c], axis=0, weights=weights[y == c]) for c in classes])
    centred = (X - means[np.searchsorted(classes, y)]) * np.sqrt(weights)[:, None]
    gaps = means - np.average(means, axis=0, weights=n)
    between = (gaps * n[:, None]).T @ gaps
    if len(classes) == 2:
        between = np.outer(means[1] - means[0], means[1] - means[0])
    return centred.T @ centred, between


# --- lecture 003 ----------------------------------------------------------------------------------


def test_the_numbers_of_lecture_003() -> None:
    model = FisherDiscriminant().fit(POINTS.X, POINTS.y)
    np.testing.assert_allclose(model.means_, [[0.1375, 0.6], [0.825, 0.5]], atol=1e-15)
    np.testing.assert_allclose(model.within_scatter_, [[0.2044, 0.03], [0.03, 1.24]], atol=5e-5)
    np.testing.assert_allclose(model.coef_, [[3.3878, -0.1626]], atol=5e-5)
    np.testing.assert_allclose(model.intercept_, [-1.4432], atol=5e-5)
    gap = model.means_[1] - model.means_[0]
    np.testing.assert_allclose(model.between_scatter_, np.outer(gap, gap), rtol=1e-12)
    w = model.coef_[0]
    # (ŵ'S_b ŵ) S_w ŵ = (ŵ'S_w ŵ) S_b ŵ: where the gradient of E(w) is zero
    S_b, S_w = model.between_scatter_, model.within_scatter_
    np.testing.assert_allclose((w @ S_b @ w) * S_w @ w, (w @ S_w @ w) * S_b @ w, rtol=1e-9)
    assert model.criterion(w) == pytest.approx((w @ S_b @ w) / (w @ S_w @ w), rel=1e-12)
    assert model.criterion(w) == pytest.approx(gap @ np.linalg.solve(S_w, gap), rel=1e-9)


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**20),
    n_classes=st.integers(2, 4),
    storage=st.sampled_from(list(STORAGES)),
)
def test_no_direction_beats_fishers(seed: int, n_classes: int, storage: str) -> None:
    rng = np.random.default_rng(seed)
    y = np.arange(40) % n_classes
    X = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 2 * rng.normal(size=(n_classes, 3))[y]
    X = X.astype(np.float32).astype(float)
    weights = rng.integers(1, 4, 40).astype(float)
    model = FisherDiscriminant().fit(STORAGES[storage](X), y, weights)
    S_w, S_b = scatters(X, y, weights)
    np.testing.assert_allclose(model.within_scatter_, S_w, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.between_scatter_, S_b, rtol=1e-9, atol=1e-9)
    best = model.criterion(model.coef_ if n_classes == 2 else model.scalings_[:, 0])
    for w in [*rng.normal(size=(20, 3)), *np.eye(3)]:
        assert model.criterion(w) == pytest.approx((w @ S_b @ w) / (w @ S_w @ w), rel=1e-9)
        assert model.criterion(-1e200 * w) == pytest.approx(model.criterion(w), rel=1e-12)
        assert model.criterion(w) <= best * (1 + 1e-9)


def test_scatters_come_back_from_a_file(tmp_path: Path) -> None:
    model = FisherDiscriminant().fit(IRIS.X, IRIS.y)
    save(model, tmp_path / "fisher")
    again = load(tmp_path / "fisher")
    assert again.within_scatter_.tolist() == model.within_scatter_.tolist()
    assert again.criterion([1, 0, 0, 0]) == model.criterion([1, 0, 0, 0])


def test_directions_that_have_no_criterion() -> None:
    X, y = np.array([[0.0, 1, 5], [0, 2, 5], [1, 1, 5], [1, 3, 5]]), [0, 0, 1, 1]
    model = FisherDiscriminant().fit(X, y)
    assert model.criterion([1, 0, 0]) == np.inf
    assert model.criterion([0, 1, 0]) < np.inf
    refused = ([0, 0, 1], "same projection"), ([1, 2], "3 numbers"), ([0] * 3, "not all 0")
    for bad, words in refused:
        with pytest.raises(DataError, match=words):
            model.criterion(bad)
    by_hand = FisherDiscriminant()
    by_hand.classes_, by_hand.coef_ = np.arange(2), [[1.0, 2.0]]
    assert not hasattr(by_hand, "within_scatter_")
    assert not hasattr(FisherDiscriminant(), "between_scatter_")


# --- lecture 002 ----------------------------------------------------------------------------------


@pytest.mark.parametrize("storage", STORAGES)
def test_the_two_equations_and_the_extended_form(storage: str) -> None:
    """Eq. 7, w = (XXᵀ)⁻¹X(y − b1) and b = mean(y − wᵀx), and eq. 8 with a constant in x."""
    X, y = IRIS.X[:100].astype(np.float32).astype(float), np.where(np.arange(100) < 50, -1.0, 1.0)
    model = LeastSquares().fit(STORAGES[storage](X), y)
    w, b = model.coef_[0], model.intercept_[0]
    np.testing.assert_allclose(w, np.linalg.solve(X.T @ X, X.T @ (y - b)), rtol=1e-9)
    assert b == pytest.approx(np.mean(y - X @ w), rel=1e-9)
    extended = np.column_stack([X, np.ones(100)])
    wanted = np.linalg.solve(extended.T @ extended, extended.T @ y)
    np.testing.assert_allclose([*w, b], wanted, rtol=1e-9)


# --- lecture 000 ----------------------------------------------------------------------------------


def test_lda_is_a_sigmoid_of_a_linear_score() -> None:
    """w = Σ⁻¹(m₁ − m₀), b = ½ (m₀ᵀΣ⁻¹m₀ − m₁ᵀΣ⁻¹m₁) + log P(1)/P(0)."""
    X, y = IRIS.X[60:], IRIS.y[60:]
    model = LinearDiscriminant().fit(X, y)
    m0, m1 = model.means_
    inverse = np.linalg.inv(model.covariance_)
    w = inverse @ (m1 - m0)
    b = 0.5 * (m0 @ inverse @ m0 - m1 @ inverse @ m1) + np.log(50 / 40)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-9)
    posterior = 1 / (1 + np.exp(-(X @ w + b)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], posterior, rtol=1e-9)
