"""Maps as transformers: scikit-learn's contract, pipelines, frames, files."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Perceptron, builtin, separability
from rosenblatt.errors import ParameterError
from rosenblatt.features import Polynomial, Products, Radial, RandomProducts

TRANSFORMERS = [
    Products(),
    Polynomial(3),
    Polynomial(full=True),
    RandomProducts(0),
    Radial(),
    Radial(2),
]


@parametrize_with_checks(TRANSFORMERS)
def test_scikit_learns_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def test_xor_and_rings_in_two_lines_each() -> None:
    for name, features in (("xor", Products()), ("rings", Radial())):
        data = builtin(name)
        made = features.fit_transform(data.X)
        before, after = separability(data.X, data.y), separability(made, data.y)
        assert (before.answer, after.answer) == ("inseparable", "separable")
        before.verify(data.X, data.y)
        after.verify(made, data.y)


def test_names_of_a_frame_go_on() -> None:
    frame = pd.DataFrame({"age": [1.0, 2.0], "fare": [3.0, 4.0]})
    assert list(Products().fit(frame).get_feature_names_out()) == ["age", "fare", "age × fare"]
    assert list(Polynomial(2).set_output(transform="pandas").fit_transform(frame).columns) == [
        "age",
        "fare",
        "age²",
        "fare²",
    ]


def test_a_pipeline_learns_xor() -> None:
    xor = builtin("xor")
    model = make_pipeline(Products(), Perceptron()).fit(xor.X, xor.y)
    assert model.score(xor.X, xor.y) == 1.0
    rows = sparse.csr_array(xor.X)
    assert (model.predict(rows) == xor.y).all()


@pytest.mark.parametrize(
    ("features", "trouble"),
    [
        (Products(0), "degree must be an integer of at least 1; got 0"),
        (Products(7), "degree must be an integer from 1 to 6; got 7"),
        (Polynomial(2, full="yes"), "full must be True or False; got 'yes'"),
        (RandomProducts(-1), "n_products must be an integer of at least 0; got -1"),
        (RandomProducts(1, random_state=None), "random_state must be an integer of at least 0"),
        (Radial(0), "centres must be an integer of at least 1; got 0"),
        (Radial([[1.0]]), r"finite rows of 2 features; got an array of shape \(1, 1\)"),
    ],
)
def test_settings_are_checked(features: Any, trouble: str) -> None:
    with pytest.raises(ParameterError, match=trouble):
        features.fit(np.ones((3, 2)))


def test_centres_may_be_given() -> None:
    made = Radial([[0.0, 0.0], [3.0, 0.0]]).fit_transform([[3.0, 4.0]])
    np.testing.assert_array_equal(made, [[3.0, 4.0, 5.0, 4.0]])
