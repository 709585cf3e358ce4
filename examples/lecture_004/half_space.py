"""Proof of convergence: plot y x instead of x.

Left, weights that make mistakes, and the update: w + y x turns towards the sample that is ringed.
Right, the weights after the last mistake: all y x lie in their half of the space.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron
from rosenblatt.plotting import HalfSpaceDisplay


def draw() -> plt.Figure:
    """The samples y x with the weights before and after learning."""
    X, y, start = [[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]], [1, 1, -1, -1], [[-2, 1]]
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    HalfSpaceDisplay.from_data(X, y, coef=start, fit_intercept=False, update=0, ax=axes[0])
    model = Perceptron(fit_intercept=False, shuffle=False).fit(X, y, coef_init=start)
    HalfSpaceDisplay.from_estimator(model, X, y, ax=axes[1])
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "half_space.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
