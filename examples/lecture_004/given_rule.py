"""Dogs and cats by a rule that is given: ideas 1, 2 and 3 of the slides.

By weight alone, and by tameness alone, some animals are on the wrong side (Maltese dogs, a Presa
Canario). The line 0.5 x₁ + 0.5 x₂ = 20 has all of them right: the 300 animals were made so.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt

from rosenblatt import builtin, from_weights
from rosenblatt.plotting import BoundaryDisplay

IDEAS = {  # pounds and calls are whole numbers: above 20.5 is more than 20
    "over 20 pounds": ([0, 1], -20.5),
    "comes over 20 times": ([1, 0], -20.5),
    "both, by half": ([0.5, 0.5], -20),
}


def draw() -> plt.Figure:
    """The line of each idea; the titles count the animals on the wrong side."""
    kennel = builtin("kennel")
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for ax, (idea, (w, b)) in zip(axes, IDEAS.items(), strict=True):
        rule = from_weights(w, b, classes=["cat", "dog"])
        BoundaryDisplay.from_estimator(
            rule, kennel.X, kennel.y, feature_names=kennel.feature_names, ax=ax
        )
        wrong = sum(rule.predict(kennel.X) != kennel.y)
        ax.set_title(f"{idea}: {wrong} of 300 wrong", loc="left")
    return figure


def run(folder: Path) -> Path:
    """Write the figure into a folder and return its path."""
    path, figure = folder / "given_rule.png", draw()
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
