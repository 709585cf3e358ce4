"""Regressors: agreement with numpy, exact fractions, scikit-learn's ridge and a textbook loop."""

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error
from sklearn.pipeline import make_pipeline

from rosenblatt import LeastSquaresRegressor, LMSRegressor, Perceptron, load, save
from rosenblatt.errors import DataError, ModelError, ParameterError
from rosenblatt.features import Polynomial
from rosenblatt.online.result import Ending
from rosenblatt.types import Floats

STORAGES: dict[str, Callable[[Floats], Any]] = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": sparse.csr_array,
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
}
RNG = np.random.default_rng(5)
N, D = 2500, 4  # more rows than are factored at once
X = RNG.normal(size=(N, D)).astype(np.float32).astype(float)
X[RNG.uniform(size=X.shape) < 1 / 3] = 0
TARGETS = X @ RNG.normal(size=(D, 2)) + [3, -5] + RNG.normal(size=(N, 2))
WEIGHTS = RNG.integers(0, 4, N).astype(float)


def extended(rows: Floats) -> Floats:
    return np.column_stack([rows, np.ones(len(rows))])


def weights_of(model: Any) -> Floats:
    return np.column_stack([np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)])


# --- the closed form ----------------------------------------------------------------------------


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("weighted", [False, True])
def test_least_squares_is_that_of_numpy(storage: str, *, weighted: bool) -> None:
    """A row of weight k is k rows."""
    times = WEIGHTS.astype(int) if weighted else np.ones(N, int)
    model = LeastSquaresRegressor().fit(
        STORAGES[storage](X), TARGETS, WEIGHTS if weighted else None
    )
    best = np.linalg.lstsq(extended(np.repeat(X, times, 0)), np.repeat(TARGETS, times, 0))[0].T
    np.testing.assert_allclose(weights_of(model), best, rtol=1e-12)
    assert model.rank_ == D
    one = LeastSquaresRegressor(fit_intercept=False).fit(STORAGES[storage](X), TARGETS[:, 0])
    np.testing.assert_allclose(one.coef_, np.linalg.lstsq(X, TARGETS[:, 0])[0], rtol=1e-12)
    assert one.intercept_ == 0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_penalty_is_that_of_ridge_regression(*, fit_intercept: bool) -> None:
    settings = {"alpha": 50.0, "fit_intercept": fit_intercept}
    model = LeastSquaresRegressor(**settings).fit(X, TARGETS, WEIGHTS)
    ridge = Ridge(**settings, solver="cholesky").fit(X, TARGETS, WEIGHTS)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-9)
    assert model.score(X, TARGETS) == pytest.approx(ridge.score(X, TARGETS), rel=1e-9)


def test_a_large_penalty_costs_no_digits() -> None:
    """w → Xᵀy / α with centred rows; normal equations would do, rows in another order would not."""
    model = LeastSquaresRegressor(alpha=1e30).fit(X, TARGETS)
    centred, targets = X - X.mean(axis=0), TARGETS - TARGETS.mean(axis=0)
    np.testing.assert_allclose(1e30 * model.coef_, targets.T @ centred, rtol=1e-9)


def exact_polynomial(x: Floats, y: Floats) -> list[Fraction]:
    """The polynomial through some points, by elimination in fractions: constant first."""
    rows = [
        [Fraction(float(a)) ** k for k in range(len(x))] + [Fraction(float(b))]
        for a, b in zip(x, y, strict=True)
    ]
    for k in range(len(rows)):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for other in range(len(rows)):
            if other != k:
                factor = rows[other][k]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[k], strict=True)]
    return [row[-1] for row in rows]


def test_a_polynomial_through_ten_points_of_the_unit_interval() -> None:
    """Moments, being squares, would resolve only seven of the nine powers."""
    x = np.linspace(0, 1, 10)
    y = np.sin(2 * np.pi * x) + RNG.normal(size=10) / 5
    model = make_pipeline(Polynomial(9), LeastSquaresRegressor()).fit(x[:, None], y)
    wanted = np.array([float(c) for c in exact_polynomial(x, y)])
    found = np.append(model[-1].intercept_, model[-1].coef_)
    np.testing.assert_allclose(found, wanted, rtol=1e-8)
    np.testing.assert_allclose(model.predict(x[:, None]), y, atol=1e-8)


@pytest.mark.parametrize("degree", [1, 3, 8, 15])
def test_polynomial_regression_is_that_of_numpy(degree: int) -> None:
    x = np.linspace(-1, 1, 200)
    y = np.exp(x) + RNG.normal(size=200)
    model = make_pipeline(Polynomial(degree), LeastSquaresRegressor()).fit(x[:, None], y)
    wanted = np.polynomial.polynomial.polyfit(x, y, degree)
    np.testing.assert_allclose(np.append(model[-1].intercept_, model[-1].coef_), wanted, rtol=1e-8)


def test_of_dependent_features_the_shortest_weights() -> None:
    twice = np.column_stack([X, X[:, :2] @ [[1.0, 1e-4], [2.0, 0.0]], np.full(N, 7.0)])
    model = LeastSquaresRegressor().fit(twice, TARGETS)
    centred, targets = twice - twice.mean(axis=0), TARGETS - TARGETS.mean(axis=0)
    np.testing.assert_allclose(model.coef_, (np.linalg.pinv(centred) @ targets).T, atol=1e-12)
    assert model.rank_ == D
    assert model.outcome_.ending is Ending.SOLVED_SHORTEST


def test_powers_that_float64_cannot_tell_apart_still_fit() -> None:
    """x⁹ of a year is 1e30, and the weights differ in size as much."""
    x = np.linspace(2000, 2020, 100)
    y = np.sin(x)
    model = make_pipeline(Polynomial(9), LeastSquaresRegressor()).fit(x[:, None], y)
    assert model[-1].rank_ < 9
    cubic = np.polynomial.Polynomial.fit(x, y, 3)
    error = mean_squared_error(y, model.predict(x[:, None]))
    assert error < mean_squared_error(y, cubic(x))


def test_data_far_from_zero_lose_no_digits() -> None:
    far = X + 2.0**30
    near = LeastSquaresRegressor().fit(far - 2.0**30, TARGETS)
    np.testing.assert_allclose(LeastSquaresRegressor().fit(far, TARGETS).coef_, near.coef_, 1e-9)


@pytest.mark.parametrize("storage", STORAGES)
def test_a_stream_ends_where_fit_does(storage: str) -> None:
    rows = STORAGES[storage](X)
    stream = LeastSquaresRegressor(alpha=2.0)
    for part in np.split(np.arange(N), [1, 2, 30, 2000]):
        stream.partial_fit(rows[part], TARGETS[part], WEIGHTS[part] + (part < 2))
    whole = LeastSquaresRegressor(alpha=2.0)
    whole.fit(rows, TARGETS, WEIGHTS + (np.arange(N) < 2))
    np.testing.assert_allclose(weights_of(stream), weights_of(whole), rtol=1e-12)
    assert str(stream.outcome_) == str(whole.outcome_) == "Solved in closed form from 2,500 rows."


def test_threads_change_no_bit() -> None:
    rows = RNG.normal(size=(40_000, 60))
    one, two = (LeastSquaresRegressor(n_jobs=n).fit(rows, rows[:, 0]) for n in (1, 2))
    assert one.coef_.tolist() == two.coef_.tolist()


def test_constant_targets_are_met_exactly() -> None:
    model = LeastSquaresRegressor().fit(X, np.full(N, 0.1))
    assert model.coef_.tolist() == [0.0] * D
    assert model.score(X, np.full(N, 0.1)) == 1.0


# --- sample by sample ---------------------------------------------------------------------------


def textbook(rate: str, size: int, weights: Floats, eta: float, epochs: int) -> Floats:
    """Widrow and Hoff's rule as the lecture has it, the weight of a row scaling its step."""
    W, rows, steps = np.zeros((2, D + 1)), extended(X[:90]), 0
    for _ in range(epochs):
        for start in range(0, 90, size):
            steps += 1
            x, t, w = (part[start : start + size] for part in (rows, TARGETS[:90], weights))
            step = {"constant": eta, "1/n": eta / steps}.get(rate)
            if step is None:
                squares = (x * x).sum(axis=1)
                step = eta / (squares.sum() if size == 1 else w @ squares)
            W = W + step * (w[:, None] * (t - x @ W.T)).T @ x
    return W


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("rate", ["constant", "1/n", "normalised"])
@pytest.mark.parametrize("size", [1, 16, None])
def test_lms_is_the_textbook_loop(storage: str, rate: str, size: int | None) -> None:
    settings = {"learning_rate": rate, "batch_size": size, "tol": None, "max_iter": 3}
    eta = 0.5 if rate == "normalised" else 0.004
    model = LMSRegressor(eta0=eta, shuffle=False, **settings)
    model.fit(STORAGES[storage](X[:90]), TARGETS[:90], sample_weight=WEIGHTS[:90])
    wanted = textbook(rate, size or 90, WEIGHTS[:90], eta, 3)
    np.testing.assert_allclose(weights_of(model), wanted, rtol=1e-9, atol=1e-12)
    one = LMSRegressor(eta0=eta, shuffle=False, **settings)
    one.fit(STORAGES[storage](X[:90]), TARGETS[:90, 1], sample_weight=WEIGHTS[:90])
    np.testing.assert_array_equal(one.coef_, model.coef_[1])


def test_lms_comes_near_least_squares_in_any_unit() -> None:
    best = LeastSquaresRegressor().fit(X, TARGETS[:, 0])
    for unit in (1.0, 1e-6, 1e6):
        model = LMSRegressor(eta0=0.001).fit(X, unit * TARGETS[:, 0])
        assert model.outcome_.ending is Ending.REGRESSION_STALLED
        np.testing.assert_allclose(model.coef_ / unit, best.coef_, atol=0.05)


def test_errors_of_each_epoch_are_those_of_its_weights() -> None:
    settings = {"eta0": 0.004, "tol": None, "shuffle": False}
    model = LMSRegressor(max_iter=4, track_error=True, **settings)
    model.fit(X[:90], TARGETS[:90], X_val=X[90:], y_val=TARGETS[90:])
    for record in model.trace_:
        cut = LMSRegressor(max_iter=record.epoch, **settings).fit(X[:90], TARGETS[:90])
        for error, rows in (
            (record.training_error, slice(90)),
            (record.validation_error, slice(90, N)),
        ):
            assert error == pytest.approx(
                mean_squared_error(TARGETS[rows], cut.predict(X[rows])), rel=1e-12
            )
    assert model.n_iter_ == 4


def test_one_step_on_the_whole_set_is_half_the_slides_gradient() -> None:
    """Lecture 002, eq. 9 and 10: w ← w − μ (XXᵀw − Xy) from a given start."""
    rows, start = extended(X[:50]), np.array([0.5, -1.0, 0.0, 2.0, 1.0])
    model = LMSRegressor(batch_size=None, eta0=0.01, max_iter=1, tol=None)
    model.fit(X[:50], TARGETS[:50, 0], coef_init=start[:-1], intercept_init=start[-1])
    wanted = start - 0.01 * (rows.T @ rows @ start - rows.T @ TARGETS[:50, 0])
    np.testing.assert_allclose(weights_of(model)[0], wanted, rtol=1e-12)


def test_a_stream_is_one_epoch_in_order() -> None:
    settings = {"eta0": 0.01, "shuffle": False, "tol": None}
    whole = LMSRegressor(max_iter=1, **settings).fit(X[:90], TARGETS[:90])
    stream = LMSRegressor(**settings)
    for part in np.split(np.arange(90), [1, 2, 40]):
        stream.partial_fit(X[part], TARGETS[part])
    assert weights_of(stream).tolist() == weights_of(whole).tolist()
    assert stream.t_ == 90
    assert "90 rows" in str(stream.outcome_)


def test_steps_that_are_too_large() -> None:
    model = LMSRegressor(eta0=10.0).fit(X, TARGETS)
    assert model.outcome_.ending is Ending.DIVERGED
    assert np.isfinite(model.coef_).all()
    advised = float(re.findall(r"eta0=([\d.e-]+)`?,", str(model.outcome_))[0])
    better = LMSRegressor(eta0=advised).fit(X, TARGETS)
    assert better.outcome_.ending is Ending.REGRESSION_STALLED
    stream = LMSRegressor(eta0=0.001).partial_fit(X[:50], TARGETS[:50])
    before = stream.coef_.copy()
    stream.set_params(eta0=1e3).partial_fit(X[50:200], TARGETS[50:200])
    assert stream.outcome_.ending is Ending.STREAM_DIVERGED
    assert (stream.coef_ == before).all()


# --- both ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", [LeastSquaresRegressor(), LMSRegressor(max_iter=3)], ids=lambda m: type(m).__name__
)
@pytest.mark.parametrize("outputs", [1, 2])
def test_files_keep_regressors(model: Any, outputs: int, tmp_path: Path) -> None:
    y = TARGETS[:, 0] if outputs == 1 else TARGETS
    save(clone(model).fit(X[:100], y[:100]), tmp_path / "model")
    one, two = load(tmp_path / "model"), clone(model).fit(X[:100], y[:100])
    for each in (one, two):
        each.partial_fit(X[100:], y[100:])
    assert one.predict(X).tolist() == two.predict(X).tolist()
    assert one.predict(X).shape == y.shape
    if hasattr(two, "trace_"):
        assert one.trace_.as_dicts() == two.trace_.as_dicts()


@pytest.mark.parametrize("make", [LeastSquaresRegressor, LMSRegressor])
def test_bad_targets_are_refused(make: Any) -> None:
    y = TARGETS[:, 0].copy()
    y[3] = np.nan
    for bad, words in (
        (y, "NaN at row 3"),
        (TARGETS[:-1], "2499"),
        (["a"] * N, "numbers"),
        (np.zeros((N, 2, 2)), "shape"),
        (np.full(N, np.inf), "infinity"),
        (3.0, "shape"),
        (np.full(N, "1.5"), "numbers"),
        (np.zeros((N, 0)), "shape"),
        (np.full(N, "2026-01-01", "datetime64[D]"), "datetime64"),
        (None, "None"),
    ):
        with pytest.raises(DataError, match=words):
            make().fit(X, bad)
    model = make().fit(X, TARGETS[:, 0])
    with pytest.raises(DataError, match="shape"):
        model.partial_fit(X, TARGETS)
    with pytest.raises(DataError, match=r"column 1.*finite"):
        make().fit(np.where(np.arange(D) == 1, np.nan, X), TARGETS)


def test_numbers_beyond_float64_are_refused() -> None:
    large = 1e308 * np.sign(X)
    for rows, y in ((large, TARGETS), (X, large[:, :2])):
        with pytest.raises(DataError, match="large"):
            LeastSquaresRegressor().fit(rows, y)
    huge, tiny = LeastSquaresRegressor().fit(1e200 * X, TARGETS), LeastSquaresRegressor()
    tiny.fit(1e-200 * X, TARGETS)
    np.testing.assert_allclose(1e200 * huge.coef_, 1e-200 * tiny.coef_, rtol=1e-9)


def test_targets_whose_squares_leave_float64() -> None:
    with pytest.raises(DataError, match="Scale y"):
        LMSRegressor().fit(X, 1e160 * TARGETS)
    with pytest.raises(DataError, match="Scale y"):
        LMSRegressor().partial_fit(X, 1e160 * TARGETS)


def test_validation_rows_fit_the_training_rows() -> None:
    refused = (
        ({"X_val": X}, "y_val", ParameterError),
        ({"X_val": X, "y_val": TARGETS[:, 0]}, "shape", DataError),
        ({"X_val": X[:, :2], "y_val": TARGETS}, "2 features", DataError),
        ({"X_val": X, "y_val": TARGETS[:9]}, "9", DataError),
        ({"X_val": np.full_like(X, np.nan), "y_val": TARGETS}, "X_val", DataError),
    )
    for given, words, kind in refused:
        model = LMSRegressor()
        with pytest.raises(kind, match=words):
            model.fit(X, TARGETS, **given)
        assert not hasattr(model, "coef_")


def test_classifiers_name_the_regressors() -> None:
    with pytest.raises(DataError, match=r"continuous.*LeastSquaresRegressor"):
        Perceptron().fit(X, TARGETS[:, 0])


def test_a_regressor_is_no_classifier_of_tables(tmp_path: Path) -> None:
    from rosenblatt.persist.file import load_model  # noqa: PLC0415

    save(LeastSquaresRegressor().fit(X, TARGETS[:, 0]), tmp_path / "model")
    with pytest.raises(ModelError, match="least-squares-regressor"):
        load_model(tmp_path / "model")
