"""The batch rule of a tanh unit: eq. 16, w ← w + μ Σ e (1 − f²) x.

The table has six steps by hand and by the library, and the squared error (eq. 15), which falls.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import TanhPerceptron, builtin


def run(folder: Path) -> Path:
    """Write weights and errors of six steps on the eight points of lecture 003."""
    points = builtin("4f10")
    X, y, w = np.column_stack([points.X, np.ones(8)]), points.y, np.array([0.0, 1.0, -0.5])
    start = {"coef_init": w[:2], "intercept_init": w[2]}
    lines = ["step   error  by hand                 library"]
    for step in range(1, 7):
        f = np.tanh(X @ w)
        error = np.sum((y - f) ** 2)
        w = w + 0.2 * ((y - f) * (1 - f**2)) @ X
        model = TanhPerceptron(eta0=0.2, batch_size=None, max_iter=step, tol=None)
        model = model.fit(points.X, y, **start)
        ours = [*model.coef_[0], *model.intercept_]
        hand, library = (" ".join(f"{v:6.3f}" for v in weights) for weights in (w, ours))
        lines.append(f"{step:4}{error:8.3f}  {hand}    {library}")
    path = folder / "tanh_batch_rule.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
