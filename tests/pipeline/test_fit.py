"""A plan carried out: the model of a fit by hand, judged by rows that it never saw."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from rosenblatt import LogisticRegression
from rosenblatt.errors import DataError, ParameterError, SourceError
from rosenblatt.io.chunks import Matrix, Place, Table
from rosenblatt.model_selection.choose_c import SAMPLE_CS
from rosenblatt.model_selection.split import folds_of, held_out
from rosenblatt.pipeline import encoded_data
from rosenblatt.pipeline import fit as pipeline_fit
from rosenblatt.pipeline.encoded_data import EncodedData
from rosenblatt.pipeline.fit import FitResult, Plan, _predict_fold, choose_C, estimator_of, run
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import fit_preprocessing, resolve_choices
from rosenblatt.registry import Rule
from rosenblatt.separation.proof.verdict import Inseparable, Separable


@dataclass
class Made:
    chunks: list[Any]
    name: str = "made"

    def __iter__(self) -> Iterator[Any]:
        return iter(self.chunks)


def tables(frame: pl.DataFrame, step: int = 10**9) -> Made:
    starts = range(0, frame.height, step)
    return Made([Table(frame[a : a + step], Place("made.csv", line=a + 2)) for a in starts])


def people(n: int, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, town = rng.normal(40, 10, n), rng.choice(["Ulm", "Bonn", "Jena"], n)
    odd = rng.random(n) < 0.1
    score = (age - 40) / 10 + (town == "Ulm") + rng.normal(size=n)
    return pl.DataFrame(
        {
            "age": pl.Series(age).set(pl.Series(odd), None),
            "town": town,
            "kind": np.where(score > 0.3, "yes", "no"),
        }
    )


def plan(**changes) -> Plan:
    usual = {
        "rule": Rule.LOGISTIC_REGRESSION,
        "settings": {"C": 1.0, "tol": 1e-8},
        "target": "kind",
        "proof_seconds": 0.0,
    }
    return Plan(**(usual | changes))


def fit(frame: pl.DataFrame, step: int = 10**9, **changes) -> FitResult:
    return run(tables(frame, step), plan(**changes), lambda _: None)


def weights(fitted: FitResult) -> bytes:
    return fitted.estimator.coef_.tobytes() + fitted.estimator.intercept_.tobytes()


def referee() -> Any:
    """A careful pipeline of scikit-learn's parts around the same rule."""
    numbers = make_pipeline(StandardScaler(), SimpleImputer(add_indicator=True))
    columns = make_column_transformer(
        (numbers, ["age"]), (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["town"])
    )
    return make_pipeline(columns, LogisticRegression(C=1.0, tol=1e-8))


def test_the_model_and_its_estimate_are_those_of_a_pipeline_by_hand():
    frame = people(400)
    fitted = fit(frame)
    X, y = frame.select("age", "town").to_pandas(), frame["kind"].to_numpy()
    by_hand = referee().fit(X, y)
    np.testing.assert_allclose(fitted.estimator.coef_, by_hand[-1].coef_, atol=1e-6)
    codes = (y == "yes").astype(int)
    folds = folds_of(codes, 10, 0)
    counts = np.zeros((2, 2), int)
    for fold in range(10):
        out = folds == fold
        predicted = referee().fit(X[~out], y[~out]).predict(X[out])
        np.add.at(counts, (codes[out], (predicted == "yes").astype(int)), 1)
    assert fitted.evaluation.confusion.tolist() == counts.tolist()
    assert fitted.evaluation.method == "10-fold CV"
    assert fitted.evaluation.n_rows == 400


def test_held_out_rows_do_not_teach_the_model_they_judge():
    frame = people(4000)
    before = fit(frame, 700)
    out = pl.Series(held_out(0)(np.arange(4000)))
    assert before.evaluation.n_rows == out.sum()
    assert before.learned.n_rows == 4000  # the model itself learns from all
    other = pl.col("kind").replace({"no": "yes", "yes": "no"})
    changed = frame.with_columns(kind=pl.when(out).then(other).otherwise(pl.col("kind")))
    after = fit(changed, 700)
    # whatever they are called, the decisions on them are the same
    assert after.evaluation.confusion.tolist() == before.evaluation.confusion.tolist()[::-1]
    assert weights(after) != weights(before)


def test_rows_in_a_file_are_learned_from_once(monkeypatch):
    frame = people(4000)
    monkeypatch.setattr(encoded_data, "RowBuffer", partial(encoded_data.RowBuffer, max_bytes=1000))
    fitted = fit(frame, 700)
    assert fitted.on_disk
    out = held_out(0)(np.arange(4000))
    assert fitted.learned.n_rows == 4000 - out.sum()
    assert fitted.evaluation.n_rows == out.sum()


def test_a_fold_is_decided_by_a_model_of_the_others():
    frame = people(60)
    source = tables(frame)
    learned = fit_preprocessing(source, "kind", Choices())
    folds = np.arange(60) % 5
    fixed = plan(choices=resolve_choices(Choices(), learned))
    out = pl.Series(folds == 2)
    before, _ = _predict_fold(source, folds, 2, learned, fixed)
    other = pl.col("kind").replace({"no": "yes", "yes": "no"})
    labels = frame.with_columns(kind=pl.when(out).then(other).otherwise(pl.col("kind")))
    after, _ = _predict_fold(tables(labels), folds, 2, learned, fixed)
    assert after.tolist() == before.tolist()
    rows = frame.with_columns(age=pl.when(pl.int_range(60) == 2).then(1e9).otherwise("age"))
    moved, _ = _predict_fold(tables(rows), folds, 2, learned, fixed)
    assert moved[1:].tolist() == before[1:].tolist()


@pytest.mark.parametrize("n", [300, 3300])
def test_chunks_do_not_matter(n):
    frame = people(n)
    whole, parts = fit(frame), fit(frame, 77)
    np.testing.assert_allclose(parts.estimator.coef_, whole.estimator.coef_, rtol=1e-9)
    assert parts.evaluation.confusion.tolist() == whole.evaluation.confusion.tolist()
    assert parts.learned.counts == whole.learned.counts


@pytest.mark.parametrize("n", [400, 4000])
def test_a_column_that_counts_the_rows_helps_neither_model_nor_estimate(n):
    """Rows that stand sorted by class would give their class away."""
    frame = people(n).sort("kind").with_row_index("id")
    noise = frame.with_columns(
        age=pl.Series(np.random.default_rng(1).normal(size=n)), town=pl.lit("x")
    )
    fitted = fit(noise)
    assert fitted.learned.transformer.feature_names == ("age",)
    largest = max(fitted.learned.counts.values()) / fitted.learned.n_rows
    assert fitted.evaluation.accuracy < largest + 0.1


def test_a_column_that_is_constant_in_a_fold():
    frame = pl.DataFrame({"a": [0.0] * 29 + [5.0], "kind": ["u", "v", "v"] * 10})
    fitted = fit(frame)
    assert fitted.evaluation.n_rows == 30


def test_a_category_whose_only_odd_word_falls_out_of_a_fold():
    days = ["2020-01-01", "2020-01-02"] * 14 + ["never", "2020-01-01"]
    frame = pl.DataFrame({"a": days, "kind": ["u", "v", "v"] * 10})
    assert fit(frame).evaluation.n_rows == 30


def test_too_few_rows_for_an_honest_estimate():
    frame = pl.DataFrame({"a": [1.0, 2.5, 3.0, 4.0, 5.0], "kind": ["u", "v", "u", "u", "v"]})
    fitted = fit(frame)
    assert fitted.evaluation is None
    assert "needs 3 rows of each class, and the class 'v' has 2" in fitted.advice
    assert fitted.training_accuracy >= 0.6


def test_the_fewest_rows_of_a_class_bound_the_folds():
    frame = pl.DataFrame(
        {"a": np.random.default_rng(0).normal(size=40), "kind": ["u"] * 36 + ["v"] * 4}
    )
    assert fit(frame).evaluation.method == "4-fold CV"


def test_without_rows_to_judge():
    fitted = fit(people(50), evaluate=False)
    assert fitted.evaluation is None
    assert fitted.advice == "No rows were set aside for an evaluation."


def test_a_test_source_with_classes_of_its_own():
    strange = people(30, seed=1).with_columns(kind=pl.lit("never"))
    test = tables(pl.concat([people(50, seed=2), strange]), 20)
    fitted = fit(people(200), test=test)
    assert fitted.learned.n_rows == 200
    assert fitted.evaluation.n_unknown_class == 30
    assert fitted.evaluation.n_rows == 80
    assert fitted.evaluation.accuracy <= 50 / 80
    assert weights(fitted) == weights(fit(people(200), evaluate=False))


def test_a_test_source_that_stores_a_category_as_numbers():
    codes = ["1", "2", "x3"]
    frame = pl.DataFrame({"a": codes * 20, "kind": ["u", "v", "v"] * 19 + ["u", "u", "u"]})
    only = pl.DataFrame({"a": [1.0, 2.0] * 10, "kind": ["u", "v"] * 10})
    string_columns = only.with_columns(a=pl.Series(["1", "2"] * 10))
    first, second = (fit(frame, test=tables(t)) for t in (only, string_columns))
    assert first.evaluation.confusion.tolist() == second.evaluation.confusion.tolist()


@pytest.mark.parametrize("proof", [Separable, Inseparable])
def test_the_proof_is_of_the_rows_as_they_were_read(proof):
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = X[:, 0] * X[:, 1] if proof is Separable else (X.sum(axis=1) == 1) * 1.0
    source = Made([Matrix(X, y, Place("made.npy"))])
    fitted = run(source, plan(target=None, proof_seconds=5.0), lambda _: None)
    assert isinstance(fitted.proof, proof)
    np.testing.assert_array_equal(source.chunks[0].rows, [[0, 0], [0, 1], [1, 0], [1, 1]] * 5)


def test_what_is_done_is_told():
    said: list[str] = []
    run(tables(people(100)), plan(rule=Rule.AUTO, settings={}), said.append)
    assert said[0] == "Reading, 100 rows so far"
    assert "Selecting C" in said
    assert said[-1] == "Evaluating, fold 10 of 10"


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_has_its_estimator(rule):
    assert type(estimator_of(rule, {})).__name__ == rule.estimator


def test_a_setting_that_a_rule_does_not_have():
    with pytest.raises(ParameterError, match=r"--rule least-squares has no option --max-iter"):
        estimator_of(Rule.LEAST_SQUARES, {"max_iter": 5})


def test_a_single_class_is_refused():
    with pytest.raises(SourceError, match="every row is of class 'yes'"):
        fit(people(50).with_columns(kind=pl.lit("yes")))


def test_the_selected_c_is_the_best_on_the_hold_out(rng, monkeypatch):
    X = rng.normal(size=(300, 4))
    codes = (X[:, 0] + rng.normal(size=300) > 0).astype(np.int8)
    encoded = EncodedData(X, codes, on_disk=False)
    assert choose_C(encoded, 2, {}) == "cv"
    monkeypatch.setattr(pipeline_fit, "MAX_CV_ENTRIES", 10)
    found = choose_C(encoded, 2, {})
    out = held_out(1)(np.arange(300))
    losses = {}
    for C in SAMPLE_CS:
        model = LogisticRegression(C=C, tol=1e-8).fit(X[~out], codes[~out])
        p = model.predict_proba(X[out])[np.arange(out.sum()), codes[out]]
        losses[C] = -np.log(p).mean()
    assert losses[found] < min(losses.values()) + 1e-3


def test_a_class_of_a_single_row_does_not_stop_the_default_rule():
    frame = pl.DataFrame({"a": [1.0, 2.5, 3.0], "kind": ["u", "v", "u"]})
    fitted = fit(frame, rule=Rule.AUTO, settings={})
    assert fitted.estimator.C == 1.0
    assert fitted.evaluation is None


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (np.nan, "made.npy, row 7, column 1: the entry is not a finite number"),
        (1e200, "X holds values that are too large"),
        (np.inf, "made.npy, row 7, column 1: the entry is not a finite number"),
    ],
)
def test_a_bad_number_of_a_matrix_is_named(rng, cell, words):
    X = rng.normal(size=(40, 3))
    X[7, 1] = cell
    source = Made([Matrix(X, np.arange(40) % 2, Place("made.npy"))])
    with pytest.raises((DataError, SourceError), match=words):
        run(source, plan(target=None, evaluate=False), lambda _: None)
