"""Is it separable? Ours with its proof, against one full linear program and hard-margin SVMs.

Every contender gets the same rows and one thread, in one run. Ours decides and proves, checker
included. The others only give an answer to be believed: HiGHS says at its default tolerances
whether y(w·x + b) ≥ 1 is feasible (of many classes, Kesler's vectors for that); an SVM with a huge
C leaves training mistakes or none. Absolute times mean little on
shared machines, so ratios to ours are printed too. They go to benchmarks/results/separability.json
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
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.svm import SVC, LinearSVC

from rosenblatt.datasets.synthetic import separable
from rosenblatt.separation.decide import separability

RESULTS = Path(__file__).parent / "results"
HUGE_C = 1e8
MAX_LP_ENTRIES = 1 << 27  # a larger program does not fit in memory
TOO_LARGE = "not run, too large"
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


def ours(X: Any, y: np.ndarray, cap: float) -> tuple[Answer, str]:
    proof = separability(X, y, time_limit=cap)
    if proof.answer == "separable":
        return proof.answer, f"margin {proof.margin:.2g}"
    if proof.answer == "inseparable":
        return proof.answer, f"{len(proof.rows)} rows, {proof.kind}"
    return proof.answer, f"given {cap:g} s"


def linear_program(X: Any, y: np.ndarray) -> Answer:
    Z = sparse.hstack([sparse.csr_array(X), np.ones((len(y), 1))], format="csr")
    K = len(np.unique(y))
    if Z.nnz * 2 * (K - 1) > MAX_LP_ENTRIES:
        return TOO_LARGE
    A = -signed(Z, y) if K == 2 else -kesler(Z, y, K)
    A = A if sparse.issparse(X) or K > 2 else A.toarray()
    result = linprog(np.zeros(A.shape[1]), A, -np.ones(A.shape[0]), bounds=(None, None))
    return {0: "separable", 2: "inseparable"}.get(result.status, "no answer")


def signed(Z: Any, y: np.ndarray) -> Any:
    return sparse.csr_array(sparse.diags_array(np.where(y > 0, 1.0, -1.0)) @ Z)


def kesler(Z: Any, y: np.ndarray, K: int) -> Any:
    """A row for every row and rival: z for its own class, −z for the rival."""
    own, rival = np.repeat(np.eye(K)[y], K - 1, axis=0), np.tile(np.eye(K), (len(y), 1))
    rival = rival[np.repeat(y, K) != np.tile(np.arange(K), len(y))]
    blocks = sparse.csr_array(own - rival)
    rows = sparse.csr_array(Z)[np.repeat(np.arange(len(y)), K - 1)]
    parts = [sparse.diags_array(blocks[:, [k]].toarray().ravel()) @ rows for k in range(K)]
    return sparse.csr_array(sparse.hstack(parts))


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


PROGRAM = ("full LP (HiGHS)", linear_program)
CONTENDERS = {**dict([PROGRAM]), "SVC": support_vectors, "LinearSVC": liblinear}
PROGRAM_ONLY = {
    "slab",
    "sparse",
    "sparse slab",
    "text",
    "libsvm",
    "ten",
}  # long runs of SVMs add nothing


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    quick = parser.parse_args().quick
    cap = 4.0 if quick else 60.0
    for dtype in (np.float64, np.float32, np.int64, np.uint8):  # compile or load once
        rng = np.random.default_rng(0)
        for K in (2, 3):
            X, y = rng.integers(0, 9, (2000, 5)).astype(dtype), rng.integers(0, K, 2000)
            separability(X, y)
            separability(sparse.csr_array(X), y)
    rows, stopped = [], set[tuple[str, str]]()
    for kind, name, make in [*made_up(quick=quick), *real(quick=quick)]:
        X, y = make()
        (answer, evidence), seconds = timed(ours, X, y, cap)
        row = Row(name, answer, evidence, seconds, {})
        for contender, run in CONTENDERS.items() if kind not in PROGRAM_ONLY else [PROGRAM]:
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
    timed = Time(*here.recv()) if here.poll(cap) else Time(f"> {cap:g} s")
    child.kill()
    child.join()
    return Time(TOO_LARGE) if timed.answer == TOO_LARGE else timed


def _told(run: Callable[[Any, Any], Answer], X: Any, y: Any, there: Connection) -> None:
    there.send(timed(run, X, y))


def timed(run: Callable[..., Any], *data: Any) -> tuple[Any, float]:
    """The result, and the best time of three if they are short."""
    times: list[float] = []
    while len(times) < 3 and sum(times) < 1:
        start = time.perf_counter()
        result = run(*data)
        times.append(time.perf_counter() - start)
    return result, min(times)


def made_up(*, quick: bool) -> Iterator[Case]:
    for n in (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6):
        yield "separable", f"separable, {n:,} × 20, γ/R = 0.01", clouds(n, flipped=0)
    for n in (10**3, 10**4) if quick else (10**3, 10**4, 10**5, 10**6):
        yield "flipped", f"one label in 1,000 wrong, {n:,} × 20", clouds(n, flipped=n // 1000)

    for margin in (1e-6, 1e-9):
        for n in (1000,) if quick else (1000, 10_000):
            yield "slab", f"within {2 * margin:g} of a plane, {n:,} × 200", slab(n, 200, margin)
    size = (2000, 500) if quick else (20_000, 5000)
    name = f"sparse, 5 of {size[1]:,} features a row, {size[0]:,} rows"
    yield "sparse slab", f"{name}, within 2e-09 of a plane", sparse_slab(*size, 1e-9)
    for flipped in (0, 5, size[0] // 10):
        yield "sparse", f"{name}, {flipped:,} labels flipped", few_entries(*size, flipped=flipped)


def slab(n: int, d: int, margin: float) -> Callable[[], tuple[np.ndarray, np.ndarray]]:
    """Random labels, and rows moved to between one and two margins from a plane, on their sides."""

    def make() -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(0)
        X, w, y = rng.standard_normal((n, d)), rng.standard_normal(d), rng.integers(0, 2, n)
        w /= np.linalg.norm(w)
        side = np.where(y == 1, margin, -margin) * (1 + rng.random(n))
        return X + np.outer(side - X @ w, w), y

    return make


def sparse_slab(n: int, d: int, margin: float) -> Callable[[], tuple[Any, np.ndarray]]:
    """The same for rows of five entries, which move within the features that they have."""

    def make() -> tuple[Any, np.ndarray]:
        rng = np.random.default_rng(0)
        columns = np.array([rng.choice(d, 5, replace=False) for _ in range(n)])
        values, w = rng.standard_normal((n, 5)), rng.standard_normal(d)[columns]
        y = rng.integers(0, 2, n)
        side = np.where(y == 1, margin, -margin) * (1 + rng.random(n))
        values += ((side - (values * w).sum(axis=1)) / (w * w).sum(axis=1))[:, None] * w
        ends = np.arange(0, 5 * n + 1, 5)
        return sparse.csr_array((values.ravel(), columns.ravel(), ends), shape=(n, d)), y

    return make


def few_entries(n: int, d: int, *, flipped: int) -> Callable[[], tuple[Any, np.ndarray]]:
    def make() -> tuple[Any, np.ndarray]:
        rng = np.random.default_rng(0)
        place = np.repeat(np.arange(n), 5), rng.integers(0, d, 5 * n)
        X = sparse.csr_array((rng.standard_normal(5 * n), place), shape=(n, d))
        y = (X @ rng.standard_normal(d) > 0).astype(int)
        y[:flipped] = 1 - y[:flipped]
        return X, y

    return make


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
    yield "ten", "MNIST, ten classes, uint8", lambda: (digits, labels.astype(int))
    for name in ("a9a.gz", "w8a.gz", "news20.bz2"):
        yield "libsvm", name.split(".")[0], lambda name=name: svmlight(path / "libsvm" / name)
    yield "text", "SMS spam, word counts", lambda: messages(path)
    yield "text", "IMDB, word counts", lambda: reviews(path)
    yield "cover", "cover type 2 against the rest, 581,012 × 54", lambda: cover_type(path)


def mnist(path: Path) -> tuple[np.ndarray, np.ndarray]:
    X = _idx(path / "mnist/train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    return X, _idx(path / "mnist/train-labels-idx1-ubyte.gz", 8)


def _idx(path: Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.decompress(path.read_bytes()), np.uint8, offset=header)


def sonar(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = np.loadtxt(path / "csv/sonar.csv", delimiter=",", dtype=str)
    return table[:, :-1].astype(float), (table[:, -1] == "M").astype(int)


def svmlight(path: Path) -> tuple[Any, np.ndarray]:
    X, y = load_svmlight_file(str(path))
    return X, np.unique(y, return_inverse=True)[1]


def messages(path: Path) -> tuple[Any, np.ndarray]:
    lines = (path / "text/sms-spam.tsv").read_text().splitlines()
    labels, texts = zip(*(line.split("\t", 1) for line in lines if "\t" in line), strict=True)
    return CountVectorizer().fit_transform(texts), np.array([y == "spam" for y in labels]) * 1


def reviews(path: Path) -> tuple[Any, np.ndarray]:
    with gzip.open(path / "text/imdb_train.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    X = CountVectorizer().fit_transform([row["text"] for row in rows])
    return X, np.unique([row["label"] for row in rows], return_inverse=True)[1]


def cover_type(path: Path) -> tuple[np.ndarray, np.ndarray]:
    table = polars.read_csv(path / "csv/covtype.csv.gz").to_numpy()
    return table[:, :-1], (table[:, -1] == 2).astype(int)


def line(row: Row, cap: float) -> str:
    timed = [row.others.get(name, Time("not run")) for name in CONTENDERS]
    cells = " | ".join(_cell(row, one, cap) for one in timed)
    return f"| {row.data} | {row.answer}, {row.evidence} | {row.seconds:.3g} | {cells} |"


def _cell(row: Row, timed: Time, cap: float) -> str:
    """Seconds, the same in multiples of ours, and the answer, marked if it is wrong."""
    decided = row.answer != "undecided"
    if timed.seconds is None:
        stopped = f"> {cap:g} s" + f" (> {cap / row.seconds:.0f} ×)" * decided
        return timed.answer if timed.answer in {"skipped", "not run", TOO_LARGE} else stopped
    wrong = decided and timed.answer in {"separable", "inseparable"} and timed.answer != row.answer
    ratio = f" ({timed.seconds / row.seconds:.1f} ×)" * decided
    return f"{timed.seconds:.3g} s{ratio}, {'wrongly ' * wrong}{timed.answer}"


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
        "Seconds, for the others also as multiples of ours (higher is slower), with the answer."
        f" Ours is proved; theirs has to be trusted. A contender was stopped after {cap:g} s, and"
        " then skipped on other data of the same kind.\n\n"
    )
    (RESULTS / "separability.md").write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
