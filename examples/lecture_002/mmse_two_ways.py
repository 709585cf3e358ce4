"""Minimum mean squared error two ways: eq. 7, two equations, and eq. 8, one with extended samples.

Each equation of (7) needs what the other gives, so here they are solved in turn; they come nearer
and nearer to the weights that (8) gives at once.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import LeastSquares, builtin


def run(folder: Path) -> Path:
    """Write w and b after some rounds of eq. 7, and those of eq. 8."""
    points = builtin("4f10")
    X, y, b = points.X, points.y, 0.0
    lines = ["          w1       w2        b"]
    for turn in range(1, 51):
        w = np.linalg.solve(X.T @ X, X.T @ (y - b))
        b = np.mean(y - X @ w)
        if turn in {1, 2, 5, 10, 20, 50}:
            lines.append(f"turn {turn:2}{w[0]:9.4f}{w[1]:9.4f}{b:9.4f}")
    model = LeastSquares().fit(X, y)
    w, b = model.coef_[0], model.intercept_[0]
    lines.append(f"eq. 8  {w[0]:9.4f}{w[1]:9.4f}{b:9.4f}")
    path = folder / "mmse_two_ways.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
