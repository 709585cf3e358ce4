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
from rosenblatt.data.rows import rough_dot4, rough_dot12, rough_square4
from rosenblatt.solvers.screen import best_other, cast_shadow, doubt, lengths_of, rough_four

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
    # two classes share all but the last digits: the rough margin says nothing, the exact one does
    rng = np.random.default_rng(0)
    base = rng.standard_normal(300).astype(np.float32)
    X = np.tile(base, (80, 1))
    X[np.arange(80), rng.integers(0, 300, 80)] *= np.float32(1 + 2**-22)
    same_bits_row_by_row(Perceptron(), X, np.arange(80) % 3)


@njit
def rough(X: Any, W: Any, ahead: Any) -> Any:
    rough_four(X, (0, 1, 2, 3), (4, 5, 6, 7), W, ahead)
    return lengths_of(X, (0, 1, 2, 3))


@pytest.mark.parametrize("n_units", [3, 4, 5, 10])
def test_doubt_covers_what_rough_products_lose(n_units: int) -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-30, 1e-3, 1.0, 1e12):
        X = (rng.standard_normal((8, 500)) * scale).astype(np.float32)
        W = rng.standard_normal((n_units, 501)) * rng.choice([1e-20, 1.0, 1e6], (n_units, 1))
        shadow, ahead = cast_shadow(W), np.empty((n_units, 4))
        lengths = rough(X, shadow.W, ahead)
        assert (shadow.lengths >= np.linalg.norm(W[:, :-1], axis=1)).all()
        exact = W[:, :-1] @ X[:4].astype(np.float64).T
        for b in range(4):
            rough_margin = ahead[0, b] - best_other(ahead, b, 0, W, 0.0)
            true_margin = exact[0, b] - exact[1:, b].max()
            assert np.linalg.norm(X[b].astype(float)) <= lengths[b]
            assert abs(rough_margin - true_margin) <= doubt(lengths[b], 500, shadow.lengths)


def test_rough_verbs_have_plain_bodies() -> None:
    X = np.arange(32, dtype=np.float32).reshape(4, 8)
    now = (3, 1, 0, 2)
    W = np.arange(24, dtype=np.float32).reshape(3, 8)
    found = rough_dot12(X, now, W, None, 0)
    assert found == tuple(float(X[i] @ w) for w in W for i in now)
    assert rough_dot4(X, now, W[2], None) == found[8:]
    assert rough_square4(X, now) == tuple(float(X[i] @ X[i]) for i in now)
