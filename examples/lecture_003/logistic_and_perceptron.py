"""Logistic regression compared to the perceptron: slide with four differences.

Left both lines are correct. Right no line is: the perceptron goes on making mistakes, and its
last line depends on the last samples; logistic regression has one maximum, and a posterior.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LogisticRegression, Perceptron, builtin
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """Both lines on separable and on overlapping classes."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for ax, name in zip(axes, ("separable", "overlapping"), strict=True):
        data = builtin(name)
        models = [LogisticRegression(), Perceptron(max_iter=30)]
        models = [model.fit(data.X, data.y) for model in models]
        BoundaryDisplay.from_estimators(models, data.X, data.y, ax=ax)
        right = [f"{model.score(data.X, data.y):.1%}" for model in models]
        ax.set_title(f"{name}: {right[0]} and {right[1]} correct", loc="left")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "logistic_and_perceptron.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
