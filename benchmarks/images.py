"""Histograms of gradients: how fast they are, and what maps of images are worth on MNIST.

    python benchmarks/images.py [speed] [errors]

`speed` makes HOG features of 60,000 digits and holds them against scikit-image's `hog`, which gets
some of the digits in each round. Both are timed by seconds of the processors, which neither threads
nor other programs change much; the best round counts. `errors` runs one command after the other, on
ten classes: test error in per cent, seconds of the processors, and those of the clock.

Data are taken from the folder named by ROSENBLATT_DATA. Results are merged into results/images.json
and written out in results/images.md. Commands that are in it are not run again: delete it first.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import skimage
from record import RESULTS, versions
from skimage.feature import hog as peer

from rosenblatt import read
from rosenblatt.features.maps.hog import hog

OURS = [sys.executable, "-c", "from rosenblatt.cli.main import main; main()"]
FILE = RESULTS / "images.json"
ROUNDS, SHARE = 5, 1_000  # digits that scikit-image gets in a round
AVERAGED = "--rule perceptron --keep average --max-iter 20"
COMMANDS = [
    "",
    AVERAGED,
    "--features hog:4",
    f"--features hog:4 {AVERAGED}",
    f"--features hog:4,soft=true {AVERAGED}",
    f"--features hog:4,soft=true,signed=true {AVERAGED}",
    f"--features hog:4,soft=true,signed=true,norm=L1-sqrt {AVERAGED}",
    f"--features hog:7,soft=true,signed=true {AVERAGED}",
    f"--features mark-i {AVERAGED}",
    f"--features association-units:5000 {AVERAGED}",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["speed", "errors"])
    folder = Path(os.environ["ROSENBLATT_DATA"]) / "mnist"
    train, test = (folder / f"{part}-images-idx3-ubyte.gz" for part in ("train", "t10k"))
    for what in parser.parse_args().what:
        if what == "speed":
            save("speed", speed(train))
        else:
            errors(train, test)
    write_page()


def speed(train: Path) -> dict[str, Any]:
    """Seconds of the processors for all digits, and how far the two differ."""
    digits = np.asarray(read(str(train)).X)
    made = hog(digits, (4, 4))
    made.transform(digits[:10])  # compiles
    ours, theirs, clock, apart = [], [], [], 0.0
    for turn in range(ROUNDS):
        begun = time.perf_counter()
        features, spent = timed(lambda: made.transform(digits))
        clock.append(time.perf_counter() - begun)
        ours.append(spent)
        some = range(turn * SHARE, (turn + 1) * SHARE)
        wanted, spent = timed(lambda some=some: [described(digits[i]) for i in some])
        theirs.append(spent * len(digits) / SHARE)
        apart = max(apart, float(np.abs(features[some] - wanted).max()))
    return {
        "digits": len(digits),
        "digits of scikit-image": ROUNDS * SHARE,
        "ours, processor seconds": min(ours),
        "ours, seconds": min(clock),
        "scikit-image, processor seconds": min(theirs),
        "times faster": min(theirs) / min(ours),
        "largest difference": apart,
    }


def described(digit: np.ndarray) -> np.ndarray:
    return peer(digit.reshape(28, 28), pixels_per_cell=(4, 4), cells_per_block=(2, 2))


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.process_time()
    found = work()
    return found, time.process_time() - begun


def errors(train: Path, test: Path) -> None:
    """Each command in a process of its own; kernels are compiled by one before, on fewer rows."""
    found = known().get("errors", [])
    done = {line["options"] for line in found}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache
        for words in [words for words in COMMANDS if words not in done]:
            options = [*words.split(), "--proof-seconds", "0", "--json"]
            ran(["fit", str(test), "--test", "none", *options])
            told, processors, clock = ran(["fit", str(train), "--test", str(test), *options])
            line = {
                "options": words,
                "features": told["features"],
                "test error": round(100 * (1 - told["test"]["accuracy"]), 2),
                "processor seconds": round(processors, 1),
                "seconds": round(clock, 1),
            }
            found.append(line)
            save("errors", found)


def ran(words: list[str]) -> tuple[dict[str, Any], float, float]:
    """What a command tells, its seconds of the processors, and those of the clock."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    said = subprocess.run([*OURS, *words], capture_output=True, check=True, text=True)
    clock = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(said.stdout), spent, clock


def known() -> dict[str, Any]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def save(what: str, figures: Any) -> None:
    print(what, json.dumps(figures, indent=1), flush=True)
    packages = versions() | {"scikit-image": skimage.__version__}
    told = known() | {"versions": packages, what: figures}
    FILE.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")


def write_page() -> None:
    measured = known()
    lines = ["MNIST, ten classes: `rosenblatt fit train-images… --test t10k-images…` and", ""]
    lines += ["| options | features | test error, % | processor seconds |", "|---|---|---|---|"]
    lines += [
        f"| {'' if not line['options'] else '`' + line['options'] + '`'} | {line['features']:,} |"
        f" {line['test error']:.2f} | {line['processor seconds']:.0f} |"
        for line in measured.get("errors", [])
    ]
    if "speed" in measured:
        found = measured["speed"]
        ours, theirs = (found[f"{who}, processor seconds"] for who in ("ours", "scikit-image"))
        told = (
            f"HOG of {found['digits']:,} digits, 4×4 cells: {ours:.2f} processor seconds;"
            f" scikit-image {theirs:.0f} (measured on {found['digits of scikit-image']:,} of them),"
            f" {theirs / ours:.0f} times as many."
        )
        lines += ["", told]
    (RESULTS / "images.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
