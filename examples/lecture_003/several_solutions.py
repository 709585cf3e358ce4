"""Is the solution unique? Slide with several lines between the same two classes.

Four orders of the samples lead a perceptron to four lines, none of which makes a mistake. The
line with the largest margin is unique: it has the same distance from both classes.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LinearSVM, Perceptron, builtin
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The five lines."""
    data = builtin("separable")
    models = {f"perceptron, order {k}": Perceptron(random_state=k) for k in range(4)}
    models["largest margin"] = LinearSVM(C=1e6)
    models = {name: model.fit(data.X, data.y) for name, model in models.items()}
    return BoundaryDisplay.from_estimators(models, data.X, data.y).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "several_solutions.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
