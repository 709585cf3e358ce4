"""A line in the plane, its normal vector w, and two points on either side.

Look for the sign of the score: it is that of the scalar projection of z onto w.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import HyperplaneDisplay


def draw() -> plt.Figure:
    """The line x₁ + 2 x₂ − 4 = 0 with a point of either side."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="compressed")
    for ax, point in zip(axes, ([3, 2.5], [2.5, -0.5]), strict=True):
        HyperplaneDisplay.from_weights([1, 2], -4, point=point, ax=ax)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "hyperplane.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
