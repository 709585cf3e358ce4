"""Certified rules against a conic solver, textbook Newton, LIBSVM, LIBLINEAR, scikit-learn."""

from typing import Any

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.svm import SVC, LinearSVC

from rosenblatt import LinearSVM, LogisticRegression, builtin
from rosenblatt.errors import ParameterError
from rosenblatt.types import Array, Floats

LOSSES = ("hinge", "squared_hinge", "logistic")
LONG = np.longdouble
EPSILON = np.finfo(np.float64).eps
BIAS = pytest.mark.parametrize("bias", [True, False])
EVERY_LOSS = pytest.mark.parametrize("loss", LOSSES)


def make(loss: str, **settings: Any) -> Any:
    return (
        LogisticRegression(**settings) if loss == "logistic" else LinearSVM(loss=loss, **settings)
    )


def clouds(
    n: int = 60, d: int = 4, k: int = 2, seed: int = 0, apart: float = 1.0
) -> tuple[Floats, Array]:
    """Clouds in float32 numbers, so that every storage holds the same rows."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + apart * rng.normal(size=(k, d))[y]
    return X.astype(np.float32).astype(np.float64), y


# --- referees -----------------------------------------------------------------------------------


def objective(loss: str, X: Any, signs: Floats, costs: Floats, w: Floats, b: float) -> float:
    """½‖w‖² + Σ c ℓ(m) in long doubles."""
    wide = np.asarray(w, LONG)
    m = signs * (np.asarray(X, LONG) @ wide + LONG(b))
    short = np.maximum(0, 1 - m)
    each = {"hinge": short, "squared_hinge": short**2, "logistic": np.logaddexp(LONG(0), -m)}
    return float(wide @ wide / 2 + costs @ each[loss])


def rounding(X: Any, costs: Floats, w: Floats, b: float) -> float:
    """What float64 cannot tell: margins are known to ε (|w|·|x| + |b|), and each has its price."""
    sizes = np.abs(X) @ np.abs(w) + abs(b) + 1
    return float(8 * EPSILON * (costs @ sizes + w @ w))


def best_hinge(X: Floats, signs: Floats, costs: Floats, *, bias: bool) -> tuple[Floats, float]:
    """Best weights as a quadratic program over (w, b, ξ): ξ ≥ 1 − y (w·x + b), ξ ≥ 0."""
    n, d = X.shape
    one = np.full((n, 1), 1.0 if bias else 0.0)
    above = sparse.hstack([-signs[:, None] * np.hstack([X, one]), -sparse.eye(n)])
    positive = sparse.hstack([sparse.csc_matrix((n, d + 1)), -sparse.eye(n)])
    square = sparse.diags(np.r_[np.ones(d), 0.0 if bias else 1.0, np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(square),
        np.r_[np.zeros(d + 1), costs],
        sparse.csc_matrix(sparse.vstack([above, positive])),
        np.r_[-np.ones(n), np.zeros(n)],
        [clarabel.NonnegativeConeT(2 * n)],
        settings,
    )
    x = np.array(solver.solve().x)
    return x[:d], float(x[d])


def best_smooth(
    loss: str, X: Floats, signs: Floats, costs: Floats, *, bias: bool
) -> tuple[Floats, float]:
    """Best weights by Newton's steps, halved while they lead up; gradients in long doubles."""
    n, d = X.shape
    Z = np.hstack([X, np.full((n, 1), 1.0 if bias else 0.0)]).astype(LONG)
    ridge = np.append(np.ones(d), 0.0 if bias else 1.0)
    w = np.zeros(d + 1, LONG)

    def value(v: Any) -> float:
        return objective(loss, X, signs, costs, v[:d], v[d])

    for _ in range(100):
        m = signs * (Z @ w)
        if loss == "logistic":
            a = 1 / (1 + np.exp(m))
            pull, bend = a, a * (1 - a)
        else:
            pull, bend = 2 * np.maximum(0, 1 - m), 2.0 * (m < 1)
        gradient = ridge * w - Z.T @ (costs * signs * pull)
        H = (Z.T * (costs * bend)) @ Z + np.diag(ridge)
        lift = 1e-14 * np.trace(H) * np.eye(d + 1)
        step = np.linalg.solve((H + lift).astype(float), -gradient.astype(float))
        t = 1.0
        while value(w + t * step) > value(w) and t > 1e-9:
            t /= 2
        w = w + t * step
    return w[:d].astype(float), float(w[d])


def least(loss: str, X: Floats, signs: Floats, costs: Floats, *, bias: bool) -> float:
    """The best possible objective, from above."""
    if loss == "hinge":
        w, b = best_hinge(X, signs, costs, bias=bias)
    else:
        w, b = best_smooth(loss, X, signs, costs, bias=bias)
    return objective(loss, X, signs, costs, w, b if bias else 0.0)


def assert_proved(model: Any, loss: str, X: Floats, y: Array, costs: Floats) -> None:
    """No step claims more than is true, and the last says what its weights are worth."""
    for unit, (w, b) in enumerate(zip(model.coef_, model.intercept_, strict=True)):
        signs = np.where(y == model.classes_[1 if len(model.coef_) == 1 else unit], 1.0, -1.0)
        own = objective(loss, X, signs, costs, w, b)
        best = min(own, least(loss, X, signs, costs, bias=model.fit_intercept))
        open_ = rounding(X, costs, w, b)
        records = [record for record in model.trace_ if record.output == unit]
        proved = (
            X.shape[1] + 8
        ) * open_  # the last record is an upper bound, for any order of sums
        assert -1e-15 * own <= records[-1].objective - own <= 1e-13 * own + proved
        for record in records:
            assert record.lower_bound <= best * (1 + 1e-12) + open_
            assert record.objective >= best * (1 - 1e-12) - open_
            assert record.gap == pytest.approx(1 - record.lower_bound / record.objective, abs=1e-12)
            assert record.gap * record.objective >= -open_
        steps = records[:-1]  # the last is worked out anew, so it may lose a little
        assert np.all(np.diff([record.objective for record in steps]) <= 0)
        assert np.all(np.diff([record.lower_bound for record in steps]) >= 0)


# --- the gap ------------------------------------------------------------------------------------


@EVERY_LOSS
@BIAS
@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
@pytest.mark.parametrize(("n", "d"), [(60, 4), (15, 30), (300, 2)])
def test_no_step_claims_more_than_is_true(
    loss: str, C: float, n: int, d: int, *, bias: bool
) -> None:
    X, y = clouds(n, d, seed=n)
    model = make(loss, C=C, fit_intercept=bias).fit(X, y)
    assert_proved(model, loss, X, y, np.full(n, C))
    assert model.gap_ <= 1e-6
    assert model.outcome_.converged


@EVERY_LOSS
@BIAS
def test_nor_with_weights(loss: str, *, bias: bool) -> None:
    X, y = clouds(80)
    weights = np.random.default_rng(3).integers(0, 4, 80).astype(float)
    model = make(loss, C=2.0, fit_intercept=bias, class_weight={1: 5.0})
    model.fit(X, y, sample_weight=weights)
    assert_proved(model, loss, X, y, 2.0 * weights * np.where(y == 1, 5.0, 1.0))
    assert model.gap_ <= 1e-6


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@BIAS
def test_nor_with_a_unit_a_class(loss: str, *, bias: bool) -> None:
    X, y = clouds(90, k=3)
    model = make(loss, fit_intercept=bias).fit(X, y)
    assert_proved(model, loss, X, y, np.ones(90))
    last = [[r for r in model.trace_ if r.output == unit][-1] for unit in range(3)]
    assert model.objective_ == pytest.approx(sum(r.objective for r in last), rel=1e-14)
    gap = 1 - sum(r.lower_bound for r in last) / model.objective_
    assert gap <= model.gap_ <= gap + 1e-14  # rounded up


@EVERY_LOSS
@BIAS
@pytest.mark.parametrize("store", [np.float32, np.float64, np.int32, np.int64])
def test_nor_in_any_storage(loss: str, store: Any, *, bias: bool) -> None:
    X, y = clouds(60)
    X[np.abs(X) < 0.7] = 0
    rows: Any = X.astype(store)
    if store in (np.int32, np.int64):
        rows = sparse.csr_array(X)
        rows.indices, rows.indptr = rows.indices.astype(store), rows.indptr.astype(store)
    model = make(loss, fit_intercept=bias).fit(rows, y)
    assert_proved(model, loss, X, y, np.ones(60))
    assert model.gap_ <= 1e-6


@EVERY_LOSS
def test_nor_where_a_part_of_the_rows_comes_first(loss: str) -> None:
    X, y = clouds(4200, 2, apart=0.5)
    model = make(loss).fit(X, y)
    assert_proved(model, loss, X, y, np.ones(4200))
    assert model.gap_ <= 1e-6


@EVERY_LOSS
@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-9}])
def test_nor_when_it_is_stopped(loss: str, limit: dict[str, float]) -> None:
    X, y = clouds(60)
    model = make(loss, **limit).fit(X, y)
    assert_proved(model, loss, X, y, np.ones(60))
    assert not model.outcome_.converged
    assert f"{model.gap_:.1e} (relative) above the optimum" in str(model.outcome_)


# --- agreement ----------------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_hinge_against_libsvm(C: float, *, weighted: bool) -> None:
    # its bias is not penalised either; it keeps x·x′ as float32, which is exact for such rows
    X, y = clouds(120, 5, seed=4)
    X = np.round(4 * X) / 4
    weights = np.random.default_rng(5).uniform(0.5, 2, 120) if weighted else np.ones(120)
    # "balanced" counts rows there and their weights here, so the weights are given by number
    classes = {0: 0.7, 1: 1.8} if weighted else None
    ours = LinearSVM(C, class_weight=classes).fit(X, y, sample_weight=weights)
    theirs = SVC(C=C, kernel="linear", tol=1e-10, class_weight=classes)
    theirs.fit(X, y, sample_weight=weights)
    signs, costs = np.where(y == 1, 1.0, -1.0), C * weights * theirs.class_weight_[y]
    w = theirs.coef_[0]  # its bias is a mean over rows; the best one puts a row on the margin
    best = min(objective("hinge", X, signs, costs, w, b) for b in signs - X @ w)
    assert ours.objective_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 * np.abs(theirs.coef_).max())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("k", [2, 3])
def test_against_liblinear_without_a_bias(loss: str, k: int) -> None:
    X, y = clouds(100, 5, k=k, seed=6)
    ours = LinearSVM(0.5, loss=loss, fit_intercept=False).fit(X, y)
    theirs = LinearSVC(C=0.5, loss=loss, fit_intercept=False, tol=1e-9, max_iter=10**7).fit(X, y)
    positives = [1] if k == 2 else list(range(k))
    best = sum(
        objective(loss, X, np.where(y == c, 1.0, -1.0), np.full(100, 0.5), w, 0.0)
        for c, w in zip(positives, theirs.coef_, strict=True)
    )
    assert ours.objective_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3 * np.abs(theirs.coef_).max())


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@BIAS
def test_logistic_against_scikit_learn(C: float, *, bias: bool) -> None:
    X, y = clouds(120, 5, seed=7)
    ours = LogisticRegression(C=C, fit_intercept=bias).fit(X, y)
    theirs = TheirLogistic(C=C, fit_intercept=bias, tol=1e-12, max_iter=10_000).fit(X, y)
    b = theirs.intercept_[0] if bias else 0.0
    signs = np.where(y == 1, 1.0, -1.0)
    best = objective("logistic", X, signs, np.full(120, C), theirs.coef_[0], b)
    assert ours.objective_ == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 * np.abs(theirs.coef_).max())
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)


# --- lecture and worked numbers -----------------------------------------------------------------


def test_lecture_000_lambda_is_one_over_two_c_n() -> None:
    X, y = clouds(50)
    signs, lam = np.where(y == 1, 1.0, -1.0), 0.03
    # λ‖w‖² + mean hinge = 2λ (½‖w‖² + Σ hinge / 2λN)
    w, b = best_hinge(X, signs, np.full(50, 1 / (2 * lam * 50)), bias=True)
    lecture = lam * w @ w + np.maximum(0, 1 - signs * (X @ w + b)).mean()
    model = LinearSVM(C=1 / (2 * lam * 50)).fit(X, y)
    margins = signs * model.decision_function(X)
    ours = lam * float(model.coef_[0] @ model.coef_[0]) + np.maximum(0, 1 - margins).mean()
    assert ours == pytest.approx(lecture, rel=1e-6)


def test_worked_by_hand() -> None:
    # ½w² + 2C max(0, 1 − w): w = min(1, 2C)
    X, y = [[-1.0], [1.0]], [0, 1]
    for C, w in ((0.25, 0.5), (0.5, 1.0), (7.0, 1.0)):
        model = LinearSVM(C, tol=1e-10).fit(X, y)
        assert model.coef_[0, 0] == pytest.approx(w, abs=1e-5)
        assert model.intercept_[0] == pytest.approx(0, abs=1e-5)
        assert model.objective_ == pytest.approx(w * w / 2 + 2 * C * (1 - w), rel=1e-9)
    # ½w² + 2C (1 − w)²: w = 4C / (1 + 4C)
    model = LinearSVM(0.25, loss="squared_hinge", tol=1e-12).fit(X, y)
    assert model.coef_[0, 0] == pytest.approx(0.5, abs=1e-6)
    # ½w² + 2C log(1 + e⁻ʷ): w = 2C σ(−w)
    model = LogisticRegression(C=1.0, tol=1e-12).fit(X, y)
    w = model.coef_[0, 0]
    assert w == pytest.approx(2 / (1 + np.exp(w)), abs=1e-6)


def test_hard_margin_of_separable_points() -> None:
    # the margin is 2 wide between x = −1 and x = 1, whatever lies behind
    X = [[-1.0, 0.0], [-1.0, 3.0], [-4.0, 1.0], [1.0, -1.0], [1.0, 5.0], [6.0, 2.0]]
    model = LinearSVM(1e4, tol=1e-8).fit(X, [0, 0, 0, 1, 1, 1])
    np.testing.assert_allclose(model.coef_[0], [1, 0], atol=1e-3)
    assert model.intercept_[0] == pytest.approx(0, abs=1e-3)
    assert model.objective_ == pytest.approx(0.5, rel=1e-7)
    assert 2 not in model.support_
    assert 5 not in model.support_


# --- support vectors ----------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@BIAS
@pytest.mark.parametrize("k", [2, 3])
def test_the_support_proves_the_gap_by_itself(loss: str, k: int, *, bias: bool) -> None:
    X, y = clouds(90, k=k, seed=8)
    weights = np.random.default_rng(9).uniform(0.5, 2, 90)
    model = LinearSVM(0.7, loss=loss, fit_intercept=bias).fit(X, y, sample_weight=weights)
    supports = [model.support_] if k == 2 else model.support_
    duals = [model.dual_coef_] if k == 2 else model.dual_coef_
    costs, bounds = 0.7 * weights, 0.0
    for unit, (rows, dual) in enumerate(zip(supports, duals, strict=True)):
        signs = np.where(y == (1 if k == 2 else unit), 1.0, -1.0)
        pulls = dual * signs[rows]
        assert (pulls > 0).all()
        if bias:
            assert abs(dual.sum()) <= 1e-13 * pulls.sum()
        v = dual @ X[rows]
        if loss == "hinge":
            assert (pulls <= costs[rows]).all()
            bounds += pulls.sum() - v @ v / 2
        else:
            bounds += (pulls - pulls**2 / (4 * costs[rows])).sum() - v @ v / 2
        off = model.coef_[unit] - v
        assert off @ off / 2 <= 1e-6 * model.objective_  # it is a part of the gap
        margins = signs * (X @ model.coef_[unit] + model.intercept_[unit])
        assert np.isin(np.flatnonzero(margins < 1 - 1e-2), rows).all()
        assert not np.isin(np.flatnonzero(margins > 1 + 1e-2), rows).any()
    assert -1e-14 <= (model.objective_ - bounds) / model.objective_ <= 1e-6


def test_where_newton_comes_no_nearer_ascent_tries() -> None:
    # six rows a million times as long as the others: no smoothing of the hinge suits both
    rng = np.random.default_rng(7)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int)
    for i in range(6):
        X[i], y[i] = 1e6 * rng.normal(size=3), i % 2
    newton = LinearSVM(solver="newton").fit(X, y)
    assert not newton.outcome_.converged
    model = LinearSVM().fit(X, y)
    assert {record.method.split(",")[0] for record in model.trace_} == {"newton", "ascent"}
    assert model.gap_ < 0.5 * newton.gap_
    steps = model.trace_.column("step")  # ascent tells of some of its epochs
    assert steps == sorted(set(steps))
    assert steps[-1] == model.n_iter_
    objectives = np.array(model.trace_.column("objective"))
    assert (np.diff(objectives) <= 1e-9 * objectives[:-1]).all()  # a proof takes rounding off
    signs, w = np.where(y == 1, 1.0, -1.0), model.coef_[0]
    found = objective("hinge", X, signs, np.ones(60), w, model.intercept_[0])
    assert found == pytest.approx(model.objective_, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_a_long_row_does_not_lose_the_bias(seed: int) -> None:
    # once: a step of the bias too small for float64 was taken to infinity
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(6, 2)), np.arange(6) % 2
    X[0] *= 1e5
    for loss in ("squared_hinge", "logistic"):
        model = make(loss, solver="ascent", max_iter=20_000).fit(X, y)
        newton = make(loss, solver="newton").fit(X, y)
        bounds = (1 - model.gap_) * model.objective_, newton.objective_
        assert bounds[0] <= bounds[1] * (1 + 1e-9)
        assert np.isfinite(model.intercept_).all()


@pytest.mark.parametrize("C", [1e-200, 1e200])
@EVERY_LOSS
def test_prices_beyond_computing_with_are_refused_by_name(loss: str, C: float) -> None:
    # once: a division by zero, or X was called too large
    X, y = clouds()
    weights = np.where(np.arange(60) < 5, C**0.4, 1.0)
    for settings, given in (({"C": C}, None), ({"C": C**0.2}, weights)):
        with pytest.raises(ParameterError, match="C times the weight"):
            make(loss, **settings).fit(X, y, sample_weight=given)


def test_the_points_of_the_figure_have_few_support_vectors() -> None:
    data = builtin("4f10")
    model = LinearSVM(100.0).fit(data.X, data.y)
    theirs = SVC(C=100.0, kernel="linear", tol=1e-10).fit(data.X, data.y)
    assert model.support_.tolist() == sorted(theirs.support_.tolist())


@pytest.mark.parametrize("solver", ["newton", "ascent"])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_steps_taken_one_at_a_time_go_on(loss: str, solver: str) -> None:
    # once: six of them never left zero, and ascent forgot its dual variables
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X[:, 0] + 0.5 * rng.normal(size=80) > 0
    best = LinearSVM(loss=loss).fit(X, y).objective_
    model = LinearSVM(loss=loss, solver=solver, warm_start=True, max_iter=1)
    for _ in range(40):
        model.fit(X, y)
    assert model.objective_ <= 1.01 * best


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["newton", "ascent"])
@pytest.mark.parametrize("max_iter", [1, 3])
def test_a_warm_start_is_never_worse(solver: str, max_iter: int) -> None:
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(30, 1 + seed % 3))
        y = X[:, 0] + rng.normal(size=30) > 0
        C = 10.0 ** (seed % 5 - 2)
        cold = LinearSVM(C=C, solver=solver, max_iter=max_iter).fit(X, y)
        warm = LinearSVM(C=100 * C, solver=solver, max_iter=max_iter, warm_start=True)
        objective = warm.fit(X, y).set_params(C=C).fit(X, y).objective_
        assert warm.gap_ <= cold.gap_
        for _ in range(4):
            assert warm.fit(X, y).objective_ <= objective * (1 + 1e-12)  # their rounding
            objective = warm.objective_
