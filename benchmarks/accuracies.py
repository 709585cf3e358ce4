"""One command and no code against a careful scikit-learn pipeline: the same rows, in and out.

    python benchmarks/accuracies.py [NAME …] [--theirs]

For every data set the script writes a file to train on and one to be tested on: those that exist,
or a seeded split of the rows, four to one (where they are few, each fifth is tested in turn),
without columns that give the answer away. Then it runs
`rosenblatt fit` and `rosenblatt predict`, and the pipeline of benchmarks/careful.py, as processes
of their own, start and imports included. Processor time counts, which other programs do not
lengthen; the time of the wall is kept beside it. Memory is the peak.
Answers are compared row by row. With --theirs only the pipelines run. What was measured for other
data sets stays in benchmarks/results/accuracies.json; the table goes to docs/accuracies.md.
Data are taken from the folder named by ROSENBLATT_DATA.
"""

import argparse
import bz2
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from record import versions

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results/accuracies.json", HERE.parent / "docs/accuracies.md"
OURS = [sys.executable, "-c", "from rosenblatt.__main__ import main; main()"]
OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}
FOLDS, SEED = 5, 0
Files = tuple[Path, Path]
Split = Callable[[Path, Path, int], Files]  # of a folder of data, into another, of a fold


@dataclass
class Run:
    """What processes took, and which rows they answered well."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    accuracy: float = float("nan")


@dataclass
class Row:
    """One data set; `ours` is None, and `why` says why, where we had no answer."""

    name: str
    data: str
    n_test: int
    theirs: Run
    ours: Run | None
    difference: float | None
    standard_error: float | None
    why: str = ""


def given(train: str, test: str) -> Split:
    """Files that are split already."""
    return lambda data, *_: (data / train, data / test)


def split(name: str, *, header: bool = False, without: str = "") -> Split:
    """Lines of a file drawn for training and test; a column may be left out by its name."""

    def write(data: Path, folder: Path, fold: int) -> Files:
        with OPENERS.get(Path(name).suffix, open)(data / name, "rb") as file:
            lines = file.read().splitlines(keepends=True)
        if without:
            lines = _without(lines, without.encode())
        head, rows = lines[: int(header)], lines[int(header) :]
        order = np.random.default_rng(SEED).permutation(len(rows))
        start, stop = (round((FOLDS - fold - k) / FOLDS * len(rows)) for k in (1, 0))
        parts = np.concatenate([order[:start], order[stop:]]), order[start:stop]
        files = folder / f"train-{Path(name).name}", folder / f"test-{Path(name).name}"
        for file, part in zip(files, parts, strict=True):
            with OPENERS.get(file.suffix, open)(file, "wb") as out:
                out.writelines([*head, *(rows[i] for i in np.sort(part))])
        return files

    return write


def _without(lines: list[bytes], column: bytes) -> list[bytes]:
    """Lines of a table without quotes, less one column."""
    cells = [line.rstrip(b"\n").split(b",") for line in lines]
    place = cells[0].index(column)
    return [b",".join(row[:place] + row[place + 1 :]) + b"\n" for row in cells]


def film_reviews(data: Path, folder: Path, _: int) -> Files:
    """Text and label alone: the rating gives the answer away."""
    files = []
    for part in ("train", "test"):
        with gzip.open(data / f"text/imdb_{part}.jsonl.gz") as file:
            frame = pl.read_ndjson(file.read()).select("label", "text")
        files.append(folder / f"imdb_{part}.jsonl.gz")
        with gzip.open(files[-1], "wb", compresslevel=1) as out:
            out.write(frame.write_ndjson().encode())
    return files[0], files[1]


@dataclass(frozen=True)
class Case:
    """A data set: what it is called, its files, and what `rosenblatt fit` has to be told."""

    data: str
    files: Split
    told: tuple[str, ...] = ()
    folds: int = 1
    """How many fifths of the rows are tested in turn: all of them, where rows are few."""


CASES = {
    "titanic": Case(
        "titanic without `alive`, 891 × 13",
        split("csv/titanic.csv", header=True, without="alive"), ("--target", "survived"), FOLDS,
    ),
    "penguins": Case(
        "penguins, 344 × 6", split("csv/penguins.csv", header=True), ("--target", "species"), FOLDS,
    ),
    "sonar": Case("sonar, no header, 208 × 60", split("csv/sonar.csv"), folds=FOLDS),
    "covtype": Case("cover type, 581,012 × 54", split("csv/covtype.csv.gz", header=True)),
    "sms-spam": Case("SMS spam, 5,574 texts", split("text/sms-spam.tsv"), ("--target", "x1")),
    "imdb": Case("IMDB reviews, 50,000 texts", film_reviews, ("--target", "label")),
    "a9a": Case("a9a, 48,842 × 123, sparse", given("libsvm/a9a.gz", "libsvm/a9a.t.gz")),
    "news20": Case("news20, 15,935 × 62,061, sparse", split("libsvm/news20.bz2")),
    "mnist": Case("MNIST, 70,000 × 784", given(
        "mnist/train-images-idx3-ubyte.gz", "mnist/t10k-images-idx3-ubyte.gz",
    )),
}  # fmt: skip


@dataclass
class Answered:
    """What some processes took, and the labels they gave to the test rows."""

    runs: list[Run]
    labels: np.ndarray


def compare(name: str, data: Path, folder: Path, *, theirs_alone: bool) -> Row:
    case = CASES[name]
    truth: list[np.ndarray] = []
    theirs: list[Answered] = []
    ours: list[Answered] = []
    why = ""
    for fold in range(case.folds):
        train, test = case.files(data, folder, fold)
        true, answered = careful(name, train, test, folder / "theirs.csv")
        truth.append(true)
        theirs.append(answered)
        if not theirs_alone and not why:
            try:
                ours.append(one_command(case, train, test, folder))
            except subprocess.CalledProcessError as error:
                why = str(error.output)[-300:]
    right, their_run = judged(theirs, np.concatenate(truth))
    row = Row(name, case.data, len(right), their_run, None, None, None, why)
    if len(ours) == case.folds:
        ours_right, row.ours = judged(ours, np.concatenate(truth))
        gain = ours_right.astype(float) - right
        row.difference = float(gain.mean())
        row.standard_error = float(gain.std() / np.sqrt(len(gain)))
    return row


def careful(name: str, train: Path, test: Path, answers: Path) -> tuple[np.ndarray, Answered]:
    """The true labels of the test rows, and those of the careful pipeline."""
    taken = run(
        [sys.executable, str(HERE / "careful.py"), name, str(train), str(test), str(answers)]
    )
    found = pl.read_csv(answers, infer_schema=False)
    return plain(found["truth"]), Answered([taken], plain(found["prediction"]))


def one_command(case: Case, train: Path, test: Path, folder: Path) -> Answered:
    """Labels of the test rows by `rosenblatt fit` and `rosenblatt predict`."""
    model, answers = folder / "model", folder / "ours.csv"
    fit = run([*OURS, "fit", str(train), *case.told, "-o", str(model)])
    predict = run([*OURS, "predict", str(model), str(test), "-o", str(answers)])
    return Answered([fit, predict], plain(pl.read_csv(answers, infer_schema=False)["prediction"]))


def judged(folds: list[Answered], truth: np.ndarray) -> tuple[np.ndarray, Run]:
    """Which rows were answered right, and what a fold took on average."""
    right = np.concatenate([fold.labels for fold in folds]) == truth
    runs = [one for fold in folds for one in fold.runs]
    return right, Run(
        sum(one.seconds for one in runs) / len(folds),
        sum(one.cpu_seconds for one in runs) / len(folds),
        max(one.megabytes for one in runs),
        float(right.mean()),
    )


def plain(labels: pl.Series) -> np.ndarray:
    """Labels as text, numbers in one way of writing: 1, 1.0 and +1 are the same."""
    return np.array([_plain(label) for label in labels])


def _plain(label: str) -> str:
    try:
        return repr(float(label))
    except ValueError:
        return label


def run(command: list[str]) -> Run:
    """Run a process to its end, and ask the system what it took."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as told:
        process = subprocess.Popen(command, stdout=told, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        if process.returncode:
            told.seek(0)
            text = told.read().decode(errors="replace")
            raise subprocess.CalledProcessError(process.returncode, command, text)
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def keep(row: Row) -> None:
    """Put a row in the place of an older one, and write the page anew."""
    known = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
    rows = {old["name"]: old for old in known} | {row.name: asdict(row)}
    ordered = [rows[name] for name in CASES if name in rows]
    RESULTS.write_text(json.dumps({"versions": versions(), "rows": ordered}, indent=1) + "\n")
    PAGE.write_text(HEAD + "\n".join(line_of(read(old)) for old in ordered) + "\n")


def read(kept: dict[str, Any]) -> Row:
    ours = Run(**kept["ours"]) if kept["ours"] else None
    return Row(**kept | {"theirs": Run(**kept["theirs"]), "ours": ours})


def line_of(row: Row) -> str:
    theirs, ours = row.theirs, row.ours
    start = f"| {row.data} | {row.n_test:,} |"
    end = f"{theirs.cpu_seconds:.1f} s | {theirs.megabytes:.0f} MB |"
    if ours is None or row.difference is None or row.standard_error is None:
        return f"{start} | {theirs.accuracy:.2%} | | {end} | |"
    sooner, smaller = theirs.cpu_seconds / ours.cpu_seconds, theirs.megabytes / ours.megabytes
    return (
        f"{start} {ours.accuracy:.2%} | {theirs.accuracy:.2%} |"
        f" {100 * row.difference:+.2f} ± {100 * row.standard_error:.2f} | {end}"
        f" ÷ {sooner:.1f} | ÷ {smaller:.1f} |"
    )


HEAD = """\
# One command compared with a careful pipeline

`rosenblatt fit TRAIN` and `rosenblatt predict`, with no setting but the name of the target,
compared with what a careful user of scikit-learn would write (`benchmarks/careful.py`): numbers
standardised, missing cells filled with the median and flagged, categories one-hot encoded, texts as
tf-idf of words and word pairs, C chosen by cross-validation. Both are trained on the same rows and
evaluated on the same held-out rows: a test file, a fifth of all rows, or (titanic, penguins, sonar)
each fifth in turn. Differences are in percentage points, with their standard error over those rows.
Times are processor times of whole processes, imports included, over all cores; memory is the peak;
ours are given as fractions of theirs (÷ 2 is half). Where their fits take long (cover type, IMDB,
news20, MNIST), their C is one of three or four values, chosen on a fifth of the rows.
`python benchmarks/accuracies.py` writes this page.

| data | test rows | ours | scikit-learn | difference | their time | memory | our time | memory |
|---|---|---|---|---|---|---|---|---|
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=" or ".join(CASES))
    parser.add_argument("--theirs", action="store_true", help="run the peers alone")
    options = parser.parse_args()
    if unknown := set(options.names) - set(CASES):
        parser.error(f"no data set is called {', '.join(unknown)}; there are {', '.join(CASES)}")
    data = os.environ.get("ROSENBLATT_DATA")
    if not data:
        sys.exit("Set ROSENBLATT_DATA to the folder of the data.")
    for name in options.names or CASES:
        with tempfile.TemporaryDirectory() as folder:
            row = compare(name, Path(data), Path(folder), theirs_alone=options.theirs)
        print(line_of(row), row.why, flush=True)
        if not options.theirs:
            keep(row)


if __name__ == "__main__":
    main()
