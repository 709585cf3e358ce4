"""Draw the pictures of the README: python docs/pictures.py (needs the extra [plot])."""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin, separability

BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
IMAGES = Path(__file__).parent / "images"


def main() -> None:
    """Write docs/images/perceptron.png."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, (yes, no) = plt.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
    draw_separable(yes)
    draw_inseparable(no)
    figure.savefig(IMAGES / "perceptron.png", dpi=130)


def draw_separable(ax) -> None:
    """The perceptron's line beside the one with the largest margin."""
    data = builtin("separable")
    model = Perceptron(shuffle=False).fit(data.X, data.y)
    best = separability(data.X, data.y, maximise=True)
    scatter(ax, data)
    line(ax, model.coef_[0], model.intercept_[0], GREY, "--", "perceptron at its first clean pass")
    line(ax, best.coef, best.intercept, "black", "-", "largest margin")
    ring(ax, data.X[list(best.support)])
    ax.set_title("A line separates the classes", fontsize=12)
    ax.legend(loc="upper right", **LEGEND)


def draw_inseparable(ax) -> None:
    """One label flipped: what its class spans meets what the other spans, and that is the proof."""
    data = builtin("separable")
    flipped = int(np.argmin(np.linalg.norm(data.X - [-2, 1], axis=1)))
    labels = data.y.copy()
    labels[flipped] = -labels[flipped]
    data = replace(data, y=labels)
    proof = separability(data.X, data.y)
    scatter(ax, data, faint=True)
    rows = data.X[list(proof.rows)]
    for label, colour, shape in ((-1, BLUE, "o"), (1, ORANGE, "s")):
        own = rows[data.y[list(proof.rows)] == label]
        ax.plot(*own.T, color=colour, marker=shape, ms=6, lw=2.2)
    ring(ax, rows)
    for row, weight in zip(rows, proof.weights, strict=True):
        away = row - rows.mean(0)
        spot = 16 * away / max(np.linalg.norm(away), 1e-9)
        ax.annotate(
            f"{float(weight):.2f}",
            row,
            spot,
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=10,
        )
    ax.set_title("One label flipped: four rows prove that none can", fontsize=12)
    ax.legend(loc="upper left", **LEGEND)


LEGEND = {"frameon": True, "framealpha": 0.9, "fontsize": 9, "edgecolor": "none"}


def scatter(ax, data, *, faint: bool = False) -> None:
    """Draw the rows, each class by its colour and shape."""
    for label, colour, shape in ((-1, BLUE, "o"), (1, ORANGE, "s")):
        rows = data.X[data.y == label]
        alpha = 0.35 if faint else 0.85
        ax.scatter(*rows.T, c=colour, marker=shape, s=22, label=f"class {label:+d}", alpha=alpha)
    low, high = data.X.min(0) - 0.4, data.X.max(0) + np.array([0.4, 2.2])
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), xlabel="x₁", ylabel="x₂")


def ring(ax, rows) -> None:
    """Point out some rows."""
    ax.scatter(*rows.T, s=110, facecolors="none", edgecolors="black", zorder=5)


def line(ax, w, b, colour, style, label) -> None:
    """Draw w·x + b = 0."""
    foot = -b * np.asarray(w) / np.dot(w, w)
    ax.axline(foot, foot + np.array([-w[1], w[0]]), color=colour, ls=style, lw=1.8, label=label)


if __name__ == "__main__":
    main()
