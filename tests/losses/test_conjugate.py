"""The best multiplier of one sample, against a root found by scipy."""

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
@example(share=1.0, margin=5.4777, square=56.4735, c=1.0)  # Newton's steps went back and forth here
@example(share=0.0, margin=-5.4777, square=56.4735, c=1.0)
def test_best_logistic_multiplier_is_where_the_dual_is_flat(
    share: float, margin: float, square: float, c: float
) -> None:
    alpha = share * c

    def slope(z: float) -> float:
        """Of the dual at c σ(z), turned round: it rises with z."""
        return float(square * (c * expit(z) - alpha) + margin + z)

    far = abs(margin) + square * c + 1.0
    wanted = c * expit(brentq(slope, -far, far, xtol=1e-12))
    assert best_alpha(LOGISTIC, alpha, margin, square, c) == pytest.approx(wanted, abs=1e-5 * c)
