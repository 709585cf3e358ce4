"""Kesler's construct, written out: three classes as one two-class problem.

A sample of class i gives K − 1 vectors of K (d + 1) entries: x̃ in block i, −x̃ in block j, 0
elsewhere. All three score functions together are right where α·v > 0 for all these vectors v.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import Perceptron, scene


def run(folder: Path) -> Path:
    """Write the vectors of the first sample, and the smallest α·v of all."""
    three = scene("003-kesler")
    model = Perceptron().fit(three.X, three.y)
    alpha = np.column_stack([model.coef_, model.intercept_]).ravel()
    vectors = []
    for x, label in zip(three.X, three.y, strict=True):
        own = np.flatnonzero(model.classes_ == label)[0]
        for other in {0, 1, 2} - {own}:
            v = np.zeros((3, 3))
            v[own], v[other] = [*x, 1], [*-x, -1]
            vectors.append(v.ravel())
    table = "\n".join("v = " + " ".join(f"{entry:4g}" for entry in v) for v in vectors[2:6])
    text = (
        f"{len(three.y)} samples of 3 classes: {len(vectors)} vectors of {alpha.size} entries."
        f" Those of samples 2 and 3:\n{table}\n\nα = {alpha.round(2).tolist()}\n"
        f"smallest α·v: {min(v @ alpha for v in vectors):.2f}\n"
    )
    path = folder / "kesler.txt"
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
