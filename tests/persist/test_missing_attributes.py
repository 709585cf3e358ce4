"""Files whose estimator lacks an attribute: refused when they are loaded, or nothing is amiss."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from test_file import drop, forged, put

from rosenblatt import (
    AROW,
    LMS,
    BatchPerceptron,
    FisherDiscriminant,
    FixedWeightsClassifier,
    GradientDescent,
    KernelPerceptron,
    LeastSquares,
    LeastSquaresRegressor,
    LinearDiscriminant,
    LinearSVM,
    LMSRegressor,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    SentenceRanker,
    TanhPerceptron,
    builtin,
    load,
    realize,
    save,
)
from rosenblatt.errors import ModelError, RosenblattError
from rosenblatt.persist.estimator_state import RECORDS_ONLY, state_of
from rosenblatt.persist.file import load_model
from rosenblatt.persist.model import Model
from rosenblatt.registry import NAMES, RULES

IRIS = builtin("iris")
X, Y = IRIS.X[::3], IRIS.y[::3]
LENGTHS = builtin("iris").X[::3, :2]
TABLE = np.column_stack([Y == "setosa", Y == "virginica"]).astype(int)
SENTENCES = ["the dog sees a cat", "a cat sees the dog", "the cat eats"]
ESTIMATORS = [
    Perceptron(max_iter=3),
    BatchPerceptron(max_iter=3),
    PassiveAggressive(max_iter=3),
    AROW(max_iter=3),
    SecondOrderPerceptron(max_iter=3),
    LMS(max_iter=3, eta0=0.001),
    TanhPerceptron(max_iter=3),
    GradientDescent(max_iter=3),
    LeastSquares(),
    FisherDiscriminant(),
    LinearDiscriminant(),
    LinearDiscriminant(shrinkage="auto"),
    LinearSVM(),
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    KernelPerceptron(max_iter=3),
    KernelPerceptron("linear", max_iter=3),
    FixedWeightsClassifier(np.eye(3, 4), 0.0, ["setosa", "versicolor", "virginica"]),
]


REGRESSORS = [LeastSquaresRegressor(), LMSRegressor(max_iter=3)]


def fitted(estimator: Any, n: int) -> Any:
    return estimator.fit(X[:n], Y[:n])


def streamed(estimator: Any, n: int) -> Any:
    return estimator.partial_fit(X[:n], Y[:n])


def set_after_fit(estimator: Any, n: int) -> Any:
    model = estimator.fit(X[:n], Y[:n])
    model.coef_ = 2 * model.coef_
    return model


def set_by_hand(estimator: Any, n: int) -> Any:
    estimator.classes_ = np.unique(Y[:n])
    estimator.coef_ = np.ones((1 if n < 40 else 3, 4))
    return estimator


def ways(estimator: Any) -> list[Callable[[Any, int], Any]]:
    """How weights may come about."""
    settable = not isinstance(estimator, KernelPerceptron)
    streams = [streamed] if hasattr(estimator, "partial_fit") else []
    return [fitted, *streams, *([set_after_fit, set_by_hand] if settable else [])]


def models() -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {
        f"{estimator!r} {way.__name__} {n}": (
            lambda estimator=estimator, way=way, n=n: way(
                type(estimator)(**estimator.get_params()), n
            )
        )
        for estimator in ESTIMATORS
        for way in ways(estimator)
        for n in (34, 50)
    }
    made |= {
        f"layer of {k}": lambda k=k: TanhPerceptron(max_iter=3).fit(X, TABLE[:, :k]) for k in (1, 2)
    }
    for regressor in REGRESSORS:
        for targets in (LENGTHS, LENGTHS[:, 0]):
            name = f"{regressor!r} of {targets.shape}"
            made[name] = lambda r=regressor, t=targets: clone(r).fit(X, t)
            made[name + " streamed"] = lambda r=regressor, t=targets: clone(r).partial_fit(X, t)
    for estimator in (Perceptron(), LeastSquares(), LinearDiscriminant(), KernelPerceptron()):
        made[f"{type(estimator).__name__} one class"] = lambda e=estimator: streamed(e, 9)
    made["ranker"] = lambda: SentenceRanker(max_iter=3).fit_sentences(SENTENCES)
    made["unit"] = lambda: realize("0111").unit
    made["network"] = lambda: realize("0110").network
    return made


MODELS = models()


def wanted_of(model: Any) -> Any:
    """Labels or targets of the rows, of the kind that a model learned."""
    if "_target_shape" in vars(model):
        return LENGTHS if model._target_shape else LENGTHS[:, 0]
    return TABLE[:, : len(model.classes_)] if "_pair" in vars(model) else Y


def exercise(model: Any) -> None:
    """All that is asked of a model; it may only refuse with an error of this library."""
    if isinstance(model, SentenceRanker):
        model.score(SENTENCES), model.weights_in(SENTENCES), str(model.outcome_)
        return
    if NAMES.get(type(model).__name__) in RECORDS_ONLY:
        model.truth_table()
        return
    y = wanted_of(model)
    asked: list[Callable[[], Any]] = [lambda: model.predict(X), lambda: model.score(X, y)]
    if hasattr(model, "predict_proba"):
        asked.append(lambda: model.predict_proba(X))
    if isinstance(model, Model):
        asked[1:2] = [model.estimator]
    else:
        asked.append(lambda: str(model.outcome_))
    if hasattr(model, "partial_fit"):
        asked.append(lambda: model.partial_fit(X, y))
    for ask in asked:
        try:
            ask()
        except RosenblattError:  # such as a stream of one class
            continue


def attributes_of(model: Any) -> list[str]:
    return sorted(state_of(model).attributes)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore")
def test_an_attribute_that_is_missing_or_null(name: str, tmp_path: Path) -> None:
    model, path = MODELS[name](), tmp_path / "model.rosenblatt"
    save(model, path)
    exercise(load(path))
    blob = path.read_bytes()
    for attribute in attributes_of(model):
        for change in (drop("attributes", attribute), put("attributes", attribute, value=None)):
            path.write_bytes(blob)
            forged(path, change)
            for read in (load, load_model):
                try:
                    again = read(path)
                except ModelError as error:
                    assert str(path) in str(error)  # noqa: PT017 (not every change is refused)
                    continue
                exercise(again)


OTHERS = RECORDS_ONLY | {"sentence-ranker", "least-squares-regressor", "lms-regressor"}


@pytest.mark.parametrize("rule", sorted(set(RULES) - OTHERS))
@pytest.mark.filterwarnings("ignore")
def test_no_rule_does_without_what_it_decides_by(rule: str, tmp_path: Path) -> None:
    (estimator, *_) = [each for each in ESTIMATORS if type(each).__name__ == RULES[rule].estimator]
    path = tmp_path / "model.rosenblatt"
    save(fitted(estimator, 50), path)
    decides = "_kernel" if rule == "kernel-perceptron" else "_W"
    forged(path, drop("attributes", decides))
    with pytest.raises(ModelError, match=r"'_kernel'|'_W'|holds no weights"):
        load(path)
