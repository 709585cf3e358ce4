"""The pictures of lecture 002, by the name of their file.

Those that an example script draws, too, are taken from there.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import ErrorSurfaceDisplay, HyperplaneDisplay, WeightsDisplay

EXAMPLES = Path(__file__).parents[2] / "examples" / "lecture_002"


def example(name: str) -> Callable[[], Any]:
    """The function that draws the figure of an example script."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["draw"]


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


def descent() -> Any:
    """The squared error over two weights, with a descent."""
    points, start = builtin("4f10"), {"starts": [-1.5, -1.5], "fit_intercept": False}
    return ErrorSurfaceDisplay.from_data(points.X, points.y, eta0=0.2, **start).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "002-01.png": letters,
    "002-03.png": hyperplane,
    "002-04.png": example("classification_function"),
    "002-08.png": example("perceptron_run"),
    "002-11.png": example("lms_batch_and_online"),
    "002-12.png": descent,
    "002-15.png": example("activations"),
    "002-17.png": example("tanh_separable_and_overlapping"),
}
