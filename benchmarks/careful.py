"""What a careful user of scikit-learn would write, one pipeline a data set.

    python benchmarks/careful.py NAME TRAIN TEST ANSWERS

Trains on one file, answers on the other, and writes what is true and what was answered, row by row.
Numbers are standardised, gaps filled by the median with an indicator, categories one-hot, texts
tf-idf of words and word pairs; C is chosen by cross-validation. Where a fit takes long C comes from
fewer values on one held-out fifth (of covtype, whose rows are many, from one: 1), and words are
counted once instead of once a fold.
"""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

Rows = tuple[Any, Any]
Data = tuple[Rows, Rows]
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)
ONE_FIFTH = ShuffleSplit(1, test_size=0.2, random_state=0)


def table(target: str | int, header: int | None = 0) -> Callable[[str, str], Data]:
    """Columns with names, or without; one of them is the target."""

    def read(train: str, test: str) -> Data:
        frames = [pd.read_csv(file, header=header) for file in (train, test)]
        for frame in frames:
            frame.columns = frame.columns.astype(str)
        parts = [(frame.drop(columns=str(target)), frame[str(target)]) for frame in frames]
        return parts[0], parts[1]

    return read


def messages(train: str, test: str) -> Data:
    """Label, tab, text."""
    frames = [
        pd.read_csv(file, sep="\t", header=None, quoting=3, keep_default_na=False)
        for file in (train, test)
    ]
    return tuple((frame[1], frame[0]) for frame in frames)  # type: ignore[return-value]


def reviews(train: str, test: str) -> Data:
    """JSON lines with a text and a label."""

    def read(file: str) -> Rows:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            found = [json.loads(line) for line in lines]
        return [one["text"] for one in found], np.array([one["label"] for one in found])

    return read(train), read(test)


def svmlight(train: str, test: str) -> Data:
    """Sparse rows."""
    X, y = load_svmlight_file(train, dtype=np.float32)
    Z, z = load_svmlight_file(test, n_features=X.shape[1], dtype=np.float32)
    for rows in (X, Z):  # 64-bit indices are refused by liblinear
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return (X, y), (Z, z)


def images(train: str, test: str) -> Data:
    """Pictures of the IDX format, with the labels in a file beside them."""

    def read(file: str) -> Rows:
        labels = file.replace("images-idx3", "labels-idx1")
        pixels = np.frombuffer(gzip.decompress(Path(file).read_bytes()), np.uint8, offset=16)
        y = np.frombuffer(gzip.decompress(Path(labels).read_bytes()), np.uint8, offset=8)
        return pixels.reshape(len(y), -1).astype(np.float32) / 255, y

    return read(train), read(test)


def columns() -> ColumnTransformer:
    numeric = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    nominal = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="ignore"),
    )
    is_number = make_column_selector(dtype_include=["number", "bool"])
    is_name = make_column_selector(dtype_exclude=["number", "bool"])
    return ColumnTransformer([("numbers", numeric, is_number), ("names", nominal, is_name)])


def words(**settings: Any) -> TfidfVectorizer:
    return TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, min_df=2, **settings)


def chosen(before: Any, powers: range, cv: Any = FOLDS, solver: str = "lbfgs") -> GridSearchCV:
    """Logistic regression after some steps, with C a power of ten chosen by accuracy."""
    model = LogisticRegression(solver=solver, max_iter=1000)
    pipeline = make_pipeline(before, model)
    grid = {"logisticregression__C": [10.0**power for power in powers]}
    return GridSearchCV(pipeline, grid, cv=cv)


WIDE, FEW = range(-3, 4), range(-1, 3)
CAREFUL: dict[str, tuple[Callable[[str, str], Data], Callable[[], Any]]] = {
    "titanic": (table("survived"), lambda: chosen(columns(), WIDE)),
    "penguins": (table("species"), lambda: chosen(columns(), WIDE)),
    "sonar": (table(60, header=None), lambda: chosen(columns(), WIDE)),
    "covtype": (table("Cover_Type"), lambda: chosen(columns(), range(1), ONE_FIFTH)),
    "sms-spam": (messages, lambda: chosen(words(), range(4), solver="liblinear")),
    "imdb": (reviews, lambda: make_pipeline(
        words(dtype=np.float32), chosen("passthrough", range(3), ONE_FIFTH, "liblinear"))),
    "a9a": (svmlight, lambda: chosen("passthrough", WIDE)),
    "news20": (svmlight, lambda: chosen(TfidfTransformer(sublinear_tf=True), range(4), ONE_FIFTH)),
    "mnist": (images, lambda: chosen("passthrough", range(-2, 1), ONE_FIFTH)),
}  # fmt: skip


def main() -> None:
    name, train, test, answers = sys.argv[1:]
    read, make = CAREFUL[name]
    (X, y), (Z, z) = read(train, test)
    model = make().fit(X, y)
    pd.DataFrame({"truth": z, "prediction": model.predict(Z)}).to_csv(answers, index=False)


if __name__ == "__main__":
    main()
