"""XOR = AND(OR, NAND): two units draw two lines, and a third joins them.

Right, the plane of the outputs of the two hidden units: (0, 1) and (1, 0) fall on one point, and
a single line is enough.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import ThresholdNetwork, gates
from rosenblatt.plotting import GateDisplay


def draw() -> plt.Figure:
    """The lines of the network."""
    xor = ThresholdNetwork((gates.OR, gates.NAND), gates.AND)
    return GateDisplay.from_unit(xor).figure_


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "xor_network.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
