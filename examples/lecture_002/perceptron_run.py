"""Example of the perceptron rule: slide 'example of the application of the perceptron rule'.

Each panel is an update: the sample behind it is ringed, and the line moves so that this sample
comes nearer to its side. The run ends with the first epoch without a mistake.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import StepsDisplay


def draw() -> plt.Figure:
    """The start and all updates."""
    data = builtin("separable")
    return StepsDisplay.from_estimator(Perceptron(shuffle=False), data.X, data.y).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "perceptron_run.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
