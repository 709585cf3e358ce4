"""Linear discriminant analysis: two Gaussians with one covariance have a sigmoid as posterior.

Look for the cut on the right: the posterior is ½ where the densities, times the priors, cross.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import LinearDiscriminant, builtin
from rosenblatt.plotting import GaussianDisplay


def draw() -> plt.Figure:
    """Densities and line, and the posterior along the normal of the line."""
    data = builtin("overlapping")
    model = LinearDiscriminant(priors=[0.3, 0.7]).fit(data.X, data.y)
    figure = GaussianDisplay.from_estimator(model, data.X, data.y).figure_
    figure.suptitle("priors 0.3 and 0.7")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "lda_sigmoid.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
