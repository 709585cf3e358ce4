"""Lecture 000, what its slides state and other tests do not measure."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_expit
from scipy.stats import norm
from sklearn.pipeline import make_pipeline

from rosenblatt import LeastSquaresRegressor, LogisticRegression, builtin
from rosenblatt.features import Polynomial


def test_logistic_regression_maximises_the_posterior() -> None:
    data, variance = builtin("overlapping"), 0.3

    def log_posterior(parameters: np.ndarray) -> float:
        *w, b = parameters
        likelihood = log_expit(data.y * (data.X @ w + b)).sum()
        return likelihood + norm(scale=np.sqrt(variance)).logpdf(w).sum()

    model = LogisticRegression(C=variance, tol=1e-12).fit(data.X, data.y)
    found = np.append(model.coef_[0], model.intercept_)
    best = minimize(lambda p: -log_posterior(p), np.zeros(3), options={"gtol": 1e-9}).x
    np.testing.assert_allclose(found, best, atol=1e-5)


def test_polynomials_come_near_to_any_continuous_function() -> None:
    """The best polynomial of degree D is 0.28/D off |x| (Bernstein); least squares nearly so."""
    x = np.cos(np.linspace(0, np.pi, 801))[:, None]
    y = np.abs(x[:, 0])
    for degree in (4, 8, 16, 32):
        model = make_pipeline(Polynomial(degree), LeastSquaresRegressor()).fit(x, y)
        error = np.abs(model.predict(x) - y).max()
        assert 0.25 / degree < error < 0.65 / degree
