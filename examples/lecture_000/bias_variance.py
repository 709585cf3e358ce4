"""The bias-variance tradeoff: E((Y − y)²) = (E(Y) − y)² + V(Y).

Fifty rows of a ring in a ring. Look for the bias of a line, which squares remove, and for the
variance, which grows with the degree.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.pipeline import make_pipeline

from rosenblatt import LinearDiscriminant, bias_variance, builtin
from rosenblatt.features import Polynomial
from rosenblatt.plotting import BiasVarianceDisplay


def draw() -> plt.Figure:
    """Both parts of the error for polynomial features of several degrees."""
    rings = builtin("rings")
    found = {}
    for degree in (1, 2, 3, 4, 6):
        model = make_pipeline(Polynomial(degree, full=True), LinearDiscriminant())
        found[degree] = bias_variance(model, rings.X[::4], rings.y[::4], n_resamples=20)
    return BiasVarianceDisplay.from_results(found, axis="degree").figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "bias_variance.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
