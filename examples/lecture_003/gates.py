"""AND, OR, NAND and NOR are single units; each is a line in the square of its inputs."""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import gates
from rosenblatt.plotting import GateDisplay


def draw() -> plt.Figure:
    """The four gates."""
    figure, axes = plt.subplots(2, 2, figsize=(8, 8), layout="constrained")
    for ax, name in zip(axes.ravel(), ("AND", "OR", "NAND", "NOR"), strict=True):
        GateDisplay.from_unit(getattr(gates, name), ax=ax)
        ax.set_title(name)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "gates.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
