"""Fisher's discriminant on the eight points: means, scatter, w and b of the slide.

Below, the criterion (w·S_b w) / (w·S_w w) of Fisher's direction and of others: none is larger.
"""

import sys
from pathlib import Path

import numpy as np

from rosenblatt import FisherDiscriminant, builtin


def run(folder: Path) -> Path:
    """Write the numbers of the slide, and the criterion in seven directions."""
    points = builtin("4f10")
    model = FisherDiscriminant().fit(points.X, points.y)
    second, first = model.means_  # class 2 is −1, and comes first
    lines = [f"μ₁ = {first.round(4)}, μ₂ = {second.round(4)}"]
    lines += [f"S_w = {model.within_scatter_.round(4).tolist()}"]
    lines += [f"w = {model.coef_[0].round(4)}, b = {model.intercept_[0]:.4f}", ""]
    lines += ["direction  criterion", f"Fisher's   {model.criterion(model.coef_[0]):9.4f}"]
    for degrees in range(0, 180, 30):
        w = [np.cos(np.radians(degrees)), np.sin(np.radians(degrees))]
        lines.append(f"{degrees:3}°       {model.criterion(w):9.4f}")
    path = folder / "fisher_numbers.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
