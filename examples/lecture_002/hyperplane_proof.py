"""Why sign(w·x + b) classifies: slide with w, x₀ on the plane, and x₁ = x₀ + z (eq. 3).

Left, z makes an angle of more than 90° with w, and w·z is negative; right, one of less than 90°.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt.plotting import HyperplaneDisplay


def draw() -> plt.Figure:
    """A point on either side of the line."""
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for ax, point in zip(axes, ([-1, -0.5], [0, 2.4]), strict=True):
        HyperplaneDisplay.from_weights([1, 2], -2, point=point, base=[2, 0], ax=ax)
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "hyperplane_proof.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
