"""The larger the margin, the more quickly a perceptron classifies all samples correctly.

Look for the slopes: the bound of the theorem falls with γ², the mistakes themselves more slowly.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin

MARGINS = np.geomspace(0.01, 1, 9)
ORDERS = 10


def draw() -> plt.Figure:
    """Mistakes of ten orders of the rows, and the bound, over the margin."""
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="compressed")
    means = []
    for margin in MARGINS:
        data = builtin("separable", margin=margin)
        orders = [Perceptron(random_state=k).fit(data.X, data.y) for k in range(ORDERS)]
        made = [model.mistakes_ for model in orders]
        means.append(np.mean(made))
        ax.plot([margin] * ORDERS, made, "o", ms=4, color="#0072B2", alpha=0.3)
    ax.plot(MARGINS, 4**2 / MARGINS**2, "k--", label="bound R²/γ², R = 4")
    ax.plot(MARGINS, means, "o-", color="#0072B2", label=f"mistakes, mean of {ORDERS} orders")
    ax.set(xscale="log", yscale="log", xlabel="margin γ of (x, 1)", ylabel="mistakes")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "margin_and_mistakes.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
