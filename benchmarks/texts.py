"""Hashed words and characters: what each choice is worth, and what they cost.

    python benchmarks/texts.py [choices] [speed] [commands] [sentences] [--only TEXT]

`choices`: accuracy of LogisticRegression at the best of a few C, in per cent: film reviews learned
from the training file and tested on the other; SMS messages by five folds, three times. Beside it
scikit-learn's TfidfVectorizer. `--only` measures those whose name holds a text. `speed`: the
processor time of scikit-learn's HashingVectorizer over ours, in one run. `commands`: what
`rosenblatt fit` says by itself. `sentences`: how often SentenceRanker finds the real sentence among
four that were spoilt. What is not measured anew stays in benchmarks/results/texts.json; the tables
stand beside it.

Data are taken from the folder named by ROSENBLATT_DATA.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from record import versions
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.model_selection import StratifiedKFold

from rosenblatt import LogisticRegression, SentenceRanker, corrupted
from rosenblatt.data.training_data import matrix_of
from rosenblatt.features.maps.ngrams import counts
from rosenblatt.features.maps.vocabulary import document_frequencies, inverse_frequencies, weighted
from rosenblatt.kernels.rows import CSR

RESULTS = Path(__file__).parent / "results"
CS, REPEATS = (1.0, 10.0, 100.0, 1000.0), 3
OURS = [sys.executable, "-c", "from rosenblatt.__main__ import main; main()"]
COMMANDS = [
    "fit text/imdb_train.jsonl.gz --test text/imdb_test.jsonl.gz --features ngrams:1-2,bits=20",
    "fit text/sms-spam.tsv --target x1 --features ngrams:1-2",
    "fit text/sms-spam.tsv --target x1 --features ngrams:3-5,unit=character",
    "fit libsvm/news20.bz2",
]
KNOWN_SENTENCES, NEW_SENTENCES, WRONG = (1_000, 10_000, 100_000), 2_000, 4
Split = tuple[pl.Series, np.ndarray, pl.Series, np.ndarray]
Encode = Callable[[pl.Series, pl.Series], tuple[Any, Any]]


def hashed(
    sizes: tuple[int, int] = (1, 2), bits: int = 18, choice: str = "", unit: str = "word"
) -> Encode:
    def encode(train: pl.Series, test: pl.Series) -> tuple[Any, Any]:
        X, Z = (counts(texts, sizes=sizes, bits=bits, unit=unit) for texts in (train, test))
        if choice == "once":
            X, Z = (rows._replace(data=np.ones_like(rows.data)) for rows in (X, Z))
        idf = importance(X, len(train), choice)
        return matrix_of(weighted(X, idf)), matrix_of(weighted(Z, idf))

    return encode


def importance(rows: CSR, n: int, choice: str) -> np.ndarray:
    frequencies = document_frequencies(rows)
    if choice == "all words":
        return 1 + np.log((1 + n) / (1 + frequencies))
    idf = inverse_frequencies(frequencies, n)
    return (idf > 0).astype(float) if choice == "no idf" else idf


def peer(train: pl.Series, test: pl.Series) -> tuple[Any, Any]:
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, dtype=np.float32)
    return words.fit_transform(train.to_list()), words.transform(test.to_list())


CHOICES: dict[str, Encode] = {
    "words and pairs, 2^18 features": hashed(),
    "words alone": hashed((1, 1)),
    "words, pairs and triples": hashed((1, 3)),
    "2^16 features": hashed(bits=16),
    "2^20 features": hashed(bits=20),
    "without idf": hashed(choice="no idf"),
    "binary counts": hashed(choice="once"),
    "with features of a single text": hashed(choice="all words"),
    "characters, n-grams of 3 to 5, 2^18 features": hashed((3, 5), unit="character"),
    "characters, n-grams of 3 to 5, 2^20 features": hashed((3, 5), 20, unit="character"),
    "scikit-learn TfidfVectorizer, min_df=2": peer,
}


def reviews(folder: Path) -> Iterator[Split]:
    train, test = (
        pl.read_ndjson(gzip.decompress((folder / f"text/imdb_{part}.jsonl.gz").read_bytes()))
        for part in ("train", "test")
    )
    yield train["text"], train["label"].to_numpy(), test["text"], test["label"].to_numpy()


def messages(folder: Path) -> Iterator[Split]:
    lines = (folder / "text/sms-spam.tsv").read_text(encoding="utf-8").splitlines()
    label, texts = zip(*(line.split("\t", 1) for line in lines), strict=True)
    y, texts = np.array(label), pl.Series(texts)
    for seed in range(REPEATS):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(y, y):
            yield texts[train], y[train], texts[test], y[test]


def accuracy(encode: Encode, splits: list[Split]) -> tuple[float, float]:
    """The best C, and the mean accuracy with it."""
    scores = np.zeros(len(CS))
    for train, y, test, z in splits:
        X, Z = encode(train, test)
        scores += [LogisticRegression(C=C, tol=1e-3).fit(X, y).score(Z, z) for C in CS]
    return CS[int(scores.argmax())], 100 * float(scores.max()) / len(splits)


def choices(data: Path, record: dict[str, Any], only: str) -> None:
    films, sms = list(reviews(data)), list(messages(data))
    rows = {row["choice"]: row for row in record.get("rows", [])}
    for name, encode in CHOICES.items():
        if only in name:
            (film_C, film), (sms_C, message) = accuracy(encode, films), accuracy(encode, sms)
            figures = {"imdb": film, "imdb_C": film_C, "sms": message, "sms_C": sms_C}
            rows[name] = {"choice": name, **figures}
            print(rows[name], flush=True)
    record["rows"] = [rows[name] for name in CHOICES if name in rows]


def speed(data: Path, record: dict[str, Any]) -> None:
    """Processor time of scikit-learn's HashingVectorizer over ours, all cores together."""
    ((texts, *_),) = reviews(data)
    few = texts[:2_500]
    record["times_less"] = times_less(texts, {}, {})
    characters = {"sizes": (3, 5), "unit": "character"}
    record["times_less_characters"] = times_less(few, characters, {"analyzer": "char_wb"})


def times_less(texts: pl.Series, ours: dict[str, Any], settings: dict[str, Any]) -> float:
    strings = texts.to_list()
    theirs = HashingVectorizer(
        ngram_range=ours.get("sizes", (1, 2)),
        n_features=1 << 18,
        norm=None,
        dtype=np.float32,
        **settings,
    )
    return least(lambda: theirs.transform(strings)) / least(lambda: counts(texts, **ours))


def least(run: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def commands(data: Path, record: dict[str, Any]) -> None:
    record["commands"] = []
    for command in COMMANDS:
        done = subprocess.run(
            [*OURS, *command.split(), "--proof-seconds", "0", "--json"],
            cwd=data,
            capture_output=True,
            check=True,
        )
        test = json.loads(done.stdout)["test"]
        figures = {"accuracy": test["accuracy"], "rows": test["rows"], "method": test["method"]}
        record["commands"].append({"command": command, **figures})
        print(record["commands"][-1], flush=True)


def sentences(data: Path, record: dict[str, Any]) -> None:
    """Train on sentences of the reviews learned from, test on those of the others."""
    ((known, _, others, _),) = reviews(data)
    rng = np.random.default_rng(0)
    real, new = (sorted(sentences_of(texts)) for texts in (known, others))
    rng.shuffle(real)
    rng.shuffle(new)
    groups, best = corrupted(new[:NEW_SENTENCES], WRONG, random_state=1)
    record["sentences"] = []
    for n in KNOWN_SENTENCES:
        start = time.process_time()
        model = SentenceRanker(n_features=1 << 22, max_iter=10).fit_sentences(real[:n], WRONG)
        seconds = time.process_time() - start
        right = float(np.mean(model.choose(groups) == np.array(best)))
        record["sentences"].append({"sentences": n, "right": right, "cpu_seconds": seconds})
        print(record["sentences"][-1], flush=True)


def sentences_of(texts: pl.Series) -> set[str]:
    found = (re.split(r"(?<=[.!?]) ", re.sub(r"(<br />)+|\s+", " ", text)) for text in texts)
    return {s for part in found for s in part if 5 <= len(s.split()) <= 40}


def tables(record: dict[str, Any]) -> dict[str, list[str]]:
    return {
        "texts": [
            "| features | IMDB | SMS spam |",
            "|---|---|---|",
            *(f"| {r['choice']} | {r['imdb']:.2f} | {r['sms']:.2f} |" for r in record["rows"]),
        ],
        "text-commands": [
            "| command | accuracy | evaluated on |",
            "|---|---|---|",
            *(
                f"| `rosenblatt {r['command']}` | {r['accuracy']:.2%} | {r['rows']:,},"
                f" {r['method']} |"
                for r in record.get("commands", [])
            ),
        ],
        "sentences": [
            "| sentences learned from | real one found |",
            "|---|---|",
            *(f"| {r['sentences']:,} | {r['right']:.1%} |" for r in record.get("sentences", [])),
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["choices", "speed", "commands", "sentences"])
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    data = Path(os.environ.get("ROSENBLATT_DATA") or sys.exit("Set ROSENBLATT_DATA."))
    path = RESULTS / "texts.json"
    record: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    work: dict[str, Callable[[], None]] = {
        "choices": lambda: choices(data, record, options.only),
        "speed": lambda: speed(data, record),
        "commands": lambda: commands(data, record),
        "sentences": lambda: sentences(data, record),
    }
    for what in options.what:
        work[what]()
        record["versions"] = versions()
        path.write_text(json.dumps(record, indent=1) + "\n")
    for name, lines in tables(record).items():
        (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n")
        print(*lines, sep="\n")


if __name__ == "__main__":
    main()
