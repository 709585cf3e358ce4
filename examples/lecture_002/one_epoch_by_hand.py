"""One epoch of LMS (eq. 12) and of a tanh unit by hand: four samples, four updates each.

e = y − f(x) and w ← w + μ e x for f = w·x, or w ← w + μ e (1 − f²) x for f = tanh(w·x). The last
column is the library's weights after the same sample.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import LMS, TanhPerceptron, builtin


def run(folder: Path) -> Path:
    """Write the errors and weights of both rules on AND, from zero, with μ = 0.1."""
    gate = builtin("and")
    settings = {"eta0": 0.1, "max_iter": 1, "tol": None, "shuffle": False}
    lines = []
    for model in (LMS(**settings), TanhPerceptron(**settings)):
        linear, w = isinstance(model, LMS), np.zeros(3)
        lines += [type(model).__name__, "   y       e  by hand                    library"]
        learned = model.replay(gate.X, gate.y).path(1)
        for x, y, after in zip(np.column_stack([gate.X, np.ones(4)]), gate.y, learned, strict=True):
            target = 2 * y - 1
            f = w @ x if linear else np.tanh(w @ x)
            w = w + 0.1 * (target - f) * (1 if linear else 1 - f**2) * x
            hand, ours = (" ".join(f"{v:7.4f}" for v in weights) for weights in (w, after[0]))
            lines.append(f"{target:4}{target - f:8.4f}  {hand}    {ours}")
    path = folder / "one_epoch_by_hand.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
