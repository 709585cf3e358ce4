"""The separation doctor: textbook cases, exact data, and a linear program as referee."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from rosenblatt import LogisticRegression
from rosenblatt.errors import ParameterError
from rosenblatt.online.result import Ending
from rosenblatt.separation.mle_existence import Separation, listed
from rosenblatt.types import Array, Floats


def fitted(X: Any, y: Any, weights: Any = None, **settings: Any) -> LogisticRegression:
    return LogisticRegression(C=np.inf, **settings).fit(X, y, sample_weight=weights)


def assert_separated(model: LogisticRegression, kind: str) -> None:
    assert model.outcome_.ending is Ending.SEPARATED
    assert not model.outcome_.converged
    assert f"({kind} separation)" in str(model.outcome_)
    assert "With a finite `C` there is an optimum" in str(model.outcome_)
    assert model.gap_ == np.inf
    assert np.isfinite(model.coef_).all()


# --- textbook cases -----------------------------------------------------------------------------


def test_one_feature_completely() -> None:
    model = fitted([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert_separated(model, "complete")
    assert "This feature separates the classes alone: 'x0'." in str(model.outcome_)
    assert model.score([[-2.0], [2.0]], [0, 1]) == 1


def test_one_feature_quasi_completely() -> None:
    # at 0 both classes: the slope grows without end, and P falls to 2 log 2
    model = fitted([[-2.0], [-1.0], [0.0], [0.0], [1.0], [2.0]], [0, 0, 0, 1, 1, 1])
    assert_separated(model, "quasi-complete")
    assert "These coefficients diverge: 'x0'." in str(model.outcome_)
    assert model.objective_ == pytest.approx(2 * np.log(2), abs=1e-3)


def test_two_features_of_which_a_column_separates() -> None:
    # a test that is positive in one class only
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(size=80), "test": np.repeat([0.0, 0.0, 1.0], [40, 20, 20])}
    )
    y = np.where(np.arange(80) < 40, "well", "ill")
    model = fitted(frame, y)
    assert_separated(model, "quasi-complete")
    assert "These coefficients diverge: 'test'." in str(model.outcome_)
    # the intercept of the rows on the boundary is finite, and the age counts as it does among them
    inner = fitted(frame[frame.test == 0][["age"]], y[frame.test == 0], tol=1e-12)
    assert model.coef_[0, 0] == pytest.approx(inner.coef_[0, 0], abs=1e-2)


def test_both_columns_in_turn() -> None:
    # rows behind the first column's direction are left to the second
    X = [[1.0, 0], [2.0, 0], [0, 1.0], [0, 3.0], [0, 0], [0, 0]]
    model = fitted(X, [1, 1, 1, 1, 0, 1])
    assert_separated(model, "quasi-complete")
    assert "These coefficients diverge: 'x0', 'x1'." in str(model.outcome_)


def test_xor_is_not_separated() -> None:
    model = fitted([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert model.outcome_.ending is Ending.CONVERGED


def test_one_row_a_class_and_more_features_than_rows() -> None:
    assert_separated(fitted([[0.0], [1.0]], [0, 1]), "complete")
    rng = np.random.default_rng(1)
    assert_separated(fitted(rng.normal(size=(8, 30)), np.arange(8) % 2), "complete")


def test_without_an_intercept() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    assert_separated(fitted(X, y), "complete")
    assert fitted(X, y, fit_intercept=False).outcome_.converged
    assert_separated(
        fitted([[-1.0], [0.0], [2.0]], [0, 0, 1], fit_intercept=False), "quasi-complete"
    )


def test_rows_of_weight_zero_are_not_there() -> None:
    X, y = [[-2.0], [-1.0], [3.0], [1.0], [2.0]], [0, 0, 0, 1, 1]
    assert fitted(X, y).outcome_.ending is Ending.CONVERGED
    assert_separated(fitted(X, y, [1, 1, 0, 1, 1]), "complete")


@pytest.mark.parametrize("store", [np.float32, np.float64, sparse.csr_array])
@pytest.mark.parametrize("limit", [{}, {"max_iter": 2}, {"time_limit": 1e-6}, {"tol": 0.0}])
def test_in_every_storage_and_however_it_is_stopped(store: Any, limit: dict[str, float]) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 2] = y * (np.arange(60) % 3 == 0)
    model = fitted(store(X), y, **limit)
    assert_separated(model, "quasi-complete")
    assert "These coefficients diverge: 'x2'." in str(model.outcome_)


def test_a_unit_a_class_is_told_of_too() -> None:
    X, y = [[0.0], [1.0], [2.0], [3.0], [1.5], [1.6]], ["a", "a", "b", "b", "c", "b"]
    model = fitted(X, y, multi_class="ovr")
    assert model.outcome_.ending is Ending.SEPARATED


def test_no_penalty_is_an_infinite_price() -> None:
    X, y = [[-2.0], [-1.0], [0.5], [1.0], [2.0]], [0, 1, 0, 1, 1]
    model = LogisticRegression(penalty=None).fit(X, y)
    np.testing.assert_array_equal(model.coef_, fitted(X, y).coef_)
    assert np.isinf(model.C_)


def test_what_it_does_not_take() -> None:
    X = [[0.0], [1.0], [2.0]]
    with pytest.raises(ParameterError, match=r"penalty=None has no C to choose"):
        LogisticRegression(penalty=None, C="cv").fit(X, [0, 1, 1])


# --- several classes by softmax -----------------------------------------------------------------


def test_three_classes_completely() -> None:
    X = np.column_stack([np.arange(30.0), np.tile([0.0, 1.0], 15)])
    model = fitted(X, np.repeat([0, 1, 2], 10))
    assert_separated(model, "complete")
    assert "This feature separates the classes alone: 'x0'." in str(model.outcome_)
    assert model.score(X, np.repeat([0, 1, 2], 10)) == 1


def test_one_class_apart_from_two_that_overlap() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.repeat(["a", "b", "c"], 30)
    X[:30] += [0.0, 100.0]
    model = fitted(pd.DataFrame(X, columns=["noise", "height"]), y)
    assert_separated(model, "quasi-complete")
    assert "At least these diverge: " in str(model.outcome_)
    assert "'height'" in str(model.outcome_)


def test_a_row_of_no_weight_does_not_keep_classes_together() -> None:
    X, y = np.arange(7.0)[:, None], [0, 0, 1, 1, 2, 2, 0]
    assert_separated(fitted(X, y, [1.0] * 6 + [0.0]), "complete")
    assert fitted(X, y).outcome_.ending is not Ending.SEPARATED


def test_a_finite_price_has_a_best() -> None:
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    model = fitted(X, y)
    model.set_params(C=10.0).fit(X, y)
    assert model.outcome_.converged
    assert model.gap_ <= 1e-6


# --- a referee ----------------------------------------------------------------------------------


def running(X: Floats, y: Array) -> tuple[bool, bool]:
    """Whether some direction puts no row on the wrong side (and not all on the line); all strictly.

    Konis (2007): the largest Σ s with s = y (x, 1)·β ≥ 0 and |β| ≤ 1 is 0 where classes overlap.
    """
    Z = np.column_stack([X, np.ones(len(y))])
    A = np.where(y == 1, 1.0, -1.0)[:, None] * Z if y.max() == 1 else against_rivals(Z, y)
    box = [(-1, 1)] * A.shape[1]
    weak = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=box)
    gap = np.append(np.zeros(A.shape[1]), -1.0)
    strict = linprog(
        gap,
        A_ub=np.column_stack([-A, np.ones(len(A))]),
        b_ub=np.zeros(len(A)),
        bounds=[*box, (0, 1)],
    )
    return -weak.fun > 1e-9, -strict.fun > 1e-9


def against_rivals(Z: Floats, y: Array) -> Floats:
    """Kesler's vectors: of every row and rival, +z for its own class and −z for the rival."""
    K = int(y.max()) + 1
    pairs = [(z, own, rival) for z, own in zip(Z, y, strict=True) for rival in range(K)]
    return np.array([np.kron(np.eye(K)[c] - np.eye(K)[r], z) for z, c, r in pairs if r != c])


@settings(max_examples=200)
@given(data=st.data(), n=st.integers(3, 12), d=st.integers(1, 3), n_classes=st.integers(2, 3))
def test_the_verdict_against_a_linear_program(data: Any, n: int, d: int, n_classes: int) -> None:
    # few values, so that rows often meet on the boundary
    cells = st.lists(st.integers(-2, 2), min_size=n * d, max_size=n * d)
    X = np.array(data.draw(cells), float).reshape(n, d)
    y = np.array(data.draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    y[:n_classes] = range(n_classes)
    model = fitted(X, y)
    some, strict = running(X, y)
    if strict:
        assert_separated(model, "complete")
    elif some:
        assert_separated(model, "quasi-complete")
    else:
        assert model.outcome_.ending is Ending.CONVERGED, str(model.outcome_)
        assert model.gap_ <= 1e-6


def test_where_size_leaves_it_open_the_run_decides() -> None:
    # x0 + x1 runs away; too many rows to work out exactly that classes touch
    rng = np.random.default_rng(3)
    n = 12_000
    X = rng.integers(-8, 9, size=(n, 10)).astype(float)
    y = (X[:, 2] + rng.normal(scale=20, size=n) > 0).astype(int)
    push = np.where(np.arange(n) % 4 == 0, (2 * y - 1) * rng.integers(1, 4, n), 0)
    X[:, 1] = push - X[:, 0]
    model = fitted(X, y)
    assert_separated(model, "quasi-complete")
    assert "These coefficients diverge: 'x0', 'x1'." in str(model.outcome_)


# --- words --------------------------------------------------------------------------------------


def test_names() -> None:
    names = [f"x{j}" for j in range(9)]
    assert listed(names, (0,)) == "'x0'"
    assert listed(names, (1, 9)) == "'x1', the intercept"
    assert listed(names, tuple(range(9))) == "'x0', 'x1', 'x2', 'x3', 'x4' and 4 more"
    assert ", it seems" in Separation("quasi-complete", (0,), proved=False).message(names)
