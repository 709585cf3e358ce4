"""Damage files of every format at random, and see that each is read or refused, never worse.

Every mutant is given to `rosenblatt fit` in a child process with limited memory, which must end
with exit code 0, or with 2 and a sentence. Not a test of the suite: run it by hand, for instance
``python tests/io/fuzz_files.py --mutants 500 --seed 1 npz arrow``. Mutants that end otherwise
are kept in the folder ``fuzzed``.
"""

import argparse
import bz2
import gzip
import io
import os
import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import zstandard
from scipy import sparse

from rosenblatt.cli.main import main

MAX_MEMORY = 6 << 30  # bytes of addresses of a child
MAX_SECONDS = 60
ROWS = 90
WORDS = ["x", "yy", "a longer word than twelve", "yy", "x", "zzz", None]
EXTREME = (0, 1, -1, 1000, 10**9, -(10**9), 2**30, 2**31 - 1, -(2**31), 2**62, 2**63 - 1, -(2**63))
IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, ROWS, 0, 0, 0, 2, 0, 0, 0, 2])
LABELS = bytes([0, 0, 8, 1, 0, 0, 0, ROWS]) + bytes([0, 1, 1, 0, 1, 0]) * (ROWS // 6)
FIT = ("fit", "--rule", "perceptron", "--proof-seconds", "0", "--test", "none")


def table() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "a": [None if i % 7 == 0 else float(v) for i, v in enumerate(rng.normal(size=ROWS))],
            "k": [WORDS[i] for i in rng.integers(0, len(WORDS), ROWS)],
            "b": rng.random(ROWS) < 0.5,
            "y": rng.integers(0, 2, ROWS),
        }
    )


def seeds() -> Iterator[tuple[str, bytes]]:
    """Sound files: how their names end, and their content."""
    frame = table()
    category = frame.with_columns(
        pl.col("k").fill_null("n").cast(pl.Categorical), pl.col("a").cast(pl.Float32)
    )
    for one in (frame, category):
        for compression in ("uncompressed", "lz4", "zstd"):
            yield ".arrow", _written(one.write_ipc, compression=compression)
        yield ".arrow", _written(one.to_pandas().to_feather)
        yield ".parquet", _written(one.write_parquet, row_group_size=40)
        yield ".parquet", _written(one.write_parquet, compression="uncompressed")
        yield ".parquet", _written(one.to_pandas().to_parquet)
    csv = frame.write_csv().encode()
    yield ".csv", csv
    yield ".tsv", frame.write_csv(separator="\t").encode()
    yield ".jsonl", frame.write_ndjson().encode()
    lines = [f"{i % 2} 1:{i} {i + 2}:0.5 # a\n" for i in range(ROWS)]
    yield ".svm", "".join(lines).encode()
    yield ".csv.gz", gzip.compress(csv)
    yield ".csv.bz2", bz2.compress(csv)
    yield ".csv.zst", zstandard.compress(csv) + zstandard.compress(csv[20:])
    yield from _arrays()


def _arrays() -> Iterator[tuple[str, bytes]]:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(ROWS, 5)), rng.integers(0, 2, ROWS)
    names = np.array(list("abcde"))
    yield ".npy", _written(np.save, np.column_stack([X, y]))
    for labels in (y, np.array(["u", "v"])[y], np.array([b"u", b"v"])[y]):
        yield ".npz", _written(np.savez, X=X, y=labels, feature_names=names)
    yield ".npz", _written(np.savez_compressed, X=X, y=y)
    X[np.abs(X) < 0.8] = 0
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        stored = sparse.coo_array(X).asformat(kind)
        yield ".npz", _labelled(stored, y)
    yield "-images.idx", IMAGES + rng.integers(0, 256, 4 * ROWS, np.uint8).tobytes()


def written_seeds(folder: str) -> list[tuple[str, bytes]]:
    """The sound files, made by a child: threads of polars in this process would not be forked."""
    child = os.fork()
    if child == 0:
        for i, (suffix, content) in enumerate(seeds()):
            Path(folder, f"{i:03}{suffix}").write_bytes(content)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    files = sorted(Path(folder).iterdir())
    return [(file.name[3:], file.read_bytes()) for file in files]


def _labelled(matrix: sparse.sparray, labels: np.ndarray) -> bytes:
    """What save_npz writes, and labels beside it."""
    with np.load(io.BytesIO(_written(sparse.save_npz, matrix, compressed=False))) as arrays:
        return _written(np.savez, **arrays, y=labels)


def _written(write, *what, **how) -> bytes:
    room = io.BytesIO()
    write(room, *what, **how)
    return room.getvalue()


def damaged(content: bytes, chance: random.Random) -> bytes:
    found = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        at = chance.randrange(len(found))
        what = chance.random()
        if what < 0.3:
            found[at] = chance.randrange(256)
        elif what < 0.45:
            found[at] ^= 1 << chance.randrange(8)
        elif what < 0.8:
            width = chance.choice([2, 4, 8])
            at -= at % width
            number = chance.choice(EXTREME) & ((1 << 8 * width) - 1)
            found[at : at + width] = number.to_bytes(width, "little")[: len(found) - at]
        elif what < 0.9:
            del found[at : at + chance.choice([1, 4, 8, 64])]
        else:
            found[at:at] = chance.randbytes(chance.choice([1, 4, 8, 64]))
        if not found:
            break
    return bytes(found)


def ending(file: Path) -> tuple[int, str]:
    """Exit code of a child that fits the file, and what it said."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        _fit(file, theirs)
    os.close(theirs)
    with os.fdopen(ours, "rb") as stream:
        said = stream.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def _fit(file: Path, theirs: int) -> None:
    os.dup2(theirs, 2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(MAX_SECONDS)
    sys.argv = ["rosenblatt", *FIT, str(file), "-o", f"{file}.model"]
    code = 70
    try:
        main()
    except SystemExit as end:
        code = int(end.code or 0)
    except BaseException as error:  # whatever it is, it is told
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    sys.stderr.flush()
    os._exit(code)


def run(n: int, seed: int, wanted: list[str]) -> int:
    chance, kept = random.Random(seed), Path("fuzzed")
    with tempfile.TemporaryDirectory() as folder:
        made = written_seeds(folder)
    sound = [found for found in made if not wanted or found[0].split(".")[-1] in wanted]
    codes: Counter[tuple[str, int]] = Counter()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "mutant-labels.idx").write_bytes(LABELS)
        for i in range(n):
            suffix, content = sound[i % len(sound)]
            file = Path(folder) / f"mutant{suffix}"
            file.write_bytes(content if i < len(sound) else damaged(content, chance))
            code, said = ending(file)
            last = said.rstrip("\n").rpartition("\n")[2]  # a panic of polars is told before
            good = code == 0 or (code == 2 and last.startswith("Error: "))
            codes[suffix, code] += 1
            if not good or (i < len(sound) and code):
                bad += 1
                kept.mkdir(exist_ok=True)
                name = kept / f"{seed}-{i}{suffix}"
                name.write_bytes(file.read_bytes())
                sys.stdout.write(f"{name}: exit code {code}: {said[-300:]!r}\n")
    for (suffix, code), times in sorted(codes.items()):
        sys.stdout.write(f"{suffix:10} exit code {code}: {times}\n")
    return bad


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", help="suffixes, such as npz; by default all")
    parser.add_argument("--mutants", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(bool(run(given.mutants, given.seed, given.formats)))
