"""Losses, activations and errors as curves and surfaces to draw, with plain gradient descent.

============  =======================================  ==================
activation    f(s)                                     f′(s)
============  =======================================  ==================
"step"        1 where s ≥ 0, else 0                    0, undefined at 0
"sign"        1 where s ≥ 0, else −1                   0, undefined at 0
"logistic"    σ(s) = 1 / (1 + e⁻ˢ)                     σ(s) (1 − σ(s))
"tanh"        (eˢ − e⁻ˢ) / (eˢ + e⁻ˢ)                  1 − tanh²(s)
"linear"      s                                        1
============  =======================================  ==================

The error J of some weights is a sum of losses ℓ. With z = y (x, 1) for a row of the sign y, the
margin is w·z and

    J(w) = Σ ℓ(w·z),      ∇J = Σ ℓ′(w·z) z,      w ← w − η ∇J

(lectures 002 and 003). For drawing only: rules learn by `online` and `optim`. A path shows each
step as it is, also where η is too large and the steps leave the valley.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rosenblatt.errors import ParameterError
from rosenblatt.kernels.cache import njit
from rosenblatt.losses.margin_losses import (
    PERCEPTRON,
    SIGMOID,
    TANH,
    Loss,
    outputs_at,
    value_and_derivative,
)
from rosenblatt.types import Floats

ACTIVATIONS = ("step", "sign", "logistic", "tanh", "linear")
JUMPS = ("step", "sign")  # at 0
FARTHEST = 1e6  # from the start, in units of the longest row: a path ends there


def loss_named(name: str) -> Loss:
    """A loss by its name in lower case, such as "squared_hinge"."""
    known = {loss.name.lower(): loss for loss in Loss}
    if name not in known:
        raise ParameterError(f"loss must be one of {', '.join(known)}; got {name!r}.")
    return known[name]


def losses_at(loss: Loss, margins: npt.ArrayLike) -> tuple[Floats, Floats]:
    """The loss at each margin, and its derivative there."""
    places = np.ascontiguousarray(margins, dtype=np.float64)
    values, derivatives = np.empty_like(places), np.empty_like(places)
    _fill(int(loss), places, values, derivatives)
    return values, derivatives


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


@dataclass(frozen=True, eq=False)
class ErrorSurface:
    """The error of some rows as a function of the chosen weights, the others fixed.

    Parameters
    ----------
    loss
        The loss ℓ.
    signed_rows
        z = y (x, 1), or y x without an intercept: n × the number of weights.
    at
        All weights: the others are fixed at these.
    chosen
        Indices of the weights that vary.
    """

    loss: Loss
    signed_rows: Floats
    at: Floats
    chosen: tuple[int, ...]

    def values(self, points: npt.ArrayLike) -> Floats:
        """J at some values of the chosen weights, one point per row."""
        places = np.asarray(points, dtype=float).reshape(-1, len(self.chosen))
        directions, offsets = self._rows()
        values = np.empty(len(places))
        _totals(int(self.loss), directions, offsets, np.ascontiguousarray(places), values)
        return values

    def gradient(self, point: npt.ArrayLike) -> Floats:
        """∇J with respect to the chosen weights."""
        directions, offsets = self._rows()
        margins = directions @ np.asarray(point, dtype=float) + offsets
        return np.asarray(losses_at(self.loss, margins)[1] @ directions)

    def descend(self, start: npt.ArrayLike, eta: float, n_steps: int) -> Floats:
        """The points of gradient descent from a start, that included: at most n_steps + 1.

        It ends early where a step changes nothing, or far away.
        """
        path = [np.asarray(start, dtype=float)]
        farthest = FARTHEST * max(1.0, float(np.abs(self.signed_rows).max(initial=0.0)))
        for _ in range(n_steps):
            following = path[-1] - eta * self.gradient(path[-1])
            if np.array_equal(following, path[-1]) or np.abs(following).max() > farthest:
                break
            path.append(following)
        return np.array(path)

    def _rows(self) -> tuple[Floats, Floats]:
        """The chosen columns of the rows, and the part of each margin that is fixed."""
        fixed = self.at.astype(float)
        fixed[list(self.chosen)] = 0.0
        return np.ascontiguousarray(
            self.signed_rows[:, list(self.chosen)]
        ), self.signed_rows @ fixed


@njit(cache=True)
def _fill(loss: int, margins: Floats, values: Floats, derivatives: Floats) -> None:
    for i in range(len(margins)):
        values[i], derivatives[i] = value_and_derivative(loss, margins[i])


@njit(cache=True)
def _totals(loss: int, rows: Floats, offsets: Floats, points: Floats, values: Floats) -> None:
    for k in range(len(points)):
        total = 0.0
        for i in range(len(rows)):
            margin = offsets[i]
            for j in range(points.shape[1]):
                margin += rows[i, j] * points[k, j]
            total += value_and_derivative(loss, margin)[0]
        values[k] = total
