"""From sgn to tanh: a decision function that can be differentiated.

The derivative of sgn is 0 wherever it exists, so that gradient descent has nowhere to go. That of
tanh is 1 − tanh².
"""

import sys
from pathlib import Path

from rosenblatt.plotting import FunctionDisplay


def run(folder: Path) -> Path:
    """Draw both functions and their derivatives."""
    display = FunctionDisplay.from_activations("sign", "tanh", derivative=True)
    path = folder / "sgn_to_tanh.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
