"""Histograms of oriented gradients: the orientations of edges in cells of 8 × 8 pixels.

Look for the cells in which one line is long: an edge of one direction crosses them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import builtin
from rosenblatt.plotting import HOGDisplay


def draw() -> plt.Figure:
    """Three letters of the Mark I, four times as large."""
    letters = builtin("mark-i")
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.4), layout="compressed")
    for ax, label in zip(axes, "LOX", strict=True):
        letter = letters.X[letters.y == label][0].reshape(20, 20)
        HOGDisplay.from_image(np.kron(letter, np.ones((4, 4))), ax=ax)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "hog.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
