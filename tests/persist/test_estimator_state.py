"""Every estimator comes back from its file as it was, bit for bit, and goes on from there."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    FisherDiscriminant,
    GradientDescent,
    KernelPerceptron,
    LeastSquares,
    LinearDiscriminant,
    LinearSVM,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    TanhPerceptron,
    ThresholdNetwork,
    ThresholdUnit,
    builtin,
    load,
    realize,
    save,
)
from rosenblatt.errors import ModelError
from rosenblatt.registry import RULES

ESTIMATORS = [
    Perceptron(max_iter=7),
    Perceptron(max_iter=7, keep="average", class_weight="balanced"),
    Perceptron(max_iter=7, keep="pocket", multi_class="ovr", track_error=True),
    Perceptron(max_iter=7, penalty="l1", alpha=0.01),
    Perceptron(max_iter=7, penalty="l2", early_stopping=True, validation_fraction=0.2),
    PassiveAggressive(max_iter=7),
    AROW(),
    AROW(covariance="diagonal", keep="average"),
    SecondOrderPerceptron(max_iter=7),
    LMS(max_iter=7, eta0=0.001),
    LMS(max_iter=7, eta0=100.0),  # diverges, and says so
    TanhPerceptron(max_iter=7),
    TanhPerceptron(max_iter=7, activation="logistic", keep="pocket"),
    GradientDescent(max_iter=7, eta0=0.001),
    GradientDescent(max_iter=7, loss="hinge", batch_size=8, keep="average"),
    LeastSquares(),
    LinearDiscriminant(),
    LinearDiscriminant(shrinkage="oas"),
    KernelPerceptron(max_iter=7),
    KernelPerceptron("linear", max_iter=7, keep="average"),
    KernelPerceptron("poly", max_iter=7, budget=9, gamma=0.1),
]
NO_STREAM = [
    BatchPerceptron(max_iter=7),
    FisherDiscriminant(),
    LinearDiscriminant(shrinkage="auto"),
    LinearSVM(),
    LinearSVM(C="cv", loss="squared_hinge"),
    LogisticRegression(),
    LogisticRegression(C="cv", multi_class="ovr"),
    LogisticRegression(C=np.inf, multi_class="ovr", max_iter=20),
]
EVERY = pytest.mark.parametrize("estimator", ESTIMATORS + NO_STREAM, ids=repr)
STREAMING = pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
IRIS = builtin("iris")
X = IRIS.X[:, [0, 2, 3]]  # not separable
CODES = np.repeat([0, 1, 2], 50)
LABELS = {
    "str": np.array(["a", "bb", "ccc"]),
    "object": np.array(["a", "bb", "ccc"], object),
    "int": np.array([-1, 3, 7]),
    "int8": np.array([1, 2, 3], np.int8),
    "float": np.array([0.0, 1.0, 2.0]),
}
PROPERTIES = (
    "coef_",
    "intercept_",
    "mistakes_",
    "t_",
    "covariance_",
    "rank_",
    "means_",
    "priors_",
    "support_",
    "dual_coef_",
    "n_support_",
    "gamma_",
)


def back(model: Any, folder: Path) -> Any:
    path = folder / "model.rosenblatt"
    save(model, path)
    return load(path)


def assert_same(a: Any, b: Any) -> None:
    """The same to the last bit, whatever it is."""
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_array_equal(a, b)
    elif isinstance(a, list | tuple):
        assert type(a) is type(b)
        assert len(a) == len(b)
        for mine, other in zip(a, b, strict=True):
            assert_same(mine, other)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        assert_same(list(a.values()), list(b.values()))
    elif sparse.issparse(a):
        assert_same(a.toarray(), b.toarray())
    elif hasattr(a, "as_dicts"):
        assert_same(a.as_dicts(), b.as_dicts())
    else:
        assert a == b


def assert_same_model(a: Any, b: Any, rows: Any = X) -> None:
    assert type(a) is type(b)
    assert a.get_params() == b.get_params()
    for method in ("decision_function", "predict", "predict_proba", "predict_log_proba"):
        if hasattr(a, method):
            assert_same(getattr(a, method)(rows), getattr(b, method)(rows))
    assert str(a.outcome_) == str(b.outcome_)
    learned = {name for name in vars(a) if name.endswith("_") and not name.startswith("_")}
    if isinstance(a, LogisticRegression):
        learned.discard("dual_coef_")  # as long as the training data: a file does without
    assert learned <= set(vars(b))
    properties = [name for name in PROPERTIES if name in learned or name not in vars(a)]
    for name in [*sorted(learned), "outcome_", *properties]:
        assert hasattr(a, name) == hasattr(b, name)
        if hasattr(a, name):
            assert_same(getattr(a, name), getattr(b, name))


@EVERY
@pytest.mark.parametrize("n", [100, 150], ids=["two classes", "three"])
def test_it_comes_back_as_it_was(estimator: Any, n: int, tmp_path: Path) -> None:
    model = clone(estimator).fit(X[-n:], IRIS.y[-n:])
    again = back(model, tmp_path)
    assert_same_model(model, again)
    not_kept = {"_ready", "dual_coef_"} if isinstance(model, LogisticRegression) else {"_ready"}
    assert set(vars(again)) == set(vars(model)) - not_kept


@EVERY
def test_from_sparse_rows(estimator: Any, tmp_path: Path) -> None:
    rows = sparse.csr_array(np.where(X > 1.5, X, 0.0))
    model = clone(estimator).fit(rows, CODES)
    assert_same_model(model, back(model, tmp_path), rows)


@EVERY
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_every_kind(estimator: Any, kind: str, tmp_path: Path) -> None:
    model = clone(estimator).fit(X, LABELS[kind][CODES])
    assert_same_model(model, back(model, tmp_path))


@EVERY
def test_two_truth_values(estimator: Any, tmp_path: Path) -> None:
    model = clone(estimator).fit(X, CODES == 2)
    again = back(model, tmp_path)
    assert again.classes_.dtype == bool
    assert_same_model(model, again)


@STREAMING
def test_a_fit_goes_on_from_the_file(estimator: Any, tmp_path: Path) -> None:
    model = clone(estimator).fit(X[:120], CODES[:120])
    again = back(model, tmp_path)
    for m in (model, again):
        m.partial_fit(X[120:], CODES[120:])
        m.partial_fit(X[:1], CODES[:1])  # the short way of one row
    assert_same_model(model, again)


@STREAMING
def test_a_stream_goes_on_from_the_file(estimator: Any, tmp_path: Path) -> None:
    """Saved after every chunk, a class joining half-way: as if there were no file."""
    order = np.random.default_rng(3).permutation(len(X))
    order = np.concatenate([order[CODES[order] < 2], order[CODES[order] == 2]])
    whole = clone(estimator)
    saved = clone(estimator)
    for part in np.split(order, [30, 31, 90, 110]):
        whole.partial_fit(X[part], CODES[part])
        saved = back(saved.partial_fit(X[part], CODES[part]), tmp_path)
    assert_same_model(whole, saved)


def test_patience_of_a_judged_stream_goes_on(tmp_path: Path) -> None:
    whole, saved = (Perceptron(n_iter_no_change=2) for _ in range(2))
    for part in np.split(np.arange(150), 5):
        judged = {"X_val": X[:100], "y_val": CODES[:100], "classes": [0, 1, 2]}
        whole.partial_fit(X[part], CODES[part], **judged)
        saved = back(saved.partial_fit(X[part], CODES[part], **judged), tmp_path)
    assert whole.outcome_.ending.name == "STREAM_STALLED"
    assert_same_model(whole, saved)


@pytest.mark.parametrize("targets", [(X > 1.5).astype(int), np.tanh(X - 3)], ids=["labels", "real"])
def test_a_layer(targets: Any, tmp_path: Path) -> None:
    model = TanhPerceptron(max_iter=5).fit(X, targets)
    again = back(model, tmp_path)
    assert_same(model.outputs(X), again.outputs(X))
    assert_same(vars(model)["_pair"], vars(again)["_pair"])
    assert again.score(X, targets.round()) >= 0 if targets.dtype == int else True


def test_names_of_features(tmp_path: Path) -> None:
    frame = pd.DataFrame(X, columns=["läng", "b b", "c=1"])
    model = LogisticRegression().fit(frame, CODES)
    again = back(model, tmp_path)
    assert again.feature_names_in_.tolist() == ["läng", "b b", "c=1"]
    assert_same_model(model, again, frame)


def test_parameters_of_every_kind(tmp_path: Path) -> None:
    weighted = Perceptron(class_weight={0: 2.0, np.int64(1): np.float32(0.5), 2: 1})
    assert back(weighted.fit(X, CODES), tmp_path).class_weight == {0: 2.0, 1: 0.5, 2: 1}
    prior = LinearDiscriminant(priors=np.array([0.2, 0.3, 0.5])).fit(X, CODES)
    assert_same(back(prior, tmp_path).priors, prior.priors)
    listed = LinearDiscriminant(priors=[0.2, 0.3, 0.5]).fit(X, CODES)
    assert back(listed, tmp_path).priors == [0.2, 0.3, 0.5]


def test_threshold_machines(tmp_path: Path) -> None:
    thirds = ThresholdUnit((2**80, 0.5, Fraction(1, 3)), -3)
    for machine in (realize("0110").network, realize("0111").unit, thirds):
        assert isinstance(machine, ThresholdUnit | ThresholdNetwork)
        again = back(machine, tmp_path)
        assert again == machine
        assert again.truth_table() == machine.truth_table()


def test_every_rule_is_tested_here() -> None:
    tested = {type(estimator).__name__ for estimator in ESTIMATORS + NO_STREAM}
    regressors = {"LeastSquaresRegressor", "LMSRegressor"}  # tests/estimators/test_regressors.py
    elsewhere = {"FixedWeightsClassifier", "SentenceRanker", "ThresholdUnit", "ThresholdNetwork"}
    elsewhere |= regressors
    assert tested | elsewhere == {rule.estimator for rule in RULES.values()}


# --- what cannot be saved -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (Perceptron(), "not fitted"),
        (SGDClassifier(), "Only fitted estimators of rosenblatt"),
        (make_pipeline(Perceptron()), "save the last step"),
        (Perceptron(random_state=np.random.RandomState(0)).fit(X, CODES), "random_state"),
        (KernelPerceptron(lambda a, b: a @ b.T, max_iter=2).fit(X, CODES), "functions"),
        (
            Perceptron(max_iter=2).fit(X, np.datetime64("2026-01-01") + CODES),
            "Turn them into strings",
        ),
    ],
    ids=["unfitted", "stranger", "pipeline", "generator", "function", "dates"],
)
def test_what_cannot_be_saved_is_told(model: Any, told: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=told):
        save(model, tmp_path / "model.rosenblatt")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_forgotten_silently(tmp_path: Path) -> None:
    model = Perceptron().fit(X[:100], CODES[:100])
    model.new_figure_ = 3
    with pytest.raises(ModelError, match="new_figure_"):
        save(model, tmp_path / "model.rosenblatt")
