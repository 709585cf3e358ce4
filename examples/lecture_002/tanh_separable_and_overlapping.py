"""MMSE through tanh: last slide, a separable case above and a non-separable one below.

In both cases the error falls and settles. On classes that overlap a perceptron would not.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import TanhPerceptron, builtin
from rosenblatt.plotting import BoundaryDisplay, TraceDisplay


def draw() -> plt.Figure:
    """The line and the error of each epoch for both cases."""
    figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
    for (left, right), name in zip(axes, ("separable", "overlapping"), strict=True):
        data = builtin(name)
        model = TanhPerceptron(eta0=0.02, max_iter=30, tol=None).fit(data.X, data.y)
        BoundaryDisplay.from_estimator(model, data.X, data.y, ax=left)
        TraceDisplay.from_estimator(model, kind="loss", ax=right)
        left.set_title(f"{name}: {model.score(data.X, data.y):.1%} correct", loc="left")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "tanh_separable_and_overlapping.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
