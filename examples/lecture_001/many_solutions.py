"""The perceptron converges to some solution, one of infinitely many possible.

Look for the lines: all of them separate the classes, and most pass close to some row. That of the
support vector machine is the farthest from both classes.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LinearSVM, Perceptron, builtin
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The lines of several orders of the rows, and the one with the largest margin."""
    data = builtin("separable")
    models = {f"order {k}": Perceptron(random_state=k).fit(data.X, data.y) for k in range(4)}
    models["largest margin"] = LinearSVM(C=1e6).fit(data.X, data.y)
    return BoundaryDisplay.from_estimators(models, data.X, data.y).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "many_solutions.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
