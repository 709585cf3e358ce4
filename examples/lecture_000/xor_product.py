"""Xor: no line separates its classes; a plane does after Φ(u, v) = (u, v, uv).

Look for the crossing segments, which are the proof, and for the plane between the lifted points.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from rosenblatt import Perceptron, builtin
from rosenblatt.features import Products
from rosenblatt.plotting import BoundaryDisplay, SeparabilityDisplay


def draw() -> plt.Figure:
    """The proof, the points lifted by the product, and the curve in the plane."""
    xor, clouds = builtin("xor"), builtin("xor-clouds")
    model = make_pipeline(Products(), Perceptron(shuffle=False)).fit(clouds.X, clouds.y)
    figure = plt.figure(figsize=(13, 4), layout="constrained")
    SeparabilityDisplay.from_data(xor.X, xor.y, ax=figure.add_subplot(1, 3, 1))
    space = figure.add_subplot(1, 3, 2, projection="3d")
    lifted = Products().fit_transform(clouds.X)
    for label, colour, marker in ((-1, "#0072B2", "o"), (1, "#D55E00", "s")):
        space.scatter(*lifted[clouds.y == label].T, c=colour, marker=marker, s=12)
    (w_u, w_v, w_uv), b = model[-1].coef_[0], model[-1].intercept_[0]
    u, v = np.meshgrid([-0.2, 1.2], [-0.2, 1.2])
    space.plot_surface(u, v, -(w_u * u + w_v * v + b) / w_uv, color="#999999", alpha=0.4)
    space.set(xlabel="u", ylabel="v", zlabel="u v", zlim=(-0.2, 1.4))
    space.set(xticks=[0, 1], yticks=[0, 1], zticks=[0, 1])
    space.view_init(18, -70)
    BoundaryDisplay.from_estimator(model, clouds.X, clouds.y, ax=figure.add_subplot(1, 3, 3))
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "xor_product.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
