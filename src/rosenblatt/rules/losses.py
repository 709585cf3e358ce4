"""Losses of the margin m = y (w·x + b): value and slope of each, written once, for one sample.

==========  ================  ==============================  =======================
loss        value             slope                           source
==========  ================  ==============================  =======================
perceptron  max(0, −m)        −1 where m ≤ 0, else 0          lectures 001, 003
hinge       max(0, 1 − m)     −1 where m < 1, else 0          lecture 000 (SVM)
==========  ================  ==============================  =======================

At the perceptron's kink the slope is −1: a tie is a mistake, because the convergence proof starts
from y (w·x) ≤ 0. (Lecture 001 counts s = 0 with y = +1 as correct; training here does not,
deciding does: class +1 where w·x + b ≥ 0.)

A kernel takes the loss as its integer code; this is the only place that reads it.
"""

from enum import IntEnum

from numba import njit


class Loss(IntEnum):
    """Which loss a rule descends."""

    PERCEPTRON = 0
    HINGE = 1


PERCEPTRON = int(Loss.PERCEPTRON)


@njit(cache=True, forceinline=True)
def value_and_slope(loss: int, margin: float) -> tuple[float, float]:
    """Loss at a margin and its derivative there."""
    if loss == PERCEPTRON:
        return (-margin, -1.0) if margin <= 0.0 else (0.0, 0.0)
    return (1.0 - margin, -1.0) if margin < 1.0 else (0.0, 0.0)


@njit(cache=True, forceinline=True)
def flat_beyond(loss: int) -> float:
    """The margin above which the loss is zero, so that a sample there changes nothing."""
    return 0.0 if loss == PERCEPTRON else 1.0
