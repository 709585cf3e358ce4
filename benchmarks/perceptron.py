"""What an epoch of the perceptron costs: ours, scikit-learn's, and the limit, in one run.

The unit is one `X @ w` on one thread, the least an epoch can do with a row. Beside it stands
what it takes to score dense rows in the order of the epoch and learn nothing: a shuffle reads at 12
places by turns, and what two rows share of a cache line twice. Absolute times mean little on shared
machines, so ratios are printed; they go to benchmarks/results/ as JSON and table. The clock is that
of the thread, which stands still while other programs have the processor.

    python benchmarks/perceptron.py [--quick]

MNIST is taken from the folder named by ROSENBLATT_DATA, or replaced by made-up rows of its shape.
"""

import argparse
import gc
import gzip
import json
import os
import platform
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import sklearn
from numba import njit
from scipy import sparse
from sklearn.linear_model import Perceptron as TheirPerceptron

from rosenblatt import Perceptron
from rosenblatt.data.shuffle import Shape, sample_orders
from rosenblatt.kernels.rows import dot4
from rosenblatt.online.sample_loop import four

RESULTS = Path(__file__).parent / "results"
EPOCHS = 4


@dataclass
class Row:
    """Cost of an epoch over one data set in one order, in units of `X @ w`."""

    data: str
    order: str
    mistakes: float
    scoring: float | None
    """The rows only scored, in this order."""
    ours: float
    scikit_learn: float
    unit_ms: float
    goal: str

    @property
    def speedup(self) -> float:
        """How many times faster than scikit-learn."""
        return self.scikit_learn / self.ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    quick = parser.parse_args().quick
    shrink = 10 if quick else 1
    rows, extras = [], {}
    for name, make, goals in DATA:
        X, y = make(shrink)
        for shuffle, goal in zip((False, True), goals, strict=True):
            rows.append(measured(name, X, y, shuffle=shuffle, goal=goal))
        extras[f"{name}: memory above the data, as a share of them"] = memory_above_data(X, y)
        del X, y
        gc.collect()
    fit, least_numba = process_ratios()
    extras |= {
        "one-row partial_fit, rows per second, relative to scikit-learn": one_row_ratio(),
        "process with import and iris fit / import numba and sklearn.base": fit,
        "the same with one trivial cached numba function / those imports": least_numba,
    }
    report(rows, extras, quick=quick)


def measured(name: str, X: Any, y: np.ndarray, *, shuffle: bool, goal: str) -> Row:
    """Time an epoch: the difference between a longer and a shorter fit."""
    w = np.ones(X.shape[1], X.dtype)
    binary = len(np.unique(y)) == 2
    ours = {"shuffle": shuffle, "random_state": 0}
    theirs = {"shuffle": shuffle, "random_state": 0, "tol": None}
    fitted = Perceptron(max_iter=EPOCHS + 1, **ours).fit(X, y)
    unit = best(lambda: X @ w, 21)
    row = Row(
        data=name,
        order="shuffled" if shuffle else "file",
        mistakes=float(np.mean(fitted.trace_.column("mistakes")[1:])) / len(y),
        scoring=None if sparse.issparse(X) else scoring_time(X, shuffle=shuffle) / unit,
        ours=epoch_time(lambda k: Perceptron(max_iter=k, **ours).fit(X, y)) / unit,
        scikit_learn=epoch_time(lambda k: TheirPerceptron(max_iter=k, **theirs).fit(X, y), 2)
        / unit,
        unit_ms=unit * 1e3,
        goal=goal,
    )
    kind = "binary" if binary else f"{len(np.unique(y))} classes"
    print(
        f"{name} ({kind}), {row.order}: ours {row.ours:.2f}, scikit-learn {row.scikit_learn:.2f}"
        f" × X @ w an epoch; {row.speedup:.1f} × faster",
        flush=True,
    )
    return row


def scoring_time(X: np.ndarray, *, shuffle: bool) -> float:
    """Time to score all rows in the order of an epoch, drawn beforehand, and learn nothing."""
    key = (0, 1) if shuffle else None
    plan = [
        (v.order.copy(), v.prefetch.copy())
        for v in sample_orders(Shape(*X.shape, X.strides[0]), key)
    ]
    order, prefetch = (np.concatenate(part) for part in zip(*plan, strict=True))
    w = np.ones(X.shape[1] + 1)
    score_in_order(X, order, prefetch, w)
    return best(lambda: score_in_order(X, order, prefetch, w), 9)


@njit(nogil=True)
def score_in_order(X: np.ndarray, order: np.ndarray, prefetch: np.ndarray, w: np.ndarray) -> float:
    total = 0.0
    for k in range(0, len(order) - 3, 4):
        a, b, c, d = dot4(X, four(order, k), w, four(prefetch, k))
        total += (a + b) + (c + d)
    return total


Clock = Callable[[], float]


def epoch_time(fit: Callable[[int], Any], repeats: int = 5) -> float:
    long = best(lambda: fit(EPOCHS + 1), repeats)
    short = best(lambda: fit(1), repeats)
    return (long - short) / EPOCHS


def best(run: Callable[[], Any], repeats: int, clock: Clock = time.thread_time) -> float:
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        times.append(clock() - start)
    return min(times)


def memory_above_data(X: Any, y: np.ndarray) -> float:
    """Peak memory a fit allocates, as a share of the data."""
    size = X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes
    tracemalloc.start()
    Perceptron(max_iter=2).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / size


def one_row_ratio() -> float:
    """Rows a second by partial_fit, one row a call, against scikit-learn."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5000, 28))
    y = (X @ rng.standard_normal(28) + rng.standard_normal(5000) > 0).astype(int)

    def seconds(model: Any, n: int) -> float:
        model.partial_fit(X[:2], y[:2], classes=[0, 1])
        model.partial_fit(X[2:3], y[2:3])
        start = time.perf_counter()
        for i in range(3, n):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
        return (time.perf_counter() - start) / (n - 3)

    return seconds(TheirPerceptron(), 1000) / seconds(Perceptron(), 5000)


def process_ratios() -> tuple[float, float]:
    """A whole process that fits iris, and one that runs any kernel, against the imports alone."""
    fit = (
        "from rosenblatt import Perceptron, builtin; d = builtin('iris');"
        "Perceptron(max_iter=50).fit(d.X, d.y)"
    )
    kernel = (
        "import numba, sklearn.base; from rosenblatt.online.algorithms import learning_rate;"
        "learning_rate(0, 1.0, 1)"
    )

    def run(code: str) -> float:
        process = [sys.executable, "-c", code]
        return best(lambda: subprocess.run(process, check=True), 5, time.perf_counter)

    run(fit)  # compile once
    run(kernel)
    imports = run("import numba, sklearn.base")
    return run(fit) / imports, run(kernel) / imports


def mnist(digit: int | None) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    def make(shrink: int) -> tuple[np.ndarray, np.ndarray]:
        folder = os.environ.get("ROSENBLATT_DATA")
        if folder:
            X = _idx(Path(folder) / "mnist/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
            y = _idx(Path(folder) / "mnist/train-labels-idx1-ubyte.gz", 8)
            X = np.ascontiguousarray(X[::shrink] / np.float32(255), np.float32)
            y = y[::shrink]
        else:
            X, y = _made_up_digits(60_000 // shrink)
        return X, (y == digit).astype(int) if digit is not None else y

    return make


def _idx(path: Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header)


def _made_up_digits(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n)
    centres = rng.random((10, 784), np.float32) < 0.2
    X = centres[y] * rng.random((n, 784), np.float32) + 0.3 * rng.random((n, 784), np.float32)
    return np.ascontiguousarray(X, np.float32), y


def noisy(noise: float) -> Callable[[int], tuple[np.ndarray, np.ndarray]]:
    def make(shrink: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((1_000_000 // shrink, 28), np.float32)
        scores = X @ rng.standard_normal(28) / np.sqrt(28)
        return X, (scores + noise * rng.standard_normal(len(X)) > 0).astype(int)

    return make


def in_float64(make: Callable[[int], Any]) -> Callable[[int], Any]:
    def wide(shrink: int) -> Any:
        X, y = make(shrink)
        return X.astype(np.float64), y

    return wide


def text(shrink: int) -> tuple[sparse.csr_array, np.ndarray]:
    """Rows like those of a news archive: 74 of 47,000 words each, common words far more often."""
    rng = np.random.default_rng(0)
    n, d, words = 700_000 // shrink, 47_000, 74
    indices = np.minimum((d ** rng.random((n, words), np.float32)).astype(np.int32), d - 1)
    indices.sort(axis=1)
    values = rng.random(n * words, np.float32) + np.float32(0.1)
    indptr = np.arange(0, n * words + 1, words, dtype=np.int32)
    X = sparse.csr_array((values, indices.ravel(), indptr), shape=(n, d))
    X.sum_duplicates()
    scores = X @ rng.standard_normal(d).astype(np.float32)
    return X, (scores + scores.std() * 0.3 * rng.standard_normal(n) > 0).astype(int)


DATA: list[tuple[str, Callable[[int], Any], tuple[str, str]]] = [
    ("MNIST 8 vs rest, 60,000 × 784", mnist(8), ("≤ 1.0", "≤ 1.3")),
    ("noisy, 1,000,000 × 28, few mistakes, float64", in_float64(noisy(0.1)), ("≤ 1.0", "≤ 1.3")),
    ("noisy, 1,000,000 × 28, many mistakes, float64", in_float64(noisy(1.0)), ("≤ 1.6", "≤ 1.6")),
    ("noisy, 1,000,000 × 28, few mistakes, float32", noisy(0.1), ("≤ 1.0", "≤ 1.3")),
    ("noisy, 1,000,000 × 28, many mistakes, float32", noisy(1.0), ("≤ 1.6", "≤ 1.6")),
    ("text CSR, 700,000 × 47,000", text, ("≤ 1.0", "≤ 2.0")),
    ("MNIST ten classes (Kesler)", mnist(None), ("≥ 12 × scikit-learn", "≥ 12 × scikit-learn")),
]


def report(rows: list[Row], extras: dict[str, float], *, quick: bool) -> None:
    names = "data, order, mistakes, only scored, ours, scikit-learn, faster by, goal"
    lines = ["| " + names.replace(", ", " | ") + " |", "|---|---|---|---|---|---|---|---|"]
    lines += [
        f"| {r.data} | {r.order} | {r.mistakes:.1%} |"
        f" {'–' if r.scoring is None else round(r.scoring, 2)} | {r.ours:.2f} |"
        f" {r.scikit_learn:.2f} | {r.speedup:.1f} × | {r.goal} |"
        for r in rows
    ]
    lines += ["", *(f"- {name}: {value:.3g}" for name, value in extras.items())]
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
    record = {"versions": versions, "rows": [asdict(r) for r in rows], "extras": extras}
    (RESULTS / "perceptron.json").write_text(json.dumps(record, indent=1) + "\n")
    head = "Cost of an epoch in units of one `X @ w` on one thread (lower is better).\n\n"
    (RESULTS / "perceptron.md").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
