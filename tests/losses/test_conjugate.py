"""The best dual variable of one row, against a root found by scipy."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from rosenblatt.losses.conjugate import best_alpha
from rosenblatt.losses.margin_losses import LOGISTIC


@given(
    share=st.sampled_from([0.0, 1e-9, 0.2, 0.5, 1.0 - 1e-9, 1.0]),
    margin=st.floats(-60.0, 60.0),
    square=st.floats(1e-3, 1e4),
    c=st.floats(1e-2, 1e2),
)
@example(share=1.0, margin=5.4777, square=56.4735, c=1.0)  # Newton's method oscillated here
@example(share=0.0, margin=-5.4777, square=56.4735, c=1.0)
def test_best_logistic_alpha_is_a_stationary_point(
    share: float, margin: float, square: float, c: float
) -> None:
    alpha = share * c

    def negative_derivative(z: float) -> float:
        """Negative derivative of D at α = C σ(z): it rises with z."""
        return float(square * (c * expit(z) - alpha) + margin + z)

    far = abs(margin) + square * c + 1.0
    wanted = c * expit(brentq(negative_derivative, -far, far, xtol=1e-12))
    assert best_alpha(LOGISTIC, alpha, margin, square, c) == pytest.approx(wanted, abs=1e-5 * c)
