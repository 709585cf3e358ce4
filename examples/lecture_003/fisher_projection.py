"""Fisher's projection: two overlapping clouds, and their projections on w.

The direction sets the projected class means far apart compared with the scatter within the
classes; the line is at right angles to it.
"""

import sys
from pathlib import Path

from rosenblatt import FisherDiscriminant, builtin
from rosenblatt.plotting import ProjectionDisplay


def run(folder: Path) -> Path:
    """Draw the samples and the histograms of their projections."""
    data = builtin("overlapping")
    model = FisherDiscriminant().fit(data.X, data.y)
    display = ProjectionDisplay.from_estimator(model, data.X, data.y)
    path = folder / "fisher_projection.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
