"""Maximum likelihood against Newton's method in long doubles and scikit-learn."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as TheirLogistic

from rosenblatt import LogisticRegression, builtin
from rosenblatt.errors import ParameterError
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats

LONG = np.longdouble
CLOSE = 1e-5  # weights are known to about the root of what the objective is known to


def likeliest(**settings: Any) -> LogisticRegression:
    return LogisticRegression(C=np.inf, **{"tol": 1e-12, **settings})


def overlapping(n: int = 150, d: int = 3, seed: int = 0) -> tuple[Floats, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    return X, (X @ rng.normal(size=d) + rng.logistic(size=n) > 0.3).astype(int)


def textbook(
    X: Floats, y: Array, weights: Any = None, *, bias: bool = True
) -> tuple[Floats, float]:
    """Newton's method for Σ c log(1 + e⁻ᵐ): weights (w, b), and the least value."""
    Z = np.column_stack([X, np.ones(len(y))] if bias else [X]).astype(LONG)
    signs, c = np.where(y == 1, 1, -1), np.ones(len(y)) if weights is None else weights
    w = np.zeros(Z.shape[1], LONG)
    for _ in range(50):
        a = 1 / (1 + np.exp(signs * (Z @ w)))
        H = (Z.T * (c * a * (1 - a))) @ Z
        w = w + np.linalg.solve(H.astype(float), (Z.T @ (c * signs * a)).astype(float))
    return w.astype(float), float(c @ np.logaddexp(LONG(0), -signs * (Z @ w)))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("store", [np.float64, np.float32, sparse.csr_array])
def test_against_newton_in_long_doubles(store: Any, *, bias: bool, weighted: bool) -> None:
    X, y = overlapping()
    weights = np.random.default_rng(1).integers(0, 4, len(y)).astype(float) if weighted else None
    model = likeliest(fit_intercept=bias).fit(store(X), y, sample_weight=weights)
    w, least = textbook(X, y, weights, bias=bias)
    ours = np.append(model.coef_[0], model.intercept_ if bias else [])
    np.testing.assert_allclose(ours, w, rtol=CLOSE)
    assert model.objective_ == pytest.approx(least, rel=1e-12)
    assert model.outcome_.converged
    for record in model.trace_:
        assert record.lower_bound <= least * (1 + 1e-13)
        assert record.objective >= least * (1 - 1e-13)
        assert record.gap >= -1e-13


@pytest.mark.parametrize("balance", [None, "balanced", {0: 3.0, 1: 0.5}])
def test_against_scikit_learn(balance: Any) -> None:
    X, y = overlapping(seed=2)
    model = likeliest(class_weight=balance).fit(X, y)
    theirs = TheirLogistic(C=np.inf, solver="newton-cholesky", tol=1e-10, class_weight=balance)
    theirs.fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=CLOSE)
    np.testing.assert_allclose(model.intercept_, theirs.intercept_, rtol=CLOSE)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=CLOSE)


def test_iris_against_the_known_figures_of_glm() -> None:
    # R: glm(Species ~ ., binomial, subset(iris, Species != "setosa"))
    iris = builtin("iris")
    two = iris.y != "setosa"
    model = likeliest().fit(iris.X[two], iris.y[two])
    assert model.coef_[0].round(3).tolist() == [-2.465, -6.681, 9.429, 18.286]
    assert model.intercept_.round(3).tolist() == [-42.638]
    assert 2 * model.objective_ == pytest.approx(11.899, abs=5e-4)  # its residual deviance


def test_lecture_003_its_gradient_vanishes() -> None:
    X, y = overlapping(seed=3)
    p = likeliest().fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_allclose((y - p) @ X, 0, atol=CLOSE)
    assert y.mean() == pytest.approx(p.mean(), abs=CLOSE)  # the bias: as many as there are


def test_the_log_odds_of_a_table() -> None:
    # one feature of two values: b is the log odds at 0, b + w those at 1
    X = np.repeat([[0.0], [1.0]], [10, 20], axis=0)
    y = np.repeat([1, 0, 1, 0], [2, 8, 15, 5])
    model = likeliest().fit(X, y)
    assert model.intercept_[0] == pytest.approx(np.log(2 / 8), rel=1e-8)
    assert model.coef_[0, 0] == pytest.approx(np.log(15 / 5) - np.log(2 / 8), rel=1e-8)


def test_a_high_price_of_losses_leads_there() -> None:
    X, y = overlapping(seed=4)
    near, there = LogisticRegression(C=1e9, tol=1e-13).fit(X, y), likeliest().fit(X, y)
    np.testing.assert_allclose(near.coef_, there.coef_, atol=1e-5)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_of_dependent_features_the_shortest_weights(store: Any) -> None:
    X, y = overlapping(seed=5)
    once = likeliest().fit(X, y)
    wide = np.column_stack([X, X[:, 0], X[:, 1] - X[:, 2]])
    model = likeliest().fit(store(wide), y)
    np.testing.assert_allclose(model.predict_proba(wide), once.predict_proba(X), rtol=1e-7)
    # orthogonal to both directions that change no score
    for free in ([1, 0, 0, -1, 0], [0, 1, -1, 0, -1]):
        assert abs(model.coef_[0] @ free) <= 1e-9 * np.abs(model.coef_).max()


def test_a_constant_column_gets_nothing_beside_a_bias() -> None:
    X, y = overlapping(seed=6)
    model = likeliest().fit(np.column_stack([X, np.full(len(y), 3.0)]), y)
    assert abs(model.coef_[0, -1]) <= 1e-12
    np.testing.assert_allclose(model.coef_[:, :-1], likeliest().fit(X, y).coef_, rtol=1e-8)


@pytest.mark.parametrize("change", ["scale", "shift"])
def test_scales_and_shifts_change_no_probability(change: str) -> None:
    X, y = overlapping(seed=7)
    other = X * [1e8, 1.0, 1e-8] if change == "scale" else X + np.array([1e5, 0.0, -300.0])
    model, plain = likeliest(tol=1e-8).fit(other, y), likeliest(tol=1e-8).fit(X, y)
    assert model.outcome_.converged
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-8)


def test_xor_and_equal_rows_have_their_best_at_zero() -> None:
    for X in ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], np.ones((4, 2))):
        model = likeliest().fit(X, [0, 1, 1, 0])
        np.testing.assert_array_equal(model.coef_, 0)
        assert model.objective_ == pytest.approx(4 * np.log(2))
        assert model.outcome_.converged


@pytest.mark.parametrize("lost", ["a column and nearly the same", "squares below float64"])
def test_a_direction_lost_in_squares_is_not_called_the_best(lost: str) -> None:
    # once: Newton's step did not see it, and zero weights were certified
    X, y = overlapping(seed=10)
    if lost == "squares below float64":
        X = X * 1e-200
    else:
        X = np.column_stack([X, X[:, 0] + 1e-9 * np.random.default_rng(0).normal(size=len(y))])
    model = likeliest(tol=1e-6).fit(X, y)
    assert model.outcome_.ending is Ending.AT_ROUNDING
    assert model.gap_ == 1.0


def test_threads_change_no_bit() -> None:
    X, y = overlapping(40_000, 2, seed=8)
    alone, together = likeliest().fit(X, y), likeliest(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(alone.coef_, together.coef_)


def test_limits_are_told_truthfully() -> None:
    X, y = overlapping(seed=9)
    model = likeliest(max_iter=3).fit(X, y)
    _, least = textbook(X, y)
    assert not model.outcome_.converged
    assert model.objective_ * (1 - model.gap_) <= least <= model.objective_


# --- several classes by softmax -----------------------------------------------------------------


def three_classes(n: int = 200, d: int = 3, seed: int = 0) -> tuple[Floats, Array]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    return X, (X @ rng.normal(size=(d, 3)) + rng.gumbel(size=(n, 3))).argmax(axis=1)


def textbook_softmax(
    X: Floats, y: Array, weights: Floats, *, bias: bool = True
) -> tuple[Floats, float]:
    """Newton's method for Σ c (log Σ exp(s) − s_y) in long doubles: the least value, and W."""
    Z = np.column_stack([X, np.ones(len(y))] if bias else [X]).astype(LONG)
    K, c = int(y.max()) + 1, weights.astype(LONG)
    W = np.zeros((K, Z.shape[1]), LONG)
    for _ in range(50):
        S = Z @ W.T
        q = np.exp(S - S.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        G = ((np.eye(K)[y] - q) * c[:, None]).T @ Z
        B = np.einsum("i,ik,kl->ikl", c, q, np.eye(K)) - np.einsum("i,ik,il->ikl", c, q, q)
        H = np.einsum("ikl,ia,ib->kalb", B, Z, Z).reshape(G.size, G.size)
        step = np.linalg.lstsq(H.astype(float), G.ravel().astype(float), rcond=1e-12)[0]
        W = W + step.reshape(W.shape)
    S = Z @ W.T
    losses = np.log(np.exp(S - S.max(axis=1, keepdims=True)).sum(axis=1)) + S.max(axis=1)
    return W.astype(float), float(c @ (losses - S[np.arange(len(y)), y]))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("store", [np.float64, np.float32, sparse.csr_array])
def test_softmax_against_newton_in_long_doubles(store: Any, *, bias: bool, weighted: bool) -> None:
    X, y = three_classes()
    weights = np.random.default_rng(1).integers(0, 4, len(y)) if weighted else np.ones(len(y))
    model = likeliest(fit_intercept=bias).fit(store(X), y, sample_weight=weights)
    W, least = textbook_softmax(X, y, weights, bias=bias)
    ours = np.column_stack([model.coef_, model.intercept_]) if bias else model.coef_
    np.testing.assert_allclose(ours, W, rtol=CLOSE, atol=1e-7)
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-12)
    assert model.objective_ == pytest.approx(least, rel=1e-12)
    assert model.outcome_.converged
    for record in model.trace_:
        assert record.lower_bound <= least * (1 + 1e-13)
        assert record.objective >= least * (1 - 1e-13)


def test_softmax_counts_of_a_table() -> None:
    # two values of one feature: the shares of the classes at each, which three logits can hold
    X = np.repeat([[0.0], [1.0]], [10, 20], axis=0)
    y = np.repeat([0, 1, 2, 0, 1, 2], [2, 3, 5, 10, 6, 4])
    shares = likeliest().fit(X, y).predict_proba([[0.0], [1.0]])
    np.testing.assert_allclose(shares, [[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]], rtol=1e-6)


def test_softmax_of_dependent_features_and_columns_far_from_zero() -> None:
    X, y = three_classes(seed=5)
    once = likeliest().fit(X, y)
    for other in (np.column_stack([X, X[:, 0]]), X + np.array([1e5, 0.0, -300.0])):
        model = likeliest(tol=1e-8).fit(other, y)
        assert model.outcome_.converged
        assert model.objective_ == pytest.approx(once.objective_, rel=1e-8)
    twice = likeliest().fit(np.column_stack([X, X[:, 0]]), y)
    np.testing.assert_allclose(twice.coef_[:, 0], twice.coef_[:, 3], rtol=1e-7)  # the shortest


def test_softmax_limits_are_told_truthfully() -> None:
    X, y = three_classes(seed=9)
    _, least = textbook_softmax(X, y, np.ones(len(y)))
    for steps in range(1, 5):
        model = likeliest(max_iter=steps).fit(X, y)
        assert model.objective_ * (1 - model.gap_) <= least * (1 + 1e-13)
        assert least <= model.objective_ * (1 + 1e-13)
    assert not likeliest(max_iter=1).fit(X, y).outcome_.converged


def test_softmax_of_too_many_weights_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"at most 1,364 features of 3 classes; X has 1,365"):
        likeliest().fit(sparse.csr_array((4, 1365)), [0, 1, 2, 1])


def test_too_many_features_are_refused() -> None:
    X = sparse.csr_array((4, 5000))
    model = likeliest()
    with pytest.raises(ParameterError, match=r"C=inf allows at most 4,095 features; X has 5,000"):
        model.fit(X, [0, 1, 0, 1])
    assert not hasattr(model, "coef_")
