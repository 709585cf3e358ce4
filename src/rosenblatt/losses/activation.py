"""What a unit gives at a score s = w·x + b, and how a target t pulls at the score.

==========  ==============  ===============================  ==================
loss        output f        pull, −d/ds of ½ (t − f)²        targets between
==========  ==============  ===============================  ==================
tanh        tanh s          (t − f) (1 − f²)                 −1 and 1
sigmoid     σ(s)            (t − f) f (1 − f)                0 and 1
perceptron  the sign of s   t where t s ≤ 0, else 0          −1 or 1
==========  ==============  ===============================  ==================

At the two ends of their range targets are labels, and this is what losses.py says of the margin.
"""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import SIGMOID, TANH, value_and_derivative
from rosenblatt.types import Floats


def outputs_at(loss: int, scores: Floats) -> Floats:
    """Outputs of a unit at some scores; at the score 0 a hard one gives 1."""
    if loss == TANH:
        return np.tanh(scores)
    if loss == SIGMOID:
        return 0.5 * (1.0 + np.tanh(0.5 * scores))
    return np.where(scores >= 0, 1.0, -1.0)


def target_range(loss: int) -> tuple[float, float]:
    """Least and greatest output: where targets must lie."""
    return (0.0, 1.0) if loss == SIGMOID else (-1.0, 1.0)


@njit(cache=True, forceinline=True)
def value_and_negative_gradient(loss: int, target: float, score: float) -> tuple[float, float]:
    """Loss of an output and its pull at the score."""
    if loss == TANH:
        f = np.tanh(score)
        return 0.5 * (target - f) * (target - f), (target - f) * (1.0 - f * f)
    if loss == SIGMOID:
        f = 0.5 * (1.0 + np.tanh(0.5 * score))
        return 0.5 * (target - f) * (target - f), (target - f) * f * (1.0 - f)
    value, derivative = value_and_derivative(loss, target * score)
    return value, -derivative * target
