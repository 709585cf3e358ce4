"""Fisher's projection: the eight points, and two overlapping clouds, seen along w.

The direction sets the class means far apart compared with the scatter within the classes; the
line is at right angles to it.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import FisherDiscriminant, builtin
from rosenblatt.plotting import ProjectionDisplay


def run(folder: Path) -> Path:
    """Draw the samples and their projections for two data sets."""
    figure, axes = plt.subplots(2, 2, figsize=(11, 8), layout="constrained")
    for row, name in zip(axes, ("4f10", "overlapping"), strict=True):
        data = builtin(name)
        model = FisherDiscriminant().fit(data.X, data.y)
        ProjectionDisplay.from_estimator(model, data.X, data.y, ax=row)
    path = folder / "fisher_projection.png"
    figure.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
