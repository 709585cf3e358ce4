"""Comparing the tanh unit, which the slide calls logistic regression, with the perceptron.

They differ in the update: a mistake adds η y x, or every sample adds η ((y − y*)/2)(1 − y*²) x.
Logistic regression proper, by maximum likelihood, is drawn for comparison.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LogisticRegression, Perceptron, TanhPerceptron, builtin
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The lines on separable and on overlapping classes."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for ax, name in zip(axes, ("separable", "overlapping"), strict=True):
        data = builtin(name)
        models = {
            "perceptron": Perceptron(max_iter=50).fit(data.X, data.y),
            "tanh unit": TanhPerceptron(eta0=0.02).fit(data.X, data.y),
            "logistic regression": LogisticRegression().fit(data.X, data.y),
        }
        BoundaryDisplay.from_estimators(models, data.X, data.y, ax=ax)
        ax.set_title(name, loc="left")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "tanh_unit_and_perceptron.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
