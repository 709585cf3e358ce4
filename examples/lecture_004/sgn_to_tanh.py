"""From sgn to tanh: a decision function that can be differentiated.

The derivative of sgn is 0 wherever it exists, so that gradient descent has nowhere to go. That of
tanh is 1 − tanh².
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import FunctionDisplay


def draw() -> plt.Figure:
    """Both functions and their derivatives."""
    return FunctionDisplay.from_activations("sign", "tanh", derivative=True).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "sgn_to_tanh.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
