"""LMS with the hard error and μ = 1 is the perceptron rule: slide after eq. 12.

The table has the weights of both after every sample of two epochs. They are the same. (The slide
says "0, otherwise"; where the sample is correct, the weights stay.)
"""

import sys
from pathlib import Path

from rosenblatt import LMS, Perceptron, builtin


def run(folder: Path) -> Path:
    """Write the weights of both rules after every sample."""
    points = builtin("4f10")
    hard = LMS(error="hard", eta0=1, tol=None, shuffle=False).replay(points.X, points.y)
    perceptron = Perceptron(shuffle=False).replay(points.X, points.y)
    lines = ["epoch row  LMS, hard error          perceptron"]
    for epoch in (1, 2):
        both = zip(hard.path(epoch), perceptron.path(epoch), strict=True)
        for row, weights in enumerate(both):
            left, right = (f"{w1:6.2f} {w2:6.2f} {b:6.2f}" for [[w1, w2, b]] in weights)
            lines.append(f"{epoch:5}{row:4}   {left}     {right}")
    path = folder / "lms_hard_error.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
