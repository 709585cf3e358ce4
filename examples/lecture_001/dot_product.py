"""The dot product as a projection: an acute, a right and an obtuse angle.

Look for the thick line, the projection of u onto v: it is 0 at a right angle, and negative
beyond.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import VectorDisplay


def draw() -> plt.Figure:
    """One vector v, and three vectors u."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="compressed")
    for ax, u in zip(axes, ([2, 3], [-1, 4], [-3, 1.5]), strict=True):
        VectorDisplay.from_vectors(u, [4, 1], ax=ax)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "dot_product.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
