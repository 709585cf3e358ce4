"""The pictures of lecture 003, by the name of their file.

Those that an example script draws, too, are taken from there.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rosenblatt import FisherDiscriminant, builtin
from rosenblatt.plotting import ProjectionDisplay

EXAMPLES = Path(__file__).parents[2] / "examples" / "lecture_003"


def example(name: str) -> Callable[[], Any]:
    """The function that draws the figure of an example script."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["draw"]


def fisher() -> Any:
    """Fisher's projection of the eight points."""
    points = builtin("4f10")
    model = FisherDiscriminant().fit(points.X, points.y)
    return ProjectionDisplay.from_estimator(model, points.X, points.y).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "003-02.png": example("several_solutions"),
    "003-03.png": example("criterion_curves"),
    "003-06.png": example("learning_rates"),
    "003-07.png": example("local_minima"),
    "003-10.png": example("solution_region"),
    "003-11.png": example("steps"),
    "003-14.png": example("logistic_gradient_ascent"),
    "003-17.png": fisher,
    "003-19.png": example("no_decision_regions"),
    "003-22.png": example("xor_network"),
}
