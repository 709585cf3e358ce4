"""Maps of images as scikit-learn transformers."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from rosenblatt import Perceptron, builtin
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.features import HOG, AssociationUnits, MarkI

FEATURES = [
    HOG(pixels_per_cell=(4, 4)),
    HOG(pixels_per_cell=(5, 4), cells_per_block=(1, 1), signed=True, soft=True),
    MarkI(threshold=0.5),
    AssociationUnits(50),
]
EVERY = pytest.mark.parametrize("feature", FEATURES, ids=repr)
LETTERS = builtin("mark-i")


@parametrize_with_checks([AssociationUnits(5, connections=1)])
def test_association_units_pass_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@EVERY
def test_frames_arrays_and_sparse_rows_give_the_same(feature: Any) -> None:
    X = LETTERS.X.astype(np.float32)
    wanted = clone(feature).fit_transform(X)
    names = [f"pixel {j}" for j in range(X.shape[1])]
    for table in (
        X.astype(np.uint8),
        X.tolist(),
        sparse.csr_array(X),
        pd.DataFrame(X, columns=names),
        pl.DataFrame(X, schema=names),
    ):
        np.testing.assert_array_equal(clone(feature).fit_transform(table), wanted)
    assert wanted.dtype == np.float32


@EVERY
def test_names_are_as_many_as_features(feature: Any) -> None:
    fitted = clone(feature).fit(LETTERS.X)
    assert fitted.get_feature_names_out().shape == fitted.transform(LETTERS.X[:2]).shape[1:]


@EVERY
def test_pickles_make_the_same_features(feature: Any) -> None:
    fitted = clone(feature).fit(LETTERS.X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(LETTERS.X), fitted.transform(LETTERS.X))


@EVERY
def test_a_pipeline_learns_letters(feature: Any) -> None:
    model = make_pipeline(clone(feature), Perceptron()).fit(LETTERS.X, LETTERS.y)
    assert model.score(LETTERS.X, LETTERS.y) == 1.0


@EVERY
def test_bad_rows_leave_it_unfitted(feature: Any) -> None:
    unfitted = clone(feature)
    X = LETTERS.X.copy()
    X[3, 7] = np.nan
    with pytest.raises(DataError, match="NaN at row 3, column 7"):
        unfitted.fit(X)
    with pytest.raises(NotFittedError, match="call `fit` first"):
        unfitted.transform(LETTERS.X)


@EVERY
def test_images_of_another_size_are_refused(feature: Any) -> None:
    fitted = clone(feature).fit(LETTERS.X)
    with pytest.raises(ValueError, match="expecting 400 features"):
        fitted.transform(LETTERS.X[:, :-1])


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        (HOG((20, 21)), "rows of 420 features; these have 400"),
        (HOG(image_shape=400), r"image_shape must be a height and a width.*, or None; got 400"),
        (HOG(pixels_per_cell=(4, 0)), r"pixels_per_cell must be .*\(4, 0\)"),
        (HOG(cells_per_block=(2.0, 2)), "cells_per_block must be"),
        (HOG(cells_per_block=(3, 3)), "too small for a block of 3 × 3 cells of 8 × 8 pixels"),
        (HOG(orientations=0), "orientations must be an integer of at least 1"),
        (HOG(block_norm="l2"), "block_norm must be one of 'L1', 'L1-sqrt', 'L2', 'L2-Hys'"),
        (HOG(soft="yes"), "soft must be True or False"),
        (MarkI(threshold=2), "threshold must be"),
        (MarkI(white=-1), "white must be"),
        (AssociationUnits(0), "n_units must be"),
        (AssociationUnits(connections=401), "connections must be a number from 1 to 400"),
        (AssociationUnits(threshold=np.inf), "threshold must be a finite number, or None"),
        (AssociationUnits(random_state=None), "random_state must be an integer"),
    ],
    ids=repr,
)
def test_settings_out_of_range_are_refused(feature: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        clone(feature).fit(LETTERS.X)
