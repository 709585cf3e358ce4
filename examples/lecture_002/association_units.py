"""Three stages: retina, random association units, learned responses.

The table has the test error of a perceptron on pixels, and behind more and more random units. A
few hundred units know less than the pixels; many know more, as their outputs are not linear. With
ROSENBLATT_DATA the pictures are those of MNIST.
"""

import os
import sys
from pathlib import Path
from typing import Any

from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline

from rosenblatt import Perceptron, read
from rosenblatt.features import AssociationUnits


def digits() -> tuple[Any, Any, Any, Any]:
    """Pictures and labels to learn from, and others for the test."""
    if "ROSENBLATT_DATA" in os.environ:
        mnist = Path(os.environ["ROSENBLATT_DATA"]) / "mnist"
        parts = [read(mnist / f"{part}-images-idx3-ubyte.gz") for part in ("train", "t10k")]
        return parts[0].X, parts[0].y, parts[1].X, parts[1].y
    X, y = load_digits(return_X_y=True)
    return X[:1000], y[:1000], X[1000:], y[1000:]


def run(folder: Path) -> Path:
    """Write the table."""
    X, y, X_test, y_test = digits()
    lines = ["units  test error"]
    for n_units in (0, 100, 300, 1000, 2000):
        stages = [AssociationUnits(n_units)] if n_units else []
        machine = make_pipeline(*stages, Perceptron(keep="average", max_iter=20)).fit(X, y)
        lines.append(f"{n_units or 'none':>5}  {1 - machine.score(X_test, y_test):10.1%}")
    path = folder / "association_units.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
