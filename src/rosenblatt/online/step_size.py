"""The step size τ of an online update w ← w + τ y x.

==========  =====================================  ======================================
step        τ                                      source
==========  =====================================  ======================================
constant    −η slope                               lecture 001, 002, 003
1/n         −(η / n) slope, n the n-th sample      lecture 004
PA-I        min(C, value / ‖x‖²)                   passive-aggressive I
PA-II       value / (‖x‖² + 1 / (2C))              passive-aggressive II
normalised  −(η / ‖x‖²) slope                      normalised LMS
2nd-order   (1 − m) β, and Σ x in place of x       AROW, second-order perceptron
==========  =====================================  ======================================

In Kesler's construct the sample is the K(d+1)-vector with x at its own class and −x at the rival,
so ‖x‖² is twice that of the row: the caller gives the squared length of what is added.

In the second-order step β = 1 / (xᵀΣx + r), where Σ is the covariance of the weights: it is PA-II
with r = 1 / (2C), but for a Σ that shrinks (online/second_order.py).
"""

from enum import IntEnum

from rosenblatt.kernels.cache import njit


class Step(IntEnum):
    """The step sizes."""

    CONSTANT = 0
    INVERSE = 1
    PASSIVE_AGGRESSIVE_1 = 2
    PASSIVE_AGGRESSIVE_2 = 3
    NORMALISED = 4
    SECOND_ORDER = 5


ZERO_LOSS_TOLERANCE = 1e-12  # a loss set to zero by a step comes back as rounding error
CONSTANT, INVERSE, PASSIVE_AGGRESSIVE_1, PASSIVE_AGGRESSIVE_2, NORMALISED, SECOND_ORDER = (
    int(step) for step in Step
)


@njit(cache=True, forceinline=True)
def learning_rate(step: int, eta: float, n: int) -> float:
    """Learning rate at the n-th sample."""
    return eta / n if step == INVERSE else eta


@njit(cache=True, forceinline=True)
def passive_aggressive_step(step: int, cap: float, value: float, length: float) -> float:
    """Smallest step that brings the loss `value` of a sample with ‖x‖² = `length` to 0, up to C."""
    # a zero row without bias cannot be moved, nor may one that weighs nothing to float64
    if value <= ZERO_LOSS_TOLERANCE or length == 0.0 or cap == 0.0:
        return 0.0
    if step == PASSIVE_AGGRESSIVE_1:
        return min(cap, value / length)
    return value / (length + 0.5 / cap)


@njit(cache=True, forceinline=True)
def normalised_step(eta: float, slope: float, length: float) -> float:
    """Gradient step by η for a sample scaled to norm 1."""
    return 0.0 if length == 0.0 else -eta * slope / length
