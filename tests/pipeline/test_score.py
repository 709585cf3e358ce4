"""Decisions of a model on a source: those of the estimator; unknown classes are counted apart."""

import numpy as np
import polars as pl
import pytest

from rosenblatt import LogisticRegression, Perceptron
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place, Table
from rosenblatt.persist.model import model_of
from rosenblatt.pipeline.evaluate import evaluate_model, score_json
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.fit import fit_preprocessing
from rosenblatt.report.text import score_text


@pytest.fixture
def rows(rng):
    X = rng.normal(size=(90, 3))
    return X, np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)]


def chunks(X, y):
    return [Matrix(X[a : a + 40], y[a : a + 40], Place("f")) for a in range(0, len(X), 40)]


def test_scores_are_those_of_the_estimator(rows):
    X, y = rows
    estimator = LogisticRegression().fit(X, y)
    found = evaluate_model(model_of(estimator), chunks(X, y))
    np.testing.assert_allclose(found.scores, estimator.decision_function(X), rtol=1e-12)
    np.testing.assert_allclose(found.probabilities, estimator.predict_proba(X), rtol=1e-9)
    assert estimator.classes_[found.predicted].tolist() == estimator.predict(X).tolist()
    assert estimator.classes_[found.true].tolist() == y.tolist()
    assert found.n_unknown_class == 0


def test_rows_of_unknown_classes_are_wrong_whatever_is_decided(rows):
    X, y = rows
    model = model_of(LogisticRegression().fit(X, y))
    all_known = score_json(model, "f", evaluate_model(model, chunks(X, y)))
    labels = y.copy()
    labels[:30] = "never"
    told = score_json(model, "f", evaluate_model(model, chunks(X, labels)))
    assert told["n_unknown_class"] == 30
    assert told["n_rows"] == 90
    right = np.array(told["confusion"]).trace()
    assert told["accuracy"] == right / 90
    assert told["accuracy"] <= all_known["accuracy"]
    assert "30 rows belong to classes that the model was not trained on." in score_text(told)
    with pytest.raises(SourceError, match="no row belongs to a class that the model"):
        score_json(model, "f", evaluate_model(model, chunks(X, np.full(90, "never"))))


def test_a_rule_without_probabilities(rows):
    X, y = rows
    model = model_of(Perceptron(max_iter=5).fit(X, y))
    told = score_json(model, "f", evaluate_model(model, chunks(X, y)))
    assert told["log_loss"] is None
    assert "log loss" not in score_text(told)
    assert "AUC" in score_text(told)


def test_rows_of_one_class_have_no_area(rows):
    X, y = rows
    two = np.where(y == "a", "no", "yes")
    model = model_of(LogisticRegression().fit(X, two))
    told = score_json(model, "f", evaluate_model(model, chunks(X[two == "no"], two[two == "no"])))
    assert told["roc_auc"] is None
    assert "AUC" not in score_text(told)


def test_labels_written_in_another_way():
    frame = pl.DataFrame({"a": np.linspace(-1, 1, 30), "y": [0, 1] * 15})
    source = [Table(frame, Place("f", line=2))]
    learned = fit_preprocessing(_Named(source), "y", Choices())
    X, codes = learned.transformer.transform(source[0]), np.array([0, 1] * 15)
    model = model_of(
        LogisticRegression().fit(X, codes), learned.transformer, classes=learned.classes
    )
    wanted = evaluate_model(model, source).true.tolist()
    for labels in (["0", "1"] * 15, [0.0, 1.0] * 15, [False, True] * 15):
        again = [Table(frame.with_columns(y=pl.Series(labels)), Place("f", line=2))]
        assert evaluate_model(model, again).true.tolist() == wanted
    words = [Table(frame.with_columns(y=pl.Series(["0", "x"] * 15)), Place("f", line=2))]
    assert evaluate_model(model, words).n_unknown_class == 15


class _Named(list):
    name = "f"
