"""The data of benchmarks/solvers.py: real where ROSENBLATT_DATA names their folder, else made up.

Dense rows are float32, sparse ones CSR with float32 values and 32-bit indices; labels count from 0.
`shrink` keeps every shrink-th row. What takes long to read is kept in a temporary folder.
"""

import gzip
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
from perceptron import mnist, noisy, text
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer

CACHE = Path(tempfile.gettempdir()) / "rosenblatt-benchmarks"
Problem = tuple[Any, np.ndarray]


def cover_type(shrink: int) -> Problem:
    """Class 2 against the rest, standardised columns."""
    folder = _folder()
    if folder is None:
        return _tail(noisy(0.7)(2 * shrink), 581_012 // shrink)
    table = polars.read_csv(folder / "csv/covtype.csv.gz").to_numpy()[::shrink]
    X = table[:, :-1].astype(np.float64)
    X = (X - X.mean(0)) / np.maximum(X.std(0), 1e-12)
    return np.ascontiguousarray(X, np.float32), (table[:, -1] == 2).astype(int)


def libsvm(name: str, n: int, d: int) -> Callable[[int], Problem]:
    """A table of the LIBSVM page whose labels are ±1."""

    def make(shrink: int) -> Problem:
        folder = _folder()
        if folder is None:
            return _made_up_codes(n // shrink, d)
        X, y = load_svmlight_file(str(folder / f"libsvm/{name}.gz"), dtype=np.float32)
        return _narrow(X[::shrink]), (y[::shrink] > 0).astype(int)

    return make


def news20(shrink: int) -> Problem:
    """Class 1 against the rest, tf-idf."""
    folder = _folder()
    if folder is None:
        return _tail(text(40 * shrink), 15_935 // shrink)
    X, y = load_svmlight_file(str(folder / "libsvm/news20.bz2"), dtype=np.float32)
    X = TfidfTransformer().fit_transform(X)
    return _narrow(X[::shrink]), (y[::shrink] == 1).astype(int)


def imdb(shrink: int) -> Problem:
    """Film reviews, tf-idf of single words that occur twice or more."""
    folder = _folder()
    if folder is None:
        return _tail(text(25 * shrink), 25_000 // shrink)
    path = CACHE / "imdb.npz"
    if not path.exists():
        with gzip.open(folder / "text/imdb_train.jsonl.gz", "rt", encoding="utf-8") as lines:
            reviews = [json.loads(line) for line in lines]
        X = TfidfVectorizer(min_df=2, dtype=np.float32).fit_transform(r["text"] for r in reviews)
        y = np.array([r["label"] > 0 for r in reviews]).astype(int)
        CACHE.mkdir(exist_ok=True)
        np.savez(path, data=X.data, indices=X.indices, indptr=X.indptr, shape=X.shape, y=y)
    kept = np.load(path)
    X = sparse.csr_matrix((kept["data"], kept["indices"], kept["indptr"]), shape=kept["shape"])
    return _narrow(X[::shrink]), kept["y"][::shrink]


def barely_separable(shrink: int) -> Problem:
    """A plane through the origin separates the rows, the nearest of them by 0.005."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000 // shrink, 50))
    w = rng.standard_normal(50)
    w /= np.linalg.norm(w)
    scores = X @ w
    gap = np.where(np.abs(scores) < 0.005, np.copysign(0.005, scores) - scores, 0)
    X += np.outer(gap, w)
    return np.ascontiguousarray(X, np.float32), (scores > 0).astype(int)


PROBLEMS: dict[str, tuple[str, Callable[[int], Problem]]] = {
    "mnist8": ("MNIST 8 against the rest, 60,000 × 784", mnist(8)),
    "noisy": ("noisy, 1,000,000 × 28", noisy(1.0)),
    "covtype": ("cover type 2 against the rest, 581,012 × 54", cover_type),
    "a9a": ("a9a, 32,561 × 123, CSR", libsvm("a9a", 32_561, 123)),
    "w8a": ("w8a, 49,749 × 300, CSR", libsvm("w8a", 49_749, 300)),
    "news20": ("news20 class 1 against the rest, tf-idf, 15,935 × 62,061, CSR", news20),
    "imdb": ("IMDB reviews, tf-idf, 25,000 × 46,158, CSR", imdb),
    "barely": ("barely separable, 20,000 × 50", barely_separable),
    "mnist": ("MNIST ten classes, 60,000 × 784", mnist(None)),
}


def _folder() -> Path | None:
    folder = os.environ.get("ROSENBLATT_DATA")
    return Path(folder) if folder else None


def _narrow(X: Any) -> sparse.csr_matrix:
    """CSR with float32 values and 32-bit indices, as every peer takes it."""
    X = sparse.csr_matrix(X, dtype=np.float32)
    X.sort_indices()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def _tail(problem: Problem, n: int) -> Problem:
    X, y = problem
    return (_narrow(X[-n:]) if sparse.issparse(X) else np.ascontiguousarray(X[-n:])), y[-n:]


def _made_up_codes(n: int, d: int) -> Problem:
    """Rows of d/10 ones at random places, a noisy plane."""
    rng = np.random.default_rng(0)
    X = sparse.csr_matrix(rng.random((n, d)) < 0.1, dtype=np.float32)
    scores = X @ rng.standard_normal(d)
    return _narrow(X), (scores + scores.std() * rng.standard_normal(n) > 0).astype(int)
