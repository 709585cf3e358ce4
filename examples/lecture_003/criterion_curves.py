"""Training criteria: slide with the true cost and the perceptron criterion of one sample.

The true cost is flat, and a gradient says nothing about it. The perceptron criterion falls
towards the boundary and is 0 beyond it.
"""

import sys
from pathlib import Path

from rosenblatt.plotting import FunctionDisplay


def run(folder: Path) -> Path:
    """Draw both criteria over the margin y z."""
    display = FunctionDisplay.from_losses("zero_one", "perceptron", limits=(-2, 2))
    path = folder / "criterion_curves.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
