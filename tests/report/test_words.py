"""Figures as text: nothing is lost where names are the same, and nothing is too wide."""

import json

import numpy as np
import pytest

from rosenblatt import LogisticRegression, Perceptron
from rosenblatt.persist.model import model_of
from rosenblatt.report.json import model_json, plain, weights_by_name
from rosenblatt.report.text import confusion_table, listed, model_text, weights_table


def test_features_of_the_same_name_are_told_apart():
    W = np.array([[1.0, 2.0, 3.0, 4.0, -5.0]])
    (told,) = weights_by_name(["yes"], ["a", "intercept", "a", "a"], W).values()
    assert told == {"a": 1.0, "intercept (2)": 2.0, "a (2)": 3.0, "a (3)": 4.0, "intercept": -5.0}
    assert list(told)[-1] == "intercept"


def test_the_weights_table():
    W = np.array([[0.5, -1.25, 3.0], [1.0, 2.0, -4.0]])
    table = weights_table(weights_by_name(["cat", "dog"], ["size", "age"], W), 2)
    assert table.splitlines() == [
        "weights           cat         dog",
        "size              0.5           1",
        "age             -1.25           2",
        "intercept           3          -4",
    ]


def test_many_weights_are_cut_and_the_bias_stays():
    names = [f"w{j}" for j in range(30)]
    lines = weights_table(weights_by_name(["u"], names, np.arange(31.0)[None]), 30).splitlines()
    assert len(lines) == 13
    assert lines[-2] == "… 20 smaller weights"
    assert lines[-1].split() == ["intercept", "30"]


def test_the_confusion_table():
    table = confusion_table(["no", "a long name"], [[1234, 5], [0, 6]])
    assert table.splitlines() == [
        "true \\ predicted      no  a long name",
        "no                 1,234            5",
        "a long name            0            6",
    ]
    assert "20 × 20" in confusion_table(["c"] * 20, [[0] * 20] * 20)


def test_listed():
    assert listed(["a", "b"]) == "a, b"
    assert listed(list("abcd"), 2) == "a, b, … (2 more)"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),  # noqa: FBT003
        (np.inf, "inf"),
        (np.nan, "nan"),
        (np.array([1.0, np.inf]), [1.0, "inf"]),
        ({"a": (1, None)}, {"a": [1, None]}),
        (Perceptron, str(Perceptron)),
    ],
)
def test_plain_data(value, told):
    assert plain(value) == told
    json.dumps(plain(value), allow_nan=False)


@pytest.mark.parametrize("k", [2, 3])
def test_a_model_is_shown_with_its_largest_weights_first(rng, k):
    X = rng.normal(size=(60, 4)) * [1, 10, 0.1, 1]
    y = np.array(["u", "v", "w"])[np.argmax(X[:, :k], axis=1)]
    estimator = LogisticRegression().fit(X, y)
    told = model_json("m", model_of(estimator))
    assert list(told["weights"]) == (["v"] if k == 2 else ["u", "v", "w"])
    for unit, (w, b) in zip(
        told["weights"].values(),
        zip(estimator.coef_, estimator.intercept_, strict=True),
        strict=True,
    ):
        assert {name: unit[name] for name in ("x1", "x2", "x3", "x4", "intercept")} == dict(
            zip(("x1", "x2", "x3", "x4", "intercept"), (*w, b), strict=True)
        )
    order = np.argsort(-np.abs(estimator.coef_).max(axis=0))
    assert list(next(iter(told["weights"].values())))[:4] == [f"x{j + 1}" for j in order]
    assert model_text(told).startswith("m: logistic-regression, 4 features; classes u, v")
