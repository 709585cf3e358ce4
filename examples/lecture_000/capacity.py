"""MNIST, 8 against the rest: errors over the number of products of random pairs of pixels.

Look for both errors, which fall as the capacity grows, and for the distance between them.
Set ROSENBLATT_DATA to a folder with mnist/*.gz; without it, digits of scikit-learn are used.
"""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.pipeline import Pipeline, make_pipeline

from rosenblatt import Perceptron, capacity_curve, read
from rosenblatt.features import RandomProducts
from rosenblatt.plotting import ErrorCurveDisplay


def products(n: int) -> Pipeline:
    """A perceptron on the pixels and n products."""
    return make_pipeline(RandomProducts(n), Perceptron(keep="average", max_iter=20))


def draw() -> plt.Figure:
    """Training and test error, with their intervals."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if folder:
        names = (f"{folder}/mnist/{part}-images-idx3-ubyte.gz" for part in ("train", "t10k"))
        (X, y), test = ((data.X / 255, data.y == 8) for data in map(read, names))
        title, numbers = "MNIST", (0, 100, 300, 1000, 3000)
    else:
        X, digits = load_digits(return_X_y=True)
        X, y, test = X / 16, digits == 8, 0.5
        title, numbers = "digits of scikit-learn", (0, 50, 100, 200, 500, 1000, 2000)
    curve = capacity_curve(products, X, y, numbers, axis="random products", test=test)
    figure = ErrorCurveDisplay.from_curve(curve).figure_
    figure.suptitle(f"{title}, 8 against the rest")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "capacity.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
