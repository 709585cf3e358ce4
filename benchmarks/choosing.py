"""What choosing C costs: `C="cv"`, as a share of the separate fits of a grid search.

The separate fits are those of every fold and every C, each from nothing and to the default gap, and
one of all rows at the best C; their choice is the best mean score. Both are timed by the
processor's time of one thread; `C="cv"` takes a turn before, amid and after the separate fits, and
the middle one counts. Shares go to benchmarks/results/choosing.json and .md.

    python benchmarks/choosing.py [--quick] [--only DATA]

Data are taken from the folder named by ROSENBLATT_DATA, or replaced by made-up rows of their shape.
"""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from perceptron import mnist, noisy
from problems import libsvm, news20
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.model_selection.choose_c import CS

RESULTS = Path(__file__).parent / "results"
Data = tuple[Any, np.ndarray]


def sonar(_: int) -> Data:
    """Echoes of rocks and mines, standardised."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        rng = np.random.default_rng(0)
        X = rng.standard_normal((208, 60))
        return X, (X[:, :8].sum(axis=1) + 2 * rng.standard_normal(208) > 0).astype(int)
    table = np.loadtxt(Path(folder) / "csv/sonar.csv", delimiter=",", dtype=str)
    return standardised(table[:, :-1].astype(float)), (table[:, -1] == "M").astype(int)


def tumours(_: int) -> Data:
    """The Wisconsin table of scikit-learn, standardised."""
    X, y = load_breast_cancer(return_X_y=True)
    return standardised(X), y


def standardised(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)


DATA: list[tuple[str, Callable[[int], Data]]] = [
    ("sonar, 208 × 60", sonar),
    ("breast cancer, 569 × 30", tumours),
    ("MNIST 8 against the rest, 5,000 × 784", lambda shrink: mnist(8)(12 * shrink)),
    ("a9a, 32,561 × 123, CSR", libsvm("a9a", 32_561, 123)),
    ("noisy, 100,000 × 28", lambda shrink: noisy(1.0)(10 * shrink)),
    ("news20 class 1 against the rest, 15,935 × 62,061, CSR", news20),
]
RULES: dict[str, Callable[..., Any]] = {
    "LinearSVM": LinearSVM,
    "LinearSVM, squared hinge": lambda **settings: LinearSVM(loss="squared_hinge", **settings),
    "LogisticRegression": LogisticRegression,
}


@dataclass
class Row:
    """One rule on one table: the C chosen, and the best of separate fits.

    `behind` is by how many standard errors of the score the one chosen scores less.
    """

    data: str
    rule: str
    seconds: float
    separate_seconds: float
    fits: int
    separate_fits: int
    chosen: float
    best: float
    behind: float

    @property
    def share(self) -> float:
        return self.seconds / self.separate_seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller data, for a look")
    parser.add_argument("--only", default="", help="how the names of the data begin")
    given = parser.parse_args()
    for name, load in DATA:
        if name.startswith(given.only):
            X, y = load(10 if given.quick else 1)
            for rule, make in RULES.items():
                row = compared(name, rule, make, X, y)
                print(line_of(row), flush=True)
                if not given.quick:
                    keep(row)


def compared(name: str, rule: str, make: Callable[..., Any], X: Any, y: np.ndarray) -> Row:
    """Choose C both ways."""
    make(C="cv").fit(X, y)  # compiles
    chosen, first = timed(lambda: make(C="cv").fit(X, y))
    turns = [first]
    marks, separate = np.empty((len(CS), len(y))), 0.0
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed()).split(X, y))
    for j, C in enumerate(CS):
        for seen, held in folds:
            model, seconds = timed(lambda X=X[seen], y=y[seen], C=C: make(C=C).fit(X, y))
            marks[j, held] = marks_of(model, X[held], y[held])
            separate += seconds
        if j == len(CS) // 2:
            turns.append(timed(lambda: make(C="cv").fit(X, y))[1])
    turns.append(timed(lambda: make(C="cv").fit(X, y))[1])
    means = np.mean([marks[:, held].mean(axis=1) for _, held in folds], axis=0)
    best, ours = int(means.argmax()), CS.index(chosen.C_)
    separate += timed(lambda: make(C=CS[best]).fit(X, y))[1]
    error = marks[best].std() / np.sqrt(len(y))
    return Row(
        data=name,
        rule=rule,
        seconds=float(np.median(turns)),
        separate_seconds=separate,
        fits=int(np.isfinite(chosen.cv_results_["scores"]).sum()) + 1,
        separate_fits=len(CS) * len(folds) + 1,
        chosen=CS[ours],
        best=CS[best],
        behind=float((means[best] - means[ours]) / error),
    )


def seed() -> int:
    """Seed of the folds that `random_state=0` gives."""
    return int(np.random.RandomState(0).randint(2**31))


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    result = run()
    return result, time.process_time() - begun


def marks_of(model: Any, X: Any, y: np.ndarray) -> np.ndarray:
    """Log probability of each row's class, or whether it is right."""
    if hasattr(model, "predict_log_proba"):
        return model.predict_log_proba(X)[np.arange(len(y)), y]
    return model.predict(X) == y


def line_of(row: Row) -> str:
    return (
        f"| {row.data} | {row.rule} | {row.share:.1%} | {row.seconds:.2f} s |"
        f" {row.fits} of {row.separate_fits} | {row.chosen:.3g} | {row.best:.3g} |"
        f" {row.behind:.2f} |"
    )


def keep(row: Row) -> None:
    """Put a row among those kept, in the place of its predecessor."""
    path = RESULTS / "choosing.json"
    kept = json.loads(path.read_text())["rows"] if path.exists() else []
    rows = [Row(**{name: old[name] for name in asdict(row)}) for old in kept]
    key = (row.data, row.rule)
    rows = [old for old in rows if (old.data, old.rule) != key] + [row]
    order = [(data, rule) for data, _ in DATA for rule in RULES]
    report(sorted(rows, key=lambda row: order.index((row.data, row.rule))))


def report(rows: list[Row]) -> None:
    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "cores": os.cpu_count(),
    }
    record = {"versions": versions, "rows": [{**asdict(r), "share": r.share} for r in rows]}
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "choosing.json").write_text(json.dumps(record, indent=1) + "\n")
    head = (
        'Processor time of `C="cv"` as a share of that of separate fits from zero weights. The last'
        " column\nis how many standard errors the score of the selected C is below the best of the"
        " separate fits.\n"
    )
    lines = [
        head,
        "| data | rule | share | time | fits | C | C of separate fits | standard errors |",
        "|---|---|---|---|---|---|---|---|",
        *map(line_of, rows),
    ]
    (RESULTS / "choosing.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
