"""The last line of the proof: kγ ≤ w·w* ≤ ‖w‖ ≤ √k R after k mistakes.

A line and a root must cross. Look for where: at k = R²/γ² mistakes, of which the run needs few.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin, convergence_table


def draw() -> plt.Figure:
    """Both bounds up to where they cross, and the run between them."""
    data = builtin("separable", margin=0.02)
    table = convergence_table(Perceptron(shuffle=False), data.X, data.y)
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="compressed")
    k = np.geomspace(1, 1.5 * table.mistake_bound, 200)
    ax.plot(k, table.radius * np.sqrt(k), "k--", label="√k R")
    ax.plot(table.mistake, np.sqrt(table.squared_norm), "s-", ms=4, color="#D55E00", label="‖w‖")
    ax.plot(table.mistake, table.projection, "o-", ms=4, color="#0072B2", label="w·w*")
    ax.plot(k, table.margin * k, "k:", label="k γ")
    ax.axvline(table.mistake_bound, color="#6B6B6B", lw=1)
    ax.text(table.mistake_bound, 0.12, f"R²/γ² = {table.mistake_bound:,} ", ha="right")
    ax.set(xscale="log", yscale="log", xlabel="mistakes k", title=f"{len(table)} mistakes")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "convergence_bounds.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
