"""Logistic regression is a linear classifier: its probability is ½ on a line.

Look for the contours, which are all parallel to that line, and for the sigmoid across them.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LogisticRegression, builtin
from rosenblatt.plotting import ScoreDisplay


def draw() -> plt.Figure:
    """The probability as colours, and as a surface."""
    data = builtin("overlapping")
    model = LogisticRegression().fit(data.X, data.y)
    figure = plt.figure(figsize=(13, 4.8), layout="constrained")
    flat, space = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
    for ax in (flat, space):
        ScoreDisplay.from_estimator(
            model, data.X, data.y, kind="probability", surface=ax is space, ax=ax
        )
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "half_on_the_line.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
