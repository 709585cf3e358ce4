"""Every metric against scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    f1_score,
    log_loss,
    roc_auc_score,
)

from rosenblatt.pipeline.evaluate import (
    Evaluation,
    area,
    brier_score,
    calibration,
    evaluation_json,
    roc_auc,
)


@st.composite
def evaluated(draw):
    """True classes, and scores on a coarse grid, so that there are ties."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    true = rng.integers(0, k, n)
    scores = rng.integers(-3, 4, (n, 1 if k == 2 else k)) / 2.0
    full = np.column_stack([np.zeros(n), scores]) if k == 2 else scores
    shares = np.exp(full) / np.exp(full).sum(axis=1, keepdims=True)
    return true, scores, full.argmax(axis=1), shares, k


def metrics(true, scores, predicted, shares, k):
    evaluation = Evaluation(true, predicted, k, "some rows", scores, shares)
    return evaluation_json(evaluation, [f"class {c}" for c in range(k)])


@given(evaluated())
def test_metrics_are_those_of_scikit_learn(case):
    true, _, predicted, shares, k = case
    found = metrics(*case)
    assert found["accuracy"] == pytest.approx(accuracy_score(true, predicted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes that no row has
        wanted = balanced_accuracy_score(true, predicted)
    assert found["balanced_accuracy"] == pytest.approx(wanted)
    assert found["log_loss"] == pytest.approx(log_loss(true, shares, labels=range(k)))
    assert found["f1"] == pytest.approx(f1_score(true, predicted, average="macro"))
    baseline = DummyClassifier().fit(shares, true)
    assert found["baseline_accuracy"] == pytest.approx(baseline.score(shares, true))
    assert found["confusion"] == confusion_matrix(true, predicted, labels=range(k)).tolist()
    assert found["positive"] == ("class 1" if k == 2 else None)
    brier = (
        brier_score_loss(true == 1, shares[:, 1])
        if k == 2
        else np.mean(((shares - np.eye(k)[true]) ** 2).sum(axis=1))
    )
    assert brier_score(true, shares) == pytest.approx(brier)


@given(evaluated())
def test_the_area_is_scikit_learns(case):
    """One-vs-rest, macro; of the probabilities, where there are more than two classes."""
    true, scores, _, shares, k = case
    ranking = np.column_stack([-scores, scores]) if k == 2 else shares
    wanted = [
        roc_auc_score(true == c, ranking[:, c])
        for c in range(k)
        if 0 < np.count_nonzero(true == c) < len(true)
    ]
    found = metrics(*case)["roc_auc"]
    assert found == (pytest.approx(np.mean(wanted)) if wanted else None)
    assert found == roc_auc(true, scores if k == 2 else shares, k)
    if k > 2 and len(wanted) == k:
        theirs = roc_auc_score(true, shares, multi_class="ovr", average="macro")
        assert found == pytest.approx(theirs)


@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=1, max_size=30))
def test_the_area_is_the_chance_of_the_right_order(pairs):
    positive, scores = np.array([p for p, _ in pairs]), np.array([float(s) for _, s in pairs])
    above = [(a > b) + (a == b) / 2 for a in scores[positive] for b in scores[~positive]]
    assert area(positive, scores) == (pytest.approx(np.mean(above)) if above else None)


def test_certain_mistakes_have_a_finite_loss():
    shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = metrics(np.array([1, 1]), shares[:, 1:], np.array([0, 1]), shares, 2)
    assert np.isfinite(found["log_loss"])


def test_without_probabilities():
    true = np.array([0, 1])
    found = metrics(true, np.array([[-1.0], [1.0]]), true, None, 2)
    assert found["log_loss"] is None
    assert found["roc_auc"] == found["f1"] == 1.0
    assert metrics(true, None, true, None, 2)["roc_auc"] is None  # models of several folds


def test_calibration():
    confidence = np.array([0.5, 0.55, 0.95, 0.99, 1.0])
    correct = np.array([True, False, True, True, False])
    found = calibration(confidence, correct)
    assert [row["n_rows"] for row in found["bins"]] == [2, 3]
    assert found["bins"][0]["confidence"] == pytest.approx(0.525)
    assert found["bins"][1]["accuracy"] == pytest.approx(2 / 3)
    wanted = (2 * 0.025 + 3 * abs(0.98 - 2 / 3)) / 5
    assert found["expected_calibration_error"] == pytest.approx(wanted)
