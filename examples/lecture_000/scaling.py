"""The bound does not change if the population is scaled.

Look for the first block, in which nothing changes but the weights, and for the second: there the
constant component stays 1, and both the bound and the mistakes change.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, builtin, convergence_table

SCALES = (0.25, 0.5, 1, 2, 4, 8)  # powers of 2, so that no product is rounded


def run(folder: Path) -> Path:
    """Write the table into a folder and return its path."""
    data = builtin("separable", margin=0.1)
    X1 = np.column_stack([data.X, np.ones(len(data.X))])
    through_0, with_bias = Perceptron(shuffle=False, fit_intercept=False), Perceptron(shuffle=False)
    lines = ["(x, 1) as a whole times"]
    for scale in SCALES:
        lines += [f"{scale:6} {convergence_table(through_0, scale * X1, data.y)!r}"]
    lines += ["x alone times"]
    for scale in SCALES:
        lines += [f"{scale:6} {convergence_table(with_bias, scale * data.X, data.y)!r}"]
    path = folder / "scaling.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
