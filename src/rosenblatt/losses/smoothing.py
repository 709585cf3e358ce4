"""Convex losses from both sides: what each asks of a row, and what proves the result.

A certified rule minimises, over the weights w and a bias b that is not penalised,

    P(w, b) = ½ρ‖w‖² + Σ c ℓ(m),      m = y (w·x + b)

and every pull a = (a_1 … a_n) on the rows that the loss allows, with Σ a y = 0 where there is a
bias, gives a value that P cannot go below (ρ > 0):

    D(a) = −‖Σ a y x‖² / 2ρ + Σ dual(a)

=============  =============================================  ==================  ==============
loss           dual(a)                                        allowed             pull at m
=============  =============================================  ==================  ==============
hinge          a                                              0 ≤ a ≤ c           c where m < 1
squared hinge  a − a² / 4c                                    0 ≤ a               2c max(0, 1−m)
logistic       −a log(a/c) − (c−a) log(1 − a/c)               0 ≤ a ≤ c           c σ(−m)
=============  =============================================  ==================  ==============

P − D is the gap, and (P − D)/P what is reported. At the best weights it is zero.

The hinge has a corner, so Newton's step is taken on a smooth floor under it, which touches it where
the pull has its final value: with a window ω and a centre a₀, the pull of an earlier solution,

    h(m) = max over 0 ≤ a ≤ c of  a (1 − m) − (ω/2c) (a − a₀)²

whose pull is a₀ + c (1 − m)/ω, held between 0 and c. (The augmented Lagrangian of the dual.)
"""

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import HINGE, SQUARED_HINGE, value_and_derivative


@njit(cache=True, forceinline=True, error_model="numpy")
def loss_alpha_curvature(
    loss: int, margin: float, c: float, prox_center: float, sharpness: float
) -> tuple[float, float, float]:
    """Loss c ℓ of a row at its margin, its pull −c ℓ′ and its curvature c ℓ″.

    For the hinge, pull and curvature are those of the floor of window 1 / sharpness. Where there is
    no floor, dual(a) = c ℓ + a m.
    """
    if loss == HINGE:
        short = 1.0 - margin
        stiffness = c * sharpness
        unclipped = prox_center + stiffness * short
        alpha = min(max(unclipped, 0.0), c)
        return c * max(short, 0.0), alpha, stiffness if alpha == unclipped else 0.0
    value, derivative = value_and_derivative(loss, margin)
    if loss == SQUARED_HINGE:
        return c * value, -c * derivative, 2.0 * c if margin < 1.0 else 0.0
    return c * value, -c * derivative, -c * derivative * (1.0 + derivative)
