"""Dual coordinate ascent, against LIBLINEAR, a convex program by SLSQP, and its own certificate."""

from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from rosenblatt import LinearSVM
from rosenblatt.data.training_data import Blocks, TrainingData, no_weights
from rosenblatt.data.validation import rows_of
from rosenblatt.errors import DataError, TooLargeError
from rosenblatt.kernels.rows import n_rows
from rosenblatt.losses.conjugate import best_alpha, sample_gap
from rosenblatt.losses.margin_losses import HINGE, LOGISTIC, SQUARED_HINGE
from rosenblatt.optim.active_set import (
    INACTIVE_AFTER_EPOCHS,
    ActiveSet,
    DualVariables,
    SubspaceAcceleration,
    choose_active,
)
from rosenblatt.optim.dual_cd import (
    MAX_VISITS_BETWEEN_GAPS,
    DualAscentState,
    DualCoordinateAscent,
    ascend,
)
from rosenblatt.optim.duality_gap import LossTerms
from rosenblatt.optim.objective import BinaryObjective
from rosenblatt.optim.solve import Limits, Start, solve
from rosenblatt.types import Floats

LOSSES = [HINGE, SQUARED_HINGE, LOGISTIC]
EPOCHS = 4000  # of the longest run


def samples(seed: int, n: int = 80, d: int = 6) -> tuple[Floats, Floats]:
    """Rows with a few zeros and signs that no line separates."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return X, np.where(X.sum(axis=1) + rng.normal(size=n) > 0.3, 1.0, -1.0)


def common_words(n: int = 1500, d: int = 1000, words: int = 30) -> tuple[Any, Floats]:
    """Counts of words of which a few are in every row, and signs with noise."""
    rng = np.random.default_rng(0)
    counts = np.zeros((n, d))
    np.add.at(counts, (np.arange(n)[:, None], (d ** rng.random((n, words))).astype(int)), 1.0)
    scores = counts @ rng.normal(size=d) + rng.normal(size=n)
    return sparse.csr_array(counts), np.where(scores > 0, 1.0, -1.0)


def blocks_of(X: Any, n_jobs: int = 1) -> Blocks:
    rows, n = rows_of(X), X.shape[0]
    return Blocks(TrainingData(rows, np.zeros(n, np.int8), no_weights(n), np.ones(2)), n_jobs)


def objective_of(
    X: Any, y: Floats, sample_C: Any, loss: int, *, fit_intercept: bool = False, n_jobs: int = 1
) -> BinaryObjective:
    every = np.broadcast_to(np.asarray(sample_C, float), len(y)).copy()
    return BinaryObjective(blocks_of(X, n_jobs), loss, y, every, 1.0, fit_intercept)


def ascending(
    X: Any, y: Floats, sample_C: Any, loss: int, *, fit_intercept: bool = False, **more: Any
) -> Any:
    return ascend(objective_of(X, y, sample_C, loss, fit_intercept=fit_intercept), seed=0, **more)


def solved(
    X: Any, y: Floats, sample_C: Any, loss: int, *, fit_intercept: bool = False, tol: float = 1e-9
) -> DualAscentState:
    for state in ascending(X, y, sample_C, loss, fit_intercept=fit_intercept, tol=tol):
        if state.bounds.gap <= tol:
            return state
        assert state.epoch < EPOCHS, f"the gap is still {state.bounds.gap}"
    raise AssertionError("an ascent has no end")


def objective(X: Any, y: Floats, sample_C: Any, loss: int, w: Floats, b: float = 0.0) -> float:
    """The objective, in a line of numpy a loss."""
    m = y * (X @ w + b)
    value = {
        HINGE: np.maximum(0.0, 1.0 - m),
        SQUARED_HINGE: np.maximum(0.0, 1.0 - m) ** 2,
        LOGISTIC: np.logaddexp(0.0, -m),
    }[loss]
    return float(0.5 * w @ w + (sample_C * value).sum())


def liblinear(X: Any, y: Floats, loss: int, C: float, weights: Any = None) -> Floats:
    """Weights by LIBLINEAR, without an intercept: the same objective."""
    if loss == LOGISTIC:
        model: Any = LogisticRegression(
            C=C, solver="newton-cg", fit_intercept=False, tol=1e-10, max_iter=10_000
        )
    else:
        name = "hinge" if loss == HINGE else "squared_hinge"
        model = LinearSVC(
            C=C, loss=name, dual=True, fit_intercept=False, tol=1e-10, max_iter=1_000_000
        )
    return np.asarray(model.fit(X, y, sample_weight=weights).coef_[0])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_the_optimum_of_scikit_learn(loss: int, C: float) -> None:
    X, y = samples(1)
    state = solved(X, y, C, loss)
    expected = liblinear(X, y, loss, C)
    best = objective(X, y, C, loss, expected)
    assert objective(X, y, C, loss, state.w) == pytest.approx(state.bounds.primal, rel=1e-12)
    assert state.bounds.primal == pytest.approx(best, rel=1e-8)
    np.testing.assert_allclose(state.w, expected, atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_bounds_enclose_the_optimum_at_every_measurement(loss: int, *, fit_intercept: bool) -> None:
    X, y = samples(2, n=300)
    best = solved(X, y, 1.0, loss, fit_intercept=fit_intercept)
    states = list(islice(ascending(X, y, 1.0, loss, fit_intercept=fit_intercept), 12))
    for before, after in pairwise(states):
        assert after.bounds.primal <= before.bounds.primal
        assert after.bounds.dual >= before.bounds.dual
    for state in states:
        assert state.bounds.dual <= best.bounds.primal * (1.0 + 1e-12)
        assert state.bounds.primal >= best.bounds.dual * (1.0 - 1e-12)
        assert (
            state.bounds.gap
            >= (state.bounds.primal - best.bounds.primal) / state.bounds.primal - 1e-12
        )
        assert objective(X, y, 1.0, loss, state.w, state.b) == pytest.approx(
            state.bounds.primal, 1e-12
        )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_dual_variables_are_feasible_and_give_the_dual(loss: int, *, fit_intercept: bool) -> None:
    X, y = samples(3)
    sample_C = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    for state in islice(ascending(X, y, sample_C, loss, fit_intercept=fit_intercept), 5):
        a = state.alpha
        assert (a >= 0.0).all()
        assert loss == SQUARED_HINGE or (a <= sample_C * (1 + 1e-15)).all()
        assert not fit_intercept or abs(a @ y) <= 1e-12 * a.sum()
        t = np.clip(a / sample_C, 1e-300, 1.0)
        entropy = -a * np.log(t) - (sample_C - a) * np.log(np.maximum(1.0 - t, 1e-300))
        dual_terms = {HINGE: a, SQUARED_HINGE: a - a * a / (4 * sample_C), LOGISTIC: entropy}[loss]
        w = X.T @ (a * y)
        assert state.bounds.dual == pytest.approx(dual_terms.sum() - 0.5 * w @ w, rel=1e-10)


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_every_epoch_raises_the_dual_by_its_increase(loss: int) -> None:
    X, y = samples(14, n=200)
    ascent = DualCoordinateAscent(objective_of(X, y, 1.0, loss))
    dual_value = 0.0
    for epoch in range(1, 60):
        dual_value += ascent.run_epoch(0, epoch).dual_increase
        assert ascent.measure(None, epoch).bounds.dual == pytest.approx(dual_value, rel=1e-11)


@pytest.mark.parametrize("loss", LOSSES)
def test_acceleration_saves_epochs_where_rows_share_words(
    loss: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = common_words()
    accelerated = solved(X, y, 1.0, loss, fit_intercept=True, tol=1e-4).epoch
    monkeypatch.setattr(SubspaceAcceleration, "accelerate", lambda *_: 0.0)
    assert 2 * accelerated < solved(X, y, 1.0, loss, fit_intercept=True, tol=1e-4).epoch


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
def test_accelerated_steps_that_lower_the_dual_are_undone_unless_the_epoch_makes_up(
    loss: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = common_words()
    ascent = DualCoordinateAscent(objective_of(X, y, 100.0, loss))
    increases, duals = [], [0.0]
    accelerate = SubspaceAcceleration.accelerate
    monkeypatch.setattr(
        SubspaceAcceleration,
        "accelerate",
        lambda *a: increases.append(accelerate(*a)) or increases[-1],
    )
    for epoch in range(1, 40):
        ascent.run_epoch(0, epoch)
        duals.append(ascent.measure(None, epoch).bounds.dual)
    assert min(increases) < 0.0
    assert (np.diff(duals) > 0.0).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_the_gap_is_measured_when_it_is_small_enough(loss: int, *, fit_intercept: bool) -> None:
    X, y = common_words()
    n_measured = 0
    for state in ascending(X, y, 1.0, loss, fit_intercept=fit_intercept, tol=1e-3):
        n_measured += 1
        if state.bounds.gap <= 1e-3:
            break
    assert n_measured <= 2 + state.epoch / MAX_VISITS_BETWEEN_GAPS
    assert state.bounds.gap > 1e-4  # nor much later


@pytest.mark.parametrize(("loss", "rel"), [(HINGE, 1e-12), (SQUARED_HINGE, 1e-12), (LOGISTIC, 0.1)])
def test_sample_gaps_sum_to_the_gap(loss: int, rel: float) -> None:
    X, y = samples(18)
    state = next(ascending(X, y, 1.0, loss, tol=1e-2))
    margins = y * (X @ state.w)
    squares = (X * X).sum(axis=1)
    total = 0.0
    for alpha, margin, square in zip(state.alpha, margins, squares, strict=True):
        after = best_alpha(loss, alpha, margin, square, 1.0)
        total += sample_gap(loss, alpha, after, margin, square, 1.0)
    assert total == pytest.approx(state.bounds.primal - state.bounds.dual, rel=rel)


@pytest.mark.parametrize("loss", [HINGE, SQUARED_HINGE])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_an_active_set_ascends_for_all_rows(
    loss: int, monkeypatch: pytest.MonkeyPatch, *, fit_intercept: bool
) -> None:
    X, y = common_words(d=300)
    sizes = []

    def formed(rows: Any, *parts: Any, **more: Any) -> ActiveSet:
        sizes.append(n_rows(rows))
        return ActiveSet(rows, *parts, **more)

    monkeypatch.setattr("rosenblatt.optim.dual_cd.ActiveSet", formed)
    for state in ascending(X, y, 1.0, loss, fit_intercept=fit_intercept, tol=1e-7):
        a, w = state.alpha, X.T @ (state.alpha * y)
        dual_terms = a if loss == HINGE else a - a * a / 4.0
        assert state.bounds.primal == pytest.approx(
            objective(X, y, 1.0, loss, state.w, state.b), 1e-12
        )
        assert state.bounds.dual == pytest.approx(dual_terms.sum() - 0.5 * w @ w, rel=1e-10)
        assert not fit_intercept or abs(a @ y) <= 1e-12 * a.sum()
        if state.bounds.gap <= 1e-7:
            break
        assert state.epoch < EPOCHS
    assert min(sizes) < 0.4 * len(y)
    assert len(set(sizes)) > 2  # it was rebuilt


def test_a_shrunk_row_becomes_active_when_it_would_change() -> None:
    signs, sample_C = np.array([1.0, 1.0, -1.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    alpha = np.array([0.0, 0.0, 1.0, 0.5, 0.0])
    shrink_for, next_visit = np.full(5, INACTIVE_AFTER_EPOCHS, np.int32), np.full(5, 99, np.int32)
    shrink_for[3] = 0
    state = DualVariables(alpha, np.ones(5), shrink_for, next_visit)
    is_active = np.zeros(5, np.bool_)
    # margins without b: optimal at α = 0; too small for 0; too large for C; at the kink; C = 0
    choose_active(
        LossTerms(signs, sample_C, HINGE),
        state,
        np.array([1.3, 0.2, -1.9, 0.5, 0.0]),
        0.5,
        is_active,
    )
    assert is_active.tolist() == [False, True, True, True, False]
    assert next_visit.tolist() == [99, 0, 0, 99, 99]


def test_logistic_epochs_never_lower_the_dual() -> None:
    X, y = samples(15, n=200)
    ascent = DualCoordinateAscent(objective_of(X, y, 1.0, LOGISTIC))
    duals = []
    for epoch in range(1, 60):
        assert ascent.run_epoch(0, epoch).dual_increase >= 0.0
        duals.append(ascent.measure(None, epoch).bounds.dual)
    assert (np.diff(duals) >= -1e-13 * duals[-1]).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_intercept_against_a_convex_program(loss: int) -> None:
    X, y = samples(4, n=40, d=3)
    state = solved(X, y, 1.0, loss, fit_intercept=True)
    # the smooth losses as they stand; the hinge as a linear programme in (w, b, ξ)
    n, d = X.shape
    if loss == HINGE:
        rows = np.hstack([y[:, None] * X, y[:, None], np.eye(n)])
        found = optimize.minimize(
            lambda v: 0.5 * v[:d] @ v[:d] + v[d + 1 :].sum(),
            np.r_[np.zeros(d + 1), np.ones(n)],
            jac=lambda v: np.r_[v[:d], 0.0, np.ones(n)],
            method="SLSQP",
            constraints=[{"type": "ineq", "fun": lambda v: rows @ v - 1.0, "jac": lambda _: rows}],
            bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
            options={"maxiter": 1000, "ftol": 1e-12},
        )
    else:
        found = optimize.minimize(
            lambda v: objective(X, y, 1.0, loss, v[:d], v[d]), np.zeros(d + 1), tol=1e-12
        )
    assert state.bounds.primal == pytest.approx(found.fun, rel=1e-6)
    assert state.bounds.primal <= found.fun * (1.0 + 1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_dense_and_sparse_rows_agree(loss: int, *, fit_intercept: bool) -> None:
    X, y = samples(5)
    dense = solved(X, y, 1.0, loss, fit_intercept=fit_intercept)
    for same in (sparse.csr_array(X), X.astype(np.float32).astype(np.float64)):
        other = solved(same, y, 1.0, loss, fit_intercept=fit_intercept)
        assert other.bounds.primal == pytest.approx(dense.bounds.primal, rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_threads_change_no_bit(loss: int) -> None:
    X, y = samples(6, n=40_000, d=4)
    one, two = (
        next(
            islice(
                ascend(objective_of(X, y, 1.0, loss, fit_intercept=True, n_jobs=jobs), seed=3),
                1,
                None,
            )
        )
        for jobs in (1, 2)
    )
    assert (one.w == two.w).all()
    assert (*one.bounds, one.b) == (*two.bounds, two.b)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_count_rows_and_zero_leaves_them_out(loss: int) -> None:
    X, y = samples(7)
    twice = np.r_[np.full(40, 2.0), np.zeros(40)]
    weighted = solved(X, y, twice, loss)
    doubled = solved(np.vstack([X[:40], X[:40]]), np.r_[y[:40], y[:40]], 1.0, loss)
    assert weighted.bounds.primal == pytest.approx(doubled.bounds.primal, rel=1e-8)
    assert (weighted.alpha[40:] == 0.0).all()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_empty_rows_have_a_loss_and_do_no_harm(loss: int, *, fit_intercept: bool) -> None:
    X, y = samples(8)
    X[::7] = 0.0
    assert solved(sparse.csr_array(X), y, 1.0, loss, fit_intercept=fit_intercept).bounds.gap <= 1e-9
    nothing = solved(
        np.zeros((4, 2)), np.array([1.0, -1.0, 1.0, -1.0]), 1.0, loss, fit_intercept=fit_intercept
    )
    assert nothing.bounds.primal == pytest.approx(
        4 * {HINGE: 1, SQUARED_HINGE: 1}.get(loss, np.log(2))
    )


HARD = {
    "one row a class": (np.array([[1.0, 2.0], [3.0, -1.0]]), np.array([1.0, -1.0])),
    "every row twice": (np.repeat(samples(9)[0], 2, axis=0), np.repeat(samples(9)[1], 2)),
    "features 1 : 1e8": (samples(10, d=3)[0] * [1.0, 1e4, 1e-4], samples(10, d=3)[1]),
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("name", HARD)
def test_hard_rows(name: str, loss: int, *, fit_intercept: bool) -> None:
    X, y = HARD[name]
    sample_C = 1e-6 if name.startswith("features") else 1.0
    state = solved(X, y, sample_C, loss, fit_intercept=fit_intercept, tol=1e-6)
    assert objective(X, y, sample_C, loss, state.w, state.b) == pytest.approx(
        state.bounds.primal, rel=1e-9
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-6, 1e6])
def test_the_gap_holds_for_small_and_large_values_of_c(loss: int, C: float) -> None:
    X, y = samples(11, n=30, d=3)
    states = list(islice(ascending(X, y, C, loss), 100))
    for early, late in pairwise(states):
        assert early.bounds.dual <= late.bounds.primal * (1.0 + 1e-12)
        assert early.bounds.dual <= late.bounds.dual
    assert C > 1.0 or states[-1].bounds.gap <= 1e-9
    # a point anybody can name lies above every dual value
    assert states[-1].bounds.dual <= objective(X, y, C, loss, np.zeros(3))


@pytest.mark.parametrize("loss", LOSSES)
def test_a_larger_l2_penalty_is_a_smaller_c(loss: int) -> None:
    X, y = samples(16)
    heavy = islice(
        ascend(objective_of(X, y, 1.0, loss, fit_intercept=True)._replace(l2=4.0), seed=0), 6
    )
    cheap = islice(ascending(X, y, 0.25, loss, fit_intercept=True), 6)
    for one, other in zip(heavy, cheap, strict=True):
        np.testing.assert_array_equal(one.w, other.w)
        np.testing.assert_allclose(one.alpha, 4.0 * other.alpha)
        assert (one.bounds.primal, one.bounds.dual) == pytest.approx(
            (4.0 * other.bounds.primal, 4.0 * other.bounds.dual)
        )


def test_a_warm_start_begins_where_it_ended() -> None:
    X, y = samples(12)
    for loss in LOSSES:
        end = solved(X, y, 1.0, loss, fit_intercept=True)
        again = next(ascending(X, y, 1.0, loss, fit_intercept=True, start=(end.alpha, end.b)))
        assert again.bounds.gap <= 1e-8


def test_an_alpha_far_too_large_is_scaled_down() -> None:
    # once: a step down from there was taken to rise without bounds, and X was said to be too large
    X, y = samples(4)
    high = (0.9 * np.full(len(y), 1e6), 0.0)
    first, *_, last = islice(ascending(X, y, 1e6, LOGISTIC, start=high), 5)
    assert last.bounds.gap < first.bounds.gap < np.inf


def test_dual_variables_of_a_fold_start_another() -> None:
    rng = np.random.default_rng(0)
    X = sparse.random_array((400, 900), density=0.02, format="csr", rng=rng)
    y = np.where(X @ rng.normal(size=900) > 0, 1.0, -1.0)
    folds = np.arange(400) % 5
    limits = Limits(1e-2, EPOCHS)
    *_, first = solve(objective_of(X, y, 1e3 * (folds != 0), LOGISTIC), None, 0, limits, "ascent")
    other = objective_of(X, y, 1e3 * (folds != 1), LOGISTIC)
    starts = [Start(first.w), Start(first.w, first.alpha)]
    by_weights, by_alpha = ([*solve(other, start, 0, limits, "ascent")][-1] for start in starts)
    assert by_alpha.bounds.gap <= 1e-2
    assert by_alpha.number <= by_weights.number


def test_rows_without_weight_leave_nothing_to_do() -> None:
    X, y = samples(17)
    state = next(ascending(X, y, 0.0, HINGE, fit_intercept=True))
    assert (*state.bounds, state.bounds.unrounded_gap) == (0.0, 0.0, 0.0)
    assert not state.w.any()


def test_values_that_are_not_numbers_are_named() -> None:
    X, y = samples(13)
    X[17, 2] = np.nan
    with pytest.raises(DataError, match="row 17"):
        next(ascending(X, y, 1.0, HINGE))


def test_values_too_large_for_their_squares_are_refused() -> None:
    X, y = samples(13)
    X[17, 2] = 1e200
    with pytest.raises(TooLargeError):
        next(ascending(X, y, 1.0, HINGE))


@pytest.mark.parametrize("max_iter", [1, 3, 11])
def test_a_run_ends_at_max_iter(max_iter: int) -> None:
    X, y = sparse.csr_array(np.random.default_rng(5).normal(size=(60, 8))), np.arange(60) % 2
    model = LinearSVM(solver="ascent", max_iter=max_iter, tol=0.0).fit(X, y)
    assert model.n_iter_ == max_iter
    assert 0.0 < model.gap_ < 1.0
