"""The Mark I reads letters: slide 'Figure 1, organization of the Mark I perceptron'.

Above, six letters on 20 × 20 photocells; below, the weights that a perceptron learned for each
letter. They are positive (orange) where the letter has ink, and negative where others have it.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from rosenblatt import Perceptron, builtin


def draw() -> plt.Figure:
    """Samples and weights; the title has the share of 130 new pictures read correctly."""
    data = builtin("mark-i")
    old, new = slice(0, 390), slice(390, 520)
    model = Perceptron(keep="average").fit(data.X[old], data.y[old])
    figure, axes = plt.subplots(2, 6, figsize=(9, 3.6), layout="constrained")
    for letter, (above, below) in zip("AEIORX", axes.T, strict=True):
        seen = data.X[np.flatnonzero(data.y == letter)[0]]
        weights = model.coef_[np.flatnonzero(model.classes_ == letter)[0]]
        above.imshow(seen.reshape(20, 20), cmap="gray_r")
        most = abs(weights).max()
        below.imshow(weights.reshape(20, 20), cmap="PuOr_r", vmin=-most, vmax=most)
        above.set_title(letter)
    for ax in axes.ravel():
        ax.set(xticks=[], yticks=[])
    figure.suptitle(
        f"{model.score(data.X[new], data.y[new]):.0%} of 130 new pictures read correctly"
    )
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "mark_i_letters.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
