"""Convex losses with their conjugates, and the smoothed hinge.

The estimators with a duality gap minimise, the intercept b not penalised,

    P(w, b) = ½ρ‖w‖² + Σ C ℓ(m),      m = y (w·x + b)

For ρ > 0 all dual variables α within their bounds, with Σ α y = 0 if there is an intercept, bound P
from below by

    D(α) = −‖Σ α y x‖² / 2ρ + Σ dual(α),      dual(α) = −C ℓ*(−α/C)

=============  =============================================  ==================  ==============
loss           dual(α)                                        bounds              α = −C ℓ′(m)
=============  =============================================  ==================  ==============
hinge          α                                              0 ≤ α ≤ C           C where m < 1
squared hinge  α − α² / 4C                                    0 ≤ α               2C max(0, 1−m)
logistic       −α log(α/C) − (C−α) log(1 − α/C)               0 ≤ α ≤ C           C σ(−m)
=============  =============================================  ==================  ==============

P − D is the duality gap, and (P − D)/P is reported. It is zero at the optimum.

The hinge has a kink, so Newton's method minimises a smoothed hinge instead, with the smoothing ω
and a proximal centre α₀, the α of an earlier solution,

    h(m) = max over 0 ≤ α ≤ C of  α (1 − m) − (ω/2C) (α − α₀)²

It is below the hinge, touches it where α₀ is optimal, and has −h′(m) = α₀ + C (1 − m)/ω, clipped to
0 ≤ α ≤ C. (Nesterov's smoothing; with moving centres, the augmented Lagrangian of the dual.)
"""

from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import HINGE, SQUARED_HINGE, value_and_derivative


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
