"""The worked example in pictures: initial boundary, and the boundary after one step.

Ringed are the four samples whose sum is the step. Sample 3 of class 1, (0.6, 0.6), ends up very
near the line: z = 0.01. "Is this a good decision boundary?"
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import BatchPerceptron, builtin
from rosenblatt.plotting import StepsDisplay


def draw() -> plt.Figure:
    """The steps."""
    points, start = builtin("4f10"), {"coef_init": [0, 1], "intercept_init": -0.5}
    return StepsDisplay.from_estimator(BatchPerceptron(), points.X, points.y, **start).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "steps.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
