"""Soft units and layers of them: what goes in as targets, and what comes out."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV

from rosenblatt import LMS, BatchPerceptron, PassiveAggressive, Perceptron, TanhPerceptron, builtin
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.online.result import Ending

IRIS = builtin("iris")
X = (IRIS.X - IRIS.X.mean(axis=0)) / IRIS.X.std(axis=0)
LABELS = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0.3, X[:, 3] < 0]).astype(int)
SOFT = ["tanh", "logistic"]
ALL = [*SOFT, "hard"]


def layer(activation: str, **settings: Any) -> TanhPerceptron:
    return TanhPerceptron(activation=activation, eta0=0.5, max_iter=50, **settings)


def weights_of(model: Any) -> Any:
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("activation", ALL)
@pytest.mark.parametrize("dtype", [int, np.int8, np.uint8, float, np.float32, bool])
def test_labels_0_and_1_come_back_as_they_were(activation: str, dtype: type) -> None:
    Y = LABELS.astype(dtype)
    model = layer(activation).fit(X, Y)
    found = model.predict(X)
    assert found.dtype == Y.dtype
    assert np.mean(found == Y) > 0.95
    assert model.score(X, Y) == np.mean((found == Y).all(axis=1))
    assert model.classes_.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(found == 1, model.decision_function(X) >= 0)


@pytest.mark.parametrize("activation", ALL)
def test_labels_of_either_kind_train_the_same_layer(activation: str) -> None:
    by_bit = layer(activation).fit(X, LABELS)
    by_sign = layer(activation).fit(X, 2 * LABELS - 1)
    np.testing.assert_array_equal(weights_of(by_bit), weights_of(by_sign))
    np.testing.assert_array_equal(by_sign.predict(X), 2 * by_bit.predict(X) - 1)
    assert by_sign.score(X, 2 * LABELS - 1) == by_bit.score(X, LABELS)


@pytest.mark.parametrize("activation", SOFT)
def test_real_targets_are_met_by_outputs(activation: str) -> None:
    truth = np.array([[0.5, -0.3, 0.2, 0.1], [-0.2, 0.4, 0.0, 0.6]])
    scores = X @ truth.T + [0.3, -0.2]
    targets = np.tanh(scores) if activation == "tanh" else 1 / (1 + np.exp(-scores))
    model = TanhPerceptron(activation=activation, eta0=0.1, max_iter=2000, tol=None)
    model.fit(X, targets)
    np.testing.assert_allclose(model.outputs(X), targets, atol=1e-3)
    np.testing.assert_allclose(model.coef_, truth, atol=1e-2)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(DataError, match="outputs"):
        model.predict(X)


def test_every_fit_has_outputs() -> None:
    for activation, f in (
        ("tanh", np.tanh),
        ("logistic", lambda s: 1 / (1 + np.exp(-s))),
        ("hard", lambda s: np.where(s >= 0, 1, -1)),
    ):
        for y in (IRIS.y, IRIS.y == "setosa", LABELS):
            model = layer(activation).fit(X, y)
            scores = model.decision_function(X)
            assert model.outputs(X).shape == scores.shape
            np.testing.assert_allclose(model.outputs(X), f(scores), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "form",
    [
        lambda Y: Y.tolist(),
        lambda Y: pd.DataFrame(Y, columns=["a", "b", "c"]),
        lambda Y: pl.DataFrame({"a": Y[:, 0], "b": Y[:, 1], "c": Y[:, 2]}),
        sparse.csr_array,
        np.asfortranarray,
        lambda Y: Y.astype(object),
    ],
    ids=["list", "pandas", "polars", "sparse", "F order", "objects"],
)
def test_every_form_of_a_matrix_gives_the_same(form: Any) -> None:
    model = layer("tanh").fit(X, form(LABELS))
    np.testing.assert_array_equal(weights_of(model), weights_of(layer("tanh").fit(X, LABELS)))


# --- probabilities ------------------------------------------------------------------------------


def test_there_are_probabilities_only_where_an_output_is_one() -> None:
    two = IRIS.y == "setosa"
    with_them = [(layer("logistic"), two), (layer("logistic"), LABELS)]
    without = [
        (layer("logistic"), IRIS.y),
        *((layer(kind), y) for kind in ("tanh", "hard") for y in (two, IRIS.y, LABELS)),
    ]
    for model, y in with_them:
        assert hasattr(model.fit(X, y), "predict_proba")
    for model, y in without:
        assert not hasattr(model.fit(X, y), "predict_proba")
    assert hasattr(layer("logistic"), "predict_proba")
    assert not hasattr(layer("tanh"), "predict_proba")
    for other in (LMS(), Perceptron(), PassiveAggressive(), BatchPerceptron()):
        assert not hasattr(other, "predict_proba")


def test_probabilities_are_the_outputs_and_add_up() -> None:
    two = IRIS.y == "versicolor"
    model = layer("logistic").fit(X, two)
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(chances[:, 1], model.outputs(X))
    np.testing.assert_array_equal(chances.argmax(axis=1).astype(bool), model.predict(X))
    many = layer("logistic").fit(X, LABELS)
    np.testing.assert_array_equal(many.predict_proba(X), many.outputs(X))
    np.testing.assert_array_equal(many.predict_proba(X) >= 0.5, many.predict(X))


def test_probabilities_of_a_noisy_label_are_near_the_true_ones() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20_000, 2))
    truth = 1 / (1 + np.exp(-(rows @ [1.0, -2.0] + 0.5)))
    y = rng.uniform(size=20_000) < truth
    model = TanhPerceptron(activation="logistic", eta0=0.05, keep="average", max_iter=20)
    assert np.abs(model.fit(rows, y).predict_proba(rows)[:, 1] - truth).max() < 0.05


@pytest.mark.parametrize("estimator", [layer("tanh"), layer("hard"), LMS()], ids=repr)
def test_the_others_can_be_calibrated(estimator: Any) -> None:
    model = CalibratedClassifierCV(clone(estimator), cv=3, ensemble=False).fit(X, IRIS.y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


# --- bad targets --------------------------------------------------------------------------------


def spoiled(row: int, column: int, value: Any) -> Any:
    Y = LABELS.astype(object if isinstance(value, str) else float)
    Y[row, column] = value
    return Y


BAD = {
    "above": ("tanh", spoiled(7, 2, 1.5), ("1.5", "row 7", "column 2", "between -1 and 1")),
    "below": ("logistic", spoiled(3, 1, -0.5), ("-0.5", "row 3", "column 1", "between 0 and 1")),
    "classes": ("tanh", spoiled(4, 0, 2), ("2", "row 4", "column 0")),
    "NaN": ("tanh", spoiled(5, 1, np.nan), ("NaN", "row 5", "column 1")),
    "infinity": ("tanh", spoiled(5, 1, np.inf), ("infinity", "row 5", "column 1")),
    "a word": ("tanh", spoiled(5, 1, "x"), ("y", "numbers", "x")),
    "too few": ("tanh", LABELS[:-1], ("150 rows", "149")),
    # once: hidden targets were learned, imaginary parts dropped, and numpy spoke for itself
    "masked": ("tanh", np.ma.array(LABELS, mask=spoiled(7, 2, 9) == 9), ("masked", "row 7")),
    "complex": ("tanh", LABELS + 1j, ("y", "real", "complex")),
    "beyond all floats": ("tanh", [[10**400, 1]] * 150, ("y", "numbers", "too large")),
    "ragged": ("tanh", [[1, 0], [[0, 1], 1]] * 75, ("y", "numbers")),
    "a cube": ("tanh", np.ones((150, 2, 2)).tolist(), ("y", "matrix", "(150, 2, 2)")),
    "real and hard": ("hard", spoiled(5, 1, 0.5), ("hard", "labels")),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("fitted", [False, True])
def test_bad_targets_are_refused_and_leave_no_trace(name: str, *, fitted: bool) -> None:
    activation, Y, words = BAD[name]
    model = layer(activation)
    if fitted:
        model.fit(X, LABELS)
    before = dict(vars(model))
    with pytest.raises(DataError) as caught:
        model.fit(X, Y)
    assert all(word in str(caught.value) for word in words)
    assert vars(model) == before


def test_a_layer_is_scored_by_a_matrix_of_its_own_shape() -> None:
    # once: a single column was held against all outputs
    model = layer("tanh").fit(X, LABELS)
    for wrong in (LABELS[:, 0], LABELS[:, :1], LABELS[:, :2]):
        with pytest.raises(DataError, match="y must"):
            model.score(X, wrong)


def test_bad_rows_and_weights_of_a_layer_are_refused() -> None:
    rows = X.copy()
    rows[7, 2] = np.nan
    for batch_size in (1, 10, None):
        model = layer("tanh", batch_size=batch_size)
        with pytest.raises(DataError, match="NaN at row 7, column 2"):
            model.fit(rows, LABELS)
        with pytest.raises(DataError, match="too large"):
            model.fit(X * 1e200, LABELS)
        with pytest.raises(DataError, match="sample_weight"):
            model.fit(X, LABELS, sample_weight=np.full(150, -1.0))
        assert not hasattr(model, "coef_")


@pytest.mark.parametrize(
    ("settings", "word"),
    [({"early_stopping": True}, "early_stopping"), ({"class_weight": "balanced"}, "class_weight")],
)
def test_what_is_made_of_classes_does_not_go_with_a_matrix(
    settings: dict[str, Any], word: str
) -> None:
    with pytest.raises(ParameterError, match=word):
        layer("tanh", **settings).fit(X, LABELS)


@pytest.mark.parametrize(
    "estimator", [Perceptron(), BatchPerceptron(), PassiveAggressive(), LMS()], ids=repr
)
def test_the_others_refuse_a_matrix_and_say_who_takes_it(estimator: Any) -> None:
    with pytest.raises(DataError, match="TanhPerceptron"):
        clone(estimator).fit(X, LABELS)


def test_a_stream_is_of_labels() -> None:
    with pytest.raises(DataError, match="fit"):
        layer("tanh").partial_fit(X, LABELS)
    model = layer("tanh").fit(X, LABELS)
    with pytest.raises(DataError, match="matrix"):
        model.partial_fit(X, IRIS.y)
    model.fit(X, IRIS.y).partial_fit(X, IRIS.y)  # a fit to labels forgets the layer
    assert model.predict(X).shape == (150,)


# --- runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch_size", [1, 20, None])
def test_a_warm_start_goes_on_with_a_layer(batch_size: int | None) -> None:
    settings = {"batch_size": batch_size, "shuffle": False, "tol": None}
    short = layer("tanh", **settings, warm_start=True).set_params(eta0=0.01, max_iter=1)
    for _ in range(4):
        short.fit(X, LABELS)
    long = layer("tanh", **settings).set_params(eta0=0.01, max_iter=4).fit(X, LABELS)
    np.testing.assert_array_equal(weights_of(short), weights_of(long))
    with pytest.raises(DataError, match="warm_start"):
        short.fit(X, LABELS[:, :2])


def test_a_layer_s_pocket_and_error_are_those_of_its_outputs() -> None:
    wrong = [
        np.mean(layer("hard", tol=None).set_params(max_iter=p).fit(X, LABELS).predict(X) != LABELS)
        for p in (1, 2, 3, 4)
    ]
    last = layer("hard", tol=None, track_error=True).set_params(max_iter=4).fit(X, LABELS)
    np.testing.assert_allclose(last.trace_.column("training_error"), wrong, rtol=1e-12)
    pocket = layer("hard", tol=None, keep="pocket").set_params(max_iter=4).fit(X, LABELS)
    assert pocket.trace_[-1].training_error == pytest.approx(min(wrong), rel=1e-12)
    assert np.mean(pocket.predict(X) != LABELS) == pytest.approx(min(wrong), rel=1e-12)


def test_a_layer_that_separates_comes_to_rest_with_the_hard_error() -> None:
    gates = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    both = np.array([[0, 0], [1, 0], [1, 0], [1, 1]])
    model = TanhPerceptron(activation="hard", eta0=1, tol=None).fit(gates, both)
    assert model.outcome_.ending is Ending.NO_MISTAKE
    assert model.predict(gates).tolist() == both.tolist()


def test_a_layer_with_too_large_a_step_says_so() -> None:
    wild = TanhPerceptron(eta0=1e4, batch_size=None).fit(IRIS.X, LABELS)
    assert wild.outcome_.ending is Ending.SATURATED
    better = float(str(wild.outcome_).split("try `eta0=")[1].split("`")[0])
    tame = TanhPerceptron(eta0=better, batch_size=None).fit(IRIS.X, LABELS)
    assert tame.outcome_.ending is Ending.OUTPUT_ERROR_STALLED


def test_shuffled_passes_of_a_layer_follow_the_seed() -> None:
    for batch_size in (1, 20):
        settings = {"batch_size": batch_size, "max_iter": 3, "tol": None}
        once, again, other = (
            TanhPerceptron(random_state=seed, **settings).fit(X, LABELS) for seed in (0, 0, 1)
        )
        np.testing.assert_array_equal(weights_of(once), weights_of(again))
        assert weights_of(other).tolist() != weights_of(once).tolist()
