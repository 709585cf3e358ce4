"""Data that are not linearly separable: the perceptron never stops making mistakes.

Look for the mistakes of each epoch, which do not settle, and for three lines that it can keep:
the last, the average, and the best one seen (pocket).
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import BoundaryDisplay, TraceDisplay


def draw() -> plt.Figure:
    """Mistakes over the epochs, and the lines that are kept."""
    data = builtin("overlapping")
    models = {}
    for keep in ("last", "average", "pocket"):
        model = Perceptron(keep=keep, max_iter=50, random_state=1).fit(data.X, data.y)
        models[f"{keep}: {1 - model.score(data.X, data.y):.1%} wrong"] = model
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="compressed")
    TraceDisplay.from_estimator(model, ax=left)
    BoundaryDisplay.from_estimators(models, data.X, data.y, ax=right)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "non_separable.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
