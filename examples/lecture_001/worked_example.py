"""The perceptron learning example: η = 0.1, from w = (0.2, 0.0), w₀ = −0.1.

Look for the weights of the slides after the first two updates: (0.1, −0.1), −0.2 and then
(0.3, 0.0), −0.1. Of the four points, the slides name the first two.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron
from rosenblatt.plotting import StepsDisplay


def draw() -> plt.Figure:
    """The start and every update."""
    X, y = [[1, 1], [2, 1], [1.5, 0.5], [2, 2]], [-1, 1, 1, -1]
    model = Perceptron(eta0=0.1, shuffle=False)
    start = {"coef_init": [0.2, 0.0], "intercept_init": -0.1}
    return StepsDisplay.from_estimator(model, X, y, most=8, **start).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "worked_example.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
