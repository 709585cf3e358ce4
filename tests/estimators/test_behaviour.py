"""What the estimators do besides learning: pipelines, frames, stopping, streams, traces, memory."""

import copy
import logging
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    GradientDescent,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
    builtin,
)
from rosenblatt.datasets import synthetic
from rosenblatt.errors import DataError
from rosenblatt.online.result import Ending
from rosenblatt.trace.trace import Record

ESTIMATORS = [
    Perceptron(max_iter=50),
    Perceptron(keep="average", max_iter=50),
    Perceptron(keep="pocket", max_iter=50, multi_class="ovr"),
    PassiveAggressive(max_iter=50),
    AROW(max_iter=50),
    AROW(max_iter=50, covariance="diagonal", keep="average"),
    SecondOrderPerceptron(max_iter=50),
    BatchPerceptron(max_iter=50),
]
# every row changes their weights, and no pass without a mistake ends them
SOFT_ESTIMATORS = [
    LMS(max_iter=50, eta0=0.001),
    LMS(max_iter=50, keep="average", learning_rate="normalised", eta0=0.1),
    TanhPerceptron(max_iter=50, eta0=0.02),
    TanhPerceptron(max_iter=50, activation="logistic", keep="pocket", eta0=0.3),
    GradientDescent(max_iter=50, eta0=0.001, batch_size=1),
    LMS(max_iter=50, eta0=0.0001, batch_size=None),
    GradientDescent(max_iter=50, loss="hinge", eta0=0.0005, keep="average"),
]
EVERY = pytest.mark.parametrize("estimator", ESTIMATORS + SOFT_ESTIMATORS, ids=repr)
RESTING = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
SOFT = pytest.mark.parametrize("estimator", SOFT_ESTIMATORS, ids=repr)
ONLINE = pytest.mark.parametrize("estimator", ESTIMATORS[:-1] + SOFT_ESTIMATORS[:-2], ids=repr)

IRIS = builtin("iris")
OVERLAP_X, OVERLAP_Y, _ = synthetic.overlapping(n=300, d=3, distance=1.5, seed=2)
FAR_X, FAR_Y, _ = synthetic.separable(n=200, d=3, margin=0.5, radius=4.0, seed=1)


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


def same_weights(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(weights_of(a), weights_of(b))


def errors_of(W: Any, X: Any, y: Any) -> float:
    """Referee: share of rows that weights (w, b) of one unit get wrong."""
    return float(np.mean((X @ W[0, :-1] + W[0, -1] >= 0) != (y == np.unique(y)[1])))


# --- scikit-learn's company ---------------------------------------------------------------------


@EVERY
def test_in_a_pipeline_and_under_cross_validation(estimator: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    scores = cross_val_score(pipeline, IRIS.X, IRIS.y, cv=3)
    assert scores.mean() > 0.75
    pipeline.fit(IRIS.X, IRIS.y)
    alone = clone(estimator).fit(StandardScaler().fit_transform(IRIS.X), IRIS.y)
    same_weights(pipeline[-1], alone)


def test_a_grid_search_fits_the_best_of_its_settings() -> None:
    grid = {"perceptron__keep": ["last", "average"], "perceptron__max_iter": [1, 20]}
    pipeline = make_pipeline(StandardScaler(), Perceptron())
    search = GridSearchCV(pipeline, grid, cv=3).fit(OVERLAP_X, OVERLAP_Y)
    tried = dict(
        zip(
            map(str, search.cv_results_["params"]),
            search.cv_results_["mean_test_score"],
            strict=True,
        )
    )
    assert len(set(tried.values())) > 1
    assert tried[str(search.best_params_)] == max(tried.values())
    settings = {name.split("__")[1]: value for name, value in search.best_params_.items()}
    rows = StandardScaler().fit_transform(OVERLAP_X)
    same_weights(search.best_estimator_[-1], Perceptron(**settings).fit(rows, OVERLAP_Y))


@EVERY
def test_calibration_gives_probabilities(estimator: Any) -> None:
    model = CalibratedClassifierCV(clone(estimator), cv=3, ensemble=False)
    chances = model.fit(IRIS.X, IRIS.y).predict_proba(IRIS.X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(model.classes_[chances.argmax(axis=1)] == IRIS.y) > 0.6


@EVERY
def test_selection_by_weights_and_many_outputs(estimator: Any) -> None:
    noise = np.zeros((len(FAR_X), 2))
    selected = SelectFromModel(clone(estimator)).fit(np.column_stack([FAR_X, noise]), FAR_Y)
    assert not selected.get_support()[3:].any()
    both = np.column_stack([FAR_Y, -FAR_Y])
    assert MultiOutputClassifier(clone(estimator)).fit(FAR_X, both).predict(FAR_X).shape == (200, 2)


@EVERY
def test_a_clone_has_the_settings_and_none_of_the_learning(estimator: Any) -> None:
    fitted = clone(estimator).fit(FAR_X, FAR_Y)
    again = clone(fitted)
    assert again.get_params() == estimator.get_params()
    assert not hasattr(again, "coef_")
    assert not hasattr(again, "trace_")
    same_weights(again.fit(FAR_X, FAR_Y), fitted)


@EVERY
def test_a_pickle_decides_and_goes_on_like_the_original(estimator: Any) -> None:
    model = clone(estimator).fit(IRIS.X, IRIS.y)
    if hasattr(model, "partial_fit"):
        for i in range(10):
            model.partial_fit(IRIS.X[i : i + 1], IRIS.y[i : i + 1])
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(IRIS.X), model.decision_function(IRIS.X))
    assert str(again.outcome_) == str(model.outcome_)
    assert again.trace_.as_dicts() == model.trace_.as_dicts()
    if hasattr(model, "partial_fit"):
        for i in range(150):
            model.partial_fit(IRIS.X[i : i + 1], IRIS.y[i : i + 1])
        same_weights(again.partial_fit(IRIS.X, IRIS.y), model)


# --- kinds of rows and labels -------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_bring_their_names(estimator: Any, library: Any) -> None:
    names = list(IRIS.feature_names)
    data = {name: IRIS.X[:, j] for j, name in enumerate(names)}
    X, y = library.DataFrame(data), library.Series(IRIS.y)
    model = clone(estimator).fit(X, y)
    assert model.feature_names_in_.tolist() == names
    assert model.n_features_in_ == 4
    same_weights(model, clone(estimator).fit(IRIS.X, IRIS.y))
    np.testing.assert_array_equal(model.predict(X), clone(model).fit(X, y).predict(X))
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(IRIS.X)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_set_output_in_a_pipeline(output: str) -> None:
    pipeline = make_pipeline(StandardScaler(), Perceptron()).set_output(transform=output)
    frame = pd.DataFrame(FAR_X, columns=["a", "b", "c"])
    pipeline.fit(frame, FAR_Y)
    assert pipeline[-1].feature_names_in_.tolist() == ["a", "b", "c"]
    assert pipeline.predict(frame).shape == (200,)


LABELS = {
    "words": np.array(["no", "yes"]),
    "objects": np.array(["no", "yes"], object),
    "bools": np.array([False, True]),
    "bytes": np.array([b"n", b"y"]),
    "unsigned": np.array([3, 250], np.uint8),
    "whole floats": np.array([-1.0, 7.0]),
    "days": np.array(["2026-01-01", "2026-12-31"], "M8[D]"),
}


@EVERY
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_type_come_back_as_they_were(estimator: Any, kind: str) -> None:
    codes = (FAR_Y == 1).astype(int)
    y = LABELS[kind][codes]
    model = clone(estimator).fit(FAR_X, y)
    assert model.classes_.dtype == y.dtype
    assert model.predict(FAR_X).tolist() == y.tolist()
    same_weights(model, clone(estimator).fit(FAR_X, codes))
    if hasattr(model, "partial_fit"):
        stream = clone(estimator)
        for i in range(20):
            stream.partial_fit(FAR_X[i : i + 1], y[i : i + 1])
        same_weights(stream, clone(estimator).partial_fit(FAR_X[:20], codes[:20]))


WORDS = np.array(["no", "yes"])[(FAR_Y == 1).astype(int)]
AS_WORDS = {
    "list": WORDS.tolist(),
    "array": WORDS,
    "objects": WORDS.astype(object),
    "pandas": pd.Series(WORDS),
    "polars": pl.Series(WORDS),
    "any length": WORDS.astype(np.dtypes.StringDType()),
}


@EVERY
@pytest.mark.parametrize("kind", AS_WORDS)
def test_words_are_the_same_however_they_are_stored(estimator: Any, kind: str) -> None:
    # once: a pandas Series and a list of the same words were of two kinds
    words = AS_WORDS[kind]
    model = clone(estimator).fit(FAR_X, words)
    for other in AS_WORDS.values():
        assert model.score(FAR_X, other) == 1.0
        if hasattr(model, "partial_fit"):
            stream = clone(estimator).partial_fit(FAR_X, words, classes=["no", "yes"])
            stream.partial_fit(FAR_X, other)
            assert stream.classes_.tolist() == ["no", "yes"]


def test_whole_numbers_of_two_types_stay_whole_in_a_stream() -> None:
    # once: numpy made fractions of them, and of two large ones a single class
    large = np.array([2**63, 2**63 + 1], np.uint64)[(FAR_Y == 1).astype(int)]
    model = Perceptron().partial_fit(FAR_X, large).partial_fit(FAR_X[:2], [0, 1])
    assert model.classes_.tolist() == [0, 1, 2**63, 2**63 + 1]
    small = Perceptron().partial_fit(FAR_X, (FAR_Y == 1).astype(np.uint64))
    assert small.partial_fit(FAR_X[:2], [2, 2]).classes_.tolist() == [0, 1, 2]
    beyond = Perceptron().partial_fit(FAR_X, 2**53 + (FAR_Y == 1).astype(int))
    with pytest.raises(DataError, match="from -1 to 9223372036854775809"):
        model.partial_fit(FAR_X[:2], [-1, 0])
    with pytest.raises(DataError, match="9007199254740993"):
        beyond.partial_fit(FAR_X[:2], [1.0, 2.0])


@EVERY
def test_class_weights_find_their_labels_whatever_these_are(estimator: Any) -> None:
    # once: dates were not found, and weighed 1
    if "class_weight" not in estimator.get_params():
        return
    codes = (OVERLAP_Y.max() == OVERLAP_Y).astype(int)
    weighed = clone(estimator).set_params(class_weight={1: 4.0}).fit(OVERLAP_X, codes)
    for labels in (*LABELS.values(), np.array(["2026-01-01", "2026-12-31"], "M8[ns]")):
        y, one = labels[codes], labels[1]
        model = clone(estimator).set_params(class_weight={one: 4.0})
        same_weights(model.fit(OVERLAP_X, y), weighed)
    dates = pd.Series(pd.to_datetime(["2026-01-01", "2026-12-31"])[codes])
    model = clone(estimator).set_params(class_weight={pd.Timestamp("2026-12-31"): 4.0})
    same_weights(model.fit(OVERLAP_X, dates), weighed)


ROUNDED = np.round(4 * OVERLAP_X)


@EVERY
@pytest.mark.parametrize(
    "kind", ["f4", "f2", "i1", "i2", "i4", "i8", "F", "list", "strided", "read-only", "memmap"]
)
def test_every_kind_of_table_gives_the_same(estimator: Any, kind: str, tmp_path: Path) -> None:
    referee = clone(estimator).fit(ROUNDED, OVERLAP_Y)
    wide = np.zeros((300, 6))
    wide[:, ::2] = ROUNDED
    tables = {
        "F": np.asfortranarray(ROUNDED),
        "list": ROUNDED.tolist(),
        "strided": wide[:, ::2],
        "read-only": ROUNDED.copy(),
        "memmap": np.memmap(tmp_path / "rows", np.float64, "w+", shape=ROUNDED.shape),
    }
    tables["memmap"][:] = ROUNDED
    tables["read-only"].flags.writeable = False
    table = tables[kind] if kind in tables else ROUNDED.astype(kind)
    model = clone(estimator).fit(table, OVERLAP_Y)
    np.testing.assert_allclose(weights_of(model), weights_of(referee), rtol=1e-13)
    np.testing.assert_array_equal(model.predict(table), referee.predict(ROUNDED))


@EVERY
@pytest.mark.parametrize("dtype", [np.uint8, bool])
def test_bytes_and_bits_are_numbers(estimator: Any, dtype: type) -> None:
    X = (np.abs(ROUNDED) > 3).astype(dtype)
    model = clone(estimator).fit(X, OVERLAP_Y)
    same_weights(model, clone(estimator).fit(X.astype(float), OVERLAP_Y))


@EVERY
@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4"])
def test_foreign_byte_order_is_read_rightly(estimator: Any, dtype: str) -> None:
    # once: '>f8' has the char 'd', so it goes on as it is, and the kernels read its bytes the
    # other way round (or Numba refuses it)
    referee = clone(estimator).fit(ROUNDED, OVERLAP_Y)
    model = clone(estimator).fit(ROUNDED.astype(dtype), OVERLAP_Y)
    np.testing.assert_allclose(weights_of(model), weights_of(referee), rtol=1e-13)


@EVERY
@pytest.mark.parametrize("form", ["csc", "coo", "lil", "matrix", "doubled", "unsorted", "64 bit"])
def test_every_kind_of_sparse_table_gives_the_same(estimator: Any, form: str) -> None:
    csr = sparse.csr_array(ROUNDED)
    if form == "doubled":  # every entry stands twice, with half its value
        table = sparse.csr_array(
            (np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), csr.indptr * 2), csr.shape
        )
    elif form == "unsorted":
        turned = ROUNDED[:, ::-1]
        table = sparse.csr_array(turned)
        table.indices = (2 - table.indices).astype(table.indices.dtype)
        table.has_sorted_indices = False
    elif form == "64 bit":
        table = csr.copy()
        table.indices, table.indptr = table.indices.astype("i8"), table.indptr.astype("i8")
    else:
        table = sparse.csr_matrix(csr) if form == "matrix" else csr.asformat(form)
    before = table.copy()
    referee = clone(estimator).fit(csr, OVERLAP_Y)
    same_weights(clone(estimator).fit(table, OVERLAP_Y), referee)
    assert (abs(table - before)).nnz == 0
    assert table.nnz == before.nnz  # the caller's matrix is left alone


@EVERY
@pytest.mark.parametrize("storage", ["float64", "float32", "csr"])
def test_rows_are_not_copied(estimator: Any, storage: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 60)) + np.arange(60) % 2
    y = (X[:, 0] > 0.5).astype(int)
    X = sparse.csr_array(X) if storage == "csr" else X.astype(storage)
    size = X.data.nbytes + X.indices.nbytes if storage == "csr" else X.nbytes
    model = clone(estimator).set_params(max_iter=2).fit(X, y)  # compiles
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # what remains is a fixed order of visits and, for decisions, the scores of one block
    assert peak < 0.05 * size + 16_384 * 32


@EVERY
def test_rows_labels_and_weights_are_left_alone(estimator: Any) -> None:
    X, y, weights = OVERLAP_X.copy(), OVERLAP_Y.copy(), np.arange(300) % 3 + 1.0
    coef, intercept = np.array([[1.0, 2.0, 3.0]]), np.array([4.0])
    clone(estimator).fit(X, y, coef, intercept, weights)
    np.testing.assert_array_equal(X, OVERLAP_X)
    np.testing.assert_array_equal(y, OVERLAP_Y)
    np.testing.assert_array_equal(weights, np.arange(300) % 3 + 1.0)
    assert coef.tolist() == [[1, 2, 3]]
    assert intercept.tolist() == [4]


@EVERY
def test_a_decision_is_the_score_s_sign_or_its_best(estimator: Any) -> None:
    two = clone(estimator).fit(OVERLAP_X, OVERLAP_Y)
    scores = two.decision_function(OVERLAP_X)
    assert scores.shape == (300,)
    np.testing.assert_allclose(scores, OVERLAP_X @ two.coef_[0] + two.intercept_, atol=1e-9)
    np.testing.assert_array_equal(two.predict(OVERLAP_X), np.where(scores >= 0, 1, -1))
    three = clone(estimator).fit(IRIS.X, IRIS.y)
    scores = three.decision_function(IRIS.X)
    assert scores.shape == (150, 3)
    np.testing.assert_allclose(scores, IRIS.X @ three.coef_.T + three.intercept_, atol=1e-9)
    np.testing.assert_array_equal(three.predict(IRIS.X), three.classes_[scores.argmax(axis=1)])
    one = [three.decision_function(row[None])[0] for row in IRIS.X]
    np.testing.assert_array_equal(one, scores)  # the same bits alone and in company


# --- starts -------------------------------------------------------------------------------------


@EVERY
def test_a_warm_start_goes_on_from_the_weights_of_the_last_fit(estimator: Any) -> None:
    settings = {"max_iter": 3, "shuffle": False, "warm_start": True}
    model = clone(estimator).set_params(**settings).fit(OVERLAP_X, OVERLAP_Y)
    W = weights_of(model)
    model.fit(OVERLAP_X[:250], OVERLAP_Y[:250])
    cold = clone(estimator).set_params(max_iter=3, shuffle=False)
    same_weights(model, cold.fit(OVERLAP_X[:250], OVERLAP_Y[:250], W[:, :-1], W[:, -1]))
    assert weights_of(model).tolist() != W.tolist()


def test_a_warm_start_in_small_steps_is_one_long_run() -> None:
    long = Perceptron(max_iter=6, shuffle=False).fit(OVERLAP_X, OVERLAP_Y)
    short = Perceptron(max_iter=1, shuffle=False, warm_start=True)
    for _ in range(6):
        short.fit(OVERLAP_X, OVERLAP_Y)
    same_weights(short, long)


@RESTING
def test_given_weights_are_where_it_starts(estimator: Any) -> None:
    W = np.array([[1.0, 2.0, -1.0]])
    right = np.where(FAR_X @ W[0] + 0.5 >= 0, 1, -1)
    wide = np.abs(FAR_X @ W[0] + 0.5) >= 1  # no loss, not even by the hinge
    model = clone(estimator).fit(FAR_X[wide], right[wide], coef_init=W, intercept_init=0.5)
    np.testing.assert_array_equal(model.coef_, W)
    assert model.intercept_.tolist() == [0.5]
    assert model.n_iter_ == 1
    assert model.outcome_.converged


@RESTING
def test_without_a_bias_training_and_deciding_mean_the_same_line(estimator: Any) -> None:
    # once: a given bias is left out of the scores in training and put into them in deciding
    model = clone(estimator).set_params(fit_intercept=False)
    centred = FAR_X[np.abs(FAR_X @ [1, 1, 1]) > 0.5]
    y = np.where(centred @ [1, 1, 1] > 0, 1, -1)
    if isinstance(model, PassiveAggressive):
        model.set_params(C=1e6)  # a small C closes the loss of a row too slowly to wait for
    model.set_params(max_iter=500, tol=None).fit(centred, y, intercept_init=5.0)
    assert model.trace_[-1].mistakes == 0
    assert model.predict(centred).tolist() == y.tolist()


# --- stopping -----------------------------------------------------------------------------------


def test_perceptrons_stop_at_the_first_pass_without_a_mistake() -> None:
    model = Perceptron().fit(FAR_X, FAR_Y)
    assert model.trace_.column("mistakes")[-1] == 0
    assert min(model.trace_.column("mistakes")[:-1]) > 0
    assert model.outcome_.ending is Ending.NO_MISTAKE
    epochs = "1 epoch" if model.n_iter_ == 1 else f"{model.n_iter_} epochs"
    assert str(model.outcome_) == f"Converged after {epochs}, the last without a mistake."


def test_passive_aggressive_stops_at_the_first_pass_without_a_loss() -> None:
    # rows of length 1 at right angles: each step closes its loss exactly, and no other
    model = PassiveAggressive(tol=None, fit_intercept=False).fit(np.eye(4), [0, 1, 0, 1])
    assert model.outcome_.ending is Ending.NO_CHANGE
    assert model.trace_.column("updates") == [4, 0]
    assert model.coef_.tolist() == [[-1, 1, -1, 1]]
    assert str(model.outcome_) == "Converged after 2 epochs, the last without a loss on any row."


def test_a_last_pass_without_mistakes_casts_no_doubt_on_separability() -> None:
    # once: a loss of rounding size (1e-16) keeps the passes going, and then "Stopped after 1,000
    # passes with 0 mistakes … The data may not be separable" is said of data just separated
    model = PassiveAggressive(tol=None, C=100.0, max_iter=30).fit(FAR_X, FAR_Y)
    assert model.trace_[-1].mistakes == 0
    assert (model.predict(FAR_X) == FAR_Y).all()
    assert "may not be separable" not in str(model.outcome_)


def test_a_pass_that_cannot_change_anything_is_not_called_a_pass_without_a_loss() -> None:
    # once: zero rows without a bias cannot be moved, so nothing changes; every row has the loss 1
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    model = PassiveAggressive(fit_intercept=False, tol=None, max_iter=5).fit(X, y)
    assert model.trace_[-1].loss == 1
    assert not model.outcome_.converged
    assert "without a loss" not in str(model.outcome_)


@EVERY
def test_more_classes_than_a_byte_can_count(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), np.arange(300) % 130
    one_epoch = clone(estimator).set_params(max_iter=1, shuffle=False, tol=None, start="zero")
    model = one_epoch.fit(X, y)
    assert model.coef_.shape == (130, 4)
    row_by_row = hasattr(model, "partial_fit") and getattr(model, "batch_size", 1) == 1
    if row_by_row and model.keep == "last":
        stream = clone(one_epoch).partial_fit(X[:1], y[:1], classes=range(130))
        for i in range(1, 300):
            stream.partial_fit(X[i : i + 1], y[i : i + 1])
        same_weights(stream, model)


@RESTING
def test_spent_passes_say_how_many_mistakes_are_left(estimator: Any) -> None:
    model = clone(estimator).set_params(max_iter=7, tol=None).fit(OVERLAP_X, OVERLAP_Y)
    assert model.n_iter_ == len(model.trace_) == 7
    assert model.outcome_.ending is Ending.MAX_EPOCHS_REACHED
    assert not model.outcome_.converged
    left = model.trace_[-1].mistakes
    assert f"after 7 epochs, with {left} mistakes" in str(model.outcome_)
    assert "separable" in str(model.outcome_)


@SOFT
def test_spent_passes_of_a_squared_error_cast_no_doubt_on_the_data(estimator: Any) -> None:
    model = clone(estimator).set_params(max_iter=7, tol=None).fit(OVERLAP_X, OVERLAP_Y)
    assert model.n_iter_ == len(model.trace_) == 7
    assert model.outcome_.ending is Ending.MAX_DESCENT_EPOCHS_REACHED
    assert not model.outcome_.converged
    assert (
        f"after 7 epochs, the most that `max_iter` allows. {model.trace_[-1].mistakes} mistakes"
        in (str(model.outcome_))
    )
    assert "separable" not in str(model.outcome_)


def stalls_at(figures: list[float], tol: float, patience: int) -> int | None:
    """Referee: the pass, from 1, after which a figure has not fallen by tol for some passes."""
    best, waited = np.inf, 0
    for number, figure in enumerate(figures, 1):
        waited = waited + 1 if figure > best - tol else 0
        best = min(best, figure)
        if waited == patience:
            return number
    return None


@RESTING
@pytest.mark.parametrize("tol", [1e-3, 0.1])
def test_tol_stops_when_the_loss_no_longer_falls(estimator: Any, tol: float) -> None:
    settings = {"max_iter": 300, "n_iter_no_change": 3}
    long = clone(estimator).set_params(**settings, tol=None).fit(OVERLAP_X, OVERLAP_Y)
    model = clone(estimator).set_params(**settings, tol=tol).fit(OVERLAP_X, OVERLAP_Y)
    losses = [loss or np.inf for loss in long.trace_.column("loss")]  # of ties, all at 0
    assert model.n_iter_ == stalls_at(losses, tol, 3)
    assert model.outcome_.ending is Ending.LOSS_STALLED
    assert "tol" in str(model.outcome_)
    assert f"{model.trace_[-1].mistakes} mistakes" in str(model.outcome_)


@SOFT
@pytest.mark.parametrize("tol", [1e-4, 0.1])
def test_tol_stops_when_the_squared_error_levels_off(estimator: Any, tol: float) -> None:
    settings = {"max_iter": 300, "n_iter_no_change": 3}
    long = clone(estimator).set_params(**settings, tol=None).fit(OVERLAP_X, OVERLAP_Y)
    model = clone(estimator).set_params(**settings, tol=tol).fit(OVERLAP_X, OVERLAP_Y)
    assert model.n_iter_ == stalls_at(long.trace_.column("loss"), tol, 3)
    endings = {LMS: Ending.SQUARED_ERROR_STALLED, TanhPerceptron: Ending.OUTPUT_ERROR_STALLED}
    assert model.outcome_.ending is endings.get(type(model), Ending.DESCENT_STALLED)
    assert ("LeastSquares" in str(model.outcome_)) == isinstance(model, LMS)
    assert f"{model.trace_[-1].mistakes} mistakes" in str(model.outcome_)


def test_a_squared_error_of_zero_comes_to_rest() -> None:
    model = LMS(eta0=1, fit_intercept=False, tol=None).fit(np.eye(4), [0, 1, 0, 1])
    assert model.outcome_.ending is Ending.NO_CHANGE
    assert model.coef_.tolist() == [[-1, 1, -1, 1]]
    assert model.n_iter_ == 2


@ONLINE
def test_own_validation_rows_stop_the_run(estimator: Any) -> None:
    X, y, X_val, y_val = OVERLAP_X[:200], OVERLAP_Y[:200], OVERLAP_X[200:], OVERLAP_Y[200:]
    settings = {"max_iter": 200, "n_iter_no_change": 4, "tol": 1e-3, "early_stopping": True}
    model = clone(estimator).set_params(**settings).fit(X, y, X_val=X_val, y_val=y_val)
    errors = model.trace_.column("validation_error")
    assert model.outcome_.ending is Ending.SCORE_STALLED
    assert model.n_iter_ == stalls_at(errors, 1e-3, 4)
    assert errors[-1] == np.mean(model.predict(X_val) != y_val)
    assert "validation" in str(model.outcome_)
    # judging changes nothing of the learning
    blind = clone(estimator).set_params(max_iter=model.n_iter_, tol=None)
    same_weights(model, blind.fit(X, y))


@ONLINE
def test_a_score_that_stays_the_same_no_longer_rises(estimator: Any) -> None:
    # once: with tol=None an equal score counts as a rise, so a plateau never stops the run
    settings = {"max_iter": 100, "n_iter_no_change": 4, "tol": None, "early_stopping": True}
    sure = {"X_val": [[0.0, 0.0, 0.0]], "y_val": [1]}
    model = clone(estimator).set_params(**settings).fit(OVERLAP_X, OVERLAP_Y, **sure)
    errors = model.trace_.column("validation_error")
    best = int(np.argmin(errors))
    assert len(errors) <= best + 1 + 4


@ONLINE
def test_a_share_of_every_class_is_held_out(estimator: Any) -> None:
    settings = {"early_stopping": True, "max_iter": 100, "tol": 1e-3, "validation_fraction": 0.2}
    model = clone(estimator).set_params(**settings).fit(IRIS.X, IRIS.y)
    assert model.outcome_.ending is Ending.SCORE_STALLED
    errors = np.array(model.trace_.column("validation_error"))
    np.testing.assert_allclose(errors * 30, np.round(errors * 30), atol=1e-9)  # 30 rows judge
    assert model.t_ == 120 * model.n_iter_  # and 120 teach
    same_weights(model, clone(model).fit(IRIS.X, IRIS.y))
    other = clone(model).set_params(random_state=1).fit(IRIS.X, IRIS.y)
    assert weights_of(other).tolist() != weights_of(model).tolist()


def test_of_rows_that_are_held_out_no_margin_is_known() -> None:
    # once: the bounds of the rows that were left were told as those of all
    X = np.r_[np.arange(1.0, 21), -50, -np.arange(1.0, 21)][:, None]
    y = np.arange(41) < 21
    model = Perceptron(early_stopping=True, random_state=5, n_iter_no_change=500).fit(X, y)
    assert model.outcome_.ending is Ending.NO_MISTAKE  # the odd row was held out
    assert model.margin_bounds_ is None


def test_rows_that_weigh_nothing_judge_nothing() -> None:
    # once: numpy could not divide by the weight of the rows held out
    weights = (np.arange(300) % 10 == 0).astype(float)
    for seed in range(10):
        model = Perceptron(early_stopping=True, max_iter=5, random_state=seed)
        model.fit(OVERLAP_X, OVERLAP_Y, sample_weight=weights)
        assert all(0 <= error <= 1 for error in model.trace_.column("validation_error"))


def test_own_validation_rows_leave_all_of_x_for_learning() -> None:
    model = Perceptron(early_stopping=True, max_iter=2)
    model.fit(IRIS.X, IRIS.y, X_val=IRIS.X[:10], y_val=IRIS.y[:10])
    assert model.t_ == 300


# --- streams ------------------------------------------------------------------------------------


WEIGHTS_ONLY = [e for e in ESTIMATORS[:-1] if not hasattr(e, "covariance")] + SOFT_ESTIMATORS[:-2]


@pytest.mark.parametrize("estimator", WEIGHTS_ONLY, ids=repr)
@pytest.mark.parametrize("shuffle", [True, False])
def test_a_stream_goes_on_from_a_fit(estimator: Any, *, shuffle: bool) -> None:
    settings = {"max_iter": 2, "shuffle": shuffle, "keep": "last"}
    model = clone(estimator).set_params(**settings).fit(OVERLAP_X, OVERLAP_Y)
    W, mistakes = weights_of(model), model.mistakes_
    model.partial_fit(OVERLAP_X, OVERLAP_Y)
    assert model.t_ == 900
    assert model.mistakes_ > mistakes
    one_epoch = clone(estimator).set_params(max_iter=1, shuffle=False, keep="last")
    same_weights(model, one_epoch.fit(OVERLAP_X, OVERLAP_Y, W[:, :-1], W[:, -1]))


@ONLINE
def test_a_stream_goes_on_from_a_fit_with_all_that_was_learned(estimator: Any) -> None:
    settings = {"shuffle": False, "keep": "last", "tol": None}
    model = clone(estimator).set_params(**settings, max_iter=2).fit(OVERLAP_X, OVERLAP_Y)
    model.partial_fit(OVERLAP_X, OVERLAP_Y)
    same_weights(model, clone(model).set_params(max_iter=3).fit(OVERLAP_X, OVERLAP_Y))


def test_an_average_goes_on_from_a_fit_over_all_rows() -> None:
    average = Perceptron(max_iter=2, shuffle=False, keep="average").fit(OVERLAP_X, OVERLAP_Y)
    average.partial_fit(OVERLAP_X, OVERLAP_Y)
    long = Perceptron(max_iter=3, shuffle=False, keep="average").fit(OVERLAP_X, OVERLAP_Y)
    np.testing.assert_allclose(weights_of(average), weights_of(long), rtol=1e-12)


def test_balanced_counts_go_on_from_a_fit() -> None:
    # once: fit does not count the classes, so the first row of the stream weighs as much as all
    # rows visited before it (600 / (1 · 1)) instead of about 1
    settings = {"max_iter": 2, "shuffle": False, "class_weight": "balanced"}
    model = Perceptron(**settings).fit(OVERLAP_X, OVERLAP_Y)
    W = weights_of(model)
    row = np.flatnonzero(model.predict(OVERLAP_X) != OVERLAP_Y)[0]
    model.partial_fit(OVERLAP_X[[row]], OVERLAP_Y[[row]])
    change = weights_of(model) - W
    assert np.abs(change[0, -1]) == pytest.approx(1, rel=0.2)  # its weight: both are as frequent


def test_a_pocket_is_not_emptied_by_a_stream() -> None:
    # once: fit keeps the weights with the fewest errors, but the stream after it starts from the
    # longest run alone: one more row, rightly decided, may give worse weights
    model = Perceptron(max_iter=30, keep="pocket").fit(OVERLAP_X, OVERLAP_Y)
    kept = weights_of(model)
    right = np.flatnonzero(
        (model.predict(OVERLAP_X) == OVERLAP_Y) & (np.abs(model.decision_function(OVERLAP_X)) > 1)
    )[0]
    model.partial_fit(OVERLAP_X[[right]], OVERLAP_Y[[right]])
    assert errors_of(weights_of(model), OVERLAP_X, OVERLAP_Y) <= errors_of(
        kept, OVERLAP_X, OVERLAP_Y
    )


def test_a_stream_of_a_single_class_so_far_decides_for_it() -> None:
    # once: predict ends in an IndexError, and the validation score is 0
    for estimator in (Perceptron(), PassiveAggressive()):
        model = estimator.partial_fit(FAR_X[:5], ["dog"] * 5, X_val=FAR_X, y_val=["dog"] * 200)
        assert model.classes_.tolist() == ["dog"]
        assert model.predict(FAR_X[:2]).tolist() == ["dog", "dog"]
        assert model.validation_score_ == 1


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_one_row_of_a_frame_at_a_time(library: Any) -> None:
    # once: the quick way for one row looks up y[0], which in a pandas Series is the index 0
    y = library.Series((FAR_Y == 1).astype(int))
    model = Perceptron()
    for i in range(20):
        model.partial_fit(FAR_X[i : i + 1], y[i : i + 1])
    same_weights(model, Perceptron().partial_fit(FAR_X[:20], (FAR_Y[:20] == 1).astype(int)))


def test_settings_changed_between_single_rows_count() -> None:
    # once: the quick way for one row remembers the class weights of its first call
    model = Perceptron().partial_fit(OVERLAP_X, OVERLAP_Y)
    model.partial_fit(OVERLAP_X[:1], OVERLAP_Y[:1])
    twin = pickle.loads(pickle.dumps(model))
    model.set_params(class_weight={1: 5.0}, eta0=0.5)
    twin.set_params(class_weight={1: 5.0}, eta0=0.5)
    for i in range(100):
        model.partial_fit(OVERLAP_X[i : i + 1], OVERLAP_Y[i : i + 1])
    same_weights(model, twin.partial_fit(OVERLAP_X[:100], OVERLAP_Y[:100]))


@pytest.mark.parametrize("rows", [1, 10])
def test_class_weights_changed_in_place_count(rows: int) -> None:
    # once: the quick way for one row did not see it
    weights = {0: 1.0, 1: 1.0}
    model = Perceptron(class_weight=weights).partial_fit(OVERLAP_X, OVERLAP_Y)
    model.partial_fit(OVERLAP_X[:1], OVERLAP_Y[:1])
    twin = pickle.loads(pickle.dumps(model)).set_params(class_weight={0: 1.0, 1: 50.0})
    weights[1] = 50.0
    for i in range(0, 100, rows):
        model.partial_fit(OVERLAP_X[i : i + rows], OVERLAP_Y[i : i + rows])
    same_weights(model, twin.partial_fit(OVERLAP_X[:100], OVERLAP_Y[:100]))


@ONLINE
@pytest.mark.parametrize("rows", [1, 10])
def test_a_copy_goes_on_by_itself(estimator: Any, rows: int) -> None:
    # once: a copy had the memory of the original, and a single row changed both
    model = clone(estimator).partial_fit(OVERLAP_X, OVERLAP_Y, X_val=FAR_X, y_val=FAR_Y)
    twin, told = copy.copy(model), (model.t_, model.mistakes_)
    before = weights_of(copy.deepcopy(model))
    for i in range(0, 100, rows):
        twin.partial_fit(OVERLAP_X[i : i + rows], OVERLAP_Y[i : i + rows])
    assert (model.t_, model.mistakes_) == told
    np.testing.assert_array_equal(weights_of(model), before)
    same_weights(twin, model.partial_fit(OVERLAP_X[:100], OVERLAP_Y[:100]))


@pytest.mark.parametrize("rows", [1, 10])
def test_what_was_proved_of_a_fit_is_not_said_of_a_stream(rows: int) -> None:
    # once: the bound on the mistakes of the fit stood beside all mistakes of the stream
    model = Perceptron().fit(FAR_X, FAR_Y)
    assert model.mistakes_ <= model.mistake_bound_
    model.partial_fit(FAR_X[:rows], FAR_Y[:rows])
    assert model.margin_bounds_ is None
    assert model.mistake_bound_ is None


def test_penalties_end_midway_with_what_they_have_done() -> None:
    # once: the weights went on as they were before their penalty
    for penalty in ("l2", "l1", "elasticnet"):
        model = Perceptron(penalty=penalty, alpha=0.01, shuffle=False, max_iter=1)
        model.partial_fit(OVERLAP_X, OVERLAP_Y)
        W = weights_of(model)
        model.set_params(penalty=None).partial_fit(OVERLAP_X, OVERLAP_Y)
        plain = Perceptron(shuffle=False, max_iter=1)
        same_weights(model, plain.fit(OVERLAP_X, OVERLAP_Y, W[:, :-1], W[:, -1]))


@ONLINE
def test_a_stream_says_how_far_it_has_come(estimator: Any) -> None:
    model = clone(estimator).partial_fit(OVERLAP_X[:1], OVERLAP_Y[:1])
    assert str(model.outcome_).startswith("In progress: training on a stream, 1 row so far")
    model.partial_fit(OVERLAP_X[1:], OVERLAP_Y[1:])
    assert f"300 rows so far, with {model.mistakes_} mistakes" in str(model.outcome_)
    assert model.outcome_.ending is Ending.STREAM
    assert not hasattr(model, "trace_")


def test_a_stream_judges_own_validation_rows() -> None:
    X_val, y_val = OVERLAP_X[200:], OVERLAP_Y[200:]
    model = PassiveAggressive(n_iter_no_change=3, tol=1e-3)
    scores, ended = [], None
    for start in range(0, 200, 10):
        cut = slice(start, start + 10)
        model.partial_fit(OVERLAP_X[cut], OVERLAP_Y[cut], X_val=X_val, y_val=y_val)
        assert model.validation_score_ == np.mean(model.predict(X_val) == y_val)
        scores.append(-model.validation_score_)
        stalled = model.outcome_.ending is Ending.STREAM_STALLED
        if stalled and ended is None:
            ended = len(scores)
            assert "no longer rises" in str(model.outcome_)
    assert ended == stalls_at(scores, 1e-3, 3)
    assert ended is not None
    # judging changes nothing of the learning
    same_weights(model, PassiveAggressive().partial_fit(OVERLAP_X[:200], OVERLAP_Y[:200]))


def test_a_new_fit_forgets_how_long_a_stream_has_waited() -> None:
    # once: _patience lives on through fit, and with it the best score of the stream before
    judged = {"X_val": OVERLAP_X[200:], "y_val": OVERLAP_Y[200:]}
    fresh = PassiveAggressive(n_iter_no_change=2, max_iter=2).fit(FAR_X, FAR_Y)
    used = PassiveAggressive(n_iter_no_change=2, max_iter=2)
    for _ in range(5):
        used.partial_fit(OVERLAP_X, OVERLAP_Y, **judged)
    used.fit(FAR_X, FAR_Y)
    for model in (fresh, used):
        model.partial_fit(FAR_X, FAR_Y, **judged)
    assert str(used.outcome_) == str(fresh.outcome_)


# --- what is measured ---------------------------------------------------------------------------


@ONLINE
def test_the_tracked_error_is_the_training_error(estimator: Any) -> None:
    weights = np.arange(300) % 3 + 1.0
    for passes in (1, 2, 5):
        model = clone(estimator).set_params(max_iter=passes, track_error=True, tol=None)
        model.fit(OVERLAP_X, OVERLAP_Y)
        wrong = model.predict(OVERLAP_X) != OVERLAP_Y
        assert model.trace_[-1].training_error == pytest.approx(wrong.mean(), rel=1e-12)
        model.fit(OVERLAP_X, OVERLAP_Y, sample_weight=weights)
        wrong = model.predict(OVERLAP_X) != OVERLAP_Y
        by_weight = (weights * wrong).sum() / weights.sum()
        assert model.trace_[-1].training_error == pytest.approx(by_weight, rel=1e-12)


@pytest.mark.parametrize("multi_class", ["kesler", "ovr"])
def test_the_pocket_is_never_worse_than_the_end_of_any_pass(multi_class: str) -> None:
    for X, y in ((OVERLAP_X, OVERLAP_Y), (IRIS.X, IRIS.y)):
        settings = {"max_iter": 25, "multi_class": multi_class}
        pocket = Perceptron(**settings, keep="pocket").fit(X, y)
        last = Perceptron(**settings, track_error=True).fit(X, y)
        errors = pocket.trace_.column("training_error")
        assert len(last.trace_) == len(errors)
        assert errors == sorted(errors, reverse=True)
        best = np.minimum.accumulate(last.trace_.column("training_error"))
        assert (np.array(errors) <= best).all()
        assert np.mean(pocket.predict(X) != y) == pytest.approx(errors[-1], rel=1e-12)
        assert pocket.trace_.column("mistakes") == last.trace_.column("mistakes")


@EVERY
def test_the_trace_has_a_record_a_pass(estimator: Any) -> None:
    model = clone(estimator).set_params(max_iter=6, tol=None).fit(OVERLAP_X, OVERLAP_Y)
    trace = model.trace_
    assert len(trace) == len(list(trace)) == model.n_iter_ == 6
    assert all(isinstance(record, Record) for record in trace)
    assert trace.column("epoch") == [1, 2, 3, 4, 5, 6]
    assert sum(trace.column("mistakes")) == model.mistakes_
    assert all(loss > 0 for loss in trace.column("loss")[1:])  # from zero a batch has only ties
    assert [record["norm"] for record in trace.as_dicts()] == trace.column("norm")
    assert trace[-1] == list(trace)[5]
    assert trace[:2] == [trace[0], trace[1]]
    assert repr(trace).startswith(f"Trace of 6 epochs, mistakes {trace[0].mistakes}, ")
    if getattr(model, "keep", "last") == "last":
        assert trace[-1].norm == pytest.approx(np.linalg.norm(weights_of(model)), rel=1e-15)


@EVERY
def test_a_time_limit_stops_after_a_pass(estimator: Any) -> None:
    free = clone(estimator).set_params(max_iter=6, tol=None)
    model = clone(free).set_params(time_limit=1e-9).fit(OVERLAP_X, OVERLAP_Y)
    one = clone(free).set_params(max_iter=1).fit(OVERLAP_X, OVERLAP_Y)
    assert np.array_equal(weights_of(model), weights_of(one))
    assert not model.outcome_.converged
    stopped = f"Stopped at the time limit, after 1 epoch, with {model.mistakes_} mistakes"
    assert str(model.outcome_).startswith(stopped)
    long = clone(free).set_params(time_limit=1e9).fit(OVERLAP_X, OVERLAP_Y)
    free.fit(OVERLAP_X, OVERLAP_Y)
    assert np.array_equal(weights_of(long), weights_of(free))
    assert long.outcome_ == free.outcome_


def test_the_loss_of_a_pass_is_the_mean_over_the_rows_as_they_came() -> None:
    model = Perceptron(max_iter=1, shuffle=False).fit(OVERLAP_X, OVERLAP_Y)
    w, losses = np.zeros(4), []
    for x, sign in zip(np.column_stack([OVERLAP_X, np.ones(300)]), OVERLAP_Y, strict=True):
        losses.append(max(0.0, -sign * (w @ x)))
        w += sign * x * (sign * (w @ x) <= 0)
    assert model.trace_[0].loss == pytest.approx(np.mean(losses), rel=1e-12)


def test_what_scikit_learn_takes_is_taken() -> None:
    # once both were refused
    settings = {"verbose": True, "early_stopping": True, "validation_fraction": 0.95}
    model = Perceptron(max_iter=2, **settings).fit(OVERLAP_X, OVERLAP_Y)
    assert model.trace_.column("validation_error")[0] < 0.5


def test_a_step_too_short_for_float64_is_none() -> None:
    # once: a division by zero, out of the kernel
    model = PassiveAggressive(C=1e-300, loss="squared_hinge", max_iter=3)
    model.fit(OVERLAP_X, OVERLAP_Y, sample_weight=np.full(300, 1e-90))
    assert not weights_of(model).any()


def test_verbose_tells_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="rosenblatt"):
        quiet = Perceptron(max_iter=3).fit(OVERLAP_X, OVERLAP_Y)
        assert not caplog.records
        Perceptron(max_iter=3, verbose=1).fit(OVERLAP_X, OVERLAP_Y)
    assert len(caplog.records) == 3
    assert f"epoch 1: {quiet.trace_[0].mistakes} mistakes" in caplog.records[0].getMessage()
    with caplog.at_level(logging.DEBUG, logger="rosenblatt"):
        Perceptron(max_iter=3).fit(OVERLAP_X, OVERLAP_Y)
    assert [record.getMessage() for record in caplog.records[:3]] == [
        record.getMessage() for record in caplog.records[3:]
    ]


# --- the package --------------------------------------------------------------------------------


def in_a_new_process(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = "[m for m in ('numba', 'sklearn', 'scipy', 'numpy', 'polars') if m in sys.modules]"
    assert in_a_new_process(f"import sys, rosenblatt; print({heavy})") == "[]"
    some = "[m for m in ('numba', 'sklearn', 'scipy', 'polars') if m in sys.modules]"
    code = f"import sys; from rosenblatt import builtin; builtin('iris'); print({some})"
    assert in_a_new_process(code) == "[]"


def test_public_names_are_frozen() -> None:
    assert rosenblatt.__all__ == [
        "AROW",
        "LMS",
        "BatchPerceptron",
        "FisherDiscriminant",
        "FixedWeightsClassifier",
        "GradientDescent",
        "KernelPerceptron",
        "LMSRegressor",
        "LeastSquares",
        "LeastSquaresRegressor",
        "LinearDiscriminant",
        "LinearSVM",
        "LogisticRegression",
        "PassiveAggressive",
        "Perceptron",
        "SecondOrderPerceptron",
        "SentenceRanker",
        "TanhPerceptron",
        "ThresholdNetwork",
        "ThresholdUnit",
        "bias_variance",
        "builtin",
        "capacity_curve",
        "compare",
        "convergence_table",
        "corrupted",
        "features",
        "from_weights",
        "gates",
        "label_noise_bounds",
        "learning_curve",
        "load",
        "load_proof",
        "named_weights",
        "plotting",
        "read",
        "realize",
        "regularisation_path",
        "save",
        "separability",
        "solution_region",
        "verify",
    ]
    assert dir(rosenblatt) == sorted([*rosenblatt.__all__, "__version__"])
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name).__name__.rpartition(".")[-1] == name
    with pytest.raises(AttributeError, match="no attribute 'perceptron'"):
        _ = rosenblatt.perceptron


def test_a_star_import_brings_the_public_names() -> None:
    code = "from rosenblatt import *; print(Perceptron.__name__, builtin.__name__)"
    assert in_a_new_process(code) == "Perceptron builtin"
