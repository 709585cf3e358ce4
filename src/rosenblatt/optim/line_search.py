"""The line search of Newton's method: where the derivative along the step has all but vanished.

φ(t) = P(w + t d) is convex, so φ′ rises with t, and its sign shows on which side of the minimum t
lies. A step is accepted where |φ′(t)| ≤ 0.1 |φ′(0)| (the curvature condition of the strong Wolfe
conditions; Nocedal & Wright, §3.1), or at the first t = 1, 2, 4 … with φ′(t) between half and a
tenth of φ′(0). φ′ needs the margins along the step, but not the rows.
"""

from collections.abc import Callable

from rosenblatt.types import Floats

MAX_DERIVATIVE_RATIO = 0.1  # |φ′(t)| / |φ′(0)| of an accepted step
MIN_EXPANSION_RATIO = 0.5  # where φ′ still falls more steeply than this, t is doubled
MAX_STEP_LENGTH = 1e9
MAX_BRACKET_STEPS = 20
MIN_BRACKET_SHARE = 0.1  # of the bracket: regula falsi stays this far away from its ends


def derivative_along(
    l2: float, w: Floats, direction: Floats, loss_derivative: Callable[[float], float]
) -> Callable[[float], float]:
    """φ′(t) = ρ w·d + t ρ d·d + the derivative of the losses, without the intercept in w and d."""
    l2_grad_dot_dir, l2_curvature = l2 * float(w @ direction), l2 * float(direction @ direction)
    return lambda t: l2_grad_dot_dir + t * l2_curvature + loss_derivative(t)


def line_search(derivative: Callable[[float], float], derivative_at_zero: float) -> float:
    """Step length at which the derivative of a convex function has all but vanished; 1 first.

    It is 0 where the direction is not a descent direction: only rounding is left then.
    """
    if derivative_at_zero >= 0.0:
        return 0.0
    accepted = -MAX_DERIVATIVE_RATIO * derivative_at_zero
    near, far = 0.0, 1.0
    low, high = derivative_at_zero, derivative(1.0)
    while high < MIN_EXPANSION_RATIO * derivative_at_zero:
        near, low, far = far, high, 2.0 * far
        high = derivative(far)
        if far > MAX_STEP_LENGTH:
            return far
    if high <= accepted:
        return far
    for _ in range(MAX_BRACKET_STEPS):
        share = min(max(low / (low - high), MIN_BRACKET_SHARE), 1.0 - MIN_BRACKET_SHARE)
        t = near + (far - near) * share
        now = derivative(t)
        if abs(now) <= accepted:
            break
        if now < 0.0:
            near, low = t, now
        else:
            far, high = t, now
    return t
