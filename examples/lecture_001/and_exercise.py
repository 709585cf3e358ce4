"""The exercise: weights of a perceptron that classifies the four points of AND correctly.

Look for the row behind each update, and for the last line, which cuts (1, 1) off.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import StepsDisplay


def draw() -> plt.Figure:
    """The start, the first updates, and the last one."""
    data = builtin("and")
    model = Perceptron(shuffle=False)
    return StepsDisplay.from_estimator(model, data.X, data.y, most=7).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "and_exercise.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
