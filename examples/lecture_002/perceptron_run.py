"""Example of the perceptron rule: slide 'example of the application of the perceptron rule'.

Each panel is an update: the sample behind it is ringed, and the line moves so that this sample
comes nearer to its side. The run ends with the first epoch without a mistake.
"""

import sys
from pathlib import Path

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import StepsDisplay


def run(folder: Path) -> Path:
    """Draw the start and all updates."""
    data = builtin("separable")
    display = StepsDisplay.from_estimator(Perceptron(shuffle=False), data.X, data.y)
    path = folder / "perceptron_run.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
