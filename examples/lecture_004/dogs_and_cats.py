"""The worked example: a Presa Canario, a Maltese and a Maine Coon correct a rule.

The first rule is "comes over 20 times". The Presa Canario makes weight count, and the Maine Coon
takes a little of it back.
"""

import sys
from pathlib import Path

from rosenblatt import Perceptron, builtin
from rosenblatt.plotting import StepsDisplay


def run(folder: Path) -> Path:
    """Draw the first rule and the two updates."""
    pets, start = builtin("dogs-vs-cats"), {"coef_init": [1, 0], "intercept_init": -20}
    model = Perceptron(max_iter=1, shuffle=False)
    names = pets.feature_names
    display = StepsDisplay.from_estimator(model, pets.X, pets.y, feature_names=names, **start)
    path = folder / "dogs_and_cats.png"
    display.figure_.savefig(path)
    return path


if __name__ == "__main__":
    print(run(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
