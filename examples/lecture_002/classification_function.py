"""The classification function in three dimensions: slide with a plane and the function over it.

The score w·x + b is a tilted plane over two features. At height 0 it cuts the separating line.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LinearSVM, builtin
from rosenblatt.plotting import ScoreDisplay


def draw() -> plt.Figure:
    """The score as a surface."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    return ScoreDisplay.from_estimator(model, data.X, data.y, surface=True).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "classification_function.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
