"""The error surface with a descent: slide of eq. 9.

The squared error of the eight points of lecture 003 over two weights. Every step goes against the
gradient, so at right angles to the contour, from whichever start.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import builtin
from rosenblatt.plotting import ErrorSurfaceDisplay


def draw() -> plt.Figure:
    """The descents from three starts."""
    points = builtin("4f10")
    starts = [[-1.5, -1.5], [4, -1], [1, 2]]
    return ErrorSurfaceDisplay.from_data(
        points.X, points.y, eta0=0.05, n_steps=60, starts=starts, fit_intercept=False
    ).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "error_surface.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
