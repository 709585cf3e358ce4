"""Training criteria: slide with the true cost and the perceptron criterion of one sample.

The true cost is flat, and a gradient says nothing about it. The perceptron criterion falls
towards the boundary and is 0 beyond it.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import FunctionDisplay


def draw() -> plt.Figure:
    """Both criteria over the margin y z."""
    return FunctionDisplay.from_losses("zero_one", "perceptron", limits=(-2, 2)).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "criterion_curves.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
