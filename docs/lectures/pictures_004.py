"""The pictures of lecture 004, by the name of their file.

Those that an example script draws, too, are taken from there.
"""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import Perceptron, TanhPerceptron, builtin, from_weights
from rosenblatt.plotting import BoundaryDisplay, HalfSpaceDisplay

EXAMPLES = Path(__file__).parents[2] / "examples" / "lecture_004"


def example(name: str) -> Callable[[], Any]:
    """The function that draws the figure of an example script."""
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["draw"]


def given_rule() -> Any:
    """The kennel with the line of idea 3."""
    kennel = builtin("kennel")
    options = {"feature_names": kennel.feature_names}
    rule = from_weights([0.5, 0.5], -20, classes=["cat", "dog"])
    return BoundaryDisplay.from_estimator(rule, kennel.X, kennel.y, **options).figure_


def half_space() -> Any:
    """Samples y x, and weights before and after an update."""
    X, y = [[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]], [1, 1, -1, -1]
    options = {"coef": [-2, 1], "fit_intercept": False}
    return HalfSpaceDisplay.from_data(X, y, update=0, **options).figure_


def cells() -> Any:
    """The Voronoi cells of eight points, by a linear classifier."""
    sites = np.random.default_rng(33).random((1000, 2))[:8]
    voronoi = from_weights(sites, -(sites**2).sum(axis=1) / 2)
    return BoundaryDisplay.from_estimator(voronoi, sites).figure_


def tanh_and_perceptron() -> Any:
    """A perceptron and a tanh unit on overlapping classes."""
    data = builtin("overlapping")
    rules = {"perceptron": Perceptron(max_iter=50), "tanh unit": TanhPerceptron(eta0=0.02)}
    models = {name: rule.fit(data.X, data.y) for name, rule in rules.items()}
    return BoundaryDisplay.from_estimators(models, data.X, data.y).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "004-01.png": given_rule,
    "004-03.png": example("dogs_and_cats"),
    "004-04.png": half_space,
    "004-06.png": example("decaying_rate"),
    "004-07.png": example("affine_colours"),
    "004-09.png": cells,
    "004-11.png": example("sgn_to_tanh"),
    "004-13.png": tanh_and_perceptron,
}
