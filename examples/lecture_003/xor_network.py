"""XOR = AND(OR, NAND): two units draw two lines, and a third joins them.

Right, the plane of the outputs of the two hidden units: (0, 1) and (1, 0) fall on one point, and
a single line is enough.
"""

import sys
from pathlib import Path

from rosenblatt import ThresholdNetwork, gates
from rosenblatt.plotting import GateDisplay


def run(folder: Path) -> Path:
    """Draw the lines of the network."""
    xor = ThresholdNetwork((gates.OR, gates.NAND), gates.AND)
    display = GateDisplay.from_unit(xor)
    path = folder / "xor_network.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
