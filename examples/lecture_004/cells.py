"""Cells of a multi-class classifier: the largest of the scores b_c + w_c·x decides.

Left, weights at eight points and b_c = −½‖w_c‖²: the nearest point decides, and the cells are
Voronoi regions. Right, a perceptron of three classes: its cells are convex, too, but they are not
those of the points w_c.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import from_weights, scene
from rosenblatt.plotting import BoundaryDisplay


def draw() -> plt.Figure:
    """The cells of both classifiers."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    sites = np.random.default_rng(33).random((1000, 2))[:8]
    voronoi = from_weights(sites, -(sites**2).sum(axis=1) / 2)
    BoundaryDisplay.from_estimator(voronoi, sites, ax=left)
    left.set_title("nearest of eight points", loc="left")
    three = scene("004-cells")
    BoundaryDisplay.from_estimator(three.model, three.X, three.y, ax=right)
    right.set_title("perceptron of three classes", loc="left")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "cells.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
