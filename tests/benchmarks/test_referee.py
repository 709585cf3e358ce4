"""The referee of the benchmarks is right, or every figure on their page is wrong."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import SVC, LinearSVC

PATH = Path(__file__).parents[2] / "benchmarks" / "referee.py"


@pytest.fixture(scope="module")
def referee():
    spec = spec_from_file_location("referee", PATH)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 6)).astype(np.float32)
    return X, (X @ rng.standard_normal(6) + 0.7 + rng.standard_normal(300) > 0).astype(int)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_a_smooth_optimum_is_scipys(referee, problem, loss, bias):
    X, y = problem

    def value(v):
        return referee.objective(loss, X, y, v[None, :6], v[6:] if bias else 0.0)

    theirs = minimize(value, np.zeros(6 + bias), method="BFGS", options={"gtol": 1e-5})
    least, bound = referee.optimum(loss, X, y, bias=bias)
    assert bound <= least <= theirs.fun * (1 + 1e-12)
    assert theirs.fun == pytest.approx(least, rel=1e-8)


@pytest.mark.parametrize("bias", [False, True])
def test_a_hinge_optimum_is_libsvms(referee, problem, bias):
    X, y = problem
    if bias:
        model = SVC(kernel="linear", tol=1e-10).fit(X.astype(float), y)
    else:
        model = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6).fit(X, y)
    theirs = referee.objective("hinge", X, y, model.coef_, model.intercept_)
    least, bound = referee.optimum("hinge", X, y, bias=bias)
    assert bound <= least <= theirs * (1 + 1e-12)
    assert bound == pytest.approx(least, rel=1e-9)
    assert theirs == pytest.approx(least, rel=1e-7)  # LIBSVM's bias is a mean over its free rows


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_wide_rows_have_the_optimum_of_narrow_ones(referee, problem, loss, monkeypatch):
    X, y = problem
    narrow = referee.optimum(loss, X, y, bias=False)
    monkeypatch.setattr(referee, "NARROW", 3)
    wide = referee.optimum(loss, sparse.csr_array(X), y, bias=False)
    assert wide == pytest.approx(narrow, rel=1e-8)


def test_ten_classes_are_one_multinomial_or_each_against_the_rest(referee):
    X, y, W = np.eye(3, dtype=np.float32), np.arange(3), 2 * np.eye(3)
    multinomial = 6 + 3 * np.log(1 + 2 * np.exp(-2))
    assert referee.objective("logistic", X, y, W, np.zeros(3)) == pytest.approx(multinomial)
    assert referee.objective("hinge", X, y, W, np.zeros(3)) == 6 + 6 * 1
