"""exp and log1p in plain arithmetic, so that the compiler vectorises loops over them.

A call into the mathematics library is never vectorised. Both are accurate to about two units in the
last place in the only range a logistic loss needs: e⁻ˣ for x ≥ 0, and log(1 + e) for 0 ≤ e ≤ 1.
(Division is numpy's: a check for zero would prevent vectorisation.)
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from rosenblatt.kernels.cache import njit

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10  # their sum is log 2
LN2 = 0.6931471805599453
ROUND = 6755399441055744.0  # 1.5 · 2⁵²: adding it rounds to an integer, in the last bits
ONE_BITS = 1023 << 52
MAX_EXPONENT = 708.0  # e⁻⁷⁰⁸ is still a normal number


@intrinsic
def bits_of(_typing: Any, x: Any) -> Any:  # noqa: ARG001
    """Bits of a float64, as an integer."""
    return types.int64(types.float64), lambda c, b, s, a: b.bitcast(a[0], ir.IntType(64))  # noqa: ARG005


@intrinsic
def float_of(_typing: Any, bits: Any) -> Any:  # noqa: ARG001
    """Number with given bits."""
    return types.float64(types.int64), lambda c, b, s, a: b.bitcast(a[0], ir.DoubleType())  # noqa: ARG005


number_bits: Any = bits_of  # an intrinsic's own first argument is not the caller's
bits_number: Any = float_of


@njit(cache=True, forceinline=True, error_model="numpy")
def exp_of_minus(x: float) -> float:
    """Compute e⁻ˣ for x ≥ 0 as 2ᵏ eʳ with −x = k log 2 + r, and the series of eʳ."""
    y = -min(x, MAX_EXPONENT)
    shifted = y * LOG2_E + ROUND
    k = shifted - ROUND
    r = (y - k * LN2_HIGH) - k * LN2_LOW
    s = 1.0 / 479001600.0 * r + 1.0 / 39916800.0
    s = s * r + 1.0 / 3628800.0
    s = s * r + 1.0 / 362880.0
    s = s * r + 1.0 / 40320.0
    s = s * r + 1.0 / 5040.0
    s = s * r + 1.0 / 720.0
    s = s * r + 1.0 / 120.0
    s = s * r + 1.0 / 24.0
    s = s * r + 1.0 / 6.0
    s = s * r + 0.5
    s = (s * r) * r + r + 1.0
    return float(s * bits_number((number_bits(shifted) << 52) + ONE_BITS))


@njit(cache=True, forceinline=True, error_model="numpy")
def log_of_one_plus(e: float) -> float:
    """Compute log(1 + e) for 0 ≤ e ≤ 1 by the series of 2 artanh(f / (2 + f))."""
    above = e > 0.4142135623730951
    f = 0.5 * (e - 1.0) if above else e
    s = f / (2.0 + f)
    z = s * s
    t = z / 21.0 + 1.0 / 19.0
    t = t * z + 1.0 / 17.0
    t = t * z + 1.0 / 15.0
    t = t * z + 1.0 / 13.0
    t = t * z + 1.0 / 11.0
    t = t * z + 1.0 / 9.0
    t = t * z + 1.0 / 7.0
    t = t * z + 0.2
    t = t * z + 1.0 / 3.0
    log = 2.0 * (s + s * z * t)
    return log + LN2 if above else log
