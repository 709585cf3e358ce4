"""The kernel trick: a perceptron that knows κ(x, x') = Φ(x)·Φ(x') and not Φ.

Look for the ringed rows, the only ones that are kept, and for boundaries no line could make.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import KernelPerceptron, builtin
from rosenblatt.plotting import BoundaryDisplay

KERNELS = {
    "x·x′": KernelPerceptron("linear", shuffle=False, max_iter=20),
    "(x·x′)²": KernelPerceptron("poly", degree=2, gamma=1, shuffle=False),
    "exp(−‖x − x′‖²)": KernelPerceptron("rbf", gamma=1, shuffle=False),
}


def draw() -> plt.Figure:
    """A ring in a ring, and the boundaries of three kernels."""
    rings = builtin("rings")
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="compressed")
    for ax, (name, model) in zip(axes, KERNELS.items(), strict=True):
        model.fit(rings.X, rings.y)
        BoundaryDisplay.from_estimator(model, rings.X, rings.y, ax=ax)
        ax.set_title(f"κ = {name}: ends with {model.trace_[-1].mistakes} mistakes")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "kernel_trick.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
