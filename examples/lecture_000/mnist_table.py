"""MNIST, 0 against 1: changes, training error and test error of each epoch of a perceptron.

Look for the last epoch, which has no mistake, and for a test error that stops falling before.
Set ROSENBLATT_DATA to a folder with mnist/*.gz; without it, digits of scikit-learn are used.
"""

import os
import sys
from pathlib import Path

from sklearn.datasets import load_digits

from rosenblatt import Perceptron, read


def digits() -> tuple:
    """A title, training rows and labels, test rows and labels."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if folder:
        parts = (read(f"{folder}/mnist/{part}-images-idx3-ubyte.gz") for part in ("train", "t10k"))
        rows = [(p.X[p.y <= 1] / 255, p.y[p.y <= 1]) for p in parts]
        return "MNIST, 0 against 1, in file order", *rows[0], *rows[1]
    X, y = load_digits(return_X_y=True)
    X, y = X[(y == 3) | (y == 8)] / 16, y[(y == 3) | (y == 8)]
    title = "Digits of scikit-learn, 3 against 8, half of them for the test"
    return title, X[::2], y[::2], X[1::2], y[1::2]


def run(folder: Path) -> Path:
    """Write the table into a folder and return its path."""
    title, X, y, X_test, y_test = digits()
    model = Perceptron(shuffle=False, track_error=True).fit(X, y, X_val=X_test, y_val=y_test)
    table = model.trace_.table("epoch", "mistakes", "training_error", "validation_error")
    path = folder / "mnist_table.txt"
    path.write_text(f"{title}\n\n{table}\n\n{model.outcome_}\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
