"""Choice of η: too small is slow, too large overshoots and diverges.

Gradient descent on the squared error of the eight points, 30 steps from the same start.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import builtin
from rosenblatt.plotting import ErrorSurfaceDisplay


def draw() -> plt.Figure:
    """A panel for each of three η."""
    points = builtin("4f10")
    options = {"starts": [-1.5, -1.5], "fit_intercept": False}
    return ErrorSurfaceDisplay.from_data(
        points.X, points.y, eta0=[0.02, 0.2, 0.45], n_steps=30, **options
    ).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "learning_rates.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
