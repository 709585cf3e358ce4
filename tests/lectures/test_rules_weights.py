"""Rules with given weights: those of the slides before anything is learned."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.inspection import permutation_importance
from sklearn.model_selection import FixedThresholdClassifier, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import (
    FixedWeightsClassifier,
    LogisticRegression,
    ThresholdUnit,
    builtin,
    from_weights,
    load,
    save,
)
from rosenblatt.errors import DataError
from rosenblatt.persist.export import to_json
from rosenblatt.plotting import BoundaryDisplay, MarginDisplay, WeightsDisplay

ANIMALS = builtin("dogs-vs-cats")
POINTS = builtin("4f10")
IRIS = builtin("iris")
PETS = ["cat", "dog"]


def test_idea_3_of_lecture_004_is_a_classifier() -> None:
    """0.5 x1 + 0.5 x2 > 20 is a dog; the first two ideas use one number alone."""
    rule = from_weights([0.5, 0.5], -20, PETS)
    assert rule.predict(ANIMALS.X).tolist() == ["dog", "dog", "cat"]
    assert rule.score(ANIMALS.X, ANIMALS.y) == 1
    by_weight, by_name = from_weights([0, 1], -20, PETS), from_weights([1, 0], -20, PETS)
    assert by_weight.predict(ANIMALS.X).tolist() == ["dog", "cat", "dog"]
    assert by_name.predict(ANIMALS.X).tolist() == ["cat", "dog", "cat"]
    assert str(rule.outcome_) == "Weights set by hand, not trained."
    unit = ThresholdUnit((0.5, 0.5), -20)
    assert unit(ANIMALS.X).tolist() == (rule.predict(ANIMALS.X) == "dog").tolist()


def test_the_table_of_lecture_003_before_learning() -> None:
    rule = from_weights([0, 1], -0.5, [-1, 1])
    z = rule.decision_function(POINTS.X)
    np.testing.assert_allclose(z, [-0.5, 0.5, 0.1, -0.1, -0.5, 0.5, 0.5, -0.1], atol=1e-15)
    assert np.flatnonzero(rule.predict(POINTS.X) != POINTS.y).tolist() == [0, 3, 5, 6]
    after = from_weights([1.45, -0.6], -0.5, [-1, 1])
    z = after.decision_function(POINTS.X)
    expected = [0.95, 0.35, 0.01, 0.275, -0.5, -1.1, -0.7375, -0.305]
    np.testing.assert_allclose(z, expected, atol=1e-12)
    assert after.score(POINTS.X, POINTS.y) == 1


def test_a_score_of_zero_is_the_positive_class() -> None:
    assert from_weights([1.0], 0).predict([[0.0], [-1e-300], [1e-300]]).tolist() == [1, 0, 1]


@pytest.mark.parametrize("shape", [(2,), (1, 2)])
@pytest.mark.parametrize("rows", [np.asarray, np.float32, sparse.csr_array, list])
def test_two_classes_take_a_row_of_weights(shape: tuple[int, ...], rows: Any) -> None:
    rule = from_weights(np.reshape([0.5, 0.5], shape), [-20.0])
    assert rule.coef_.tolist() == [[0.5, 0.5]]
    assert rule.intercept_.tolist() == [-20]
    assert rule.classes_.tolist() == [0, 1]
    assert rule.predict(rows(ANIMALS.X)).tolist() == [1, 1, 0]


def test_more_classes_take_a_row_each_and_the_largest_score() -> None:
    """Lecture 004: argmax of b_c + w_c·x; with w_c = 2m_c, b_c = −|m_c|² Voronoi cells."""
    means = np.array([IRIS.X[IRIS.y == c].mean(axis=0) for c in np.unique(IRIS.y)])
    rule = from_weights(2 * means, -(means**2).sum(axis=1), np.unique(IRIS.y))
    nearest = ((IRIS.X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert rule.predict(IRIS.X).tolist() == rule.classes_[nearest].tolist()
    assert rule.decision_function(IRIS.X).shape == (150, 3)


def test_a_series_of_weights_names_the_features() -> None:
    rule = from_weights(pd.Series({"comes": 0.5, "pounds": 0.5}), -20, PETS)
    frame = pd.DataFrame(ANIMALS.X, columns=["comes", "pounds"])
    assert rule.predict(frame).tolist() == ["dog", "dog", "cat"]  # without a warning
    with pytest.raises(ValueError, match="feature names"):
        rule.predict(frame[["pounds", "comes"]])
    again = FixedWeightsClassifier([0.5, 0.5], -20, PETS).fit(frame, ANIMALS.y)
    assert again.feature_names_in_.tolist() == ["comes", "pounds"]


def test_scikit_learn_takes_it_fitted_or_clones_it() -> None:
    trained = LogisticRegression().fit(IRIS.X, IRIS.y)
    rule = from_weights(trained.coef_, trained.intercept_, trained.classes_)
    again = clone(rule).fit(IRIS.X, IRIS.y)
    np.testing.assert_array_equal(again.predict(IRIS.X), rule.predict(IRIS.X))
    assert cross_val_score(rule, IRIS.X, IRIS.y).mean() == pytest.approx(rule.score(IRIS.X, IRIS.y))
    calibrated = CalibratedClassifierCV(FrozenEstimator(rule)).fit(IRIS.X, IRIS.y)
    np.testing.assert_allclose(calibrated.predict_proba(IRIS.X).sum(axis=1), 1)
    assert CalibratedClassifierCV(rule, cv=3).fit(IRIS.X, IRIS.y).score(IRIS.X, IRIS.y) > 0.9
    assert SelectFromModel(rule, prefit=True).transform(IRIS.X).shape[1] < 4
    assert permutation_importance(rule, IRIS.X, IRIS.y, n_repeats=2)["importances_mean"].max() > 0.1
    two = from_weights([0.5, 0.5], -20, PETS)
    strict = FixedThresholdClassifier(
        FrozenEstimator(two), threshold=10.0, response_method="decision_function"
    )
    strict = strict.fit(ANIMALS.X, ANIMALS.y)
    assert strict.predict(ANIMALS.X).tolist() == ["dog", "cat", "cat"]
    scaled = make_pipeline(StandardScaler(), FixedWeightsClassifier([1.0, 1.0], 0.0, PETS))
    assert scaled.fit(ANIMALS.X, ANIMALS.y).predict(ANIMALS.X).shape == (3,)


def test_it_is_drawn_saved_and_exported(tmp_path: Path) -> None:
    rule = from_weights([0.5, 0.5], -20, PETS)
    drawn = BoundaryDisplay.from_estimator(rule, ANIMALS.X, ANIMALS.y)
    np.testing.assert_allclose(drawn.boundary.lines[0].sum(axis=1), 40)
    MarginDisplay.from_estimator(rule, ANIMALS.X, ANIMALS.y)
    WeightsDisplay.from_estimator(rule)
    save(rule, tmp_path / "rule.rosenblatt")
    loaded = load(tmp_path / "rule.rosenblatt")
    back = loaded.estimator() if hasattr(loaded, "estimator") else loaded
    assert type(back) is FixedWeightsClassifier
    assert back.predict(ANIMALS.X).tolist() == rule.predict(ANIMALS.X).tolist()
    np.testing.assert_array_equal(clone(back).fit(ANIMALS.X, ANIMALS.y).coef_, rule.coef_)
    plain = json.loads(to_json(rule))
    assert (plain["weights"], plain["intercept"], plain["classes"], plain["link"]) == (
        [[0.5, 0.5]],
        [-20],
        PETS,
        None,
    )


@pytest.mark.parametrize(
    ("coef", "intercept", "classes", "message"),
    [
        ([], 0, None, "coef must have one number for each feature"),
        (0.5, 0, [0, 1, 2], "classes must be 2 different labels"),
        (np.ones((2, 3)), 0, None, r"give coef\[1\] - coef\[0\]"),
        (np.ones((2, 3, 4)), 0, None, "coef must have one number for each feature"),
        ([1, np.nan], 0, None, "coef must be finite; got nan"),
        ([1, "a"], 0, None, "coef must hold numbers"),
        ([1, 2], np.inf, None, "intercept must be finite; got inf"),
        ([1, 2], [1, 2], None, r"intercept must be a number or have shape \(1,\)"),
        (np.ones((3, 2)), [1.0], None, r"have shape \(3,\), one for each row of coef"),
        ([1, 2], 0, ["dog", "cat"], r"sorted order, \['cat', 'dog'\].* turn the signs"),
        (np.ones((3, 2)), 0, ["a", "c", "b"], "sort the rows"),
        ([1, 2], 0, ["cat", "cat"], "classes must be 2 different labels"),
        ([1, 2], 0, ["cat"], "classes must be 2 different labels"),
        ([1, 2], 0, ["cat", 1], "one kind"),
        ([1, 2], 0, [0, None], "missing"),
    ],
)
def test_weights_that_do_not_fit_together_are_refused(
    coef: Any, intercept: Any, classes: Any, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        from_weights(coef, intercept, classes)


def test_rows_that_do_not_fit_are_refused() -> None:
    rule = from_weights([0.5, 0.5], -20, PETS)
    with pytest.raises(DataError, match="X has 3 features"):
        rule.predict(np.ones((1, 3)))
    with pytest.raises(DataError, match="X has 3 features"):
        rule.fit(np.ones((1, 3)), ["cat"])
    with pytest.raises(DataError, match="'horse', which is not one of the 2 classes"):
        rule.fit(ANIMALS.X, ["cat", "dog", "horse"])
    with pytest.raises(DataError, match="NaN"):
        rule.predict([[np.nan, 1.0]])
    assert rule.predict(ANIMALS.X).tolist() == ["dog", "dog", "cat"]  # as before
    with pytest.raises(DataError, match="coef must have one number"):
        FixedWeightsClassifier().fit(ANIMALS.X, ANIMALS.y)
