"""The worked example of the batch perceptron, with its tables of z.

From w = (0, 1), b = −0.5 four of eight points are misclassified. Their sum, class 2 with a minus,
is the step; after it none is.
"""

import sys
from pathlib import Path

from rosenblatt import BatchPerceptron, builtin


def run(folder: Path) -> Path:
    """Write z, the classes and the weights before and after the step."""
    points = builtin("4f10")
    run = BatchPerceptron().replay(points.X, points.y, coef_init=[0, 1], intercept_init=-0.5)
    lines = []
    for step, [weights] in enumerate(list(run)[:2]):
        z = points.X @ weights[:2] + weights[2]
        lines.append(f"w[{step}] = " + ", ".join(f"{w:g}" for w in weights.round(9)))
        for name, rows in (("class 1", slice(0, 4)), ("class 2", slice(4, 8))):
            lines.append(f"{name}  sample " + "".join(f"{k:9}" for k in (1, 2, 3, 4)))
            lines.append("         z      " + "".join(f"{v:9.4f}" for v in z[rows]))
            lines.append("         class  " + "".join(f"{1 if v >= 0 else 2:9}" for v in z[rows]))
    path = folder / "batch_perceptron.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
