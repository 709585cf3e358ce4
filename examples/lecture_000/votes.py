"""Eleven votes, with the raw coordinates and with a radial feature.

Look for the boundary: ragged and wrong with few points, a circle once the distance to the centre
is the only feature.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from rosenblatt import builtin
from rosenblatt.plotting import BoundaryDisplay, ScoreDisplay


def draw() -> plt.Figure:
    """Votes and prediction for both features."""
    rings = builtin("rings")
    X, y = rings.X[::4], rings.y[::4]
    radial = FunctionTransformer(lambda X: (X**2).sum(axis=1, keepdims=True))
    models = {
        "coordinates": KNeighborsClassifier(11),
        "radial feature": make_pipeline(radial, KNeighborsClassifier(11)),
    }
    figure, axes = plt.subplots(2, 2, figsize=(9.6, 7.6), layout="compressed")
    for row, (name, model) in zip(axes, models.items(), strict=True):
        ScoreDisplay.from_estimator(model.fit(X, y), X, y, ax=row[0])
        row[0].set_title(f"votes, K = 11, {name}")
        BoundaryDisplay.from_estimator(model, X, y, ax=row[1])
        row[1].set_title(f"prediction, K = 11, {name}")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "votes.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
