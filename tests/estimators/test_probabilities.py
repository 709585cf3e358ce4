"""Probabilities and decisions of one model agree, ties included, whatever is set after the fit."""

from typing import Any

import numpy as np
import pytest

from rosenblatt import (
    GradientDescent,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    TanhPerceptron,
    builtin,
    load,
    save,
)
from rosenblatt.persist.export import plain_model, to_onnx
from rosenblatt.persist.model import as_model

TWINS = np.array([[1.0, 2.0], [-1.0, -2.0], [1.0, 2.0], [-1.0, -2.0]]), [0, 0, 1, 1]


@pytest.mark.parametrize(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(fit_intercept=False),
        LinearDiscriminant(),
        TanhPerceptron(activation="logistic", fit_intercept=False, max_iter=5),
        GradientDescent(fit_intercept=False, max_iter=5),
    ],
    ids=repr,
)
def test_as_likely_as_not_is_the_first_class(model: Any) -> None:
    model.fit(*TWINS)
    nothing = np.zeros((1, 2))
    assert model.decision_function(nothing) == 0.0
    assert model.predict(nothing) == model.predict_proba(nothing).argmax(axis=1) == [0]
    assert as_model(model).predict(nothing) == [0]


def test_a_layer_decides_likewise() -> None:
    model = TanhPerceptron(activation="logistic", fit_intercept=False, max_iter=5)
    model.fit(TWINS[0], [[0, 1], [1, 0], [0, 1], [1, 0]])
    assert model.predict([[0.0, 0.0]]).tolist() == [[0, 0]]


@pytest.mark.parametrize("model", [Perceptron(max_iter=5), LinearSVM(fit_intercept=False)])
def test_zero_is_positive_in_the_lectures(model: Any) -> None:
    model.fit(*TWINS)
    model.coef_, model.intercept_ = [[1.0, 1.0]], [0.0]
    assert model.predict([[0.0, 0.0]]) == as_model(model).predict([[0.0, 0.0]]) == [1]


def test_onnx_decides_likewise() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    for model, wanted in ((LogisticRegression(), 0), (Perceptron(max_iter=5), 1)):
        model.fit(*TWINS)
        model.coef_, model.intercept_ = [[1.0, 1.0]], [0.0]
        session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
        assert session.run(["label"], {"X": np.zeros((1, 2), np.float32)})[0] == [wanted]


@pytest.mark.parametrize(("fitted", "other"), [("ovr", "multinomial"), ("multinomial", "ovr")])
def test_probabilities_are_those_of_the_fit(fitted: str, other: str, tmp_path: Any) -> None:
    iris = builtin("iris")
    model = LogisticRegression(multi_class=fitted).fit(iris.X, iris.y)
    shares, link = model.predict_proba(iris.X), plain_model(as_model(model))["link"]
    model.set_params(multi_class=other)
    np.testing.assert_array_equal(model.predict_proba(iris.X), shares)
    assert plain_model(as_model(model))["link"] == link
    save(model, tmp_path / "model.rosenblatt")
    again = load(tmp_path / "model.rosenblatt")
    np.testing.assert_array_equal(again.predict_proba(iris.X), shares)
    assert (model.fit(iris.X, iris.y).predict_proba(iris.X) != shares).any()


def test_every_unit_counts_its_steps() -> None:
    iris = builtin("iris")
    together = LogisticRegression().fit(iris.X, iris.y)
    assert together.n_iter_.tolist() == [together.trace_[-1].step]
    apart = LogisticRegression(multi_class="ovr").fit(iris.X, iris.y)
    assert apart.n_iter_.shape == (3,)
    last = {record.output: record.step for record in apart.trace_}
    assert apart.n_iter_.tolist() == [last[unit] for unit in range(3)]
    assert str(apart.outcome_).endswith(f"after {apart.n_iter_.max()} steps.")


@pytest.mark.parametrize("multi_class", ["ovr", "multinomial"])
def test_no_step_leaves_the_weights_where_they_were(multi_class: str) -> None:
    iris = builtin("iris")
    model = LogisticRegression(max_iter=0, multi_class=multi_class).fit(iris.X, iris.y)
    assert not model.coef_.any()
    assert not model.n_iter_.any()
    np.testing.assert_allclose(model.predict_proba(iris.X), 1 / 3)
    units = 1 if multi_class == "multinomial" else 3
    per_row = np.log(3) if units == 1 else 3 * np.log(2)
    assert model.objective_ == pytest.approx(150 * per_row)
    assert model.gap_ == 1.0
    goes_on = LogisticRegression(multi_class=multi_class, warm_start=True).fit(iris.X, iris.y)
    coef = goes_on.coef_.copy()
    goes_on.set_params(max_iter=0).fit(iris.X, iris.y)
    np.testing.assert_allclose(goes_on.coef_, coef, rtol=1e-12)
    assert LinearSVM(max_iter=0).fit(iris.X, iris.y).objective_ == pytest.approx(450)
