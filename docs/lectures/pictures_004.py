"""The pictures of docs/lectures/004.md."""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt import LinearSVM, Perceptron, TanhPerceptron, builtin, from_weights
from rosenblatt.plotting import (
    BoundaryDisplay,
    FunctionDisplay,
    HalfSpaceDisplay,
    ScoreDisplay,
    StepsDisplay,
)


def given_rule() -> Any:
    """The kennel with the line of idea 3."""
    kennel = builtin("kennel")
    names, rule = kennel.feature_names, from_weights([0.5, 0.5], -20, classes=["cat", "dog"])
    return BoundaryDisplay.from_estimator(rule, kennel.X, kennel.y, feature_names=names).figure_


def three_animals() -> Any:
    """The first rule and two updates."""
    pets, start = builtin("dogs-vs-cats"), {"coef_init": [1, 0], "intercept_init": -20}
    model = Perceptron(max_iter=1, shuffle=False)
    names = pets.feature_names
    return StepsDisplay.from_estimator(model, pets.X, pets.y, feature_names=names, **start).figure_


def half_space() -> Any:
    """Samples y x, and weights before and after an update."""
    X, y = [[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]], [1, 1, -1, -1]
    return HalfSpaceDisplay.from_data(X, y, coef=[-2, 1], fit_intercept=False, update=0).figure_


def affine_colours() -> Any:
    """The score as colours."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    return ScoreDisplay.from_estimator(model, data.X, data.y).figure_


def cells() -> Any:
    """The cells of the nearest class mean."""
    iris = builtin("iris")
    X, y, names = iris.X[:, 2:], iris.y, iris.feature_names[2:]
    means = np.array([X[y == name].mean(axis=0) for name in np.unique(y)])
    nearest = from_weights(means, -(means**2).sum(axis=1) / 2, classes=np.unique(y))
    return BoundaryDisplay.from_estimator(nearest, X, y, feature_names=names).figure_


def sgn_and_tanh() -> Any:
    """The functions sgn and tanh, and their derivatives."""
    return FunctionDisplay.from_activations("sign", "tanh", derivative=True).figure_


def tanh_and_perceptron() -> Any:
    """A perceptron and a tanh unit on overlapping classes."""
    data = builtin("overlapping")
    rules = {"perceptron": Perceptron(max_iter=50), "tanh unit": TanhPerceptron(eta0=0.02)}
    models = {name: rule.fit(data.X, data.y) for name, rule in rules.items()}
    return BoundaryDisplay.from_estimators(models, data.X, data.y).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "004-01.png": given_rule,
    "004-03.png": three_animals,
    "004-04.png": half_space,
    "004-07.png": affine_colours,
    "004-09.png": cells,
    "004-11.png": sgn_and_tanh,
    "004-13.png": tanh_and_perceptron,
}
