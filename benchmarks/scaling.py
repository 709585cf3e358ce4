"""How the cost of a certified fit grows: with rows 10⁴ … 10⁷ × 28, and with the entries of text.

    python benchmarks/scaling.py [--quick]

The times of a fit to a gap of 1e-6 go to benchmarks/results/scaling.json, and the picture with the
line of proportional growth to docs/images/scaling.svg (needs the extra [plot]).
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from contenders import OURS, Contender, Task
from perceptron import text
from record import RESULTS, versions
from stopwatch import Failed, in_a_child, timed

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "scaling.svg"
SETTING = {"tol": 1e-6}
LIMIT = 600.0
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"


@dataclass(frozen=True)
class Point:
    """One fit."""

    kind: str
    loss: str
    size: int
    seconds: float
    megabytes: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    quick = parser.parse_args().quick
    points = []
    for kind, size, (X, y) in problems(quick=quick):
        for contender in (c for c in OURS if c.installed):
            point = measured(kind, size, X, y, contender)
            if point:
                print(point, flush=True)
                points.append(point)
    if not quick:
        kept = {"versions": versions(), "points": [asdict(p) for p in points]}
        (RESULTS / "scaling.json").write_text(json.dumps(kept, indent=1) + "\n")
        draw(points)


def problems(*, quick: bool) -> Iterator[tuple[str, int, Any]]:
    """Rows of 28 numbers, counted in rows; then text, counted in entries."""
    for exponent in (4.0, 4.5, 5.0) if quick else (4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0):
        n = int(10**exponent)
        yield "rows", n, rows(n)
    for shrink in (700, 200) if quick else (700, 200, 70, 20, 7, 2, 1):
        X, y = text(shrink)
        yield "text", X.nnz, (X, y)


def rows(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A noisy plane, as in benchmarks/perceptron.py."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 28), np.float32)
    scores = X @ rng.standard_normal(28, np.float32) / np.float32(np.sqrt(28))
    return X, (scores + rng.standard_normal(n, np.float32) > 0).astype(int)


def measured(kind: str, size: int, X: Any, y: np.ndarray, contender: Contender) -> Point | None:
    """A fit on two threads in a process of its own; nothing if it fails or takes too long."""
    loss = contender.losses[0]
    task = Task(loss, bias=True, threads=2, n_rows=len(y))

    def work() -> Iterator[tuple[float, float] | None]:
        contender.fit(X[:1000], y[:1000], task, SETTING)  # compiles
        yield None
        fit: Callable[[], Any] = lambda: contender.fit(X, y, task, SETTING)  # noqa: E731
        yield timed(fit, task.threads)[1:]

    answer = next(in_a_child(work, LIMIT, task.threads))
    if isinstance(answer, Failed):
        print(f"{kind}, {size:,}, {loss}: {answer.why}")
        return None
    return Point(kind, loss, size, *answer)


def draw(points: list[Point]) -> None:
    """Time against size, both in powers of ten, with a line of slope one."""
    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for ax, kind, label in zip(
        axes, ("rows", "text"), ("rows of 28", "entries of text"), strict=True
    ):
        for loss, colour, mark in (("hinge", BLUE, "o"), ("logistic", ORANGE, "s")):
            line = [(p.size, p.seconds) for p in points if (p.kind, p.loss) == (kind, loss)]
            if line:
                ax.loglog(*zip(*line, strict=True), color=colour, marker=mark, label=loss)
                ends = np.array([line[0][0], line[-1][0]])
                ax.loglog(ends, line[-1][1] * ends / ends[1], color=GREY, ls=":", lw=1)
        ax.set(xlabel=label, ylabel="seconds to a gap of 1e-6")
        ax.legend(frameon=False)
    figure.savefig(PICTURE)


if __name__ == "__main__":
    main()
