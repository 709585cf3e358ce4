"""What about non-separable data? η = 1, η = 1/n, and the average of all weights.

With η = 1 the training error jumps about for ever. With η = 1/n it calms down, as the slide says.
The average with η = 1 is as calm, and a little lower.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin

RULES = {
    "η = 1": {},
    "η = 1/n": {"learning_rate": "1/n"},
    "η = 1, average": {"keep": "average"},
}


def draw() -> plt.Figure:
    """The training error after each epoch, and its mean over 10 orders of the samples."""
    data = builtin("overlapping")
    figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), sharey=True, layout="constrained")
    for ax, (name, options) in zip(axes, RULES.items(), strict=True):
        runs = []
        for seed in range(10):
            model = Perceptron(max_iter=50, random_state=seed, track_error=True, **options)
            runs.append(model.fit(data.X, data.y).trace_.column("training_error"))
        epochs = range(1, 51)
        ax.plot(epochs, np.transpose(runs), color="0.75", lw=0.8)
        ax.plot(epochs, np.mean(runs, axis=0), color="black", lw=2)
        last = [run[-1] for run in runs]
        ax.set_title(f"{name}: {np.mean(last):.3f} ± {np.std(last):.3f} at the end", loc="left")
        ax.set(xlabel="epoch", ylim=(0, None))
    axes[0].set_ylabel("training error")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "decaying_rate.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
