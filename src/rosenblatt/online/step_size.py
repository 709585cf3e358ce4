"""The step size τ of an online update w ← w + τ y x.

==========  =====================================  ======================================
step        τ                                      source
==========  =====================================  ======================================
constant    −η ℓ′(m)                               lecture 001, 002, 003
1/n         −(η / n) ℓ′(m), at the n-th sample     lecture 004
PA-I        min(C, ℓ(m) / ‖x‖²)                    passive-aggressive I
PA-II       ℓ(m) / (‖x‖² + 1 / (2C))               passive-aggressive II
normalised  −(η / ‖x‖²) ℓ′(m)                      normalised LMS
2nd-order   (1 − m) β, and Σ x in place of x       AROW, second-order perceptron
==========  =====================================  ======================================

In Kesler's construct the sample is the K(d+1)-vector with x at its own class and −x at the rival,
so ‖x‖² is twice that of the row: the caller passes the squared norm of the vector added.

In the second-order step β = 1 / (xᵀΣx + r), where Σ is the covariance of the weights: it is PA-II
with r = 1 / (2C), except that Σ shrinks (online/second_order.py).
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


ZERO_LOSS_TOLERANCE = 1e-12  # a loss that a step set to zero is a rounding error
CONSTANT, INVERSE, PASSIVE_AGGRESSIVE_1, PASSIVE_AGGRESSIVE_2, NORMALISED, SECOND_ORDER = (
    int(step) for step in Step
)


@njit(cache=True, forceinline=True)
def learning_rate(step: int, eta: float, n: int) -> float:
    """Learning rate at the n-th sample."""
    return eta / n if step == INVERSE else eta


@njit(cache=True, forceinline=True)
def passive_aggressive_step(step: int, cap: float, loss: float, squared_norm: float) -> float:
    """Smallest step that reduces the loss of a sample to 0, at most C."""
    # a row of zeros without an intercept has no step, nor has one whose weight underflows
    if loss <= ZERO_LOSS_TOLERANCE or squared_norm == 0.0 or cap == 0.0:
        return 0.0
    if step == PASSIVE_AGGRESSIVE_1:
        return min(cap, loss / squared_norm)
    return loss / (squared_norm + 0.5 / cap)


@njit(cache=True, forceinline=True)
def normalised_step(eta: float, derivative: float, squared_norm: float) -> float:
    """Gradient step by η for a sample scaled to norm 1."""
    return 0.0 if squared_norm == 0.0 else -eta * derivative / squared_norm
