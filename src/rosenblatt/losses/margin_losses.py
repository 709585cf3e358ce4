"""Losses of the margin m = y (w·x + b): value and derivative of each, written once, for one row.

=============  ================  ==============================  =======================
loss           value             derivative                      source
=============  ================  ==============================  =======================
perceptron     max(0, −m)        −1 where m ≤ 0, else 0          lectures 001, 003
hinge          max(0, 1 − m)     −1 where m < 1, else 0          lecture 000 (SVM)
squared hinge  max(0, 1 − m)²    −2 max(0, 1 − m)                LIBLINEAR's L2 loss
square         (1 − m)² / 2      m − 1                           lecture 002 (LMS)
tanh           (1 − t)² / 2      −(1 − t) (1 − t²), t = tanh m   lectures 002, 004
sigmoid        a² / 2            −a² (1 − a), a = σ(−m)          lecture 002, eq. 13
logistic       log(1 + e⁻ᵐ)      −σ(−m)                          lectures 000, 003
=============  ================  ==============================  =======================

Square, tanh and sigmoid are half the squared error e of an output: e = y − s, e = y − tanh s, and,
with the targets 0 and 1, e = (y + 1)/2 − σ(s). From square on the losses have no flat part, so
every sample changes the weights.

At the perceptron's kink the derivative is −1: a tie is a mistake, because the convergence proof
starts from y (w·x) ≤ 0. (Lecture 001 counts s = 0 with y = +1 as correct; training here does not,
prediction does: class +1 where w·x + b ≥ 0.)

Compiled code takes the loss as its integer code.
"""

from enum import IntEnum

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.exp import exp_of_minus, log_of_one_plus


class Loss(IntEnum):
    """The loss that a rule minimises."""

    PERCEPTRON = 0
    HINGE = 1
    SQUARED_HINGE = 2
    SQUARE = 3
    TANH = 4
    SIGMOID = 5
    LOGISTIC = 6


PERCEPTRON, HINGE, SQUARED_HINGE, SQUARE, TANH, SIGMOID, LOGISTIC = (int(loss) for loss in Loss)
NEVER_FLAT = SQUARE  # this loss and those after it are zero on no half-line


@njit(cache=True, forceinline=True, error_model="numpy")
def value_and_derivative(loss: int, margin: float) -> tuple[float, float]:  # noqa: PLR0911
    """Loss at a margin and its derivative there."""
    if loss == PERCEPTRON:
        return (-margin, -1.0) if margin <= 0.0 else (0.0, 0.0)
    if loss == HINGE:
        return (1.0 - margin, -1.0) if margin < 1.0 else (0.0, 0.0)
    if loss == SQUARED_HINGE:
        short = max(0.0, 1.0 - margin)
        return short * short, -2.0 * short
    if loss == SQUARE:
        return 0.5 * (1.0 - margin) * (1.0 - margin), margin - 1.0
    if loss == TANH:
        t = np.tanh(margin)
        return 0.5 * (1.0 - t) * (1.0 - t), -(1.0 - t) * (1.0 - t * t)
    if loss == LOGISTIC:
        e = exp_of_minus(abs(margin))
        a = (e if margin > 0.0 else 1.0) / (1.0 + e)
        return log_of_one_plus(e) + max(0.0, -margin), -a
    a = 0.5 * (1.0 - np.tanh(0.5 * margin))  # σ(−m), which has nothing to overflow here
    return 0.5 * a * a, -a * a * (1.0 - a)


@njit(cache=True, forceinline=True, error_model="numpy")
def flat_beyond(loss: int) -> float:
    """Margin above which the loss is zero, so that a row there changes nothing."""
    if loss >= NEVER_FLAT:
        return np.inf
    return 0.0 if loss == PERCEPTRON else 1.0
