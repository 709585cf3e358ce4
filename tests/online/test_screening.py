"""The screen passes over nothing that has a loss: weights are the same, bit for bit, without it.

Rows that come one at a time are never screened (only groups of four are), so a stream of single
rows is the referee.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.kernels.rows import dot4_float32, dot12_float32, square4_float32
from rosenblatt.online.pair_loop import (
    best_rival_score,
    error_bound,
    float32_products,
    norm_bounds,
    round_weights,
)

MODELS = [Perceptron(), Perceptron(fit_intercept=False), PassiveAggressive(C=0.1)]


def same_bits_row_by_row(model: Any, X: np.ndarray, y: np.ndarray) -> None:
    whole = type(model)(**model.get_params()).partial_fit(X, y, classes=np.unique(y))
    rows = type(model)(**model.get_params())
    for i in range(len(y)):
        rows.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.unique(y))
    np.testing.assert_array_equal(whole.coef_, rows.coef_)
    np.testing.assert_array_equal(whole.intercept_, rows.intercept_)
    assert whole.mistakes_ == rows.mistakes_


@pytest.mark.parametrize("model", MODELS, ids=repr)
@given(
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-38, 1e-25, 1e-10, 1.0, 3e7, 1e18]),
    d=st.sampled_from([1, 2, 7, 40]),
    whole_numbers=st.booleans(),
)
def test_no_bit_depends_on_the_screen(
    model: Any, seed: int, scale: float, d: int, *, whole_numbers: bool
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (60, d)) if whole_numbers else rng.standard_normal((60, d))
    y = rng.integers(0, 4, 60)
    y[:4] = range(4)
    same_bits_row_by_row(model, np.ascontiguousarray(X * scale, np.float32), y)


def test_near_ties_are_not_passed_over() -> None:
    # two classes share all but the last digits: the float32 margin says nothing, the exact one does
    rng = np.random.default_rng(0)
    base = rng.standard_normal(300).astype(np.float32)
    X = np.tile(base, (80, 1))
    X[np.arange(80), rng.integers(0, 300, 80)] *= np.float32(1 + 2**-22)
    same_bits_row_by_row(Perceptron(), X, np.arange(80) % 3)


@njit
def float32_norms(X: Any, W: Any, products: Any) -> Any:
    float32_products(X, (0, 1, 2, 3), (4, 5, 6, 7), W, products)
    return norm_bounds(X, (0, 1, 2, 3))


@pytest.mark.parametrize("n_units", [3, 4, 5, 10])
def test_doubt_covers_what_rough_products_lose(n_units: int) -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-30, 1e-3, 1.0, 1e12):
        X = (rng.standard_normal((8, 500)) * scale).astype(np.float32)
        W = rng.standard_normal((n_units, 501)) * rng.choice([1e-20, 1.0, 1e6], (n_units, 1))
        W_float32, products = round_weights(W), np.empty((n_units, 4))
        norms = float32_norms(X, W_float32.W, products)
        assert (W_float32.norms >= np.linalg.norm(W[:, :-1], axis=1)).all()
        exact = W[:, :-1] @ X[:4].astype(np.float64).T
        for b in range(4):
            float32_margin = products[0, b] - best_rival_score(products, b, 0, W, 0.0)
            true_margin = exact[0, b] - exact[1:, b].max()
            assert np.linalg.norm(X[b].astype(float)) <= norms[b]
            assert abs(float32_margin - true_margin) <= error_bound(norms[b], 500, W_float32.norms)


def test_rough_verbs_have_plain_bodies() -> None:
    X = np.arange(32, dtype=np.float32).reshape(4, 8)
    now = (3, 1, 0, 2)
    W = np.arange(24, dtype=np.float32).reshape(3, 8)
    found = dot12_float32(X, now, W, None, 0)
    assert found == tuple(float(X[i] @ w) for w in W for i in now)
    assert dot4_float32(X, now, W[2], None) == found[8:]
    assert square4_float32(X, now) == tuple(float(X[i] @ X[i]) for i in now)
