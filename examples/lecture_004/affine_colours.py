"""An affine function of two features, plotted as variations of colour.

Its contours are straight and parallel, and equally far apart. The thick one, at 0, is the
boundary of the classifier.
"""

import sys
from pathlib import Path

from rosenblatt import LinearSVM, builtin
from rosenblatt.plotting import ScoreDisplay


def run(folder: Path) -> Path:
    """Draw the score."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    display = ScoreDisplay.from_estimator(model, data.X, data.y)
    path = folder / "affine_colours.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
