"""Every figure against scikit-learn."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    roc_auc_score,
)

from rosenblatt.report.metrics import area, auc, calibration, metrics


@st.composite
def judged(draw):
    """True classes, and scores on a coarse grid, so that there are ties."""
    k = draw(st.integers(2, 4))
    n = draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    true = rng.integers(0, k, n)
    scores = rng.integers(-3, 4, (n, 1 if k == 2 else k)) / 2.0
    full = np.column_stack([np.zeros(n), scores]) if k == 2 else scores
    shares = np.exp(full) / np.exp(full).sum(axis=1, keepdims=True)
    return true, scores, full.argmax(axis=1), shares, k


@given(judged())
def test_figures_are_scikit_learns(case):
    true, scores, decided, shares, k = case
    told = metrics(true, scores, decided, shares, k)
    assert told["accuracy"] == pytest.approx(accuracy_score(true, decided))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes that no row has
        wanted = balanced_accuracy_score(true, decided)
    assert told["balanced_accuracy"] == pytest.approx(wanted)
    assert told["log_loss"] == pytest.approx(log_loss(true, shares, labels=range(k)))
    brier = (
        brier_score_loss(true == 1, shares[:, 1])
        if k == 2
        else np.mean(((shares - np.eye(k)[true]) ** 2).sum(axis=1))
    )
    assert told["brier"] == pytest.approx(brier)
    present = np.unique(true)
    if k == 2 and 1 not in present:
        assert told["f1"] is None
    elif k == 2:
        assert told["f1"] == pytest.approx(f1_score(true, decided, zero_division=0))
    else:
        f1 = f1_score(true, decided, labels=present, average="macro", zero_division=0)
        assert told["f1"] == pytest.approx(f1)


@given(judged())
def test_the_area_is_scikit_learns(case):
    true, scores, _, _, k = case
    columns = range(1, 2) if k == 2 else range(k)
    wanted = [
        roc_auc_score(true == c, scores[:, -1] if k == 2 else scores[:, c])
        for c in columns
        if 0 < np.count_nonzero(true == c) < len(true)
    ]
    found = auc(true, scores, k)
    assert found == (pytest.approx(np.mean(wanted)) if wanted else None)


@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=1, max_size=30))
def test_the_area_is_the_chance_of_the_right_order(pairs):
    positive, scores = np.array([p for p, _ in pairs]), np.array([float(s) for _, s in pairs])
    above = [(a > b) + (a == b) / 2 for a in scores[positive] for b in scores[~positive]]
    assert area(positive, scores) == (pytest.approx(np.mean(above)) if above else None)


def test_certain_mistakes_have_a_finite_loss():
    shares = np.array([[1.0, 0.0], [0.0, 1.0]])
    told = metrics(np.array([1, 1]), shares[:, 1:], np.array([0, 1]), shares, 2)
    assert np.isfinite(told["log_loss"])


def test_without_probabilities():
    told = metrics(np.array([0, 1]), np.array([[-1.0], [1.0]]), np.array([0, 1]), None, 2)
    assert told["log_loss"] is told["brier"] is told["calibration"] is None
    assert told["auc"] == told["f1"] == 1.0


def test_calibration():
    confidence = np.array([0.5, 0.55, 0.95, 0.99, 1.0])
    right = np.array([True, False, True, True, False])
    told = calibration(confidence, right)
    assert [row["rows"] for row in told["table"]] == [2, 3]
    assert told["table"][0]["said"] == pytest.approx(0.525)
    assert told["table"][1]["right"] == pytest.approx(2 / 3)
    assert told["error"] == pytest.approx((2 * 0.025 + 3 * abs(0.98 - 2 / 3)) / 5)
