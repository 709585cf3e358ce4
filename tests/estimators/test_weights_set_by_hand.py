"""`coef_` and `intercept_` can be set, shown sparse, and say no more than is known of them."""

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_selection import SelectFromModel

from rosenblatt import (
    AROW,
    BatchPerceptron,
    FisherDiscriminant,
    LeastSquares,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    builtin,
    load,
    save,
)
from rosenblatt.errors import DataError

IRIS = builtin("iris")
LINEAR = [
    Perceptron(max_iter=5),
    Perceptron(max_iter=5, keep="average"),
    Perceptron(max_iter=5, keep="pocket"),
    Perceptron(max_iter=5, penalty="l1"),
    AROW(),
    BatchPerceptron(max_iter=5),
    LinearSVM(),
    LogisticRegression(),
    LeastSquares(),
    FisherDiscriminant(),
    LinearDiscriminant(),
]
every_linear = pytest.mark.parametrize("model", LINEAR, ids=repr)


@every_linear
def test_other_weights_decide_otherwise_until_the_next_fit(model: Any, rng: Any) -> None:
    model.fit(IRIS.X, IRIS.y)
    before = model.coef_.copy(), model.intercept_.copy()
    coef, intercept = rng.normal(size=(3, 4)), rng.normal(size=3)
    model.coef_, model.intercept_ = coef, intercept
    np.testing.assert_array_equal(model.coef_, coef)
    np.testing.assert_allclose(model.decision_function(IRIS.X), IRIS.X @ coef.T + intercept)
    decided = model.classes_[(IRIS.X @ coef.T + intercept).argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(IRIS.X), decided)
    assert str(model.outcome_).startswith("Weights set by hand")
    assert not hasattr(model, "gap_")
    model.fit(IRIS.X, IRIS.y)
    np.testing.assert_array_equal(model.coef_, before[0])
    np.testing.assert_array_equal(model.intercept_, before[1])


@every_linear
def test_the_same_weights_change_nothing(model: Any) -> None:
    model.fit(IRIS.X, IRIS.y)
    told = str(model.outcome_)
    model.coef_, model.intercept_ = model.coef_.copy(), model.intercept_.copy()
    assert str(model.outcome_) == told


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
def test_a_stream_goes_on_from_weights_that_were_set(keep: str) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]], [0, 1]
    model = Perceptron(keep=keep).partial_fit(X, y)
    model.coef_ = [[-3.0, 4.0]]  # right for both rows, so nothing is learned from them
    model.intercept_ = 0.5
    model.partial_fit(X, y)
    assert model.coef_.tolist() == [[-3.0, 4.0]]
    assert model.intercept_.tolist() == [0.5]


def test_a_model_can_be_made_of_weights_alone() -> None:
    model = LogisticRegression()
    model.classes_ = np.array(["no", "yes"])
    model.coef_ = [1.0, -2.0]
    assert model.predict([[3.0, 1.0], [1.0, 1.0]]).tolist() == ["yes", "no"]
    model.intercept_ = [5.0]
    assert model.predict([[1.0, 1.0]]).tolist() == ["yes"]
    with pytest.raises(DataError, match="X has 3 features"):
        model.predict([[1.0, 1.0, 1.0]])


def test_weights_of_another_shape_are_refused() -> None:
    model = LinearSVM().fit(IRIS.X, IRIS.y)
    before = model.coef_.copy()
    with pytest.raises(DataError, match=r"coef_ must have shape \(3, 4\)"):
        model.coef_ = before[:, :3]
    with pytest.raises(DataError, match=r"intercept_ must have shape \(3,\)"):
        model.intercept_ = [1.0, 2.0]
    with pytest.raises(DataError, match="coef_ must be finite"):
        model.coef_ = before * np.nan
    with pytest.raises(DataError, match="set coef_ first"):
        LinearSVM().intercept_ = 1.0
    np.testing.assert_array_equal(model.coef_, before)


@every_linear
def test_sparse_weights_are_the_same(model: Any) -> None:
    model.fit(IRIS.X, IRIS.y)
    coef, scores = model.coef_.copy(), model.decision_function(IRIS.X)
    assert sparse.issparse(model.sparsify().coef_)
    np.testing.assert_array_equal(model.coef_.toarray(), coef)
    again = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(again.coef_)
    np.testing.assert_array_equal(again.decision_function(IRIS.X), scores)
    np.testing.assert_array_equal(model.densify().coef_, coef)
    assert not sparse.issparse(model.sparsify().fit(IRIS.X, IRIS.y).coef_)


def test_a_file_keeps_weights_that_were_set(tmp_path: Any) -> None:
    model = LogisticRegression().fit(IRIS.X, IRIS.y).sparsify()
    model.coef_ = np.arange(12.0).reshape(3, 4)
    save(model, tmp_path / "model.rosenblatt")
    again = load(tmp_path / "model.rosenblatt")
    np.testing.assert_array_equal(again.coef_.toarray(), np.arange(12.0).reshape(3, 4))
    assert str(again.outcome_) == str(model.outcome_)


def test_features_are_selected_by_weights() -> None:
    # once: a crash, for l1_ratio was None
    kept = SelectFromModel(LogisticRegression()).fit(IRIS.X, IRIS.y).get_support()
    strength = np.linalg.norm(LogisticRegression().fit(IRIS.X, IRIS.y).coef_, axis=0, ord=1)
    np.testing.assert_array_equal(kept, strength >= strength.mean())
