"""The pictures of lecture 000, by the name of their file.

Those that an example script draws, too, are taken from there.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import (
    FunctionDisplay,
    HOGDisplay,
    SeparabilityDisplay,
    StepsDisplay,
    WeightsDisplay,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "lecture_000"


def example(name: str) -> Callable[[], Any]:
    """The function that draws the figure of an example script."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["draw"]


def steps() -> Any:
    """The updates of a perceptron."""
    data = builtin("separable")
    model = Perceptron(shuffle=False)
    return StepsDisplay.from_estimator(model, data.X, data.y).figure_


def weights() -> Any:
    """The weights of 1 against 0 as an image."""
    X, y = load_digits(n_class=2, return_X_y=True)
    model = Perceptron(shuffle=False).fit(X, y)
    return WeightsDisplay.from_estimator(model, image_shape=(8, 8)).figure_


def sphere() -> Any:
    """The radius R and the margin γ."""
    data = builtin("separable", margin=0.5)
    return SeparabilityDisplay.from_data(data.X, data.y, sphere=True).figure_


def losses() -> Any:
    """Hinge and logistic loss."""
    return FunctionDisplay.from_losses("hinge", "logistic", derivative=True).figure_


def histograms() -> Any:
    """The edges of a letter."""
    letter = builtin("mark-i").X[0].reshape(20, 20)
    return HOGDisplay.from_image(np.kron(letter, np.ones((2, 2)))).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "000-06.png": steps,
    "000-09.png": weights,
    "000-14.png": sphere,
    "000-17.png": example("svm_margin"),
    "000-22.png": example("lda_sigmoid"),
    "000-25.png": losses,
    "000-30.png": example("polynomial_regression"),
    "000-32.png": example("capacity"),
    "000-35.png": example("votes"),
    "000-37.png": histograms,
}
