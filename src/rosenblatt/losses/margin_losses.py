"""Losses of the margin, and activations, each with its derivative."""

from enum import IntEnum

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.exp import exp_of_minus, log_of_one_plus
from rosenblatt.types import Floats


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
QUADRATIC = (SQUARED_HINGE, SQUARE)  # their derivatives grow with the error: steps may, too
BOUNDED = (TANH, SIGMOID)  # their outputs saturate, where the derivative is next to 0


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


def may_diverge(loss: int) -> bool:
    """Whether steps that are too large may leave float64, or saturate, on rows of any size."""
    return loss >= NEVER_FLAT or loss in QUADRATIC


def outputs_at(loss: int, scores: Floats) -> Floats:
    """Outputs f(s) at some scores; the sign of 0 is 1."""
    if loss == TANH:
        return np.tanh(scores)
    if loss == SIGMOID:
        return 0.5 * (1.0 + np.tanh(0.5 * scores))
    return np.where(scores >= 0, 1.0, -1.0)


def relative_derivatives(loss: int, scores: Floats) -> Floats:
    """Derivatives f′(s) of the output of a bounded loss, divided by the largest, f′(0)."""
    return 1.0 - np.tanh(scores if loss == TANH else 0.5 * scores) ** 2


def target_range(loss: int) -> tuple[float, float]:
    """Smallest and largest output, the range of targets."""
    return (0.0, 1.0) if loss == SIGMOID else (-1.0, 1.0)


@njit(cache=True, forceinline=True)
def value_and_negative_gradient(loss: int, target: float, score: float) -> tuple[float, float]:
    """Squared error of an output, and its negative derivative by the score."""
    if loss == SQUARE:
        return 0.5 * (target - score) * (target - score), target - score
    if loss == TANH:
        f = np.tanh(score)
        return 0.5 * (target - f) * (target - f), (target - f) * (1.0 - f * f)
    if loss == SIGMOID:
        f = 0.5 * (1.0 + np.tanh(0.5 * score))
        return 0.5 * (target - f) * (target - f), (target - f) * f * (1.0 - f)
    value, derivative = value_and_derivative(loss, target * score)
    return value, -derivative * target
