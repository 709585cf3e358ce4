"""scikit-learn's base classes, what estimators do beyond them, and a command without them."""

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline

import rosenblatt
from rosenblatt import (
    FisherDiscriminant,
    KernelPerceptron,
    LeastSquaresRegressor,
    LinearDiscriminant,
    LMSRegressor,
    LogisticRegression,
    Perceptron,
    SentenceRanker,
    builtin,
    features,
)
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import sklearn_interface
from rosenblatt.estimators.base import clone_with, seed_of
from rosenblatt.registry import RULES

IRIS = builtin("iris")
WEIGHTS = np.random.default_rng(0).integers(1, 9, len(IRIS.y)).astype(float)


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


ESTIMATORS = [
    getattr(rosenblatt, row.estimator)
    for row in RULES.values()
    if row.module.startswith("estimators")
]
MAPS = [getattr(features, name) for name in features.__all__]


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_estimators_are_scikit_learn_s(cls: Any) -> None:
    model = cls()
    assert isinstance(model, BaseEstimator)
    classifies = cls not in (SentenceRanker, LeastSquaresRegressor, LMSRegressor)
    assert isinstance(model, ClassifierMixin) == is_classifier(model) == classifies
    transforms = cls in (LinearDiscriminant, FisherDiscriminant)
    assert isinstance(model, TransformerMixin) == hasattr(model, "transform") == transforms


@pytest.mark.parametrize("cls", MAPS)
def test_feature_maps_are_scikit_learn_s(cls: Any) -> None:
    assert isinstance(cls(), BaseEstimator)
    assert isinstance(cls(), TransformerMixin)


@pytest.mark.parametrize("cls", [*ESTIMATORS, *MAPS])
def test_pickles_and_clones_are_equal(cls: Any) -> None:
    model = cls()
    for copy in (pickle.loads(pickle.dumps(model)), clone(model)):
        assert type(copy) is cls
        assert copy.get_params() == model.get_params()


@pytest.mark.parametrize("cls", [*ESTIMATORS, *MAPS])
def test_stand_ins_do_the_same_with_parameters(cls: Any) -> None:
    assert sklearn_interface.BaseEstimator.get_params(cls()) == cls().get_params()
    assert list(sklearn_interface.BaseEstimator.get_params(cls())) == list(cls().get_params())
    assert sklearn_interface.BaseEstimator.__repr__(cls()) == repr(cls()) == f"{cls.__name__}()"


def test_stand_ins_show_and_set_what_was_changed() -> None:
    model = LogisticRegression(C="cv", tol=1e-8)
    assert sklearn_interface.BaseEstimator.__repr__(model) == repr(model)
    sklearn_interface.BaseEstimator.set_params(model, C=2.0, tol=1e-9)
    assert (model.C, model.tol) == (2.0, 1e-9)


def test_stand_ins_are_not_for_who_has_loaded_scikit_learn() -> None:
    sklearn_interface.use_stand_ins()
    assert not sklearn_interface.stand_ins_wanted()


def test_tags_are_those_of_a_classifier() -> None:
    tags = Perceptron().__sklearn_tags__()
    assert is_classifier(Perceptron())
    assert tags.target_tags.required
    assert tags.input_tags.sparse
    assert not is_classifier(SentenceRanker())


def test_a_parameter_that_is_not_there_is_refused_and_nothing_set() -> None:
    model = Perceptron()
    with pytest.raises(ParameterError, match="has no parameter 'eta'; it has alpha, class_weight"):
        model.set_params(eta0=2.0, eta=1.0)
    assert model.eta0 == Perceptron().eta0


def test_score_is_the_weighted_accuracy() -> None:
    model = Perceptron(max_iter=3).fit(IRIS.X, IRIS.y)
    right = model.predict(IRIS.X) == IRIS.y
    assert 0 < right.sum() < len(right)
    assert model.score(IRIS.X, IRIS.y) == right.mean()
    assert model.score(IRIS.X, IRIS.y, WEIGHTS) == pytest.approx(right @ WEIGHTS / WEIGHTS.sum())


def test_score_refuses_labels_of_another_kind() -> None:
    model = Perceptron().fit(IRIS.X, IRIS.y)
    with pytest.raises(DataError, match="of another kind"):
        model.score(IRIS.X, np.arange(len(IRIS.y)) % 3)


def test_a_notebook_shows_what_scikit_learn_is_set_to() -> None:
    with sklearn.config_context(display="diagram"):
        assert "KernelPerceptron" in KernelPerceptron()._repr_html_()
        assert "LogisticRegression" in make_pipeline(LogisticRegression(C=2.0))._repr_html_()
    with sklearn.config_context(display="text"):
        assert not hasattr(KernelPerceptron(), "_repr_html_")
        assert list(Perceptron()._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.usefixtures("routing")
def test_weights_are_routed_to_those_who_ask() -> None:
    asking = LogisticRegression().set_fit_request(sample_weight=True)
    asking.set_score_request(sample_weight=False)
    search = GridSearchCV(asking, {"C": [0.1]}).fit(IRIS.X, IRIS.y, sample_weight=WEIGHTS)
    weighted = LogisticRegression(C=0.1).fit(IRIS.X, IRIS.y, WEIGHTS)
    np.testing.assert_array_equal(search.best_estimator_.coef_, weighted.coef_)


@pytest.mark.usefixtures("routing")
def test_requests_survive_a_clone_and_none_was_made_before() -> None:
    model = Perceptron().set_score_request(sample_weight="importance")
    assert clone(model).get_metadata_routing().score.requests == {"sample_weight": "importance"}
    assert Perceptron().get_metadata_routing().score.requests == {"sample_weight": None}
    with pytest.raises(ValueError, match="sample_weight"):  # passed, and neither asked for nor not
        cross_validate(model, IRIS.X, IRIS.y, params={"sample_weight": WEIGHTS})


@pytest.mark.usefixtures("routing")
def test_what_a_method_does_not_take_cannot_be_asked_for() -> None:
    with pytest.raises(TypeError, match=r"weights.*sample_weight"):
        Perceptron().set_score_request(weights=True)


def test_requests_need_routing() -> None:
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        Perceptron().set_fit_request(sample_weight=True)


def test_only_rules_with_streams_have_requests_for_them() -> None:
    assert hasattr(Perceptron(), "set_partial_fit_request")
    assert not hasattr(LogisticRegression(), "set_partial_fit_request")


def test_a_seed_is_drawn_as_scikit_learn_draws_it() -> None:
    drawn = sklearn.utils.check_random_state(5).randint(2**31)
    assert seed_of(5) == seed_of(np.int32(5)) == seed_of(np.random.RandomState(5)) == drawn


def test_without_a_seed_the_global_one_governs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np.random, "randint", np.random.RandomState(5).randint)
    assert seed_of(None) == seed_of(5)


def test_a_clone_is_unfitted_and_shares_no_state() -> None:
    model: Any = Perceptron(random_state=np.random.RandomState(1)).fit(IRIS.X, IRIS.y)
    other = clone_with(model, eta0=0.5)
    assert other.eta0 == 0.5
    assert not hasattr(other, "coef_")
    assert other.random_state is not model.random_state
