"""Stochastic gradient descent: the loss, epoch by epoch, with batches of 1, 20, 100 and 200 rows.

The steps are equally long: 0.1 times the mean gradient of a batch. Look for the number of updates
in an epoch: small batches make many, and need few epochs; a single batch makes one.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import GradientDescent, builtin

LOOKS = {1: ("o", "#0072B2"), 20: ("s", "#D55E00"), 100: ("^", "#009E73"), 200: ("D", "#CC79A7")}


def draw() -> plt.Figure:
    """The mean logistic loss over the epochs."""
    data = builtin("overlapping")
    figure, ax = plt.subplots(figsize=(7.2, 4.2), layout="compressed")
    for size, (marker, colour) in LOOKS.items():
        model = GradientDescent(eta0=0.1 / size, batch_size=size, max_iter=30, tol=None)
        loss = [record.loss for record in model.fit(data.X, data.y).trace_]
        label = f"B = {len(data.y) // size}"
        ax.plot(range(1, 31), loss, color=colour, marker=marker, ms=4, label=label)
    ax.set(xlabel="epoch", ylabel="mean logistic loss", ylim=(0, None))
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "batches.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
