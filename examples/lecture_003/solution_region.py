"""The solution region of four samples (after Duda, Hart and Stork), un-normalised and normalised.

Every sample allows half of the weights; what all of them allow is a cone, and any weights in it
are a solution.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import HalfSpaceDisplay


def draw() -> plt.Figure:
    """The samples and the cone."""
    X, y = [[2, 1], [1, 3], [-1, 0.5], [-1.5, -2]], [1, 1, -1, -1]
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 4.8), layout="constrained")
    for ax, normalised in zip(axes, (False, True), strict=True):
        options = {"normalised": normalised, "solutions": True, "fit_intercept": False}
        HalfSpaceDisplay.from_data(X, y, ax=ax, **options).ax_.get_legend().remove()
    entries = axes[1].get_legend_handles_labels()
    figure.legend(*entries, loc="outside lower center", ncols=6, frameon=False)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "solution_region.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
