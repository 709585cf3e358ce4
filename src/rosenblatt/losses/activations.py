"""Activations f(s) of a unit and their derivatives, as curves to draw (lectures 000, 002, 004).

============  =======================================  ==================
activation    f(s)                                     f′(s)
============  =======================================  ==================
"step"        1 where s ≥ 0, else 0                    0, undefined at 0
"sign"        1 where s ≥ 0, else −1                   0, undefined at 0
"logistic"    σ(s) = 1 / (1 + e⁻ˢ)                     σ(s) (1 − σ(s))
"tanh"        (eˢ − e⁻ˢ) / (eˢ + e⁻ˢ)                  1 − tanh²(s)
"linear"      s                                        1
============  =======================================  ==================
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ParameterError
from rosenblatt.losses.margin_losses import PERCEPTRON, SIGMOID, TANH, outputs_at
from rosenblatt.types import Floats

ACTIVATIONS = ("step", "sign", "logistic", "tanh", "linear")
JUMPS = ("step", "sign")  # at 0


class Activation(NamedTuple):
    """Outputs at some scores, and the derivatives there."""

    outputs: Floats
    derivatives: Floats


def activation_at(name: str, scores: npt.ArrayLike) -> Activation:
    """An activation by its name at some scores; the derivative of a jump is left out as NaN."""
    places = np.asarray(scores, dtype=float)
    if name not in ACTIVATIONS:
        raise ParameterError(f"activation must be one of {', '.join(ACTIVATIONS)}; got {name!r}.")
    if name == "linear":
        return Activation(places, np.ones_like(places))
    if name in JUMPS:
        outputs = outputs_at(PERCEPTRON, places)
        flat = np.where(places == 0, np.nan, 0.0)
        return Activation(outputs if name == "sign" else (outputs + 1) / 2, flat)
    f = outputs_at(SIGMOID if name == "logistic" else TANH, places)
    return Activation(f, f * (1 - f) if name == "logistic" else 1 - f * f)
