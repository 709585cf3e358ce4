"""exp and log1p in plain arithmetic, against numpy's in long double."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.kernels.exp import MAX_EXPONENT, exp_of_minus, log_of_one_plus

ULP = 2.0**-52
FEW = 4 * ULP


@given(st.floats(0.0, MAX_EXPONENT))
def test_exp_is_good_to_two_bits(x: float) -> None:
    exact = np.exp(-np.longdouble(x))
    assert abs(exp_of_minus(x) - exact) <= FEW * exact


@given(st.floats(exp_of_minus(MAX_EXPONENT), 1.0))
def test_log_is_good_to_two_bits(e: float) -> None:
    exact = np.log1p(np.longdouble(e))
    assert abs(log_of_one_plus(e) - exact) <= FEW * exact


def test_the_ends() -> None:
    assert exp_of_minus(0.0) == 1.0
    assert log_of_one_plus(0.0) == 0.0
    assert 0.0 < exp_of_minus(1e300) < 1e-300
    assert np.isnan(exp_of_minus(np.nan))
