"""tanh and the logistic function, with their derivatives: slide of eq. 13.

The derivative of tanh is 1 at most, that of the logistic function ¼. Both vanish far from 0,
where a sample hardly changes the weights.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import FunctionDisplay


def draw() -> plt.Figure:
    """The functions and their derivatives."""
    return FunctionDisplay.from_activations("tanh", "logistic", derivative=True).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "activations.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
