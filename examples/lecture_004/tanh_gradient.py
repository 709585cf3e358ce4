"""The loss ¼ Σ (y − y*)² with y* = tanh(w·x), and its gradient −Σ ((y − y*)/2)(1 − y*²) x.

The formula of the slide, finite differences of the loss, and one step of the library, whose
`eta0` is half of the slide's η.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import GradientDescent, builtin


def run(folder: Path) -> Path:
    """Write the gradient in three ways."""
    points, w = builtin("4f10"), np.array([0.0, 1.0, -0.5])
    X, y = np.column_stack([points.X, np.ones(8)]), points.y

    def loss(weights: np.ndarray) -> float:
        return float(np.sum((y - np.tanh(X @ weights)) ** 2) / 4)

    out = np.tanh(X @ w)
    formula = -((y - out) / 2 * (1 - out**2)) @ X
    differences = [(loss(w + d) - loss(w - d)) / 2e-6 for d in 1e-6 * np.eye(3)]
    eta = 0.4
    step = GradientDescent(loss="tanh", eta0=eta / 2, max_iter=1, tol=None)
    step = step.fit(points.X, y, coef_init=w[:2], intercept_init=w[2])
    learned = (w - np.append(step.coef_, step.intercept_)) / eta
    rows = {"formula": formula, "differences": differences, "library": learned}
    lines = [f"{name:12}" + "".join(f"{g:10.6f}" for g in row) for name, row in rows.items()]
    path = folder / "tanh_gradient.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
