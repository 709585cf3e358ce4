"""The command line as a process: how soon it starts, how fast it predicts, what memory it takes.

    python benchmarks/commands.py [start] [predict] [memory] [--gigabytes 5]

`start` runs `--help` and a second `predict` on ten rows, and counts seconds of the processors.
`predict` is held against polars parsing the same file, and against our reader alone. `memory`
trains from a table of some gigabytes and asks whether it is separable, and watches the memory of
its own, which belongs to no file.
Every measurement is the best of some runs. Results are merged into results/commands.json.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from record import RESULTS, versions

OURS = [sys.executable, "-c", "from rosenblatt.__main__ import main; main()"]
PARSE_POLARS = "import sys, polars; polars.read_csv(sys.argv[1])"
PARSE_OURS = (
    "import sys; from rosenblatt.io.formats import open_source\n"
    "for chunk in open_source([sys.argv[1]]): pass"
)
N_ROWS, N_FEATURES, PART = 1_000_000, 28, 100_000
REPEATS = 5
LOOK = 0.02  # seconds between two looks at the memory of a process
NOT_SEPARABLE = 1  # exit code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["start", "predict", "memory"])
    parser.add_argument("--gigabytes", type=float, default=5.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder) / "kernels")
        work: dict[str, Any] = {
            "start": lambda: start(Path(folder)),
            "predict": lambda: predict(Path(folder)),
            "memory": lambda: memory(Path(folder), options.gigabytes),
        }
        for what in options.what:
            figures = work[what]()
            print(what, json.dumps(figures, indent=1), flush=True)
            save(what, figures)


def start(folder: Path) -> dict[str, float]:
    """Seconds of the processors for a command that does nearly nothing."""
    table, model = folder / "few.csv", folder / "few.rosenblatt"
    write_table(table, 500)
    ran(["fit", str(table), "-o", str(model), "--proof-seconds", "0"])
    few = folder / "ten.csv"
    few.write_text("".join(table.read_text().splitlines(keepends=True)[:11]))
    asked = {"help": ["--help"], "predict 10 rows": ["predict", str(model), str(few)]}
    for command in asked.values():
        ran(command)
    return {what: min(ran(command)[1] for _ in range(REPEATS)) for what, command in asked.items()}


def predict(folder: Path) -> dict[str, float]:
    """Time to predict for a million rows, in units of parsing them; and rows a second."""
    table, model = folder / "many.csv", folder / "many.rosenblatt"
    write_table(table, N_ROWS)
    rule = ["--rule", "perceptron", "--max-iter", "2", "--keep", "average"]
    ran(["fit", str(table), *rule, "--test", "none", "--proof-seconds", "0", "-o", str(model)])
    commands = {
        "predict": [*OURS, "predict", str(model), str(table), "-o", str(folder / "answers.csv")],
        "polars parses": [sys.executable, "-c", PARSE_POLARS, str(table)],
        "our reader parses": [sys.executable, "-c", PARSE_OURS, str(table)],
    }
    seconds = {
        name: min(timed(command)[0] for _ in range(REPEATS)) for name, command in commands.items()
    }
    return {
        **{f"seconds, {name}": s for name, s in seconds.items()},
        "predict / polars parses": seconds["predict"] / seconds["polars parses"],
        "predict / our reader parses": seconds["predict"] / seconds["our reader parses"],
        "rows a second": N_ROWS / seconds["predict"],
    }


def memory(folder: Path, gigabytes: float) -> dict[str, float]:
    """Peak megabytes of memory of its own while learning from a large table, and deciding it."""
    table = folder / "large.csv"
    write_table(table, PART)
    body = table.read_bytes().split(b"\n", 1)[1]
    with table.open("ab") as file:
        while file.tell() < gigabytes * 1e9:
            file.write(body)
    rule = ["--rule", "perceptron", "--max-iter", "2", "--keep", "average", "--proof-seconds", "0"]
    own, whole = peaks(["fit", str(table), *rule])
    deciding, _ = peaks(["separable", str(table)], expect=NOT_SEPARABLE)
    return {
        "gigabytes": table.stat().st_size / 1e9,
        "peak megabytes of its own": own,
        "peak megabytes with mapped files": whole,
        "separable: peak megabytes of its own": deciding,
    }


def peaks(words: list[str], expect: int = 0) -> tuple[float, float]:
    """Peak megabytes of a command: of its own, and with the files it has mapped."""
    child = subprocess.Popen([*OURS, *words], stdout=subprocess.DEVNULL)
    own = whole = 0
    while child.poll() is None:
        own = max(own, kilobytes(child.pid, "RssAnon"))
        whole = max(whole, kilobytes(child.pid, "VmRSS"))
        time.sleep(LOOK)
    if child.returncode != expect:
        raise SystemExit(f"{words[0]} ended with {child.returncode}")
    return own / 1024, whole / 1024


def write_table(path: Path, n: int) -> None:
    """Rows that a line separates badly, written with six decimals."""
    rng = np.random.default_rng(0)
    w = rng.normal(size=N_FEATURES)
    with path.open("wb") as file:
        for first in range(0, n, PART):
            X = rng.normal(size=(min(PART, n - first), N_FEATURES))
            y = (X @ w + 2 * rng.normal(size=len(X)) > 0).astype(int)
            frame = pl.DataFrame(X.round(6), schema=[f"f{j}" for j in range(N_FEATURES)])
            frame = frame.with_columns(label=pl.Series(y))
            frame.write_csv(file, include_header=first == 0)


def ran(words: list[str]) -> tuple[float, float]:
    """Seconds by the wall and of the processors for one of our commands."""
    return timed([*OURS, *words])


def timed(command: list[str]) -> tuple[float, float]:
    started = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {child.returncode}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime


def kilobytes(pid: int, field: str) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has just ended
        return 0
    found = [line.split()[1] for line in status.splitlines() if line.startswith(field)]
    return int(found[0]) if found else 0


def save(what: str, figures: dict[str, float]) -> None:
    path = RESULTS / "commands.json"
    kept: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    kept[what] = figures
    kept["versions"] = versions()
    path.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
