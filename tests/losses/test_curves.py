"""Curves and error surfaces to draw, against formulas of the lectures and finite differences."""

import numpy as np
import pytest

from rosenblatt.errors import ParameterError
from rosenblatt.losses.curves import (
    ACTIVATIONS,
    JUMPS,
    ErrorSurface,
    activation_at,
    loss_named,
    losses_at,
)
from rosenblatt.losses.margin_losses import Loss

MARGINS = np.linspace(-3, 3, 1200)  # no kink among them
FORMULAS = {
    Loss.PERCEPTRON: lambda m: np.maximum(0, -m),
    Loss.HINGE: lambda m: np.maximum(0, 1 - m),
    Loss.SQUARED_HINGE: lambda m: np.maximum(0, 1 - m) ** 2,
    Loss.SQUARE: lambda m: (1 - m) ** 2 / 2,
    Loss.TANH: lambda m: (1 - np.tanh(m)) ** 2 / 2,
    Loss.SIGMOID: lambda m: (1 - 1 / (1 + np.exp(-m))) ** 2 / 2,
    Loss.LOGISTIC: lambda m: -np.log(1 / (1 + np.exp(-m))),
}


@pytest.mark.parametrize("loss", Loss)
def test_losses_are_those_of_the_lectures(loss: Loss) -> None:
    values, derivatives = losses_at(loss, MARGINS)
    assert values == pytest.approx(FORMULAS[loss](MARGINS), abs=1e-12)
    step = 1e-6
    rise = FORMULAS[loss](MARGINS + step) - FORMULAS[loss](MARGINS - step)
    assert derivatives == pytest.approx(rise / (2 * step), abs=1e-4)
    assert loss_named(loss.name.lower()) is loss


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_a_derivative_is_that_of_its_activation(name: str) -> None:
    outputs, derivatives = activation_at(name, MARGINS)
    step = 1e-6
    rise = activation_at(name, MARGINS + step).outputs - activation_at(name, MARGINS - step).outputs
    assert derivatives == pytest.approx(rise / (2 * step), abs=1e-6)
    at_zero = {"step": 1.0, "sign": 1.0, "logistic": 0.5, "tanh": 0.0, "linear": 0.0}[name]
    assert activation_at(name, [0.0]).outputs == at_zero
    assert np.isnan(activation_at(name, [0.0]).derivatives[0]) == (name in JUMPS)
    assert len(outputs) == len(MARGINS)


@pytest.mark.parametrize("loss", Loss)
def test_descent_is_that_of_a_textbook_loop(loss: Loss, rng: np.random.Generator) -> None:
    Z, at = rng.normal(size=(9, 3)), np.array([0.3, -0.2, 0.1])
    surface = ErrorSurface(loss, Z, at, (2, 0))
    w = at.copy()
    for point in surface.descend([0.1, 0.3], 0.05, 6):
        assert point == pytest.approx(w[[2, 0]])
        margins = Z @ w
        assert surface.values(point) == pytest.approx([FORMULAS[loss](margins).sum()])
        gradient = losses_at(loss, margins)[1] @ Z
        assert surface.gradient(point) == pytest.approx(gradient[[2, 0]])
        w[[2, 0]] -= 0.05 * gradient[[2, 0]]


def test_a_descent_ends_where_it_stands_still_or_leaves() -> None:
    Z = np.array([[1.0, 0.0], [2.0, 1.0]])
    perceptron = ErrorSurface(Loss.PERCEPTRON, Z, np.zeros(2), (0, 1))
    assert len(perceptron.descend([1.0, 1.0], 0.1, 50)) == 1  # no mistake
    square = ErrorSurface(Loss.SQUARE, Z, np.zeros(2), (0, 1))
    path = square.descend([0.0, 0.0], 10.0, 10_000)
    assert len(path) < 50
    assert np.isfinite(path).all()


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ParameterError, match="squared_hinge"):
        loss_named("cubic")
    with pytest.raises(ParameterError, match="logistic"):
        activation_at("relu", [0.0])
