"""Fisher's projection: two overlapping clouds, and their projections on w.

The direction sets the projected class means far apart compared with the scatter within the
classes; the line is at right angles to it.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import FisherDiscriminant, builtin
from rosenblatt.plotting import ProjectionDisplay


def draw() -> plt.Figure:
    """The samples and the histograms of their projections."""
    data = builtin("overlapping")
    model = FisherDiscriminant().fit(data.X, data.y)
    return ProjectionDisplay.from_estimator(model, data.X, data.y).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "fisher_projection.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
