"""Local minima: the estimated parameters depend on the starting point.

The squared error of a tanh unit over its bias, w fixed. Three starts, two ends. The perceptron
criterion, the squared error of LMS and the likelihood of logistic regression are convex.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt.plotting import ErrorSurfaceDisplay


def draw() -> plt.Figure:
    """The error and the three descents."""
    X, y = np.arange(-6.0, 7)[:, None], np.repeat([-1, 1, -1, 1], [3, 3, 3, 4])
    bias_alone = {"loss": "tanh", "coef": [1.5, 0], "weights": [1]}
    return ErrorSurfaceDisplay.from_data(
        X, y, starts=[-6, -1, 8], n_steps=200, **bias_alone
    ).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "local_minima.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
