"""Polynomial regression: α·Φ(x) with Φ(x) = (1, x, …, x^D) is linear in α.

Look for the line that is too stiff, the cubic that follows the sine, and the polynomial of
degree 9 that follows the noise.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline

from rosenblatt import LeastSquaresRegressor
from rosenblatt.features import Polynomial
from rosenblatt.plotting import RegressionDisplay


def draw() -> plt.Figure:
    """Twelve points, and polynomials of three degrees."""
    x = np.linspace(0, 1, 12)[:, None]
    y = np.sin(2 * np.pi * x[:, 0]) + 0.2 * np.random.default_rng(0).standard_normal(12)
    models = {
        f"D = {D}": make_pipeline(Polynomial(D), LeastSquaresRegressor()).fit(x, y)
        for D in (1, 3, 9)
    }
    return RegressionDisplay.from_estimators(models, x, y, feature_names=["x"]).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "polynomial_regression.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
