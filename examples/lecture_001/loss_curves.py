"""The perceptron loss beside the hinge loss, and what gradient descent sees of both.

Look for the kinks: that of the perceptron loss is at s y = 0, that of the hinge loss at s y = 1.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import FunctionDisplay


def draw() -> plt.Figure:
    """Both losses and their derivatives."""
    return FunctionDisplay.from_losses("perceptron", "hinge", derivative=True).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "loss_curves.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
