"""Support vector machines: minimising ‖w‖² increases the distance between w·x + b = ±1.

Look for the dashed lines, which move apart as λ grows, and for the ringed support vectors.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LinearSVM, builtin
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The line and its margins for three values of λ."""
    data = builtin("overlapping")
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.7), layout="compressed")
    for ax, lam in zip(axes, (0.0001, 0.1, 1), strict=True):
        model = LinearSVM(C=1 / (2 * lam * len(data.y))).fit(data.X, data.y)
        BoundaryDisplay.from_estimator(model, data.X, data.y, ax=ax)
        ax.set_title(f"λ = {lam:g}: 2/‖w‖ = {2 / np.linalg.norm(model.coef_):.2f}")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "svm_margin.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
