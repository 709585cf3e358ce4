"""Fit, predict, save and load, and the same by commands: the least that an installation must do."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import rosenblatt

COMMAND = Path(sys.executable).with_name("rosenblatt")


def command(*words: object) -> str:
    """Run a command; what it printed."""
    done = subprocess.run([COMMAND, *map(str, words)], check=True, capture_output=True, text=True)
    return done.stdout


def main() -> None:
    """Fail at the first thing that does not work."""
    iris = rosenblatt.builtin("iris")
    estimators = (
        rosenblatt.Perceptron(max_iter=5),
        rosenblatt.LinearDiscriminant(),
        rosenblatt.LogisticRegression(),
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "iris.model")
        for estimator in estimators:
            rosenblatt.save(estimator.fit(iris.X, iris.y), file)
            found = rosenblatt.load(file).predict(iris.X)
            assert np.array_equal(found, estimator.predict(iris.X)), estimator
        assert rosenblatt.__version__ in command("--version")
        command("fit", "builtin:iris", "-o", file, "--test", "none", "--proof-seconds", 0)
        assert command("predict", file, "builtin:iris").count("\n") == len(iris.y) + 1


if __name__ == "__main__":
    main()
