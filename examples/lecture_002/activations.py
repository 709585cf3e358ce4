"""tanh and the logistic function, with their derivatives: slide of eq. 13.

The derivative of tanh is 1 at most, that of the logistic function ¼. Both vanish far from 0,
where a sample hardly changes the weights.
"""

import sys
from pathlib import Path

from rosenblatt.plotting import FunctionDisplay


def run(folder: Path) -> Path:
    """Draw the functions and their derivatives."""
    display = FunctionDisplay.from_activations("tanh", "logistic", derivative=True)
    path = folder / "activations.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
