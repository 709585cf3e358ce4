"""Activations f(s) of a score s = w·x + b, and the squared error to a target t.

==========  ==============  ===============================  ==================
loss        output f        −d/ds of ½ (t − f)²              targets
==========  ==============  ===============================  ==================
tanh        tanh s          (t − f) (1 − f²)                 from −1 to 1
sigmoid     σ(s)            (t − f) f (1 − f)                from 0 to 1
perceptron  the sign of s   t where t s ≤ 0, else 0          −1 or 1
==========  ==============  ===============================  ==================

At the two ends of their range targets are labels, and these are the losses of margin_losses.py.
"""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import SIGMOID, TANH, value_and_derivative
from rosenblatt.types import Floats


def outputs_at(loss: int, scores: Floats) -> Floats:
    """Outputs f(s) at some scores; the sign of 0 is 1."""
    if loss == TANH:
        return np.tanh(scores)
    if loss == SIGMOID:
        return 0.5 * (1.0 + np.tanh(0.5 * scores))
    return np.where(scores >= 0, 1.0, -1.0)


def target_range(loss: int) -> tuple[float, float]:
    """Smallest and largest output, the range of targets."""
    return (0.0, 1.0) if loss == SIGMOID else (-1.0, 1.0)


@njit(cache=True, forceinline=True)
def value_and_negative_gradient(loss: int, target: float, score: float) -> tuple[float, float]:
    """Squared error of an output, and its negative derivative by the score."""
    if loss == TANH:
        f = np.tanh(score)
        return 0.5 * (target - f) * (target - f), (target - f) * (1.0 - f * f)
    if loss == SIGMOID:
        f = 0.5 * (1.0 + np.tanh(0.5 * score))
        return 0.5 * (target - f) * (target - f), (target - f) * f * (1.0 - f)
    value, derivative = value_and_derivative(loss, target * score)
    return value, -derivative * target
