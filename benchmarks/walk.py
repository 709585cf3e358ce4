"""The walk through the package: how many functions and files a call enters, and how deep it goes.

    python benchmarks/walk.py [--json] [--files]

Each call runs twice in this process and the second run is traced, so that imports, compilation and
caches are not counted. Functions are those with a name: lambdas and comprehensions count towards
files and depth only. Compiled kernels are not traced. Other threads are, each from depth 0.
"""

import argparse
import contextlib
import csv
import io
import json
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt import LogisticRegression, Perceptron, builtin, separability
from rosenblatt.cli.main import app

PACKAGE = str(Path(rosenblatt.__file__).parent)
N_ROWS = 60


class Walk:
    """What a profiler sees of one call."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()
        self.max_depth = 0
        self._depth = threading.local()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Count a call or a return of a function of the package."""
        if event not in {"call", "return"} or not frame.f_code.co_filename.startswith(PACKAGE):
            return
        depth = getattr(self._depth, "value", 0) + (1 if event == "call" else -1)
        self._depth.value = max(depth, 0)
        if event == "call":
            self.codes.add(frame.f_code)
            self.max_depth = max(self.max_depth, depth)

    def figures(self) -> dict[str, int]:
        """The numbers of functions and files, and the greatest depth."""
        named = {code for code in self.codes if not code.co_name.startswith("<")}
        files = {code.co_filename for code in self.codes}
        return {"functions": len(named), "files": len(files), "depth": self.max_depth}

    def files(self) -> list[str]:
        """The files entered, relative to the package."""
        return sorted({str(Path(c.co_filename).relative_to(PACKAGE)) for c in self.codes})


def walk(call: Callable[[], Any]) -> Walk:
    """The walk of the second run of a call."""
    call()
    seen = Walk()
    threading.setprofile(seen)
    sys.setprofile(seen)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return seen


def write_table(path: Path) -> None:
    """A table with numbers, a category, missing cells and two classes that overlap."""
    rng = np.random.default_rng(0)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["length", "width", "colour", "kind"])
        for i in range(N_ROWS):
            kind = i % 2
            length = "" if i % 10 == 0 else f"{rng.normal(kind, 1):.3f}"
            colour = "red" if rng.random() < 0.5 else "blue"
            rows.writerow([length, f"{rng.normal(-kind, 1):.3f}", colour, "ab"[kind]])


def command(*words: str) -> None:
    """Run a command in this process, and drop what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        app(list(words), prog_name="rosenblatt", standalone_mode=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--files", action="store_true", help="print the files entered, too")
    options = parser.parse_args()
    iris, clouds = builtin("iris"), builtin("overlapping")
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "my.csv"
        write_table(table)
        calls: dict[str, Callable[[], Any]] = {
            "LogisticRegression().fit": lambda: LogisticRegression().fit(clouds.X, clouds.y),
            "separability": lambda: separability(iris.X, iris.y),
            "Perceptron().fit": lambda: Perceptron().fit(clouds.X, clouds.y),
            "rosenblatt fit my.csv": lambda: command("fit", str(table)),
        }
        walks = {name: walk(call) for name, call in calls.items()}
    if options.json:
        print(json.dumps({name: seen.figures() for name, seen in walks.items()}, indent=1))
        return
    for name, seen in walks.items():
        figures = ", ".join(f"{key} {value}" for key, value in seen.figures().items())
        print(f"{name:26} {figures}")
        if options.files:
            print("\n".join(f"  {file}" for file in seen.files()))


if __name__ == "__main__":
    main()
