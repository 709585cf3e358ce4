"""The first slides: or and and as threshold logic units, and xor, which takes three of them.

Look for the line of each unit, and for the two lines of xor that a third unit joins.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import gates
from rosenblatt.plotting import GateDisplay

TITLES = ("OR", "AND", "XOR: two lines", "XOR: the unit that joins them")


def draw() -> plt.Figure:
    """The four inputs and the output of each unit."""
    figure, axes = plt.subplots(1, 4, figsize=(13, 4.2), layout="compressed")
    GateDisplay.from_unit(gates.OR, ax=axes[0])
    GateDisplay.from_unit(gates.AND, ax=axes[1])
    GateDisplay.from_unit(gates.XOR, ax=axes[2:])
    for ax, title in zip(axes, TITLES, strict=True):
        ax.set_title(title)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "gates.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
