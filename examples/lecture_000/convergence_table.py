"""The convergence theorem, with measured numbers: every mistake of a run beside the bounds.

Look for w·w*, which is never below kγ, and for ‖w‖², which is never above kR². The slide has
γ/2 for this γ.
"""

import sys
from pathlib import Path

from rosenblatt import Perceptron, builtin, convergence_table


def run(folder: Path) -> Path:
    """Write the table into a folder and return its path."""
    data = builtin("separable", margin=0.1)
    table = convergence_table(Perceptron(shuffle=False), data.X, data.y)
    path = folder / "convergence_table.txt"
    path.write_text(f"{table}\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
