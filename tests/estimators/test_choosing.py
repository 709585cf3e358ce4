"""C by cross-validation, and the path of warm starts."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from rosenblatt import LinearSVM, LogisticRegression, builtin, regularisation_path
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.estimators import certified

MODELS = [LinearSVM(), LinearSVM(loss="squared_hinge"), LogisticRegression()]
UNIQUE = [
    LinearSVM(loss="squared_hinge"),
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
]


def noisy(n: int = 240, k: int = 2) -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    scores = X @ rng.normal(size=(5, k)) + rng.gumbel(size=(n, k))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("model", UNIQUE, ids=repr)
def test_the_scores_are_those_of_separate_fits(
    model: Any, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certified, "CHOOSING_TOL", 0.0)
    X, y = noisy(k=k)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = clone(model).set_params(C="cv", tol=1e-10)
    chosen = clone(model).fit(X, y, sample_weight=weights)
    seed = int(np.random.RandomState(0).randint(2**31))
    folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
    results = chosen.cv_results_
    for C, scores in zip(results["C"], results["scores"], strict=True):
        for (seen, held), score in zip(folds, scores, strict=True):
            alone = clone(model).set_params(C=C)
            alone.fit(X[seen], y[seen], sample_weight=weights[seen])
            if isinstance(model, LogisticRegression):
                proba = alone.predict_proba(X[held])
                expected = -log_loss(y[held], proba, sample_weight=weights[held])
            else:
                found = alone.predict(X[held])
                expected = accuracy_score(y[held], found, sample_weight=weights[held])
            assert score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_chosen_fit_is_that_of_its_C(model: Any) -> None:  # noqa: N802
    X, y = noisy()
    chosen = clone(model).set_params(C="cv").fit(X, y)
    assert chosen.gap_ <= 1e-6
    best = chosen.cv_results_["mean_score"].max()
    place = list(chosen.cv_results_["C"]).index(chosen.C_)
    assert chosen.cv_results_["mean_score"][place] >= best - 1e-4 * abs(best)
    alone = clone(model).set_params(C=chosen.C_).fit(X, y)
    assert chosen.objective_ == pytest.approx(alone.objective_, rel=2e-6)


def test_a_level_start_of_the_path_does_not_end_it() -> None:
    # once: iris was given C = 1e-4, where all small C do equally badly
    data = builtin("iris")
    chosen = LinearSVM(C="cv").fit(data.X, data.y)
    assert chosen.score(data.X, data.y) > 0.95


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_path_has_the_optimum_of_each_C(model: Any) -> None:  # noqa: N802
    X, y = noisy(k=3)
    for fitted in regularisation_path(model, X, y, [0.01, 1.0, 100.0]):
        alone = clone(model).set_params(C=fitted.C).fit(X, y)
        assert fitted.gap_ <= 1e-6
        assert fitted.objective_ == pytest.approx(alone.objective_, rel=2e-6)
        assert fitted.get_params() == alone.get_params()
    assert not hasattr(model, "coef_")


def test_too_few_rows_to_leave_any_out() -> None:
    with pytest.raises(DataError, match="every class needs 2 rows; one has 1"):
        LinearSVM(C="cv").fit([[0.0], [1.0], [2.0]], [0, 0, 1])


@pytest.mark.parametrize("C", ["CV", "", "1", 0, -1.0, np.nan, None])
def test_wrong_values_of_C(C: Any) -> None:  # noqa: N802
    with pytest.raises(ParameterError, match="C must be"):
        LinearSVM(C=C).fit([[0.0], [1.0]], [0, 1])
