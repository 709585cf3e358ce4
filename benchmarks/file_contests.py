"""Who takes part in benchmarks/files.py: contests as rows of a table.

A contest makes its files in a folder, untimed, and tells facts about them. A contender is a process
of its own: it imports what it needs, yields, works on the files, and ends; it may yield once more,
the accuracy of its model on the training rows. `benchmarks/files.py` times it from outside, whole,
and this file from inside, after its imports.

    python benchmarks/file_contests.py CONTEST CONTENDER FOLDER
"""

import importlib.util
import io
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

SVMLIGHT, WABBIT, NUMBERS = "rows.svm", "rows.vw", "rows.csv"
CLASSES = (-1, 1)
N_ROWS, N_COLUMNS, NOISE = 1_000_000, 28, 2.0  # of the CSV file
BLOCK = 50_000  # rows


@dataclass(frozen=True)
class Contender:
    """A way from files to a model, and the module or program it takes."""

    name: str
    needs: str
    run: Callable[[Path], Iterator[float | None]]

    @property
    def compiles(self) -> bool:
        """Whether its first use takes longer than any other."""
        return self.needs == "rosenblatt"

    @property
    def installed(self) -> bool:
        return bool(shutil.which(self.needs) or importlib.util.find_spec(self.needs))


@dataclass(frozen=True)
class Contest:
    """Files, those who read them, and how many times faster the first one should be than others."""

    make: Callable[[Path, int], dict[str, int]]
    contenders: tuple[Contender, ...]
    goals: dict[str, float]


def make_newswire(folder: Path, shrink: int) -> dict[str, int]:
    import newswire

    n_rows = newswire.N_ROWS // shrink
    entries = newswire.write(folder / SVMLIGHT, n_rows)
    newswire.write(folder / WABBIT, n_rows, newswire.WABBIT)
    size = (folder / SVMLIGHT).stat().st_size
    return {"rows": n_rows, "columns": newswire.N_WORDS, "entries": entries, "bytes": size}


def ours_in_chunks(folder: Path) -> Iterator[None]:
    """One pass, chunk by chunk; the number of features is known before."""
    from newswire import N_WORDS

    from rosenblatt import Perceptron
    from rosenblatt.data.training_data import matrix_of
    from rosenblatt.io.svmlight import SvmlightSource

    yield
    model = Perceptron()
    for chunk in SvmlightSource((str(folder / SVMLIGHT),)):
        X = matrix_of(chunk.rows._replace(n_cols=N_WORDS))
        model.partial_fit(X, chunk.labels, classes=CLASSES)


def ours_joined(folder: Path) -> Iterator[None]:
    """All chunks first, joined in memory, then one pass."""
    import numpy as np
    from scipy import sparse

    from rosenblatt import Perceptron
    from rosenblatt.io.svmlight import SvmlightSource

    yield
    chunks = list(SvmlightSource((str(folder / SVMLIGHT),)))
    lengths = np.concatenate([np.diff(chunk.rows.indptr) for chunk in chunks])
    X = sparse.csr_array(
        (
            np.concatenate([chunk.rows.data for chunk in chunks]),
            np.concatenate([chunk.rows.indices for chunk in chunks]),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
        ),
        shape=(len(lengths), chunks[-1].rows.n_cols),
    )
    y = np.concatenate([chunk.labels for chunk in chunks])
    Perceptron(max_iter=1, shuffle=False).fit(X, y)


def ours_read(folder: Path) -> Iterator[None]:
    """Reading without learning."""
    from rosenblatt.io.svmlight import SvmlightSource

    yield
    for _ in SvmlightSource((str(folder / SVMLIGHT),)):
        pass


def bytes_alone(folder: Path) -> Iterator[None]:
    """The bytes of the file into memory: nobody can do less."""
    block = bytearray(1 << 22)
    yield
    with (folder / SVMLIGHT).open("rb", buffering=0) as file:
        while file.readinto(block):
            pass


def scikit_learn(folder: Path) -> Iterator[None]:
    import numpy as np
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import SGDClassifier

    yield
    X, y = load_svmlight_file(str(folder / SVMLIGHT), zero_based=False)
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    SGDClassifier(loss="perceptron", max_iter=1, tol=None, shuffle=False).fit(X, y)


def wabbit(folder: Path) -> Iterator[None]:
    from vowpalwabbit import Workspace

    yield
    Workspace(f"-d {folder / WABBIT} --passes 1 -b 18 --quiet").finish()


def liblinear(folder: Path) -> Iterator[None]:
    """A short training: it stops at once, so that reading is most of it."""
    yield
    command = ["liblinear-train", "-s", "3", "-e", "100", "-q", folder / SVMLIGHT, os.devnull]
    subprocess.run(command, check=True)


def make_numbers(folder: Path, shrink: int) -> dict[str, int]:
    """Normal columns of six decimals; the label, last, is a noisy side of a plane."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    plane, n_rows = rng.normal(size=N_COLUMNS), N_ROWS // shrink
    with (folder / NUMBERS).open("wb") as file:
        for start in range(0, n_rows, BLOCK):
            X = rng.normal(size=(min(BLOCK, n_rows - start), N_COLUMNS))
            side = X @ plane + rng.normal(0, NOISE, len(X)) > 0
            frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(1, N_COLUMNS + 1)])
            frame = frame.with_columns(label=pl.Series(side.astype(np.int64)))
            frame.write_csv(file, float_precision=6, include_header=start == 0)
    size = (folder / NUMBERS).stat().st_size
    return {"rows": n_rows, "columns": N_COLUMNS, "bytes": size}


def ours_by_command(folder: Path, *, settings: tuple[str, ...]) -> Iterator[float | None]:
    """One command: read, scale, train, report, write the model."""
    from rosenblatt.cli.main import main as rosenblatt

    yield None
    model, shown = folder / "rows.model", io.StringIO()
    quick = ("--test", "none", "--proof-seconds", "0", "--json", "-o", str(model))
    sys.argv = ["rosenblatt", "fit", str(folder / NUMBERS), *settings, *quick]
    with redirect_stdout(shown), suppress(SystemExit):
        rosenblatt()
    yield json.loads(shown.getvalue())["training_accuracy"]


def ours_numbers(folder: Path) -> Iterator[float | None]:
    """Reading without learning."""
    from rosenblatt.io.csv import CsvSource
    from rosenblatt.io.files import Options

    yield None
    for _ in CsvSource((str(folder / NUMBERS),), Options()):
        pass


def by_polars(folder: Path, *, loss: str) -> Iterator[float | None]:
    import polars as pl
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    yield None
    frame = pl.read_csv(folder / NUMBERS)
    X, y = frame.drop("label").to_numpy(), frame["label"].to_numpy()
    yield _scaled_and_trained(StandardScaler, SGDClassifier(loss=loss, random_state=0), X, y)


def by_pandas(folder: Path, *, loss: str, engine: Any) -> Iterator[float | None]:
    import pandas as pd
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    yield None
    frame = pd.read_csv(folder / NUMBERS, engine=engine)
    X, y = frame.drop(columns="label").to_numpy(), frame["label"].to_numpy()
    yield _scaled_and_trained(StandardScaler, SGDClassifier(loss=loss, random_state=0), X, y)


def _scaled_and_trained(scaler: Any, model: Any, X: Any, y: Any) -> float:
    X = scaler().fit_transform(X)
    return float(model.fit(X, y).score(X, y))


def csv_contest(loss: str, *settings: str) -> Contest:
    """From a CSV file to a linear model, standard scaling included."""
    polars, c, arrow = (
        "polars, scikit-learn",
        "pandas, scikit-learn",
        "pandas (pyarrow), scikit-learn",
    )
    return Contest(
        make_numbers,
        (
            Contender("rosenblatt", "rosenblatt", partial(ours_by_command, settings=settings)),
            Contender("rosenblatt, reading alone", "rosenblatt", ours_numbers),
            Contender(polars, "polars", partial(by_polars, loss=loss)),
            Contender(c, "pandas", partial(by_pandas, loss=loss, engine="c")),
            Contender(arrow, "pyarrow", partial(by_pandas, loss=loss, engine="pyarrow")),
        ),
        {polars: 1.5, c: 1.5, arrow: 1.5},
    )


CONTESTS = {
    "svmlight": Contest(
        make_newswire,
        (
            Contender("rosenblatt, in chunks", "rosenblatt", ours_in_chunks),
            Contender("rosenblatt, joined", "rosenblatt", ours_joined),
            Contender("rosenblatt, reading alone", "rosenblatt", ours_read),
            Contender("bytes alone", "python3", bytes_alone),
            Contender("Vowpal Wabbit", "vowpalwabbit", wabbit),
            Contender("LIBLINEAR", "liblinear-train", liblinear),
            Contender("scikit-learn", "sklearn", scikit_learn),
        ),
        {"scikit-learn": 10, "Vowpal Wabbit": 1.5, "LIBLINEAR": 1.5},
    ),
    "csv": csv_contest(
        "perceptron", "--rule", "perceptron", "--keep", "average", "--max-iter", "5"
    ),
    "csv-logistic": csv_contest("log_loss", "--rule", "logistic-regression"),
}


def main() -> None:
    contest, name, folder = sys.argv[1:]
    contender = next(c for c in CONTESTS[contest].contenders if c.name == name)
    work = contender.run(Path(folder))
    next(work)
    started, used = time.perf_counter(), processors()
    accuracy = next(work, None)
    told = {"work": time.perf_counter() - started, "processors": processors() - used}
    print(json.dumps(told if accuracy is None else {**told, "accuracy": accuracy}))


def processors() -> float:
    """Seconds of processors that this process and its children have used."""
    return sum(os.times()[:4])


if __name__ == "__main__":
    main()
