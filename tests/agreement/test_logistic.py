"""Logistic regression: scikit-learn's and scipy's optima, and a gap that never says too little."""

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression as Referee

from rosenblatt import LogisticRegression
from rosenblatt.data.training_data import Blocks, unlabelled
from rosenblatt.errors import DataError, NotFiniteError, ParameterError, TooLargeError
from rosenblatt.kernels.rows import CSR
from rosenblatt.online.result import Ending
from rosenblatt.optim import softmax, softmax_newton

exact = partial(LogisticRegression, tol=1e-12)


class Data(NamedTuple):
    X: Any
    y: Any


def blobs(n_classes: int, n: int = 240, d: int = 6, seed: int = 3) -> Data:
    """Overlapping classes of unequal size."""
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(0.4, n) - 1, n_classes - 1)
    return Data(rng.normal(size=(n_classes, d))[y] + rng.normal(size=(n, d)), y)


def objective(model: Any, data: Data, C: float = 1.0, weights: Any = 1.0) -> float:
    """½‖W‖² + C Σ c (log Σ exp(s) − s_y), written out; two classes have the scores 0 and s."""
    W = model.coef_
    s = np.asarray(data.X @ W.T, float) + model.intercept_
    if len(W) == 1:
        s = np.hstack([np.zeros_like(s), s])
    codes = np.searchsorted(model.classes_, data.y)
    losses = logsumexp(s, axis=1) - s[np.arange(len(s)), codes]
    return float(0.5 * (W**2).sum() + C * (weights * losses).sum())


STORAGES = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csr, 64-bit": lambda X: sparse.csr_array(
        (
            sparse.csr_array(X).data,
            sparse.csr_array(X).indices.astype(np.int64),
            sparse.csr_array(X).indptr.astype(np.int64),
        ),
        shape=X.shape,
    ),
}


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_optimum_is_that_of_newton_cholesky(
    C: float, n_classes: int, storage: str, *, bias: bool
) -> None:
    data = blobs(n_classes)
    X = data.X.astype(np.float32).astype(float)  # what all storages hold
    referee = Referee(C=C, solver="newton-cholesky", tol=1e-12, fit_intercept=bias).fit(X, data.y)
    model = exact(C=C, fit_intercept=bias).fit(STORAGES[storage](X), data.y)
    best = objective(referee, Data(X, data.y), C)
    assert model.outcome_.ending is Ending.CERTIFIED
    assert model.objective_ == pytest.approx(best, rel=1e-10)
    assert model.objective_ == pytest.approx(objective(model, Data(X, data.y), C), rel=1e-12)
    np.testing.assert_allclose(model.coef_, referee.coef_, rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, referee.intercept_, rtol=0, atol=1e-5)


@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_the_optimum_is_that_of_lbfgs(load: Any) -> None:
    X, y = load(return_X_y=True)
    X = X / X.max()
    referee = Referee(tol=1e-6, max_iter=5_000).fit(X, y)
    model = exact().fit(X, y)
    data = Data(X, y)
    assert model.objective_ <= objective(referee, data) * (1 + 1e-12)
    assert objective(referee, data) == pytest.approx(model.objective_, rel=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), referee.predict_proba(X), atol=2e-3)
    assert (model.predict(X) == referee.predict(X)).mean() > 0.999


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.2, 1: 3.0}])
def test_weights_are_those_of_scikit_learn(n_classes: int, class_weight: Any) -> None:
    data = blobs(n_classes)
    weights = np.random.default_rng(0).integers(0, 4, len(data.y)) / 2
    referee = Referee(solver="newton-cholesky", tol=1e-12, class_weight=class_weight)
    model = exact(class_weight=class_weight).fit(*data, sample_weight=weights)
    theirs = referee.fit(*data, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=0, atol=1e-5)


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr"])
def test_one_vs_rest_is_a_fit_a_class(multi_class: str) -> None:
    data = blobs(3)
    model = exact(multi_class=multi_class).fit(*data)
    apart = [exact().fit(data.X, data.y == k) for k in range(3)]
    same = np.allclose(model.coef_, np.vstack([unit.coef_ for unit in apart]), atol=1e-5)
    assert same == (multi_class == "ovr")
    own = np.column_stack([unit.predict_proba(data.X)[:, 1] for unit in apart])
    shares = own / own.sum(axis=1, keepdims=True)
    assert np.allclose(model.predict_proba(data.X), shares, atol=1e-5) == (multi_class == "ovr")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_gradient_of_lecture_003_vanishes(n_classes: int) -> None:
    # Σ (y − p) (x, 1) = (w, 0): the pull of the rows is that of the prior
    data = blobs(n_classes)
    model = exact().fit(*data)
    error = np.eye(n_classes)[data.y] - model.predict_proba(data.X)
    pull = error.T @ data.X
    np.testing.assert_allclose(pull[-len(model.coef_) :], model.coef_, atol=1e-5)
    np.testing.assert_allclose(error.sum(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(model.coef_.sum(axis=0) * (n_classes > 2), 0.0, atol=1e-12)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_the_gap_never_says_too_little(n_classes: int, C: float, *, bias: bool) -> None:
    data = blobs(n_classes)
    best = exact(C=C, fit_intercept=bias).fit(*data).objective_
    trace = LogisticRegression(C=C, fit_intercept=bias, tol=1e-9).fit(*data).trace_
    rounding = 1e-12 * best
    for record in trace:
        assert record.lower_bound <= best + rounding
        assert record.objective >= best - rounding
        assert record.gap * record.objective >= record.objective - best - 2 * rounding
        assert record.gap >= -1e-12
    assert trace[-1].gap <= 1e-9
    assert {record.output for record in trace} == {0}


def test_the_bound_is_the_dual_value_of_balanced_probabilities() -> None:
    # D(q) = −½‖Σ (e_y − q) x‖² + Σ H(q), from the fitted probabilities alone
    data = blobs(3)
    model = exact().fit(*data)
    q = model.predict_proba(data.X)
    V = (np.eye(3)[data.y] - q).T @ data.X
    D = -0.5 * (V**2).sum() - (q * np.log(q)).sum()
    assert model.trace_[-1].lower_bound == pytest.approx(D, rel=1e-6)


def test_pulls_are_balanced_by_probabilities() -> None:
    rng = np.random.default_rng(1)
    probabilities = rng.dirichlet(np.ones(4), 50)
    codes, sample_C = rng.integers(0, 4, 50), rng.random(50)
    M = sum(c * (np.diag(q) - np.outer(q, q)) for c, q in zip(sample_C, probabilities, strict=True))
    beta = rng.normal(size=4)
    beta *= 1.0 / np.ptp(beta)  # the farthest that is allowed
    alpha = np.empty_like(probabilities)
    entropy = softmax.alpha_rows(probabilities, codes, sample_C, beta, alpha)
    moved = np.eye(4)[codes] - alpha / sample_C[:, None]
    assert (moved >= -1e-15).all()
    np.testing.assert_allclose(moved.sum(axis=1), 1.0)
    np.testing.assert_allclose(sample_C @ (moved - probabilities), M @ beta, atol=1e-12)
    logs = np.log(np.maximum(moved, 1e-300))
    assert entropy == pytest.approx(-float(sample_C @ (moved * logs).sum(axis=1)), rel=1e-12)
    np.testing.assert_allclose(M @ softmax.balance(M, M @ beta), M @ beta, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_twice_is_a_row_of_weight_two(n_classes: int) -> None:
    data = blobs(n_classes)
    twice = np.r_[np.arange(len(data.y)), np.arange(40)]
    weights = np.ones(len(data.y))
    weights[:40] = 2
    weighted = exact().fit(*data, sample_weight=weights)
    repeated = exact().fit(data.X[twice], data.y[twice])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=0, atol=1e-6)
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-11)


def test_the_order_of_the_classes_does_not_matter() -> None:
    data = blobs(4)
    turned = np.array(["d", "b", "c", "a"])[data.y]
    model, other = exact().fit(*data), exact().fit(data.X, turned)
    np.testing.assert_allclose(other.coef_[[3, 1, 2, 0]], model.coef_, rtol=0, atol=1e-6)
    assert other.objective_ == pytest.approx(model.objective_, rel=1e-11)


def test_two_classes_of_a_softmax_are_the_logistic_of_twice_the_prior() -> None:
    # W = (−w/2, w/2) has ½‖W‖² = ¼‖w‖²: a third class without rows would make the rule binary
    data = blobs(2)
    wide = minimize(
        lambda w: (
            0.25 * w[:-1] @ w[:-1]
            + np.logaddexp(0, -np.where(data.y, 1, -1) * (data.X @ w[:-1] + w[-1])).sum()
        ),
        np.zeros(7),
        tol=1e-12,
    ).x
    model = exact(C=2.0).fit(*data)
    np.testing.assert_allclose(model.coef_[0], wide[:-1], atol=1e-4)


@pytest.mark.parametrize("storage", ["dense", "float32", "csr"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_change_no_bit(n_classes: int, storage: str) -> None:
    data = blobs(n_classes, n=40_000, d=3)
    X = STORAGES[storage](data.X)
    one, two = (LogisticRegression(n_jobs=n).fit(X, data.y) for n in (None, 2))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    assert one.trace_.as_dicts() == two.trace_.as_dicts()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_warm_start_goes_on_from_the_last_weights(n_classes: int) -> None:
    data = blobs(n_classes)
    model = LogisticRegression(warm_start=True).fit(*data)
    cold = model.n_iter_
    assert model.fit(*data).n_iter_ <= 2 < cold  # one step may be wanted for the proof
    few = LogisticRegression(warm_start=True, max_iter=2).fit(*data)
    assert few.fit(*data).gap_ < LogisticRegression(max_iter=2).fit(*data).gap_
    with pytest.raises(DataError, match="features"):
        model.fit(data.X[:, 1:], data.y)


def test_a_warm_start_loses_what_all_classes_share() -> None:
    data = blobs(3)
    model = exact(warm_start=True).fit(*data)
    best = model.objective_
    model._W = model._W + 5.0  # changes no probability, but costs
    assert model.fit(*data).objective_ == pytest.approx(best, rel=1e-11)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_iter", [1, 2, 3])
def test_few_steps_end_with_a_true_gap(n_classes: int, max_iter: int) -> None:
    data = blobs(n_classes)
    best = exact().fit(*data).objective_
    model = LogisticRegression(max_iter=max_iter, tol=1e-12).fit(*data)
    assert model.outcome_.ending is Ending.MAX_STEPS_REACHED
    assert model.n_iter_ == max_iter
    assert model.objective_ == pytest.approx(objective(model, data), rel=1e-12)
    assert (model.objective_ - best) / model.objective_ <= model.gap_ <= 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_little_time_ends_with_a_true_gap(n_classes: int) -> None:
    data = blobs(n_classes, n=20_000, d=20)
    LogisticRegression().fit(*blobs(n_classes))  # compiled
    best = exact().fit(*data).objective_
    start = time.monotonic()
    model = LogisticRegression(time_limit=1e-9, tol=0.0).fit(*data)
    assert time.monotonic() - start < 5
    assert model.outcome_.ending is Ending.TIME_LIMIT_REACHED
    assert (model.objective_ - best) / model.objective_ <= model.gap_ <= 1


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("bias", [True, False])
def test_a_diagonal_leads_to_the_same_optimum(
    storage: str, monkeypatch: pytest.MonkeyPatch, *, bias: bool
) -> None:
    data = blobs(4)
    X = STORAGES[storage](data.X)
    factored = exact(fit_intercept=bias).fit(X, data.y)
    monkeypatch.setattr(softmax_newton, "worth_factors", lambda _: False)
    diagonal = exact(fit_intercept=bias).fit(X, data.y)
    np.testing.assert_allclose(diagonal.coef_, factored.coef_, rtol=0, atol=1e-5)
    assert diagonal.outcome_.ending is Ending.CERTIFIED
    assert diagonal.objective_ == pytest.approx(factored.objective_, rel=1e-11)
    assert not np.array_equal(diagonal.coef_, factored.coef_)


def test_factors_are_made_where_they_pay() -> None:
    def worth(n: int, d: int, n_classes: int, *, entries: int | None = None) -> bool:
        X = np.broadcast_to(np.zeros(1), (n, d))
        if entries is not None:
            indptr = np.arange(n + 1) * entries
            X = CSR(np.zeros(0), np.zeros(0, np.int32), indptr, d)
        problem = unlabelled(X)._replace(class_weights=np.ones(n_classes))
        objective = softmax.SoftmaxObjective(
            Blocks(problem), np.zeros(n), l2=1.0, fit_intercept=True
        )
        return softmax_newton.worth_factors(objective)

    assert worth(150, 4, 3)
    assert worth(60_000, 784, 10)
    assert worth(1_000_000, 28, 7)
    assert worth(32_000, 123, 3, entries=14)
    assert not worth(10_000, 4_096, 10)
    assert not worth(20_000, 50_000, 20, entries=80)
    assert not worth(1_000_000, 1_000, 100)  # 800 MB of factors


def test_a_rough_start_changes_no_answer() -> None:
    # a class so rare that a part of the rows may lack it
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(4_000, int), np.ones(4_000, int), 2]
    X = rng.normal(size=(len(y), 4)) + np.eye(3, 4)[y]
    model = exact().fit(X, y)
    cold = exact(warm_start=True).fit(X[-900:], y[-900:] * 0 + np.arange(900) % 3)
    cold._W = np.zeros_like(cold._W)
    np.testing.assert_allclose(model.coef_, cold.fit(X, y).coef_, atol=1e-5)


HARD: dict[str, Data] = {
    "a row a class": Data(np.eye(3), np.arange(3)),
    "the same row": Data(np.ones((6, 2)), np.arange(6) % 3),
    "constant columns": Data(np.c_[blobs(3).X, np.ones((240, 2)), np.zeros(240)], blobs(3).y),
    "columns twice": Data(np.c_[blobs(3).X, blobs(3).X], blobs(3).y),
    "scales 1 : 1e6": Data(blobs(3).X * np.logspace(-3, 3, 6), blobs(3).y),
    "wide": Data(np.random.default_rng(0).normal(size=(30, 400)), np.arange(30) % 3),
    "far apart": Data(blobs(3).X + 100 * np.eye(3, 6)[blobs(3).y], blobs(3).y),
}


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e8])
@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize("storage", ["dense", "float32", "csr"])
def test_hard_inputs_end_well(storage: str, name: str, C: float) -> None:
    data = HARD[name]
    model = LogisticRegression(C=C).fit(STORAGES[storage](data.X), data.y)
    assert model.outcome_.converged, f"{model.outcome_}"
    assert model.gap_ <= 1e-6
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(("value", "told"), [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_what_is_no_number_is_named(storage: str, value: float, told: str) -> None:
    data = blobs(3)
    X = data.X.copy()
    X[7, 2] = value
    model = LogisticRegression()
    with pytest.raises(NotFiniteError, match=f"{told} at row 7, column 2"):
        model.fit(STORAGES[storage](X), data.y)
    assert vars(model) == vars(LogisticRegression())


def test_values_beyond_all_scores_are_refused() -> None:
    data = blobs(3)
    with pytest.raises(TooLargeError, match="Scale the columns"):
        LogisticRegression().fit(data.X * 1e200, data.y)


def test_a_heavy_row_is_learned() -> None:
    data = blobs(3)
    weights = np.ones(len(data.y))
    weights[5] = 1e9
    model = LogisticRegression().fit(*data, sample_weight=weights)
    assert model.gap_ <= 1e-6
    assert model.predict(data.X[5:6]) == data.y[5]


def test_probabilities_are_those_of_the_scores() -> None:
    data = blobs(3)
    model = LogisticRegression().fit(*data)
    proba, logs = model.predict_proba(data.X), model.predict_log_proba(data.X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(logs, log_softmax(model.decision_function(data.X), axis=1))
    np.testing.assert_array_equal(proba.argmax(axis=1), model.predict(data.X))


@pytest.mark.parametrize(
    ("n_classes", "multi_class"), [(2, "multinomial"), (3, "multinomial"), (3, "ovr")]
)
def test_logarithms_outlive_their_probabilities(n_classes: int, multi_class: str) -> None:
    data = blobs(n_classes)
    model = LogisticRegression(multi_class=multi_class).fit(*data)
    far = 1e4 * data.X[:20]
    logs = model.predict_log_proba(far)
    assert np.isfinite(logs).all()
    assert logs.min() < -800  # exp of which is 0
    np.testing.assert_allclose(model.predict_proba(far).sum(axis=1), 1.0, rtol=1e-14)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scikit_learns_settings_are_taken(n_classes: int) -> None:
    data = blobs(n_classes)
    model = LogisticRegression(**Referee().get_params())
    plain = LogisticRegression(tol=Referee().tol, max_iter=Referee().max_iter, random_state=None)
    np.testing.assert_array_equal(model.fit(*data).coef_, plain.fit(*data).coef_)
    for solver in ("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"):
        assert LogisticRegression(solver=solver, dual=True, verbose=2).fit(*data).gap_ <= 1e-6


def test_an_elastic_net_without_an_l1_part_is_l2() -> None:
    data = blobs(2)
    net = LogisticRegression(penalty="elasticnet", l1_ratio=0).fit(*data)
    np.testing.assert_array_equal(net.coef_, LogisticRegression().fit(*data).coef_)


@pytest.mark.parametrize(
    "settings",
    [{"penalty": "l1"}, {"penalty": "elasticnet", "l1_ratio": 0.5}, {"l1_ratio": 0.5}],
)
def test_an_l1_part_is_refused_with_advice(settings: Any) -> None:
    with pytest.raises(ParameterError, match=r"penalty='l2'.*Perceptron\(penalty='l1'\)"):
        LogisticRegression(**settings).fit(*blobs(2))
