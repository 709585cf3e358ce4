"""How the cost of a certified fit grows: with rows 10⁴ … 10⁷ × 28, and with the entries of text.

    python benchmarks/scaling.py [--quick] [--kind rows | text]

The times of a fit to a gap of 1e-6, on one thread and by the processor's clock, are merged into
benchmarks/results/scaling.json; the picture with the lines of proportional growth goes to
docs/images/scaling.png (needs the extra [plot]), and docs/benchmarks.md tells the exponents.
--quick, on less data, writes nothing.
"""

import argparse
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from contenders import ENDLESS, Task, our_model
from perceptron import text
from record import RESULTS, versions
from stopwatch import Failed, in_a_child, timed

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "scaling.png"
GAP = 1e-6
SETTING = {"tol": GAP, "max_iter": ENDLESS}
LIMIT = 600.0
TURNS, SHORT = 3, 10.0
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#555555"
KINDS = {"rows": "rows of 28 numbers", "text": "entries of text"}
LOSSES = ("hinge", "logistic")


@dataclass(frozen=True)
class Point:
    """One fit to the gap, with the steps it took: the best of three where it is short."""

    kind: str
    loss: str
    size: int
    steps: int
    seconds: float
    system: float
    """The part of the seconds that the operating system took, to give memory."""
    megabytes: float
    load: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    points = [] if options.quick else [p for p in kept() if p.kind not in options.kind]
    for kind in options.kind:
        for size, (X, y) in SIZES[kind](options.quick):
            for loss in LOSSES:
                points += measured(kind, loss, size, X, y)
                if not options.quick:
                    save(points)
    if options.quick:
        print(*exponents(points).items(), sep="\n")
    else:
        draw(points)


def kept() -> list[Point]:
    """What was measured before."""
    path = RESULTS / "scaling.json"
    return [Point(**p) for p in json.loads(path.read_text())["points"]] if path.exists() else []


def save(points: list[Point]) -> None:
    told = {"versions": versions(), "points": [asdict(p) for p in points]}
    (RESULTS / "scaling.json").write_text(json.dumps(told, indent=1) + "\n")


def rows(quick: bool) -> Iterator[tuple[int, Any]]:  # noqa: FBT001
    """A noisy plane, as in benchmarks/perceptron.py."""
    for exponent in (4.0, 4.5, 5.0) if quick else (4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0):
        n, rng = int(10**exponent), np.random.default_rng(0)
        X = rng.standard_normal((n, 28), np.float32)
        scores = X @ rng.standard_normal(28, np.float32) / np.float32(np.sqrt(28))
        yield n, (X, (scores + rng.standard_normal(n, np.float32) > 0).astype(int))


def texts(quick: bool) -> Iterator[tuple[int, Any]]:  # noqa: FBT001
    for shrink in (700, 200) if quick else (700, 200, 70, 20, 7, 2, 1):
        X, y = text(shrink)
        yield X.nnz, (X, y)


SIZES: dict[str, Callable[[bool], Iterator[tuple[int, Any]]]] = {"rows": rows, "text": texts}


def measured(kind: str, loss: str, size: int, X: Any, y: np.ndarray) -> Iterator[Point]:
    """A fit in a process of its own; nothing if it takes too long."""
    model = our_model(Task(loss, bias=True, threads=1, n_rows=len(y)), SETTING)

    def turn() -> tuple[float, float, float]:
        before = os.times().system
        _, seconds, megabytes = timed(lambda: model.fit(X, y), 1)
        return seconds, os.times().system - before, megabytes

    def work() -> Iterator[tuple[int, float, float, float] | None]:
        model.fit(X[:1000], y[:1000])  # compiles
        yield None
        turns = [turn()]
        if model.gap_ > GAP:
            raise ArithmeticError(f"a gap of {model.gap_} only")
        if turns[0][0] < SHORT:
            turns += [turn() for _ in range(TURNS - 1)]
        seconds, system, _ = min(turns)
        yield model.trace_[-1].step, seconds, system, turns[0][2]  # later turns find memory ready

    answer = next(in_a_child(work, LIMIT))
    if isinstance(answer, Failed):
        print(f"{kind}, {size:,}, {loss}: {answer.why}", flush=True)
        return
    point = Point(kind, loss, size, *answer, load=os.getloadavg()[0])
    print(point, flush=True)
    yield point


def exponents(points: list[Point], last: int = 0) -> dict[tuple[str, str], float]:
    """The slope of log time against log size by least squares, of all sizes or the last ones."""
    found = {}
    for kind in KINDS:
        for loss in LOSSES:
            sizes, seconds = (part[-last:] for part in line(points, kind, loss))
            if len(sizes) > 1:
                found[kind, loss] = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
    return found


def line(points: list[Point], kind: str, loss: str) -> tuple[list[int], list[float]]:
    """Sizes and seconds of one loss, by size."""
    those = sorted((p.size, p.seconds) for p in points if (p.kind, p.loss) == (kind, loss))
    return [size for size, _ in those], [seconds for _, seconds in those]


def draw(points: list[Point]) -> None:
    """Time against size, both in powers of ten, with lines of slope one."""
    import matplotlib.pyplot as plt  # noqa: PLC0415 (an extra)

    plt.rcParams.update({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False})
    figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    slopes = exponents(points)
    for ax, (kind, label) in zip(axes, KINDS.items(), strict=True):
        for loss, colour, mark in zip(LOSSES, (BLUE, ORANGE), "os", strict=True):
            sizes, seconds = line(points, kind, loss)
            if (kind, loss) in slopes:
                told = f"{loss}, exponent {slopes[kind, loss]:.2f}"
                ax.loglog(sizes, seconds, color=colour, marker=mark, label=told)
                ends = np.array([sizes[0], sizes[-1]])
                ax.loglog(ends, seconds[-1] * ends / ends[1], color=GREY, ls=":", lw=1)
        ax.set(xlabel=label, ylabel="seconds to a gap of 1e-6, one thread")
        ax.legend(frameon=False)
    figure.savefig(PICTURE, dpi=130)


if __name__ == "__main__":
    main()
