"""An affine function of two features, plotted as variations of colour.

Its contours are straight and parallel, and equally far apart. The thick one, at 0, is the
boundary of the classifier.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LinearSVM, builtin
from rosenblatt.plotting import ScoreDisplay


def draw() -> plt.Figure:
    """The score."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    return ScoreDisplay.from_estimator(model, data.X, data.y).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "affine_colours.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
