"""Convex losses with their conjugates, the smoothed hinge, and the α that maximises the dual D."""

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE, value_and_derivative


@njit(cache=True, forceinline=True, error_model="numpy")
def loss_alpha_curvature(
    loss: int, margin: float, c: float, prox_center: float, inverse_smoothing: float
) -> tuple[float, float, float]:
    """Loss C ℓ of a row at its margin, α = −C ℓ′ and curvature C ℓ″.

    α and curvature of the hinge are those of the smoothed hinge. For the other losses
    dual(α) = C ℓ + α m.
    """
    if loss == HINGE:
        shortfall = 1.0 - margin
        curvature = c * inverse_smoothing
        unclipped = prox_center + curvature * shortfall
        alpha = min(max(unclipped, 0.0), c)
        return c * max(shortfall, 0.0), alpha, curvature if alpha == unclipped else 0.0
    value, derivative = value_and_derivative(loss, margin)
    if loss == SQUARED_HINGE:
        return c * value, -c * derivative, 2.0 * c if margin < 1.0 else 0.0
    return c * value, -c * derivative, -c * derivative * (1.0 + derivative)


MAX_NEWTON_STEPS = 30
SMALL_LOGIT_STEP = 0.02  # of the log odds of α: below it a quadratic model is exact enough
MIN_SHARE_TO_BOUND = 0.1  # of the distance to a bound is kept: there the curvature is infinite
LARGEST_LOGIT = 700.0  # e to this is still finite
MIN_SPREAD_SHARE = 1e-12  # of C: nearer to a bound a quadratic model says nothing of a long step


@njit(cache=True, forceinline=True)
def dual_value(loss: int, alpha: float, c: float) -> float:
    """dual(α), the term of α in D; −∞ outside of its bounds."""
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


@njit(cache=True, forceinline=True, error_model="numpy")
def distance_to_bounds(loss: int, alpha: float, c: float) -> float:
    """α (1 − α/C), or α where it has no upper bound: 0 at a bound, where it must not change."""
    return alpha if loss == SQUARED_HINGE or c == 0.0 else alpha * (1.0 - alpha / c)


@njit(cache=True, forceinline=True)
def dual_derivative(loss: int, alpha: float, c: float) -> float:
    """Derivative of dual(α)."""
    if loss == HINGE:
        return 1.0
    if loss == SQUARED_HINGE:
        return 1.0 - 0.5 * alpha / c
    if not 0.0 < alpha < c:
        return 0.0  # at a bound α does not change
    return float(np.log((c - alpha) / alpha))


@njit(cache=True, forceinline=True)
def dual_curvature(loss: int, alpha: float, c: float) -> float:
    """Negative second derivative of dual(α)."""
    if loss == HINGE:
        return 0.0
    if loss == SQUARED_HINGE:
        return 0.5 / c
    return 1.0 / alpha + 1.0 / (c - alpha) if 0.0 < alpha < c else 0.0


@njit(cache=True, forceinline=True)
def clipped(loss: int, alpha: float, before: float, c: float) -> float:
    """α clipped to its bounds; with the logistic loss, to a part of the way to them."""
    if loss == HINGE:
        return min(max(alpha, 0.0), c)
    if loss == SQUARED_HINGE:
        return max(alpha, 0.0)
    return min(max(alpha, MIN_SHARE_TO_BOUND * before), c - MIN_SHARE_TO_BOUND * (c - before))


@njit(cache=True, forceinline=True)
def best_alpha(loss: int, alpha: float, margin: float, square: float, c: float) -> float:
    """The α that maximises D for a row with C = c and ‖x‖² = square, all others fixed.

    `margin` is y w·x, its current α included in w.
    """
    if loss == HINGE:
        return min(max(alpha + (1.0 - margin) / square, 0.0), c)
    if loss == SQUARED_HINGE:
        derivative = 1.0 - margin - 0.5 * alpha / c
        return max(alpha + derivative / (square + 0.5 / c), 0.0)
    return _best_logistic(alpha, margin, square, c)


@njit(cache=True, forceinline=True)
def _best_logistic(alpha: float, margin: float, square: float, c: float) -> float:
    """Newton's method in the log odds z of the new α/C: square (C σ(z) − α) + margin + z = 0.

    The left side rises with z, so its zero lies between −margin and the current log odds.
    """
    p = _sigmoid(-margin)
    spread = p * (1.0 - p)
    step = square * (alpha - c * p) / (1.0 + square * c * spread)
    if abs(step) < SMALL_LOGIT_STEP:
        return c * (p + step * spread * (1.0 + 0.5 * step * (1.0 - 2.0 * p)))
    current = LARGEST_LOGIT if alpha > 0.0 else -LARGEST_LOGIT
    if 0.0 < alpha < c:
        current = np.log(alpha / (c - alpha))
    low, high = min(-margin, current), max(-margin, current)
    z, last = min(max(step - margin, low), high), np.inf
    for _ in range(MAX_NEWTON_STEPS):
        p = _sigmoid(z)
        excess = square * (c * p - alpha) + margin + z
        if excess > 0.0:
            high = z
        else:
            low = z
        step = excess / (1.0 + square * c * p * (1.0 - p))
        if not low <= z - step <= high or 2.0 * abs(step) > last:  # it might oscillate: bisect
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
    """Increase of D when α changes from `before` to its best, `after`.

    For the logistic loss it is estimated by a quadratic model, which saves two logarithms.
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
    """Gap C ℓ(m) + α m − dual(α) of a row before its visit changes α from `before` to `after`.

    For the logistic loss it is estimated by a quadratic model.
    """
    if loss == LOGISTIC:
        spread = after * (1.0 - after / c)
        return dual_increase_of(loss, before, after, margin, square, c) * (1.0 + square * spread)
    loss_value = c * value_and_derivative(loss, margin)[0]
    return float(loss_value + before * margin - dual_value(loss, before, c))
