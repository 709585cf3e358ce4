"""The perceptron learns from examples, from weights that are random.

Mistakes of each epoch for five random starts. All runs end with an epoch without a mistake, some
sooner and some later.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import Perceptron, builtin


def draw() -> plt.Figure:
    """The mistakes over the epochs."""
    kennel = builtin("kennel")
    figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
    for seed, style in enumerate(("o-", "s--", "^-.", "D:", "v-")):
        model = Perceptron(start="random", random_state=seed).fit(kennel.X, kennel.y)
        mistakes = model.trace_.column("mistakes")
        ax.plot(range(1, len(mistakes) + 1), mistakes, style, ms=4, label=f"start {seed}")
    ax.set(xlabel="epoch", ylabel="mistakes among 300 animals", ylim=(0, None))
    ax.legend()
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "random_start.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
