"""The pictures of lecture 001, by the name of their file.

Those that an example script draws, too, are taken from there.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt import LogisticRegression, Perceptron, builtin, gates
from rosenblatt.plotting import (
    FunctionDisplay,
    HyperplaneDisplay,
    NetworkDisplay,
    ScoreDisplay,
    StepsDisplay,
    VectorDisplay,
)

EXAMPLES = Path(__file__).parents[2] / "examples" / "lecture_001"


def example(name: str) -> Callable[[], Any]:
    """The function that draws the figure of an example script."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["draw"]


def projection() -> Any:
    """A dot product."""
    return VectorDisplay.from_vectors([2, 3], [4, 1]).figure_


def normal() -> Any:
    """A line and its normal."""
    return HyperplaneDisplay.from_weights([1, 2], -4).figure_


def half() -> Any:
    """The probability of logistic regression."""
    data = builtin("overlapping")
    model = LogisticRegression().fit(data.X, data.y)
    return ScoreDisplay.from_estimator(model, data.X, data.y, kind="probability").figure_


def network() -> Any:
    """Three units that compute xor."""
    return NetworkDisplay.from_network(gates.XOR).figure_


def losses() -> Any:
    """Perceptron and hinge loss."""
    return FunctionDisplay.from_losses("perceptron", "hinge", limits=(-2, 2)).figure_


def steps() -> Any:
    """The updates of the worked example."""
    X, y = [[1, 1], [2, 1], [1.5, 0.5], [2, 2]], [-1, 1, 1, -1]
    model = Perceptron(eta0=0.1, shuffle=False)
    start = {"coef_init": [0.2, 0], "intercept_init": -0.1}
    return StepsDisplay.from_estimator(model, X, y, **start).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "001-01.png": projection,
    "001-02.png": normal,
    "001-03.png": half,
    "001-04.png": network,
    "001-07.png": losses,
    "001-08.png": example("batches"),
    "001-11.png": example("many_solutions"),
    "001-12.png": example("non_separable"),
    "001-14.png": steps,
}
