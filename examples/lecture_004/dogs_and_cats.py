"""The worked example: a Presa Canario, a Maltese and a Maine Coon correct a rule.

The first rule is "comes over 20 times". The Presa Canario makes weight count, and the Maine Coon
takes a little of it back.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import StepsDisplay


def draw() -> plt.Figure:
    """The first rule and the two updates."""
    pets, start = builtin("dogs-vs-cats"), {"coef_init": [1, 0], "intercept_init": -20}
    model = Perceptron(max_iter=1, shuffle=False)
    names = pets.feature_names
    return StepsDisplay.from_estimator(model, pets.X, pets.y, feature_names=names, **start).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "dogs_and_cats.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
