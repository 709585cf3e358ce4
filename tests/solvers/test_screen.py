"""The screen passes over nothing that has a loss: weights are the same, bit for bit, without it.

Rows that come one at a time are never screened (only groups of four are), so a stream of single
rows is the referee.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import PassiveAggressive, Perceptron
from rosenblatt.data.rows import rough_dot4, rough_square
from rosenblatt.solvers.screen import best_other, cast_shadow, doubt

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


def test_doubt_covers_what_rough_products_lose() -> None:
    rng = np.random.default_rng(1)
    for scale in (1e-30, 1e-3, 1.0, 1e12):
        X = (rng.standard_normal((8, 500)) * scale).astype(np.float32)
        W = rng.standard_normal((3, 501)) * rng.choice([1e-20, 1.0, 1e6], (3, 1))
        shadow = cast_shadow(W)
        ahead = np.array([rough_dot4(X, (0, 1, 2, 3), w, None) for w in shadow.W])
        exact = W[:, :-1] @ X[:4].astype(np.float64).T
        for b in range(4):
            rough = ahead[0, b] - best_other(ahead, b, 0, W, 0.0)
            true = exact[0, b] - max(exact[1, b], exact[2, b])
            assert abs(rough - true) <= doubt(X, b, shadow.squares)
            assert rough_square(X, b) == pytest.approx(float(X[b].astype(float) @ X[b]), rel=1e-3)
