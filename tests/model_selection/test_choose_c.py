"""C by cross-validation, and the path of warm starts."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import StratifiedKFold

from rosenblatt import LinearSVM, LogisticRegression, builtin, regularisation_path
from rosenblatt.data import training_data
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.model_selection import choose_c
from rosenblatt.model_selection.choose_c import Race

MODELS = [LinearSVM(), LinearSVM(loss="squared_hinge"), LogisticRegression()]
UNIQUE = [
    LinearSVM(loss="squared_hinge"),
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
]
SEED = int(np.random.RandomState(0).randint(2**31))  # that random_state=0 gives the folds


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
    monkeypatch.setattr(type(model), "_selection_tol", 0.0)
    X, y = noisy(k=k)
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = clone(model).set_params(C="cv", tol=1e-10)
    chosen = clone(model).fit(X, y, sample_weight=weights)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y))
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


def crowd() -> Any:
    """So many rows that one fold tells most values of C apart."""
    return noisy(2600)


def wide() -> Any:
    """So many features that both long and short weights do badly."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 60))
    return X, (X @ rng.normal(size=60) / 3 + 2 * rng.normal(size=300) > 0).astype(int)


def separate_marks(model: Any, X: Any, y: Any, folds: Any) -> Any:
    """Marks of all rows, a line a C, each by a fit of its own that did not see the row."""
    marks = np.empty((len(choose_c.CS), len(y)))
    for line, C in zip(marks, choose_c.CS, strict=True):
        for seen, held in folds:
            alone = clone(model).set_params(C=C).fit(X[seen], y[seen])
            if isinstance(model, LogisticRegression):
                line[held] = alone.predict_log_proba(X[held])[np.arange(len(held)), y[held]]
            else:
                line[held] = alone.predict(X[held]) == y[held]
    return marks


@pytest.mark.parametrize("data", [crowd, wide])
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_choice_is_that_of_separate_fits(model: Any, data: Any) -> None:
    X, y = data()
    chosen = clone(model).set_params(C="cv").fit(X, y)
    folds = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y))
    marks = separate_marks(model, X, y, folds)
    means = np.mean([marks[:, held].mean(axis=1) for _, held in folds], axis=0)
    best, ours = int(means.argmax()), choose_c.CS.index(chosen.C_)
    behind = marks[best] - marks[ours]
    noise = choose_c.N_STANDARD_ERRORS * behind.std() / np.sqrt(len(y))
    assert behind.mean() <= noise + choose_c.RELATIVE_TIE * abs(means[best])
    if data is wide:  # elsewhere the scores are level around the best
        assert ours == best


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_many_rows_spare_most_fits(model: Any) -> None:
    X, y = noisy(40_000)  # with fewer, chance decides how many are close
    results = clone(model).set_params(C="cv").fit(X, y).cv_results_
    fits = np.isfinite(results["scores"])
    assert fits[:, 0].all()
    assert fits.sum() <= 20  # of 85
    whole = fits.all(axis=1)
    assert whole.any()
    means = results["scores"][whole].mean(axis=1)
    np.testing.assert_allclose(results["mean_score"][whole], means)
    assert results["mean_score"].max() == pytest.approx(means.max(), rel=1e-4)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_threads_change_no_choice(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_data, "MIN_THREADED_ENTRIES", 1)
    monkeypatch.setattr(training_data, "BLOCK_ROWS", 500)
    monkeypatch.setattr(training_data, "BLOCK_ENTRIES", 1)
    X, y = crowd()
    alone, together = (clone(model).set_params(C="cv", n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(alone.coef_, together.coef_)
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(values, together.cv_results_[name])


def race_of(marks: Any) -> Race:
    """Run a race with marks given: [value][fold][row]."""
    folds = [np.ones(len(rows)) for rows in marks[0]]
    race = Race(lambda value, fold: np.asarray(marks[value][fold], float), folds)
    for value in range(len(marks)):
        race.run(value, len(folds))
    return race


def test_a_clearly_worse_value_is_out_of_the_race_and_a_close_one_is_not() -> None:
    right = np.ones(100)
    close, worse = right.copy(), right.copy()
    right[:10] = close[1:12] = worse[:30] = 0.0
    race = race_of([[worse], [close], [right]])
    assert race.leader([0, 1, 2]) == 2
    assert race.candidates([0, 1, 2]) == [1, 2]


def test_rows_that_all_agree_prove_little_while_they_are_few() -> None:
    for n, left in ((30, [0, 1]), (3000, [0])):
        marks = np.arange(n) % 10 > 0
        assert race_of([[marks], [marks]]).candidates([0, 1]) == left


def test_the_smaller_of_level_values_leads() -> None:
    race = race_of([[[0.5, 0.5]], [[0.9, 0.7]], [[0.90001, 0.7]]])
    assert race.leader([0, 1, 2]) == 1


def test_a_spared_fold_is_made_up_for_by_the_leader() -> None:
    race = Race(lambda value, fold: np.array([value + fold, 0.0]), [np.ones(2)] * 2)
    race.run(0, 1)
    race.run(2, 2)
    table = race.table(2, 2)
    np.testing.assert_array_equal(table["scores"], [[0.0, np.nan], [1.0, 1.5]])
    np.testing.assert_array_equal(table["mean_score"], [0.25, 1.25])


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
