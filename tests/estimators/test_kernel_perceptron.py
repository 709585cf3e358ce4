"""What only a kernel perceptron does: supports, budgets, tables of kernel values, columns."""

import itertools
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import KernelPerceptron, builtin
from rosenblatt.datasets import synthetic
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.losses import kernel_functions
from rosenblatt.online import kernelized
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats

IRIS, RINGS = builtin("iris"), builtin("rings")
OVERLAP_X, OVERLAP_Y, _ = synthetic.overlapping(n=300, d=3, distance=1.5, seed=2)
KERNELS = {
    "linear": KernelPerceptron("linear", max_iter=8),
    "poly": KernelPerceptron("poly", degree=2, coef0=1, max_iter=8),
    "rbf": KernelPerceptron(max_iter=8),
    "rbf ovr average": KernelPerceptron(max_iter=8, multi_class="ovr", keep="average"),
    "rbf pocket": KernelPerceptron(max_iter=8, keep="pocket"),
    "rbf budget": KernelPerceptron(max_iter=8, budget=20),
}
EVERY = pytest.mark.parametrize("estimator", KERNELS.values(), ids=KERNELS)
STORAGES: dict[str, Any] = {
    "float32": lambda X: X.astype(np.float32),
    "F order": np.asfortranarray,
    "csr": sparse.csr_array,
    "csr of 64 bit": lambda X: with_long_indices(sparse.csr_array(X.astype(np.float32))),
    "csc": sparse.csc_array,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "list": lambda X: X.tolist(),
}


def with_long_indices(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype("i8"), matrix.indptr.astype("i8")
    return matrix


def what(model: Any) -> dict[str, Any]:
    return {
        "support": model.support_.tolist(),
        "deltas": model.dual_coef_.tolist(),
        "of each class": model.n_support_.tolist(),
        "trace": model.trace_.as_dicts() if hasattr(model, "trace_") else None,
    }


# --- the sum ------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("storage", ["dense", "csr"])
def test_the_supports_are_rows_of_x_and_make_the_scores(estimator: Any, storage: str) -> None:
    X = sparse.csr_array(IRIS.X) if storage == "csr" else IRIS.X
    model = clone(estimator).fit(X, IRIS.y)
    rows = model.support_vectors_
    assert sparse.issparse(rows) == (storage == "csr")
    rows = rows.toarray() if storage == "csr" else rows
    np.testing.assert_array_equal(rows, IRIS.X[model.support_])
    assert model.dual_coef_.shape == (3, len(model.support_))
    assert model.dual_coef_.any(axis=0).all()
    own = IRIS.y[model.support_]
    assert model.n_support_.tolist() == [np.sum(own == c) for c in model.classes_]
    kernel = kernel_functions.Kernel(
        model.kernel, model.gamma_, model.degree, model.coef0, offset=1.0
    )
    table = kernel.between(kernel.points(rows), kernel.points(IRIS.X))
    np.testing.assert_allclose(model.decision_function(X), (model.dual_coef_ @ table).T, atol=1e-9)


@EVERY
def test_a_row_has_the_same_score_alone_and_in_company(estimator: Any) -> None:
    for X in (IRIS.X, sparse.csr_array(IRIS.X)):
        model = clone(estimator).fit(X, IRIS.y)
        scores = model.decision_function(X)
        alone = [model.decision_function(X[[i]])[0] for i in range(len(IRIS.y))]
        np.testing.assert_array_equal(alone, scores)
        np.testing.assert_array_equal(model.predict(X), model.classes_[scores.argmax(axis=1)])


def test_rows_are_scored_in_parts_without_changing_a_bit(monkeypatch: Any) -> None:
    model = KernelPerceptron(max_iter=8).fit(OVERLAP_X, OVERLAP_Y)
    at_once = model.decision_function(OVERLAP_X)
    monkeypatch.setattr(kernelized, "KERNEL_BLOCK_BYTES", 1)
    np.testing.assert_array_equal(model.decision_function(OVERLAP_X), at_once)


def test_weights_are_known_with_the_linear_kernel_only() -> None:
    model = KernelPerceptron().fit(IRIS.X, IRIS.y)
    assert not hasattr(model, "coef_")
    assert not hasattr(model, "intercept_")
    line = KernelPerceptron("linear", max_iter=5, fit_intercept=False).fit(IRIS.X, IRIS.y)
    assert line.coef_.shape == (3, 4)
    assert line.intercept_.tolist() == [0, 0, 0]
    for X in (IRIS.X.astype(np.float32), sparse.csr_array(IRIS.X)):
        assert clone(line).fit(X, IRIS.y).coef_.dtype == np.float64


# --- storages, seeds, labels --------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("storage", STORAGES)
def test_every_storage_of_whole_numbers_gives_the_same_bits(estimator: Any, storage: str) -> None:
    X = np.round(2 * OVERLAP_X)
    y = np.arange(300) % 3 if estimator.keep == "average" else OVERLAP_Y
    stored = STORAGES[storage](X)
    model, referee = clone(estimator).fit(stored, y), clone(estimator).fit(X, y)
    assert what(model) == what(referee)
    if storage not in {"pandas", "polars"}:
        np.testing.assert_array_equal(model.decision_function(X), referee.decision_function(X))


@settings(max_examples=25)
@given(
    name=st.sampled_from(list(KERNELS)),
    seed=st.integers(0, 2**20),
    cuts=st.lists(st.integers(1, 59)),
    sparse_rows=st.booleans(),
    single=st.booleans(),
)
def test_a_stream_gives_the_same_bits_however_it_is_cut(
    name: str, seed: int, cuts: list[int], *, sparse_rows: bool, single: bool
) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 9)), rng.integers(0, 3, size=60)
    X = X.astype(np.float32) if single else X
    X = sparse.csr_array(X) if sparse_rows else X
    at_once = clone(KERNELS[name]).partial_fit(X, y)
    for ends in ([0, *sorted(set(cuts)), 60], list(range(61))):
        model = clone(KERNELS[name])
        for a, b in itertools.pairwise(ends):
            model.partial_fit(X[a:b], y[a:b])
        assert what(model) == what(at_once)
        np.testing.assert_array_equal(model.decision_function(X), at_once.decision_function(X))


def test_parts_of_a_chunk_change_no_bit(monkeypatch: Any) -> None:
    at_once = what(KernelPerceptron(budget=15).partial_fit(OVERLAP_X, OVERLAP_Y))
    monkeypatch.setattr(kernelized, "STREAM_ROWS", 7)
    assert what(KernelPerceptron(budget=15).partial_fit(OVERLAP_X, OVERLAP_Y)) == at_once


def test_a_stream_may_change_its_storage() -> None:
    X = np.round(2 * OVERLAP_X)
    whole = KernelPerceptron().partial_fit(X, OVERLAP_Y)
    for first, second in itertools.permutations([np.asarray, sparse.csr_array], 2):
        model = KernelPerceptron().partial_fit(first(X[:150]), OVERLAP_Y[:150])
        model.partial_fit(second(X[150:]), OVERLAP_Y[150:])
        assert what(model) == what(whole)
        assert sparse.issparse(model.support_vectors_) == (first is sparse.csr_array)


def test_a_stream_goes_on_from_a_fit_and_counts_its_rows_on() -> None:
    model = KernelPerceptron(max_iter=3).fit(OVERLAP_X[:200], OVERLAP_Y[:200])
    before, scores = model.support_, model.decision_function(OVERLAP_X[200:])
    gamma = model.gamma_
    model.partial_fit(OVERLAP_X[200:], OVERLAP_Y[200:])
    joined = model.support_[len(before) :]
    np.testing.assert_array_equal(model.support_[: len(before)], before)
    assert 200 <= joined.min() <= joined.max() < 300
    np.testing.assert_array_equal(model.support_vectors_, OVERLAP_X[model.support_])
    wrong = np.flatnonzero(np.where(OVERLAP_Y[200:] == 1, 1, -1) * scores <= 0)
    assert joined[0] == 200 + wrong[0]
    assert model.n_support_.sum() == len(model.support_)
    assert model.gamma_ == gamma
    assert model.outcome_.ending is Ending.STREAM
    assert model.t_ == 700


def test_a_stream_knows_no_variance() -> None:
    assert KernelPerceptron().partial_fit(IRIS.X, IRIS.y).gamma_ == 1 / 4
    assert KernelPerceptron(gamma=2).partial_fit(IRIS.X, IRIS.y).gamma_ == 2


# --- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("forget", ["smallest", "oldest"])
@pytest.mark.parametrize("multi_class", ["kesler", "ovr"])
def test_a_budget_that_is_never_full_changes_nothing(forget: str, multi_class: str) -> None:
    settings = {"max_iter": 10, "multi_class": multi_class, "forget": forget}
    free = KernelPerceptron(**settings).fit(IRIS.X, IRIS.y)
    budget = len(free.support_)
    roomy = KernelPerceptron(**settings, budget=budget).fit(IRIS.X, IRIS.y)
    unbounded = [replace(record, margin_upper=None, margin_lower=None) for record in free.trace_]
    assert list(roomy.trace_) == unbounded  # the theorem knows no budget
    assert what(roomy) | {"trace": None} == what(free) | {"trace": None}
    tight = KernelPerceptron(**settings, budget=budget - 1).fit(IRIS.X, IRIS.y)
    assert what(tight) != what(free)
    stream = KernelPerceptron(**settings).partial_fit(IRIS.X, IRIS.y)
    roomy = KernelPerceptron(**settings, budget=len(stream.support_))
    assert what(roomy.partial_fit(IRIS.X, IRIS.y)) == what(stream)


def textbook_budget(
    K: Floats, y: Array, passes: int, budget: int, forget: str
) -> tuple[Floats, list[int]]:
    """Referee: two classes, file order."""
    signs, delta, joined, mistakes = np.where(y == 1, 1, -1), np.zeros(len(y)), [], []
    for _ in range(passes):
        mistakes.append(0)
        for i in range(len(y)):
            if signs[i] * (delta @ K[:, i]) <= 0:
                mistakes[-1] += 1
                delta[i] += signs[i]
                joined += [i] if i not in joined else []
                if len(joined) > budget:
                    old = joined[:-1]
                    gone = min(old, key=lambda j: abs(delta[j])) if forget == "smallest" else old[0]
                    joined.remove(gone)
                    delta[gone] = 0
    return delta, mistakes


@pytest.mark.parametrize("forget", ["smallest", "oldest"])
@pytest.mark.parametrize("budget", [1, 2, 10, 40])
def test_a_full_budget_forgets_as_the_textbook_does(budget: int, forget: str) -> None:
    X = np.round(3 * OVERLAP_X)
    K = (X @ X.T + 1) ** 2 + 1
    settings = {"kernel": "poly", "degree": 2, "gamma": 1, "coef0": 1, "shuffle": False}
    for passes in (1, 5):
        delta, mistakes = textbook_budget(K, OVERLAP_Y, passes, budget, forget)
        model = KernelPerceptron(**settings, max_iter=passes, budget=budget, forget=forget)
        model.fit(X, OVERLAP_Y)
        assert model.trace_.column("mistakes") == mistakes
        assert len(model.support_) == budget
        np.testing.assert_array_equal(model.support_, np.flatnonzero(delta))
        np.testing.assert_array_equal(model.dual_coef_[0], delta[model.support_])
    one_epoch, _ = textbook_budget(K, OVERLAP_Y, 1, budget, forget)
    stream = KernelPerceptron(**settings, budget=budget, forget=forget)
    for start in range(0, 300, 50):
        cut = slice(start, start + 50)
        stream.partial_fit(X[cut], OVERLAP_Y[cut])
    assert stream.support_.tolist() == np.flatnonzero(one_epoch).tolist()
    np.testing.assert_array_equal(stream.dual_coef_[0], one_epoch[stream.support_])


def test_a_budget_keeps_an_endless_stream_small() -> None:
    model, sizes = KernelPerceptron(budget=30), []
    for seed in range(6):
        X, y, _ = synthetic.overlapping(n=200, d=3, distance=1.5, seed=seed)
        sizes.append(len(pickle.dumps(model.partial_fit(X, y))))
    assert len(model.support_) == 30
    assert model.mistakes_ > 100
    assert max(sizes[1:]) - min(sizes[1:]) < 100


@pytest.mark.parametrize("keep", ["average", "pocket"])
def test_a_budget_goes_with_the_last_weights_only(keep: str) -> None:
    model = KernelPerceptron(budget=5, keep=keep)
    with pytest.raises(ParameterError, match=r"budget=5.*keep"):
        model.fit(IRIS.X, IRIS.y)


# --- columns ------------------------------------------------------------------------------------


@pytest.mark.parametrize("cache_size", [0, 0.01, 0.05, 200])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_neither_cache_nor_threads_change_a_bit(
    cache_size: float, n_jobs: int | None, monkeypatch: Any
) -> None:
    referee = KernelPerceptron(max_iter=8).fit(OVERLAP_X, OVERLAP_Y)
    monkeypatch.setattr(kernelized, "BLOCK_ROWS", 64)
    model = KernelPerceptron(max_iter=8, cache_size=cache_size, n_jobs=n_jobs)
    assert what(model.fit(OVERLAP_X, OVERLAP_Y)) == what(referee)


def test_a_repeated_mistake_reuses_its_column() -> None:
    asked: list[int] = []

    def counting(A: Any, B: Any) -> Any:
        asked.append(len(B))
        return A @ B.T

    model = KernelPerceptron(counting, max_iter=20).fit(OVERLAP_X, OVERLAP_Y)
    assert asked == [1] * len(model.support_)
    assert model.mistakes_ > 2 * len(asked)
    asked.clear()
    again = KernelPerceptron(counting, max_iter=20, cache_size=0).fit(OVERLAP_X, OVERLAP_Y)
    assert len(asked) == again.mistakes_ == model.mistakes_


# --- scikit-learn's company ---------------------------------------------------------------------


@EVERY
def test_pipelines_pickles_and_clones(estimator: Any) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    assert cross_val_score(pipeline, IRIS.X, IRIS.y, cv=3).mean() > 0.75
    model = clone(estimator).fit(IRIS.X, IRIS.y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(IRIS.X), model.decision_function(IRIS.X))
    assert str(again.outcome_) == str(model.outcome_)
    model.partial_fit(IRIS.X, IRIS.y)
    assert what(again.partial_fit(IRIS.X, IRIS.y)) == what(model)
    assert not hasattr(clone(model), "support_")


def test_a_grid_search_over_gamma() -> None:
    grid = {"gamma": [1e-6, 0.5, 1e4]}
    search = GridSearchCV(KernelPerceptron(max_iter=20), grid, cv=3).fit(RINGS.X, RINGS.y)
    assert search.best_params_ == {"gamma": 0.5}
    assert search.best_score_ > 0.95


def test_a_table_of_kernel_values_is_cut_both_ways_by_cross_validation() -> None:
    table = np.exp(-0.5 * np.square(RINGS.X[:, None] - RINGS.X[None]).sum(axis=2))
    scores = cross_val_score(KernelPerceptron("precomputed"), table, RINGS.y, cv=4)
    np.testing.assert_array_equal(
        scores, cross_val_score(KernelPerceptron(gamma=0.5), RINGS.X, RINGS.y, cv=4)
    )


@EVERY
def test_calibration_gives_probabilities(estimator: Any) -> None:
    model = CalibratedClassifierCV(clone(estimator), cv=3, ensemble=False)
    chances = model.fit(IRIS.X, IRIS.y).predict_proba(IRIS.X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert np.mean(model.classes_[chances.argmax(axis=1)] == IRIS.y) > 0.6


def test_tol_stops_when_the_loss_no_longer_falls() -> None:
    settings = {"kernel": "linear", "n_iter_no_change": 3}
    model = KernelPerceptron(**settings, tol=0.05).fit(OVERLAP_X, OVERLAP_Y)
    assert model.outcome_.ending is Ending.LOSS_STALLED
    spent = KernelPerceptron(**settings, max_iter=5).fit(OVERLAP_X, OVERLAP_Y)
    assert spent.outcome_.ending is Ending.MAX_EPOCHS_REACHED
    assert spent.n_iter_ == 5


# --- what is refused ----------------------------------------------------------------------------


def test_a_kernel_of_one_s_own_must_give_a_table() -> None:
    for wrong in (lambda A, B: A @ A.T, lambda A, B: 1.0, lambda A, B: np.ones(len(A))):  # noqa: ARG005
        model = KernelPerceptron(wrong)
        with pytest.raises(
            ParameterError, match=r"kernel must return a matrix of shape \(150, 1\)"
        ):
            model.fit(IRIS.X, IRIS.y)
        assert vars(model) == vars(KernelPerceptron(wrong))

    def broken(A: Any, B: Any) -> Any:
        return np.full((len(A), len(B)), np.nan)

    with pytest.raises(ParameterError, match="kernel must return finite numbers"):
        KernelPerceptron(broken).fit(IRIS.X, IRIS.y)


def test_a_table_must_be_square_dense_and_of_one_fit() -> None:
    model = KernelPerceptron("precomputed")
    with pytest.raises(DataError, match="square"):
        model.fit(IRIS.X, IRIS.y)
    with pytest.raises(DataError, match="dense"):
        model.fit(sparse.csr_array(IRIS.X @ IRIS.X.T), IRIS.y)
    with pytest.raises(ParameterError, match="partial_fit"):
        model.partial_fit(IRIS.X @ IRIS.X.T, IRIS.y)
    assert vars(model) == vars(KernelPerceptron("precomputed"))
    model.fit(IRIS.X @ IRIS.X.T, IRIS.y)
    with pytest.raises(ValueError, match="150 features"):
        model.predict(IRIS.X)
    with pytest.raises(DataError, match="dense"):
        model.predict(sparse.csr_array(IRIS.X @ IRIS.X.T))


@pytest.mark.parametrize(
    "change",
    [{"kernel": "poly"}, {"degree": 2}, {"gamma": 3}, {"coef0": 1.0}, {"fit_intercept": False}],
    ids=str,
)
def test_a_stream_keeps_its_kernel(change: dict[str, Any]) -> None:
    model = KernelPerceptron().partial_fit(IRIS.X, IRIS.y).set_params(**change)
    with pytest.raises(ParameterError, match="cannot change in a stream"):
        model.partial_fit(IRIS.X, IRIS.y)
