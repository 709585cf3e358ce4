"""The pictures of docs/lectures/003.md."""

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import (
    BatchPerceptron,
    FisherDiscriminant,
    LinearSVM,
    Perceptron,
    ThresholdNetwork,
    builtin,
    gates,
    scene,
)
from rosenblatt.plotting import (
    BoundaryDisplay,
    ErrorSurfaceDisplay,
    FunctionDisplay,
    GateDisplay,
    HalfSpaceDisplay,
    NoDecisionDisplay,
    ProjectionDisplay,
    StepsDisplay,
)


def solutions() -> Any:
    """Several lines that are all correct."""
    data = builtin("separable")
    models = {f"perceptron, order {k}": Perceptron(random_state=k) for k in range(4)}
    models["largest margin"] = LinearSVM(C=1e6)
    models = {name: model.fit(data.X, data.y) for name, model in models.items()}
    return BoundaryDisplay.from_estimators(models, data.X, data.y).figure_


def criteria() -> Any:
    """The 0–1 cost and the perceptron criterion."""
    return FunctionDisplay.from_losses("zero_one", "perceptron", limits=(-2, 2)).figure_


def learning_rates() -> Any:
    """Gradient descent with η too small, right and too large."""
    points, start = builtin("4f10"), {"starts": [-1.5, -1.5], "fit_intercept": False}
    etas = [0.02, 0.2, 0.45]
    return ErrorSurfaceDisplay.from_data(points.X, points.y, eta0=etas, **start).figure_


def local_minima() -> Any:
    """The error of a tanh unit over its bias, from three starts."""
    X, y = np.arange(-6.0, 7)[:, None], np.repeat([-1, 1, -1, 1], [3, 3, 3, 4])
    bias_alone = {"loss": "tanh", "coef": [1.5, 0], "weights": [1], "n_steps": 200}
    return ErrorSurfaceDisplay.from_data(X, y, starts=[-6, -1, 8], **bias_alone).figure_


def solution_region() -> Any:
    """Four samples and the cone of solutions, un-normalised and normalised."""
    X, y = [[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]], [1, 1, -1, -1]
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 4.8), layout="constrained")
    for ax, normalised in zip(axes, (False, True), strict=True):
        options = {"normalised": normalised, "solutions": True, "fit_intercept": False}
        HalfSpaceDisplay.from_data(X, y, ax=ax, **options).ax_.get_legend().remove()
    entries = axes[1].get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=6, frameon=False)
    return figure


def steps() -> Any:
    """The worked example of the batch perceptron."""
    points, start = builtin("4f10"), {"coef_init": [0, 1], "intercept_init": -0.5}
    return StepsDisplay.from_estimator(BatchPerceptron(), points.X, points.y, **start).figure_


def fisher() -> Any:
    """Fisher's projection of the eight points."""
    points = builtin("4f10")
    model = FisherDiscriminant().fit(points.X, points.y)
    return ProjectionDisplay.from_estimator(model, points.X, points.y).figure_


def no_decision() -> Any:
    """Regions of no class, and Kesler's cells."""
    three = scene("003-one-vs-rest")
    kesler = Perceptron(shuffle=False).fit(three.X, three.y)
    return NoDecisionDisplay.from_estimator(three.model, three.X, three.y, kesler=kesler).figure_


def xor_network() -> Any:
    """The lines of the XOR network."""
    return GateDisplay.from_unit(ThresholdNetwork((gates.OR, gates.NAND), gates.AND)).figure_


PICTURES: dict[str, Callable[[], Any]] = {
    "003-02.png": solutions,
    "003-03.png": criteria,
    "003-06.png": learning_rates,
    "003-07.png": local_minima,
    "003-10.png": solution_region,
    "003-11.png": steps,
    "003-17.png": fisher,
    "003-19.png": no_decision,
    "003-22.png": xor_network,
}
