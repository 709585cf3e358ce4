"""Gradient ascent on the log-likelihood of logistic regression: w ← w + η Σ (y − p) x.

One η is too small, one is right, and with one the steps overshoot. The dashed line is the
maximum, which Newton's method finds.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import GradientDescent, LogisticRegression, builtin


def draw() -> plt.Figure:
    """The log-likelihood over the steps for three η."""
    data = builtin("overlapping")
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for eta, style in ((0.0005, "-"), (0.01, "--"), (0.2, "-.")):
        model = GradientDescent(eta0=eta, max_iter=30, tol=None).fit(data.X, data.y)
        likelihood = [-len(data.y) * record.loss for record in model.trace_]
        ax.plot(range(len(likelihood)), likelihood, style, marker=".", label=f"η = {eta}")
    best = LogisticRegression(C=np.inf).fit(data.X, data.y).predict_proba(data.X)
    maximum = np.log(best[np.arange(len(data.y)), (data.y == 1).astype(int)]).sum()
    ax.axhline(maximum, color="black", ls=":", label="maximum")
    ax.set(xlabel="step", ylabel="log-likelihood", ylim=(-250, -50))
    ax.legend()
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "logistic_gradient_ascent.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
