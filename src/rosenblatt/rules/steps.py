"""How far one sample moves the weights: w ← w + τ y x.

==========  =====================================  ======================================
step        τ                                      source
==========  =====================================  ======================================
constant    −η slope                               lecture 001, 002, 003
1/n         −(η / n) slope, n the n-th sample      lecture 004
closing-1   min(C, value / ‖x‖²)                   passive-aggressive I
closing-2   value / (‖x‖² + 1 / (2C))              passive-aggressive II
normalised  −(η / ‖x‖²) slope                      normalised LMS
confident   (1 − m) β, and Σ x in place of x       AROW, second-order perceptron
==========  =====================================  ======================================

In Kesler's construct the sample is the K(d+1)-vector with x at its own class and −x at the rival,
so ‖x‖² is twice that of the row: the caller gives the squared length of what is added.

In the confident step β = 1 / (xᵀΣx + r), where the covariance Σ says how unsure the weights still
are: it is closing-2 with r = 1 / (2C), but for a Σ that shrinks (solvers/confident.py).
"""

from enum import IntEnum

from rosenblatt.kernel_cache import njit


class Step(IntEnum):
    """Which step length a rule takes."""

    CONSTANT = 0
    INVERSE = 1
    CLOSING_1 = 2
    CLOSING_2 = 3
    NORMALISED = 4
    CONFIDENT = 5


CLOSED = 1e-12  # a loss that was closed once comes back as no more than rounding
CONSTANT, INVERSE, CLOSING_1, CLOSING_2, NORMALISED, CONFIDENT = (int(step) for step in Step)


@njit(cache=True, forceinline=True)
def rate(step: int, eta: float, n: int) -> float:
    """Learning rate at the n-th sample."""
    return eta / n if step == INVERSE else eta


@njit(cache=True, forceinline=True)
def closing(step: int, cap: float, value: float, length: float) -> float:
    """Step that closes the loss `value` of a sample of squared `length`, held back by `cap`."""
    # a zero row without bias cannot be moved, nor may one that weighs nothing to float64
    if value <= CLOSED or length == 0.0 or cap == 0.0:
        return 0.0
    if step == CLOSING_1:
        return min(cap, value / length)
    return value / (length + 0.5 / cap)


@njit(cache=True, forceinline=True)
def normalised(eta: float, slope: float, length: float) -> float:
    """Step down a slope by η for a sample brought to the length 1."""
    return 0.0 if length == 0.0 else -eta * slope / length
