"""Classes whose rows all have weight 0: the others are fitted as if those rows were not there."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Floats

MODELS = [
    LogisticRegression(tol=1e-9),
    LogisticRegression(tol=1e-9, multi_class="ovr"),
    LogisticRegression(C="cv"),
    LinearSVM(tol=1e-9),
    LinearSVM(tol=1e-9, loss="squared_hinge"),
]
EVERY = pytest.mark.parametrize("model", MODELS, ids=str)


def four_classes(shift: float = 0.0) -> tuple[Floats, Array]:
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c", "d"], 30)
    centres = {"a": [0, 2], "b": [2, 0], "c": [-1, -1], "d": [5, 5]}
    return rng.normal(size=(120, 2)) + [centres[label] for label in y] + shift, y


@EVERY
@pytest.mark.parametrize("by", ["sample_weight", "class_weight"])
def test_the_others_are_fitted_as_if_it_were_not_there(model: Any, by: str) -> None:
    X, y = four_classes()
    weights = (y != "b").astype(float) if by == "sample_weight" else None
    model.set_params(class_weight={"b": 0.0} if by == "class_weight" else None)
    model.fit(X, y, weights)
    coef, intercept = model.coef_.copy(), model.intercept_.copy()
    assert model.outcome_.converged
    assert model.certificate(X, y, weights).holds
    assert set(model.predict(X)) == {"a", "c", "d"}
    assert not coef[1].any()
    model.set_params(class_weight=None).fit(X[y != "b"], y[y != "b"])
    np.testing.assert_allclose(coef[[0, 2, 3]], model.coef_, atol=1e-3)
    np.testing.assert_allclose(intercept[[0, 2, 3]], model.intercept_, atol=1e-3)


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_it_has_next_to_no_probability_far_from_the_origin_too(multi_class: str) -> None:
    X, y = four_classes(shift=1e5)
    model = LogisticRegression(class_weight={"d": 0.0}, multi_class=multi_class).fit(X, y)
    assert model.outcome_.converged
    assert model.predict_proba(X)[:, 3].max() < 1e-40


def test_without_an_intercept_it_has_weights_like_the_others() -> None:
    X, y = four_classes()
    model = LogisticRegression(class_weight={"b": 0.0}, fit_intercept=False).fit(X, y)
    assert model.outcome_.converged
    assert model.certificate(X, y).holds
    assert model.coef_[1].any()


@pytest.mark.parametrize("model", [LogisticRegression(C=np.inf), LogisticRegression(), LinearSVM()])
def test_one_class_alone_and_maximum_likelihood_are_refused(model: Any) -> None:
    X, y = four_classes()
    weights = np.isin(y, ["a", "c"]) if np.isinf(model.C) else y == "a"
    with pytest.raises(DataError, match=r"All rows of class 'b' have weight 0"):
        model.fit(X, y, weights.astype(float))
