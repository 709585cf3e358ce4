"""Normalising the data: x̄ = y x̃ turns the samples of class 2 about the origin.

Left the samples as they are, on both sides of the plane w·x = 0; right all on the side of w.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import builtin
from rosenblatt.plotting import HalfSpaceDisplay


def draw() -> plt.Figure:
    """The samples before and after normalising."""
    data = builtin("separable")
    X, y = data.X[::4], data.y[::4]
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 4.8), layout="constrained")
    for ax, normalised in zip(axes, (False, True), strict=True):
        HalfSpaceDisplay.from_data(X, y, fit_intercept=False, normalised=normalised, ax=ax)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "normalised_data.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
