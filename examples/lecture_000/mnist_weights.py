"""MNIST, 0 against 1: the weights of a perceptron as an image.

Look for the stroke of a 1 in the middle, and for the ring of a 0 around it in the other colour.
Set ROSENBLATT_DATA to a folder with mnist/*.gz; without it, digits of scikit-learn are used.
"""

import os
import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from rosenblatt import Perceptron, read
from rosenblatt.plotting import WeightsDisplay


def draw() -> plt.Figure:
    """One pixel for each weight."""
    folder, side = os.environ.get("ROSENBLATT_DATA"), 28
    if folder:
        data = read(f"{folder}/mnist/train-images-idx3-ubyte.gz")
        X, y = data.X[data.y <= 1] / 255, data.y[data.y <= 1]
    else:
        X, y = load_digits(n_class=2, return_X_y=True)
        X, side = X / 16, 8
    model = Perceptron(shuffle=False).fit(X, y)
    figure = WeightsDisplay.from_estimator(model, image_shape=(side, side)).figure_
    figure.suptitle("MNIST" if folder else "digits of scikit-learn")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "mnist_weights.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
