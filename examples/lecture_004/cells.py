"""Cells of a multi-class classifier: the largest of the scores b_c + w_c·x decides.

Left the nearest class mean, w_c = μ_c and b_c = −‖μ_c‖² / 2: Voronoi cells of the means. Right a
perceptron: its cells are convex, too, but those of a power diagram.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin, from_weights
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The cells of both classifiers for the petals of irises."""
    iris = builtin("iris")
    X, y, names = iris.X[:, 2:], iris.y, iris.feature_names[2:]
    means = np.array([X[y == name].mean(axis=0) for name in np.unique(y)])
    models = {
        "nearest mean": from_weights(means, -(means**2).sum(axis=1) / 2, classes=np.unique(y)),
        "averaged perceptron": Perceptron(keep="average", max_iter=50).fit(X, y),
    }
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for ax, (name, model) in zip(axes, models.items(), strict=True):
        BoundaryDisplay.from_estimator(model, X, y, feature_names=names, ax=ax)
        ax.set_title(f"{name}: {model.score(X, y):.1%} correct", loc="left")
    axes[0].plot(*means.T, "k+", ms=12, mew=2)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "cells.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
