"""Multiple binary classifiers leave regions without a decision; Kesler's construct does not.

White: no class claims the point. Hatched: several do. On the right every point has one class.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, scene
from rosenblatt.plotting import NoDecisionDisplay


def draw() -> plt.Figure:
    """The signs of one-vs-rest beside Kesler's cells."""
    three = scene("003-one-vs-rest")
    kesler = Perceptron(shuffle=False).fit(three.X, three.y)
    return NoDecisionDisplay.from_estimator(three.model, three.X, three.y, kesler=kesler).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "no_decision_regions.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
