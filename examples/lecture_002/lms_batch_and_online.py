"""Least mean squares from all samples (eq. 9 and 10) and from one at a time (eq. 12).

Both paths go down the same error surface, 40 epochs each. That of all samples together is smooth
and ends at the minimum; one at a time, the weights zigzag down and then move about near it.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import LMS, builtin
from rosenblatt.plotting import ErrorSurfaceDisplay


def draw() -> plt.Figure:
    """Both paths over the squared error."""
    points, start = builtin("4f10"), [[-1.5, -1.5]]
    display = ErrorSurfaceDisplay.from_data(
        points.X, points.y, eta0=0.1, n_steps=40, starts=start, fit_intercept=False
    )
    rule = LMS(eta0=0.1, max_iter=40, tol=None, fit_intercept=False, shuffle=False)
    weights = np.array(list(rule.replay(points.X, points.y, coef_init=start)))
    display.ax_.plot(*weights[:, 0, :2].T, color="#D55E00", lw=1.2, marker=".", ms=4)
    display.ax_.set_title("black: all samples a step; orange: one sample a step", loc="left")
    return display.figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "lms_batch_and_online.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
