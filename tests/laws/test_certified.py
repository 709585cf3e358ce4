"""Laws of the certified rules over their losses. A new one is tested by being a row of RULES."""

import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from math import fsum
from operator import mul
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LinearSVM, LogisticRegression
from rosenblatt.errors import DataError
from rosenblatt.online.result import Ending
from rosenblatt.types import Array, Floats


def rule(kind: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
    return lambda **more: kind(**{"tol": 1e-9, **fixed, **more})


RULES = {
    "hinge": rule(LinearSVM),
    "hinge, no bias": rule(LinearSVM, fit_intercept=False),
    "squared hinge": rule(LinearSVM, loss="squared_hinge"),
    "squared hinge, no bias": rule(LinearSVM, loss="squared_hinge", fit_intercept=False),
    "logistic": rule(LogisticRegression),
    "logistic, no bias": rule(LogisticRegression, fit_intercept=False),
}
EVERY = pytest.mark.parametrize("name", RULES)
FEW = settings(max_examples=8)
SEEDS = st.integers(0, 2**20)
COSTS = st.sampled_from([0.01, 0.3, 1.0, 20.0])
EPSILON = np.finfo(np.float64).eps


def clouds(seed: int, n: int = 40, d: int = 3) -> tuple[Floats, Array]:
    """Overlapping clouds in float32 numbers, both classes present."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, d)) + rng.normal(size=(2, d))[y]
    return X.astype(np.float32).astype(np.float64), y


def same(ours: Any, theirs: Any) -> None:
    """Both are the optimum of one objective: equal to their gaps in value and scores.

    P is strongly convex in w: ½‖w − w*‖² is at most the gap.
    """
    apart = abs(ours.objective_ - theirs.objective_)
    allowed = 2e-9 * theirs.objective_
    assert apart <= allowed
    assert np.linalg.norm(ours.coef_ - theirs.coef_) <= 2 * np.sqrt(2 * allowed)


class Turned:
    """A model seen through another choice of labels, units or columns."""

    def __init__(self, model: Any, coef: Floats, objective: float | None = None) -> None:
        self.coef_ = coef
        self.objective_ = model.objective_ if objective is None else objective


# --- what changes nothing, or in a known way ----------------------------------------------------


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_swapping_the_labels_turns_the_weights_round(name: str, seed: int, C: float) -> None:
    X, y = clouds(seed)
    model, turned = RULES[name](C=C).fit(X, y), RULES[name](C=C).fit(X, 1 - y)
    same(Turned(turned, -turned.coef_), model)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS, s=st.sampled_from([0.125, 0.5, 4.0, 64.0]))
def test_units_of_the_features_change_only_units(name: str, seed: int, C: float, s: float) -> None:
    # ½‖w‖² + C Σ ℓ(w·x) = s² (½‖w/s‖² + (C/s²) Σ ℓ((w/s)·(s x)))
    X, y = clouds(seed)
    model, scaled = RULES[name](C=C).fit(X, y), RULES[name](C=C / s**2).fit(s * X, y)
    same(Turned(scaled, s * scaled.coef_, s**2 * scaled.objective_), model)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_a_row_twice_is_a_row_of_weight_two(name: str, seed: int, C: float) -> None:
    X, y = clouds(seed)
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[[np.argmin(y), np.argmax(y)]] = 1  # both classes stay
    weighted = RULES[name](C=C).fit(X, y, sample_weight=times)
    repeated = RULES[name](C=C).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    same(weighted, repeated)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_the_order_of_rows_and_columns_is_none(name: str, seed: int, C: float) -> None:
    X, y = clouds(seed)
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(y)), rng.permutation(X.shape[1])
    model = RULES[name](C=C).fit(X, y)
    same(RULES[name](C=C).fit(X[rows], y[rows]), model)
    moved = RULES[name](C=C).fit(X[:, columns], y)
    same(Turned(moved, moved.coef_[:, np.argsort(columns)]), model)


@pytest.mark.parametrize("name", [name for name in RULES if "no bias" not in name])
@FEW
@given(seed=SEEDS, C=COSTS, shift=st.sampled_from([-3.0, 10.0, 1000.0]))
def test_a_bias_takes_up_any_shift_of_the_rows(
    name: str, seed: int, C: float, shift: float
) -> None:
    X, y = clouds(seed)
    same(RULES[name](C=C).fit(X + shift, y), RULES[name](C=C).fit(X, y))


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS, constant=st.sampled_from([-1.0, 0.0, 7.0]))
def test_a_constant_column_is_worth_nothing_beside_a_bias(
    name: str, seed: int, C: float, constant: float
) -> None:
    # the bias does its work without a price; without a bias only a column of zeros is worth nothing
    X, y = clouds(seed)
    constant = 0.0 if "no bias" in name else constant
    wider = RULES[name](C=C).fit(np.column_stack([X, np.full(len(y), constant)]), y)
    same(Turned(wider, wider.coef_[:, :-1]), RULES[name](C=C).fit(X, y))
    assert abs(wider.coef_[0, -1]) <= np.sqrt(4e-9 * wider.objective_)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_a_column_twice_shares_its_weight(name: str, seed: int, C: float) -> None:
    # (x, x) with weight v each is x with weight 2v at half the price: as the column √2 x
    X, y = clouds(seed)
    twice = RULES[name](C=C).fit(np.column_stack([X, X]), y)
    once = RULES[name](C=C).fit(np.sqrt(2) * X, y)
    left, right = np.hsplit(twice.coef_, 2)
    np.testing.assert_allclose(left, right, atol=2 * np.sqrt(4e-9 * twice.objective_))
    same(Turned(twice, np.sqrt(2) * left), once)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_every_storage_gives_the_same_optimum(name: str, seed: int, C: float) -> None:
    X, y = clouds(seed)
    X[np.abs(X) < 0.5] = 0
    dense, wide = RULES[name](C=C).fit(X, y), sparse.csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    single = X.astype(np.float32)
    for stored in (single, np.asfortranarray(X), sparse.csr_array(single), wide):
        same(RULES[name](C=C).fit(stored, y), dense)


@EVERY
@FEW
@given(seed=SEEDS, C=COSTS)
def test_more_price_on_the_losses_means_longer_weights(name: str, seed: int, C: float) -> None:
    X, y = clouds(seed)
    cheap, dear = RULES[name](C=C).fit(X, y), RULES[name](C=2 * C).fit(X, y)
    short, long_ = np.linalg.norm(cheap.coef_), np.linalg.norm(dear.coef_)
    assert short <= long_ + 4 * np.sqrt(4e-9 * dear.objective_)
    assert cheap.objective_ <= dear.objective_ * (1 + 2e-9)
    assert dear.objective_ <= 2 * cheap.objective_ * (1 + 2e-9)


@EVERY
@pytest.mark.parametrize("k", [2, 3])
def test_threads_change_no_bit(name: str, k: int) -> None:
    rng = np.random.default_rng(k)
    X = rng.normal(size=(40_000, 2)).astype(np.float32)
    y = np.argmax(X @ rng.normal(size=(2, k)) + rng.normal(size=(40_000, k)), axis=1)
    alone = RULES[name](tol=1e-4).fit(X, y)
    together = RULES[name](tol=1e-4, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(together.coef_, alone.coef_)
    np.testing.assert_array_equal(together.intercept_, alone.intercept_)
    assert together.trace_.as_dicts() == alone.trace_.as_dicts()


ONE_VS_REST = {name: kind for name, kind in RULES.items() if "logistic" not in name}
ONE_VS_REST["logistic"] = rule(LogisticRegression, multi_class="ovr")


def many_classes(n: int = 40_000, d: int = 6, k: int = 4) -> tuple[Floats, Array]:
    rng = np.random.default_rng(k)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, np.argmax(X @ rng.normal(size=(d, k)) + rng.normal(size=(n, k)), axis=1)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ONE_VS_REST)
def test_one_vs_rest_units_are_those_of_each_class_alone(name: str, n_jobs: int) -> None:
    X, y = many_classes()
    together = ONE_VS_REST[name](tol=1e-6, n_jobs=n_jobs).fit(X, y)
    records = together.trace_.as_dicts()
    for k in range(4):
        alone = ONE_VS_REST[name](tol=1e-6).fit(X, y == k)
        np.testing.assert_array_equal(together.coef_[k], alone.coef_[0])
        np.testing.assert_array_equal(together.intercept_[k], alone.intercept_[0])
        own = [record for record in records if record["output"] == k]
        assert [{**record, "output": 0} for record in own] == alone.trace_.as_dicts()


def test_one_vs_rest_units_keep_to_limits_and_start_warm() -> None:
    X, y = many_classes(2000)
    first = LinearSVM(max_iter=3, warm_start=True).fit(X, y)
    assert first.outcome_.ending is Ending.MAX_STEPS_REACHED
    assert first.n_iter_ == 3
    assert LinearSVM(time_limit=1e-9).fit(X, y).outcome_.ending is Ending.TIME_LIMIT_REACHED
    first.set_params(max_iter=1000).fit(X, y)
    assert first.gap_ <= 1e-6
    assert LinearSVM(C="cv", tol=1e-3).fit(X, y).gap_ <= 1e-3


def test_one_vs_rest_units_refuse_rows_that_are_too_large() -> None:
    X, y = many_classes(2000)
    with pytest.raises(DataError):
        LinearSVM().fit(X.astype(np.float64) * 1e200, y)


@EVERY
def test_a_warm_start_is_at_the_end_already(name: str) -> None:
    X, y = clouds(3)
    model = RULES[name](warm_start=True, tol=1e-5).fit(X, y)
    first = model.objective_
    model.fit(X, y)
    assert model.gap_ <= 1e-5
    assert model.objective_ <= first * (1 + 1e-12)
    other = RULES[name](C=1.1, tol=1e-9).fit(X, y)
    model.set_params(C=1.1, tol=1e-9).fit(X, y)
    same(model, other)


# --- hard inputs end well -----------------------------------------------------------------------

X0, Y0 = clouds(1, n=60, d=4)
APART = X0 + 8.0 * (2 * Y0[:, None] - 1)
RNG = np.random.default_rng(0)
HARD: dict[str, tuple[Any, Any]] = {
    "two rows": ([[0.0], [1.0]], [0, 1]),
    "two equal rows": ([[2.0, 1.0], [2.0, 1.0]], [0, 1]),
    "more features than rows": (RNG.normal(size=(8, 50)), np.arange(8) % 2),
    "all rows equal": (np.ones((7, 3)), [0, 0, 0, 0, 0, 1, 1]),
    "all rows zero": (np.zeros((7, 3)), [0, 0, 0, 1, 1, 1, 1]),
    "no entries": (sparse.csr_array((7, 3)), [0, 0, 0, 1, 1, 1, 1]),
    "columns twice": (np.hstack([X0, X0]), Y0),
    "a constant column": (np.column_stack([X0, np.full(60, 5.0)]), Y0),
    "scales 1 : 1e8": (X0 * [1.0, 1e8, 1e-8, 1.0], Y0),
    "far from zero": (X0 + 1e5, Y0),
    "very far from zero": (X0 + 1e9, Y0),
    "tiny": (X0 * 1e-150, Y0),
    "below all squares": (X0 * 1e-200, Y0),
    "large": (X0 * 1e8, Y0),
    "huge": (X0 * 1e100, Y0),
    "apart": (APART, Y0),
    "apart and large": (APART * 1e6, Y0),
    "one row of a class": (X0, np.arange(60) == 17),
    "one row on the wrong side": (APART, np.where(np.arange(60) == 3, 1 - Y0, Y0)),
}


def settle(model: Any, X: Any, y: Any, weights: Any = None) -> Any:
    """Fit without a warning and within seconds; what is said must be what is so."""
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome is looked at below
        model.fit(X, y, sample_weight=weights)
    assert time.monotonic() - start < 20
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert_truthful(model, X, y, weights)
    return model


def assert_truthful(model: Any, X: Any, y: Any, weights: Any) -> None:
    """The objective is that of the weights or, by rounding, above; none known is below the bound.

    A margin is a sum of d products and the intercept: what rounding leaves open grows with d.
    """
    X = np.asarray(X.todense() if sparse.issparse(X) else X, float)
    signs = np.where(np.asarray(y) == model.classes_[1], 1.0, -1.0)
    costs = model.C * (np.ones(len(signs)) if weights is None else np.asarray(weights, float))

    fractions = [list(map(Fraction, row)) for row in X]

    def worth(w: Floats, b: float) -> tuple[float, float]:
        scores = [sum(map(mul, row, map(Fraction, w)), Fraction(b)) for row in fractions]
        margins = [int(sign) * score for sign, score in zip(signs, scores, strict=True)]
        short = np.array([float(max(0, 1 - margin)) for margin in margins])
        loss = (
            np.logaddexp(0, [-float(margin) for margin in margins])
            if isinstance(model, LogisticRegression)
            else (short if model.loss == "hinge" else short**2)
        )
        sizes = np.abs(X) @ np.abs(w) + abs(b) + 1
        open_ = (16 + len(w)) * EPSILON * (costs @ sizes + w @ w)
        return fsum([w @ w / 2, *costs * loss]), float(open_)

    own, open_ = worth(model.coef_[0], model.intercept_[0])
    assert own * (1 - 4 * EPSILON) <= model.objective_ <= own * (1 + 1e-12) + open_
    bound = model.trace_[-1].lower_bound
    shift = 1.0 if model.fit_intercept else 0.0
    for w, b in [(model.coef_[0], model.intercept_[0]), (0 * model.coef_[0], 0.0)]:
        for db in (-shift, 0.0, shift):
            value, unknown = worth(w, b + db)
            assert bound <= value * (1 + 1e-12) + unknown
    assert -open_ <= model.gap_ * model.objective_
    if model.outcome_.converged:
        assert model.gap_ <= model.tol


@EVERY
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs_end_well(name: str, case: str) -> None:
    X, y = HARD[case]
    settle(RULES[name](tol=1e-6), X, np.asarray(y))


# those below are within the reach of float64, so they must be certified
REACHED = set(HARD) - {"very far from zero", "large", "huge", "apart and large"}


@EVERY
@pytest.mark.parametrize("case", sorted(REACHED))
def test_and_are_certified(name: str, case: str) -> None:
    X, y = HARD[case]
    model = RULES[name](tol=1e-6).fit(X, np.asarray(y))
    assert model.outcome_.converged, str(model.outcome_)


@EVERY
@pytest.mark.parametrize("C", [1e-6, 1e-3, 1e3, 1e6, 1e8])
@pytest.mark.parametrize("apart", [False, True])
def test_any_price_ends_well(name: str, C: float, *, apart: bool) -> None:
    model = settle(RULES[name](C=C, tol=1e-6), APART if apart else X0, Y0)
    assert model.score(APART if apart else X0, Y0) >= (1.0 if apart else 0.5)


@EVERY
@pytest.mark.parametrize("heavy", [[1e8], [1e8, 1e8], [1e-8]])
def test_all_weight_on_a_row_ends_well(name: str, heavy: list[float]) -> None:
    weights = np.ones(60)
    weights[: len(heavy)] = heavy
    model = settle(RULES[name](tol=1e-6), X0, Y0, weights)
    assert model.outcome_.converged, str(model.outcome_)


@EVERY
@pytest.mark.parametrize("limit", [{"time_limit": 1e-3}, {"max_iter": 1}, {"tol": 0.0}])
def test_limits_end_well(name: str, limit: dict[str, float]) -> None:
    settle(RULES[name](**{"tol": 1e-12, **limit}), X0, Y0)
