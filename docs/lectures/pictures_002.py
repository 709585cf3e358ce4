"""The pictures of docs/lectures/002.md."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt

from rosenblatt import LinearSVM, Perceptron, TanhPerceptron, builtin
from rosenblatt.plotting import (
    BoundaryDisplay,
    ErrorSurfaceDisplay,
    FunctionDisplay,
    HyperplaneDisplay,
    ScoreDisplay,
    StepsDisplay,
    WeightsDisplay,
)


def letters() -> Any:
    """The weights of the letters A to J as images."""
    data = builtin("mark-i")
    some = data.y <= "J"
    model = Perceptron(keep="average").fit(data.X[some], data.y[some])
    return WeightsDisplay.from_estimator(model, image_shape=(20, 20)).figure_


def hyperplane() -> Any:
    """A line, its normal w, x₀ and z."""
    weights = {"coef": [1, 2], "intercept": -2}
    return HyperplaneDisplay.from_weights(**weights, point=[-1, -0.5], base=[2, 0]).figure_


def score() -> Any:
    """The score as a surface over two features."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    return ScoreDisplay.from_estimator(model, data.X, data.y, surface=True).figure_


def steps() -> Any:
    """The three updates of a perceptron."""
    data = builtin("separable")
    return StepsDisplay.from_estimator(Perceptron(shuffle=False), data.X, data.y).figure_


def descent() -> Any:
    """The squared error over two weights, with a descent."""
    points, start = builtin("4f10"), {"starts": [-1.5, -1.5], "fit_intercept": False}
    return ErrorSurfaceDisplay.from_data(points.X, points.y, eta0=0.2, **start).figure_


def activations() -> Any:
    """Tanh and the logistic function, and their derivatives."""
    return FunctionDisplay.from_activations("tanh", "logistic", derivative=True).figure_


def tanh_units() -> Any:
    """Tanh units on separable and on overlapping classes."""
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 3.8), layout="compressed")
    for ax, name in zip(axes, ("separable", "overlapping"), strict=True):
        data = builtin(name)
        model = TanhPerceptron(eta0=0.1).fit(data.X, data.y)
        BoundaryDisplay.from_estimator(model, data.X, data.y, ax=ax)
        ax.set_title(name, fontsize="medium", loc="left")
    return figure


PICTURES: dict[str, Callable[[], Any]] = {
    "002-01.png": letters,
    "002-03.png": hyperplane,
    "002-04.png": score,
    "002-08.png": steps,
    "002-12.png": descent,
    "002-15.png": activations,
    "002-17.png": tanh_units,
}
