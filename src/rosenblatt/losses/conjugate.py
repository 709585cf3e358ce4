"""One multiplier α of the dual: how it moves, and the best α for a sample when all others rest.

A convex problem ½‖w‖² + Σ c_i loss(y_i w·x_i) has the dual −½‖w‖² + Σ dual(α_i), where
w = Σ α_i y_i x_i and dual(α) is what α earns (see convex.py, which calls α a pull and has the
table of dual(α)).
"""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE, value_and_derivative

MAX_NEWTON_STEPS = 30
SMALL_LOGIT_STEP = (
    0.02  # in the log odds of α: below it a quadratic is as good as another exponential
)
MIN_SHARE_TO_BOUND = 0.1  # of the way to a bound is left, where what α earns bends without end
LARGEST_LOGIT = 700.0  # e to this is still finite
MIN_SPREAD_SHARE = (
    1e-12  # of c: so near a bound a quadratic says nothing of a step that came from afar
)


@njit(cache=True, forceinline=True)
def dual_value(loss: int, alpha: float, c: float) -> float:
    """What α earns; −∞ where the loss does not allow it."""
    if alpha < 0.0 or (alpha > c and loss != SQUARED_HINGE) or (alpha > 0.0 and c == 0.0):
        return -np.inf
    if loss == HINGE or alpha == 0.0:
        return alpha
    if loss == SQUARED_HINGE:
        return alpha - 0.25 * alpha * alpha / c
    rest = c - alpha
    share = alpha / c
    first = -alpha * np.log(share)
    return float(first - rest * np.log1p(-share)) if rest > 0.0 else 0.0


@njit(cache=True, forceinline=True)
def distance_to_bounds(loss: int, alpha: float, c: float) -> float:
    """How far α can be moved either way, and how willingly: nothing where it is at a bound."""
    return alpha if loss == SQUARED_HINGE else alpha * (1.0 - alpha / c)


@njit(cache=True, forceinline=True)
def dual_derivative(loss: int, alpha: float, c: float) -> float:
    """Slope of what α earns."""
    if loss == HINGE:
        return 1.0
    if loss == SQUARED_HINGE:
        return 1.0 - 0.5 * alpha / c
    if not 0.0 < alpha < c:
        return 0.0  # at its very bound it does not move
    return float(np.log((c - alpha) / alpha))


@njit(cache=True, forceinline=True)
def dual_curvature(loss: int, alpha: float, c: float) -> float:
    """How fast that slope falls."""
    if loss == HINGE:
        return 0.0
    if loss == SQUARED_HINGE:
        return 0.5 / c
    return 1.0 / alpha + 1.0 / (c - alpha) if 0.0 < alpha < c else 0.0


@njit(cache=True, forceinline=True)
def clipped(loss: int, alpha: float, before: float, c: float) -> float:
    """The allowed value nearest to α; with the logistic loss, never all the way to a bound."""
    if loss == HINGE:
        return min(max(alpha, 0.0), c)
    if loss == SQUARED_HINGE:
        return max(alpha, 0.0)
    return min(max(alpha, MIN_SHARE_TO_BOUND * before), c - MIN_SHARE_TO_BOUND * (c - before))


@njit(cache=True, forceinline=True)
def best_alpha(loss: int, alpha: float, margin: float, square: float, c: float) -> float:
    """The α with the highest dual objective for a sample of cost c and ‖x‖² = square.

    `margin` is y w·x with its present α inside w.
    """
    if loss == HINGE:
        return min(max(alpha + (1.0 - margin) / square, 0.0), c)
    if loss == SQUARED_HINGE:
        derivative = 1.0 - margin - 0.5 * alpha / c
        return max(alpha + derivative / (square + 0.5 / c), 0.0)
    return _best_logistic(alpha, margin, square, c)


@njit(cache=True, forceinline=True)
def _best_logistic(alpha: float, margin: float, square: float, c: float) -> float:
    """Newton's method in the log odds z of α/c: square (c σ(z) − α) + margin + z = 0.

    The left side rises with z, so its zero lies between −margin and the present log odds.
    """
    p = _sigmoid(-margin)
    spread = p * (1.0 - p)
    step = square * (alpha - c * p) / (1.0 + square * c * spread)
    if abs(step) < SMALL_LOGIT_STEP:
        return c * (p + step * spread * (1.0 + 0.5 * step * (1.0 - 2.0 * p)))
    present = LARGEST_LOGIT if alpha > 0.0 else -LARGEST_LOGIT
    if 0.0 < alpha < c:
        present = np.log(alpha / (c - alpha))
    low, high = min(-margin, present), max(-margin, present)
    z, last = min(max(step - margin, low), high), np.inf
    for _ in range(MAX_NEWTON_STEPS):
        p = _sigmoid(z)
        excess = square * (c * p - alpha) + margin + z
        if excess > 0.0:
            high = z
        else:
            low = z
        step = excess / (1.0 + square * c * p * (1.0 - p))
        if not low <= z - step <= high or 2.0 * abs(step) > last:  # it might go back and forth
            step = z - 0.5 * (low + high)
        elif abs(step) < SMALL_LOGIT_STEP * SMALL_LOGIT_STEP:
            z -= step
            break
        z, last = z - step, abs(step)
    return c * _sigmoid(z)


@njit(cache=True, forceinline=True)
def _sigmoid(z: float) -> float:
    return float(1.0 / (1.0 + np.exp(min(-z, LARGEST_LOGIT))))


@njit(cache=True, forceinline=True)
def dual_increase_of(
    loss: int, before: float, after: float, margin: float, square: float, c: float
) -> float:
    """How much the dual rises when α goes from `before` to its best, `after`.

    For the logistic loss it is a quadratic's, which spares two logarithms: an estimate.
    """
    step = after - before
    if loss == HINGE:
        return step * (1.0 - margin - 0.5 * square * step)
    if loss == SQUARED_HINGE:
        return step * (1.0 - margin - 0.5 * before / c - 0.5 * (square + 0.5 / c) * step)
    spread = after * (1.0 - after / c)
    if spread <= MIN_SPREAD_SHARE * c:
        return abs(step * margin)
    return 0.5 * step * step * (square + 1.0 / spread)


@njit(cache=True, forceinline=True)
def sample_gap(
    loss: int, before: float, after: float, margin: float, square: float, c: float
) -> float:
    """What a sample adds to the gap before its visit, which takes α from `before` to `after`.

    Its loss, and its part of ‖w‖², less what α earns. For the logistic loss it is a quadratic's.
    """
    if loss == LOGISTIC:
        spread = after * (1.0 - after / c)
        return dual_increase_of(loss, before, after, margin, square, c) * (1.0 + square * spread)
    paid = c * value_and_derivative(loss, margin)[0]
    return float(paid + before * margin - dual_value(loss, before, c))
