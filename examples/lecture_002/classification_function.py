"""The classification function in three dimensions: slide with a plane and the function over it.

The score w·x + b is a tilted plane over two features. At height 0 it cuts the separating line.
"""

import sys
from pathlib import Path

from rosenblatt import LinearSVM, builtin
from rosenblatt.plotting import ScoreDisplay


def run(folder: Path) -> Path:
    """Draw the score as a surface."""
    data = builtin("separable")
    model = LinearSVM().fit(data.X, data.y)
    display = ScoreDisplay.from_estimator(model, data.X, data.y, surface=True)
    path = folder / "classification_function.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
