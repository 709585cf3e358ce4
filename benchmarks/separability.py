"""Is it separable? Ours with its proof, against one full linear program and hard-margin SVMs.

Every contender gets the same rows and one thread, in one run. Ours decides and proves, checker
included. The others only give an answer to be believed: HiGHS says whether y(w·x + b) ≥ 1 is
feasible; an SVM with a huge C leaves training mistakes or none. Absolute times mean little on
shared machines, so ratios to ours are printed. They go to benchmarks/results/separability.json
and .md; runs below a second are repeated and the best counts.

    python benchmarks/separability.py [--quick]

A contender that is not done within the time cap is stopped, and skipped on larger data of the same
kind. Real data are taken from the folder named by ROSENBLATT_DATA, or left out.
"""

import argparse
import gzip
import json
import multiprocessing
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import polars
import scipy
import sklearn
from scipy.optimize import linprog
from sklearn.svm import SVC, LinearSVC

from rosenblatt.data.toys import separable
from rosenblatt.evidence.separability import separability

RESULTS = Path(__file__).parent / "results"
HUGE_C = 1e8
Answer = str
Case = tuple[str, str, Callable[[], tuple[np.ndarray, np.ndarray]]]


@dataclass
class Time:
    """What a contender said, and when; no seconds if it was stopped or skipped."""

    answer: str
    seconds: float | None = None


@dataclass
class Row:
    """One table of data: our verdict and proof, and what the others made of it."""

    data: str
    answer: str
    evidence: str
    seconds: float
    others: dict[str, Time]


def ours(X: np.ndarray, y: np.ndarray) -> tuple[Answer, str]:
    proof = separability(X, y)
    if proof.answer == "separable":
        return proof.answer, f"margin {proof.margin:.2g}"
    return proof.answer, f"{len(proof.rows)} rows"


def linear_program(X: np.ndarray, y: np.ndarray) -> Answer:
    sign = np.where(y > 0, 1.0, -1.0)
    A = -sign[:, None] * np.column_stack([X, np.ones(len(X))])
    result = linprog(np.zeros(A.shape[1]), A, -np.ones(len(A)), bounds=(None, None))
    return {0: "separable", 2: "inseparable"}.get(result.status, "no answer")


def support_vectors(X: np.ndarray, y: np.ndarray) -> Answer:
    return trained(SVC(C=HUGE_C, kernel="linear", cache_size=1000), X, y)


def liblinear(X: np.ndarray, y: np.ndarray) -> Answer:
    model = LinearSVC(C=HUGE_C, loss="hinge", intercept_scaling=10.0, max_iter=10**6)
    return trained(model, X, y)


def trained(model: Any, X: np.ndarray, y: np.ndarray) -> Answer:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mistakes = int((model.fit(X, y).predict(X) != y).sum())
    return "inseparable" if mistakes else "separable"


CONTENDERS = {"full LP (HiGHS)": linear_program, "SVC": support_vectors, "LinearSVC": liblinear}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    quick = parser.parse_args().quick
    cap = 4.0 if quick else 15.0
    for dtype in (np.float64, np.float32, np.int64, np.uint8):  # compile or load once
        rng = np.random.default_rng(0)
        separability(rng.integers(0, 9, (2000, 5)).astype(dtype), rng.integers(0, 2, 2000))
    rows, stopped = [], set[tuple[str, str]]()
    for kind, name, make in [*made_up(quick=quick), *real(quick=quick)]:
        X, y = make()
        (answer, evidence), seconds = timed(ours, X, y)
        row = Row(name, answer, evidence, seconds, {})
        for contender, run in CONTENDERS.items():
            if (kind, contender) in stopped:
                row.others[contender] = Time("skipped")
                continue
            row.others[contender] = capped(run, X, y, cap)
            if row.others[contender].seconds is None:
                stopped.add((kind, contender))
        rows.append(row)
        print(line(row, cap), flush=True)
    report(rows, cap, quick=quick)


def capped(run: Callable[[Any, Any], Answer], X: np.ndarray, y: np.ndarray, cap: float) -> Time:
    """Run in a process of its own, which can be stopped."""
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_told, args=(run, X, y, there))
    child.start()
    told = Time(*here.recv()) if here.poll(cap) else Time(f"> {cap:g} s")
    child.kill()
    child.join()
    return told


def _told(run: Callable[[Any, Any], Answer], X: Any, y: Any, there: Connection) -> None:
    there.send(timed(run, X, y))


def timed(run: Callable[[Any, Any], Any], X: Any, y: Any) -> tuple[Any, float]:
    """The result, and the best time of three if they are short."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 1:
        start = time.perf_counter()
        result = run(X, y)
        times.append(time.perf_counter() - start)
    return result, min(times)


def made_up(*, quick: bool) -> Iterator[Case]:
    for n in (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6):
        yield "separable", f"separable, {n:,} × 20, γ/R = 0.01", clouds(n, flipped=0)
    for n in (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6):
        yield "flipped", f"one label in 1,000 wrong, {n:,} × 20", clouds(n, flipped=n // 1000)


def clouds(n: int, *, flipped: int) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    def make() -> tuple[np.ndarray, np.ndarray]:
        X, y, _ = separable(n, 20, margin=0.04, radius=4.0)
        y[:flipped] = -y[:flipped]
        return X, y

    return make


def real(*, quick: bool) -> Iterator[Case]:
    folder = os.environ.get("ROSENBLATT_DATA")
    if folder is None:
        print("ROSENBLATT_DATA is not set: no real data.")
        return
    path = Path(folder)
    yield "sonar", "sonar, 208 × 60", lambda: sonar(path)
    if quick:
        return
    digits, labels = mnist(path)
    two = labels < 2
    pixels = digits / 255
    yield "0 and 1", "MNIST 0 and 1, float64", lambda: (pixels[two], labels[two].astype(int))
    for name, X in (
        ("uint8", digits),
        ("float32 / 255", digits / np.float32(255)),
        ("float64 / 255", pixels),
    ):
        yield "8", f"MNIST 8 against the rest, {name}", lambda X=X: (X, (labels == 8).astype(int))
    yield "cover", "cover type 2 against the rest, 581,012 × 54", lambda: cover_type(path)


def mnist(path: Path) -> tuple[np.ndarray, np.ndarray]:
    X = _idx(path / "mnist/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    return X, _idx(path / "mnist/train-labels-idx1-ubyte.gz", 8)


def _idx(path: Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header)


def sonar(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(path / "csv/sonar.csv", delimiter=",", dtype=str)
    return table[:, :-1].astype(float), (table[:, -1] == "M").astype(int)


def cover_type(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = polars.read_csv(path / "csv/covtype.csv.gz").to_numpy()
    return table[:, :-1], (table[:, -1] == 2).astype(int)


def line(row: Row, cap: float) -> str:
    cells = []
    for told in row.others.values():
        if told.seconds is None:
            least = (
                f"> {cap / row.seconds:.0f} × (stopped)" if told.answer != "skipped" else "skipped"
            )
            cells.append(least)
        else:
            wrong = "" if told.answer == row.answer else f", says {told.answer}"
            cells.append(f"{told.seconds / row.seconds:.1f} ×{wrong}")
    return (
        f"| {row.data} | {row.answer}, {row.evidence} | {row.seconds:.3g} | {' | '.join(cells)} |"
    )


def report(rows: list[Row], cap: float, *, quick: bool) -> None:
    lines = [
        f"| data | our verdict | seconds, proof included | {' | '.join(CONTENDERS)} |",
        "|---|---|---|" + "---|" * len(CONTENDERS),
        *(line(row, cap) for row in rows),
    ]
    print("\n".join(lines))
    if quick:
        return
    RESULTS.mkdir(exist_ok=True)
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
    }
    record = {"versions": versions, "cap": cap, "rows": [asdict(row) for row in rows]}
    (RESULTS / "separability.json").write_text(json.dumps(record, indent=1) + "\n")
    head = (
        "Time of the others in multiples of ours (more is slower). Ours proves its answer; theirs"
        f" is to be believed. A contender was stopped after {cap:g} s, and then skipped on the"
        " larger data of the same kind.\n\n"
    )
    (RESULTS / "separability.md").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
