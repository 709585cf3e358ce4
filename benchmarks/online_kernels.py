"""Time of an online epoch with a special kernel and without it.

=================  ==============================================  =============================
kernel             used for                                        in its place
=================  ==============================================  =============================
speculative pair   short dense rows, more than a quarter mistakes  the plain sample loop
screening          float32 rows, Kesler's construct                float64 scores of all classes
=================  ==============================================  =============================

Both ways start from the same weights and must end with the same bits. They are timed in turn, one
epoch each, by the clock of the thread, which stands still while other programs have the processor.
Reported are the median of the ratio with / without and its quartiles. A kernel stays if the median
over the rows that use it is 0.8 or less.

    python benchmarks/online_kernels.py [--quick] [--repeats 15] [--only screening]

Results go to benchmarks/results/online_kernels.json; --quick, on a part of the rows, writes
nothing.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple
from unittest.mock import patch

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba
import numpy as np

from rosenblatt import builtin
from rosenblatt.data.labels import classes_of, codes_of
from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData, no_weights
from rosenblatt.kernels.rows import can_screen
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.online import epochs, sample_loop
from rosenblatt.online.algorithms import Step
from rosenblatt.online.epochs import fit_one_epoch
from rosenblatt.online.state import MISTAKES, OptimiserState
from rosenblatt.online.update import Rule

RESULT = Path(__file__).parent / "results" / "online_kernels.json"
WARM_UP_EPOCHS = 3
MIN_TIMED_ENTRIES = 200_000  # fewer are read several times
MAX_RATIO = 0.8

Table = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Row:
    """Time of an epoch with a kernel, as a share of the time without it."""

    kernel: str
    data: str
    order: str
    mistakes: float
    used: bool
    ratio: float
    quartiles: tuple[float, float]
    without_ms: float
    repeats: int
    same_bits: bool


class Epoch(NamedTuple):
    """An epoch that is run again and again from the same weights."""

    data: TrainingData
    rule: Rule
    start: OptimiserState
    shuffle_key: tuple[int, int] | None

    def run(self) -> tuple[float, OptimiserState]:
        """Seconds of the epoch, and the state after it."""
        times = max(1, MIN_TIMED_ENTRIES // self.data.rows.size)
        seconds, state = 0.0, self.start
        for _ in range(times):
            state = self.start.copy()
            begun = time.thread_time()
            fit_one_epoch(self.data, self.rule, state, self.shuffle_key)
            seconds += time.thread_time() - begun
        return seconds / times, state


def noisy(n: int, d: int, noise: float, dtype: Any, n_classes: int = 2) -> Callable[[int], Table]:
    """Gaussian rows, labelled by linear scores plus noise."""

    def make(shrink: int) -> Table:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((max(2000, n // shrink), d), np.float32)
        n_scores = 1 if n_classes == 2 else n_classes
        scores = X @ rng.standard_normal((d, n_scores)).astype(np.float32)
        scores += noise * np.sqrt(d) * rng.standard_normal(scores.shape, np.float32)
        y = (scores[:, 0] > 0).astype(int) if n_classes == 2 else scores.argmax(axis=1)
        return X.astype(dtype), y

    return make


def images(shrink: int) -> Table:
    """Rows of the shape of MNIST, ten classes, three labels in a hundred drawn anew."""
    rng = np.random.default_rng(0)
    n = 60_000 // shrink
    y = rng.integers(10, size=n)
    centres = rng.random((10, 784), np.float32) < 0.2
    X = centres[y] * rng.random((n, 784), np.float32) + 0.3 * rng.random((n, 784), np.float32)
    return X.astype(np.float32), np.where(rng.random(n) < 0.03, rng.integers(10, size=n), y)


def eight_against_the_rest(shrink: int) -> Table:
    X, y = images(shrink)
    return X, (y == 8).astype(int)


def one_iris_against_the_rest(_: int) -> Table:
    iris = builtin("iris")
    names = np.asarray(iris.y)
    return np.asarray(iris.X, np.float64), (names == names[60]).astype(int)


TWO_CLASSES = {
    "1,000,000 × 28 float64, noisy": noisy(1_000_000, 28, 1.0, np.float64),
    "1,000,000 × 28 float32, noisy": noisy(1_000_000, 28, 1.0, np.float32),
    "1,000,000 × 28 float64, few mistakes": noisy(1_000_000, 28, 0.1, np.float64),
    "100,000 × 28 float64, noisy": noisy(100_000, 28, 1.0, np.float64),
    "100,000 × 54 float64, noisy": noisy(100_000, 54, 1.0, np.float64),
    "60,000 × 784 float32, like MNIST": eight_against_the_rest,
    "20,000 × 20 float64, noisy": noisy(20_000, 20, 1.0, np.float64),
    "150 × 4 float64, iris": one_iris_against_the_rest,
}
MANY_CLASSES = {
    "60,000 × 784 float32, like MNIST, ten classes": images,
    "100,000 × 54 float32, seven classes": noisy(100_000, 54, 0.1, np.float32, 7),
    "20,000 × 20 float32, three classes": noisy(20_000, 20, 0.1, np.float32, 3),
    "20,000 × 200 float32, twenty classes": noisy(20_000, 200, 0.1, np.float32, 20),
}


def compiled_with(kernel: Any, **names: Any) -> Any:
    """A kernel compiled with other functions in place of some that it calls."""
    python = kernel.py_func
    other = FunctionType(python.__code__, python.__globals__ | names, python.__name__)
    return numba.njit(nogil=True)(other)


never = numba.njit(nogil=True, forceinline=True)(lambda X: False)  # noqa: ARG005
without_screening = compiled_with(sample_loop.multiclass_epoch, can_screen=never)


def uses_pairs(epoch: Epoch) -> bool:
    order = np.arange(len(epoch.data.codes))
    data, rule, state, _ = epoch
    return epochs.pairs_are_faster(data, SampleOrder(order, order), rule, state)


class Kernel(NamedTuple):
    """On which data a kernel is measured, whether they use it, and how to do without it."""

    data: dict[str, Callable[[int], Table]]
    used: Callable[[Epoch], bool]
    without: Callable[[], AbstractContextManager[Any]]


KERNELS = {
    "speculative pair": Kernel(
        TWO_CLASSES,
        uses_pairs,
        lambda: patch.object(epochs, "pairs_are_faster", lambda *_: False),
    ),
    "screening": Kernel(
        MANY_CLASSES,
        lambda epoch: can_screen(epoch.data.rows),
        lambda: patch.object(epochs, "multiclass_epoch", without_screening),
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, nothing is written")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--only", choices=list(KERNELS))
    options = parser.parse_args()
    rows = [
        measured(name, data, table, options.repeats, shuffle=shuffle)
        for name, kernel in KERNELS.items()
        if options.only in (None, name)
        for data, make in kernel.data.items()
        for table in [make(20 if options.quick else 1)]
        for shuffle in (False, True)
    ]
    if not options.quick:
        save(rows, options.only)


def measured(name: str, data: str, table: Table, repeats: int, *, shuffle: bool) -> Row:
    """Time epochs with a kernel and without it, in turn."""
    kernel, epoch = KERNELS[name], warmed_up(table, shuffle=shuffle)

    def without() -> tuple[float, OptimiserState]:
        with kernel.without():
            return epoch.run()

    after, plain = epoch.run()[1], without()[1]
    times = [(epoch.run()[0], without()[0]) for _ in range(repeats)]
    ratios = [ours / theirs for ours, theirs in times]
    mistakes = after.counters[MISTAKES] - epoch.start.counters[MISTAKES]
    low, median, high = np.quantile(ratios, [0.25, 0.5, 0.75]).round(3).tolist()
    row = Row(
        kernel=name,
        data=data,
        order="shuffled" if shuffle else "file",
        mistakes=round(float(mistakes) / len(table[1]), 4),
        used=kernel.used(epoch),
        ratio=median,
        quartiles=(low, high),
        without_ms=round(1e3 * float(np.median([theirs for _, theirs in times])), 4),
        repeats=repeats,
        same_bits=all(a.tobytes() == b.tobytes() for a, b in zip(after, plain, strict=True)),
    )
    print(
        f"{name}: {data}, {row.order}: {median:.2f} ({low:.2f}–{high:.2f}) of"
        f" {row.without_ms:.2f} ms, {row.mistakes:.1%} mistakes"
        f"{'' if row.used else ', not used'}{'' if row.same_bits else ', OTHER BITS'}",
        flush=True,
    )
    return row


def warmed_up(table: Table, *, shuffle: bool) -> Epoch:
    """An epoch of the perceptron after a few others."""
    X, y = table
    classes = classes_of(y)
    k = len(classes)
    data = TrainingData(X, codes_of(y, classes), no_weights(len(y)), np.ones(k))
    rule = Rule(int(Loss.PERCEPTRON), int(Step.CONSTANT), kesler=k > 2)
    W = np.zeros((k if k > 2 else 1, X.shape[1] + 1))
    state = OptimiserState.from_weights(W, k, keep="last", l1=False)
    for number in range(WARM_UP_EPOCHS):
        fit_one_epoch(data, rule, state, (0, number) if shuffle else None)
    return Epoch(data, rule, state, (0, WARM_UP_EPOCHS) if shuffle else None)


def save(rows: list[Row], only: str | None) -> None:
    """Write the rows, beside those of kernels that were not measured, and the verdicts."""
    kept = []
    if only and RESULT.exists():
        kept = [row for row in json.loads(RESULT.read_text())["rows"] if row["kernel"] != only]
    records = kept + [asdict(row) for row in rows]
    medians = {
        name: round(float(np.median([r["ratio"] for r in records if keeps(r, name)])), 3)
        for name in KERNELS
        if any(keeps(r, name) for r in records)
    }
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    versions |= {"numba": numba.__version__, "cores": os.cpu_count()}
    record = {"versions": versions, "max_ratio": MAX_RATIO, "medians": medians, "rows": records}
    RESULT.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    print(medians)


def keeps(record: dict[str, Any], name: str) -> bool:
    return bool(record["kernel"] == name and record["used"])


if __name__ == "__main__":
    main()
