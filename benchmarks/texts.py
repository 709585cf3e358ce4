"""Hashed words and word pairs: what each choice is worth, and what they cost.

Accuracy of LogisticRegression at the best of a few C, in per cent: film reviews learned from the
training file and tested on the other; SMS messages by five folds, three times. Beside it
scikit-learn's TfidfVectorizer, and the time of its HashingVectorizer. The results go to
benchmarks/results/texts.json and .md.

    python benchmarks/texts.py

Data are taken from the folder named by ROSENBLATT_DATA.
"""

import gzip
import json
import os
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

from rosenblatt import LogisticRegression
from rosenblatt.data.problem import matrix_of
from rosenblatt.data.rows import CSR
from rosenblatt.tables.ngrams import counts
from rosenblatt.tables.tfidf import document_frequencies, inverse_frequencies, weighted

RESULTS = Path(__file__).parent / "results"
CS, REPEATS = (1.0, 10.0, 100.0, 1000.0), 3
Split = tuple[pl.Series, np.ndarray, pl.Series, np.ndarray]
Encode = Callable[[pl.Series, pl.Series], tuple[Any, Any]]


def hashed(sizes: tuple[int, int] = (1, 2), bits: int = 18, choice: str = "") -> Encode:
    def encode(train: pl.Series, test: pl.Series) -> tuple[Any, Any]:
        X, Z = counts(train, sizes=sizes, bits=bits), counts(test, sizes=sizes, bits=bits)
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
    "once or often alike": hashed(choice="once"),
    "with what is in a single text": hashed(choice="all words"),
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


def times_less(texts: pl.Series) -> float:
    """Processor time of scikit-learn's HashingVectorizer over ours, all cores together."""
    strings = texts.to_list()
    theirs = HashingVectorizer(ngram_range=(1, 2), n_features=1 << 18, norm=None, dtype=np.float32)
    return least(lambda: theirs.transform(strings)) / least(lambda: counts(texts))


def least(run: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    data = os.environ.get("ROSENBLATT_DATA")
    if not data:
        sys.exit("Set ROSENBLATT_DATA to the folder of the data.")
    films, sms = list(reviews(Path(data))), list(messages(Path(data)))
    rows = []
    for name, encode in CHOICES.items():
        (film_C, film), (sms_C, message) = accuracy(encode, films), accuracy(encode, sms)
        rows.append(
            {"choice": name, "imdb": film, "imdb_C": film_C, "sms": message, "sms_C": sms_C}
        )
        print(rows[-1], flush=True)
    record = {"versions": versions(), "times_less": times_less(films[0][0]), "rows": rows}
    (RESULTS / "texts.json").write_text(json.dumps(record, indent=1) + "\n")
    table = [f"| {r['choice']} | {r['imdb']:.2f} | {r['sms']:.2f} |" for r in rows]
    head = ["| features | IMDB | SMS spam |", "|---|---|---|"]
    (RESULTS / "texts.md").write_text("\n".join([*head, *table]) + "\n")
    print(*head, *table, f"{record['times_less']:.1f} times less time", sep="\n")


if __name__ == "__main__":
    main()
