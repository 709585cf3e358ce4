"""Laws of the closed forms over all their variants. A new variant is tested by being a row here."""

import itertools
import pickle
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rosenblatt import FisherDiscriminant, LeastSquares, LinearDiscriminant, builtin
from rosenblatt.closed_form.discriminants import between, equal_error, midway
from rosenblatt.data.training_data import Blocks, TrainingData, no_weights
from rosenblatt.errors import DataError, ParameterError
from rosenblatt.types import Array, Floats


class Variant(NamedTuple):
    """An estimator, and which premises it meets.

    `streams`: it has `partial_fit`; `moves`: moving all rows moves only its bias; `maps`: a linear
    map of the rows changes no score; `scales`: the size of all weights changes nothing.
    """

    make: Callable[[], Any]
    streams: bool = True
    moves: bool = True
    maps: bool = True
    scales: bool = True


def fisher(**how: Any) -> Callable[[], Any]:
    return lambda: FisherDiscriminant(**how)


VARIANTS = {
    "least squares": Variant(LeastSquares),
    "ridge": Variant(lambda: LeastSquares(alpha=0.5), maps=False, scales=False),
    "no bias": Variant(lambda: LeastSquares(fit_intercept=False), moves=False),
    "class weights": Variant(lambda: LeastSquares(class_weight={0: 2.0, 1: 0.5, 2: 3.0})),
    "balanced": Variant(lambda: LeastSquares(class_weight="balanced")),
    "LDA": Variant(LinearDiscriminant),
    "shrinkage": Variant(lambda: LinearDiscriminant(shrinkage=0.3), maps=False),
    "auto": Variant(
        lambda: LinearDiscriminant(shrinkage="auto"), streams=False, maps=False, scales=False
    ),
    "oas": Variant(lambda: LinearDiscriminant(shrinkage="oas"), maps=False, scales=False),
    "fisher": Variant(fisher(), streams=False),
    "fisher means": Variant(fisher(intercept="means"), streams=False),
    "fisher equal": Variant(fisher(intercept="equal-error"), streams=False),
    "one direction": Variant(fisher(intercept="means", n_components=1), streams=False),
}


def which(**premises: bool) -> Any:
    chosen = [
        name
        for name, variant in VARIANTS.items()
        if all(getattr(variant, premise) == value for premise, value in premises.items())
    ]
    return pytest.mark.parametrize("name", chosen)


EVERY = which()
FEW = settings(max_examples=6)
SEEDS, CLASSES = st.integers(0, 2**20), st.integers(2, 4)


def clouds(seed: int, k: int, n: int = 48, d: int = 4) -> tuple[Floats, Array]:
    """Overlapping clouds in float32 numbers; well-conditioned, so that rounding stays rounding."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(k, d))[y]
    return X.astype(np.float32).astype(np.float64), y


def weights_of(model: Any) -> Floats:
    return np.column_stack([model.coef_, model.intercept_])


def close(ours: Any, theirs: Any, bound: float = 1e-10) -> None:
    size = max(1e-300, float(np.abs(theirs).max(initial=0)))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=bound * size)


def fitted(name: str, X: Any, y: Any, weights: Any = None) -> Any:
    return VARIANTS[name].make().fit(X, y, sample_weight=weights)


# --- storages and streams -----------------------------------------------------------------------


@EVERY
@FEW
@given(seed=SEEDS, k=CLASSES)
def test_every_storage_gives_the_same_bits(name: str, seed: int, k: int) -> None:
    X, y = clouds(seed, k)
    X[np.abs(X) < 0.5] = 0
    dense, single = fitted(name, X, y), X.astype(np.float32)
    for stored in (single, np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(single)):
        other = fitted(name, stored, y)
        np.testing.assert_array_equal(other.coef_, dense.coef_)
        if name in {"fisher", "fisher equal"}:  # cut between scores, which are sums of their own
            close(other.intercept_, dense.intercept_, 1e-13)
        else:
            np.testing.assert_array_equal(other.intercept_, dense.intercept_)


@EVERY
@pytest.mark.parametrize("k", [2, 3])
def test_threads_change_no_bit(name: str, k: int) -> None:
    X, y = clouds(1, k, n=40_000, d=3)
    alone = fitted(name, X, y)
    together = VARIANTS[name].make().set_params(n_jobs=3).fit(X, y)
    np.testing.assert_array_equal(weights_of(together), weights_of(alone))
    np.testing.assert_array_equal(together.decision_function(X), alone.decision_function(X))


def streamed(model: Any, X: Any, y: Array, cuts: list[int], weights: Any = None) -> Any:
    ends = sorted({0, *(cut for cut in cuts if cut < len(y)), len(y)})
    for a, b in itertools.pairwise(ends):
        model.partial_fit(X[a:b], y[a:b], sample_weight=None if weights is None else weights[a:b])
    return model


@which(streams=True)
@FEW
@given(
    seed=SEEDS,
    k=CLASSES,
    cuts=st.lists(st.integers(1, 47)),
    weighted=st.booleans(),
    late=st.booleans(),
)
def test_a_stream_gives_the_fit_however_it_is_cut(
    name: str, seed: int, k: int, cuts: list[int], *, weighted: bool, late: bool
) -> None:
    X, y = clouds(seed, k)
    if late:
        order = np.argsort(y, kind="stable")[::-1]  # classes join one by one, the last first
        X, y = X[order], y[order]
    weights = np.random.default_rng(seed).integers(0, 3, len(y)).astype(float) if weighted else None
    assume(weights is None or (np.bincount(y, weights) > 5).all())
    whole = fitted(name, X, y, weights)
    parts = streamed(VARIANTS[name].make(), X, y, cuts, weights)
    close(weights_of(parts), weights_of(whole))
    assert parts.classes_.tolist() == whole.classes_.tolist()
    assert parts.rank_ == whole.rank_
    assert str(parts.outcome_) == str(whole.outcome_)


@which(streams=True)
def test_what_a_stream_has_learnt_is_never_stale(name: str) -> None:
    # once: rank_, priors_, covariance_ and shrinkage_ were missing, or those before the last chunk
    X, y = clouds(5, 3)
    model = VARIANTS[name].make().partial_fit(X[:20], y[:20])
    model.predict(X)
    model.partial_fit(X[20:], y[20:])
    whole = fitted(name, X, y)
    for attribute in ("rank_", "priors_", "covariance_", "shrinkage_", "means_"):
        if hasattr(whole, attribute):
            close(getattr(model, attribute), getattr(whole, attribute), 1e-12)
    assert model.outcome_ == whole.outcome_


@which(streams=True)
def test_a_stream_of_one_class_waits_for_another(name: str) -> None:
    X, y = clouds(6, 2)
    model = VARIANTS[name].make().partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    for ask in (model.predict, model.decision_function):
        with pytest.raises(DataError, match="only one class"):
            ask(X)
    assert not hasattr(model, "coef_")
    model.partial_fit(X[y == 0], y[y == 0])
    close(weights_of(model), weights_of(fitted(name, X, y)))


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (LeastSquares(), "class_weight", "balanced"),
        (LinearDiscriminant(solver="lsqr"), "priors", [0.5, 0.5]),
        (LinearDiscriminant(), "shrinkage", "oas"),
    ],
)
def test_settings_that_need_each_class_apart_cannot_join_a_stream(
    model: Any, name: str, value: Any
) -> None:
    # once: the pooled scatter was taken for that of every class, without a word
    X, y = clouds(7, 2)
    begun = clone(model).partial_fit(X, y).set_params(**{name: value})
    with pytest.raises(ParameterError, match=name):
        begun.predict(X)
    with pytest.raises(ParameterError, match=name):
        begun.partial_fit(X, y)
    # the other way round the scatters are simply added
    apart = clone(model).set_params(**{name: value}).partial_fit(X[:20], y[:20])
    apart.set_params(**{name: None}).partial_fit(X[20:], y[20:])
    close(weights_of(apart), weights_of(clone(model).fit(X, y)))


def test_a_stream_that_grows_beyond_float64_stays_as_it_was() -> None:
    X, y = clouds(8, 2)
    model = LeastSquares().partial_fit(X, y)
    before = weights_of(model)
    with pytest.raises(DataError, match="too large"):
        model.partial_fit(np.full((2, 4), 1e180), [0, 1])
    np.testing.assert_array_equal(weights_of(model), before)


# --- symmetries ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "class weights"])
@FEW
@given(seed=SEEDS)
def test_swapping_two_labels_turns_the_weights_round(name: str, seed: int) -> None:
    X, y = clouds(seed, 2)
    once, swapped = fitted(name, X, y), fitted(name, X, 1 - y)
    close(swapped.coef_, -once.coef_)
    if name != "fisher equal":  # of two cuts that are as good, the lower one is taken
        close(swapped.intercept_, -once.intercept_)


@EVERY
@FEW
@given(seed=SEEDS, k=CLASSES, data=st.data())
def test_a_weight_means_repetition(name: str, seed: int, k: int, data: Any) -> None:
    X, y = clouds(seed, k)
    times = np.random.default_rng(data.draw(SEEDS)).integers(0, 4, len(y))
    assume((np.bincount(y, times) > 5).all())
    weighted = fitted(name, X, y, times)
    close(weights_of(weighted), weights_of(fitted(name, X.repeat(times, axis=0), y.repeat(times))))


@EVERY
@FEW
@given(seed=SEEDS, k=CLASSES)
def test_the_order_of_rows_does_not_count(name: str, seed: int, k: int) -> None:
    X, y = clouds(seed, k)
    order = np.random.default_rng(seed).permutation(len(y))
    close(weights_of(fitted(name, X[order], y[order])), weights_of(fitted(name, X, y)))


@which(moves=True)
@pytest.mark.parametrize("far", [1.0, 1e3, 2.0**30])
@FEW
@given(seed=SEEDS, k=CLASSES)
def test_moving_all_rows_moves_only_the_bias(name: str, far: float, seed: int, k: int) -> None:
    X, y = clouds(seed, k)
    X = np.round(X * 2**10) / 2**10  # so that moving rounds nothing
    there = far * np.array([1.0, -2.0, 0.5, 3.0])
    once, moved = fitted(name, X, y), fitted(name, X + there, y)
    # the weights it decides by: coef_ of Gaussian classes also has what all classes share
    w, b = once._weights()[:, :-1], once._weights()[:, -1]
    close(moved._weights()[:, :-1], w)
    size = np.abs(w).sum() * (1 + 3 * far)
    np.testing.assert_allclose(moved._weights()[:, -1], b - w @ there, rtol=0, atol=1e-12 * size)


@which(maps=True)
@FEW
@given(seed=SEEDS, k=CLASSES)
def test_linear_maps_of_the_rows_change_no_score(name: str, seed: int, k: int) -> None:
    X, y = clouds(seed, k)
    A = np.random.default_rng(seed + 1).normal(size=(4, 4)) + 3 * np.eye(4)
    condition = np.linalg.cond(A) ** 2
    assume(condition < 1e4)
    once, mapped = fitted(name, X, y), fitted(name, X @ A, y)
    close(mapped.coef_, np.linalg.solve(A, once.coef_.T).T, 1e-10 * condition)
    close(mapped.decision_function(X @ A), once.decision_function(X), 1e-10 * condition)


@which(scales=True)
@FEW
@given(seed=SEEDS, k=CLASSES, size=st.sampled_from([1e-6, 0.3, 8.0, 1e6]))
def test_the_size_of_all_weights_changes_nothing(name: str, seed: int, k: int, size: float) -> None:
    X, y = clouds(seed, k)
    own = np.random.default_rng(seed).random(len(y)) + 0.1
    once, scaled = fitted(name, X, y, own), fitted(name, X, y, size * own)
    if isinstance(once, FisherDiscriminant) and k == 2:  # w is S⁻¹ of a gap, and S counts rows
        close(size * weights_of(scaled), weights_of(once))
    else:
        close(weights_of(scaled), weights_of(once))


@pytest.mark.parametrize("name", [name for name in VARIANTS if "LDA" in name or "oas" in name])
@FEW
@given(seed=SEEDS, k=CLASSES)
def test_posteriors_belong_to_the_scores(name: str, seed: int, k: int) -> None:
    X, y = clouds(seed, k)
    model = fitted(name, X, y)
    posteriors, scores = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(posteriors.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), posteriors, rtol=1e-14)
    np.testing.assert_array_equal(model.classes_[posteriors.argmax(axis=1)], model.predict(X))
    logs = model.predict_log_proba(X)
    odds = logs[:, 1] - logs[:, 0]
    close(odds, scores if k == 2 else scores[:, 1] - scores[:, 0], 1e-12)


def test_posteriors_of_far_rows_are_neither_lost_nor_warned_of() -> None:
    X, y = clouds(3, 3)
    model = LinearDiscriminant().fit(X, y)
    logs = model.predict_log_proba(1e6 * X)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(model.predict_proba(1e6 * X).sum(axis=1), 1)


# --- cuts ---------------------------------------------------------------------------------------


def line(projected: Any, codes: Any, weights: Any = None) -> Blocks:
    """Rows that are their own projection."""
    codes = np.asarray(codes, np.int8)
    own = no_weights(len(codes)) if weights is None else np.asarray(weights, float)
    return Blocks(TrainingData(np.array(projected, float)[:, None], codes, own, np.ones(2)))


def unequal(cut: float, x: Floats, codes: Array, weights: Floats) -> float:
    """By how much the shares of the two classes on the wrong side differ."""
    above, positive = x >= cut, codes == 1
    missed = weights[positive & ~above].sum() / weights[positive].sum()
    passed = weights[~positive & above].sum() / weights[~positive].sum()
    return abs(missed - passed)


@given(data=st.data(), n=st.integers(2, 12))
def test_cuts_against_brute_force(data: Any, n: int) -> None:
    x = np.array(data.draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), float)
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), float)
    assume((np.bincount(codes, weights, minlength=2) > 0).all())
    blocks, w = line(x, codes, weights), np.ones(1)
    places = np.unique(x)
    tries = [places[0] - 1, *(0.5 * (places[1:] + places[:-1])), places[-1] + 1]
    best = min(unequal(cut, x, codes, weights) for cut in tries)
    found = equal_error(blocks, w)
    if len(places) > 1:
        assert unequal(found, x, codes, weights) == pytest.approx(best, abs=1e-12)
    kept = weights > 0
    below, above = x[kept & (codes == 0)].max(), x[kept & (codes == 1)].min()
    assert midway(blocks, w) == (0.5 * (below + above) if below < above else None)


def test_a_cut_lies_above_the_lower_row_even_between_neighbours() -> None:
    # once: midway between neighbouring floats was rounded to the lower one, which came out wrong
    for below in (1.0, np.nextafter(1.0, 2)):
        above = np.nextafter(below, 2)
        assert below < between(below, above) <= above
        assert midway(line([below, above], [0, 1]), np.ones(1)) > below
        assert equal_error(line([below, above], [0, 1]), np.ones(1)) > below
    assert between(1e308, 1.5e308) == 1.25e308


def test_rows_that_all_fall_on_one_point() -> None:
    assert midway(line([2, 2, 2], [0, 1, 0]), np.ones(1)) is None
    assert equal_error(line([2, 2, 2], [0, 1, 0]), np.ones(1)) == 2


# --- in company ---------------------------------------------------------------------------------


@EVERY
def test_pickle_and_clone(name: str) -> None:
    X, y = clouds(2, 3)
    model = fitted(name, X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(weights_of(clone(model).fit(X, y)), weights_of(model))
    if VARIANTS[name].streams:
        close(
            weights_of(again.partial_fit(X[:9], y[:9])),
            weights_of(model.partial_fit(X[:9], y[:9])),
            1e-15,
        )


def test_pipelines_searches_and_calibration() -> None:
    X, y = clouds(4, 3, n=120)
    piped = make_pipeline(StandardScaler(), LinearDiscriminant())
    # a linear map changes no posterior
    close(piped.fit(X, y).predict_proba(X), LinearDiscriminant().fit(X, y).predict_proba(X), 1e-11)
    search = GridSearchCV(LinearDiscriminant(), {"shrinkage": [None, 0.2, "auto", "oas"]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.5
    for model in (LeastSquares(), FisherDiscriminant()):
        calibrated = CalibratedClassifierCV(model, cv=3).fit(X, y)
        np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
        assert calibrated.score(X, y) > 0.5


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_in_and_frames_out(frame: Any) -> None:
    X, y = clouds(4, 3)
    table = frame(dict(zip("abcd", X.T, strict=True)))
    kind = "pandas" if frame is pd.DataFrame else "polars"
    model = FisherDiscriminant().set_output(transform=kind).fit(table, y)
    out = model.transform(table)
    assert list(out.columns) == ["fisherdiscriminant0", "fisherdiscriminant1"]
    assert model.get_feature_names_out().tolist() == list(out.columns)
    assert model.feature_names_in_.tolist() == list("abcd")
    plain = FisherDiscriminant().fit(X, y)
    np.testing.assert_array_equal(np.asarray(out), plain.transform(X))
    np.testing.assert_allclose(plain.transform(X), X @ plain.scalings_, atol=1e-12)


@EVERY
def test_whole_numbers_and_truth_values_are_numbers(name: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 4)), np.arange(60) % 2
    floats = weights_of(fitted(name, X.astype(float), y))
    for kind in (bool, np.int8, np.int64, np.uint16):
        np.testing.assert_array_equal(weights_of(fitted(name, X.astype(kind), y)), floats)


# --- hard inputs --------------------------------------------------------------------------------


def test_equal_means_leave_nothing_to_find() -> None:
    data = builtin("xor")
    for move in (0.0, 3.0):
        model = FisherDiscriminant().fit(data.X + move, data.y)
        assert not model.coef_.any()
        assert "the same mean" in str(model.outcome_)
        assert not model.outcome_.converged
        for other in (LeastSquares(), LinearDiscriminant()):
            assert not other.fit(data.X + move, data.y).coef_.any()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_one_row_a_class(k: int) -> None:
    # once: of three classes and more, "the classes have the same mean", and no weights
    X, y = np.eye(6)[:k] + 0.1, np.arange(k)
    model = FisherDiscriminant().fit(X, y)
    assert model.score(X, y) == 1
    assert "these differences are the directions" in str(model.outcome_)
    assert model.rank_ == 0
    assert LeastSquares().fit(X, y).score(X, y) == 1
    gauss = LinearDiscriminant().fit(X, y)
    assert gauss.rank_ == 0
    assert "rank 0 of 6" in str(gauss.outcome_)
    assert LinearDiscriminant(shrinkage=0.1).fit(X, y).rank_ == 0  # nothing to shrink towards


def test_a_gap_across_the_scatter_is_used_though_it_is_askew() -> None:
    # once: the rounding of a projection was taken for a direction
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    along = np.tile([[-1.0], [-1.0], [1.0], [1.0]], (10, 1)) * rng.choice([0.1, 0.3])
    X = along * np.array([1.0, 2.0]) + 0.7 * y[:, None] * np.array([2.0, -1.0])
    model = FisherDiscriminant().fit(X, y)
    assert model.score(X, y) == 1
    assert model.coef_[0] / model.coef_[0, 0] == pytest.approx([1, -0.5])


def test_a_feature_that_gives_the_class_away_is_said_to_be_left_out() -> None:
    X, y = clouds(3, 2)
    X = np.column_stack([X, 0.1 + y])
    for model in (FisherDiscriminant(), LinearDiscriminant()):
        model.fit(X, y)
        assert model.rank_ == 4
        assert model.coef_[0, -1] == 0
        assert "rank 4 of 5; directions outside its range were left out" in str(model.outcome_)
    assert LeastSquares().fit(X, y).score(X, y) == 1


@EVERY
@pytest.mark.parametrize("k", [2, 3])
def test_features_of_very_different_size(name: str, k: int) -> None:
    X, y = clouds(3, k, n=90)
    sizes = np.array([1.0, 1e8, 1e-8, 1e3])
    model = fitted(name, X * sizes, y)
    assert model.score(X * sizes, y) > 0.5
    if VARIANTS[name].maps:
        once = fitted(name, X, y)
        np.testing.assert_allclose(model.coef_ * sizes, once.coef_, rtol=1e-9, atol=1e-12)


@EVERY
def test_all_weight_on_one_row_of_each_class(name: str) -> None:
    X, y = clouds(3, 2)
    weights = np.zeros(len(y))
    first = [int(np.flatnonzero(y == c)[0]) for c in range(2)]
    weights[first] = 1
    model = fitted(name, X, y, weights)
    assert np.isfinite(weights_of(model)).all()
    close(weights_of(model), weights_of(fitted(name, X[first], y[first])))


def test_a_class_without_weight_is_refused_by_name() -> None:
    X, y = clouds(3, 3)
    for name in VARIANTS:
        with pytest.raises(DataError, match=r"class 'two' have weight 0"):
            fitted(name, X, np.array(["one", "two", "zero"])[y], (y != 1).astype(float))


def test_a_thousand_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 1000
    X = rng.normal(size=(1000, 3))[y] + 1e-3 * rng.normal(size=(4000, 3))
    assert LinearDiscriminant().fit(X, y).score(X, y) > 0.99
    assert FisherDiscriminant().fit(X, y).score(X, y) > 0.99
    assert LeastSquares().fit(X, y).coef_.shape == (1000, 3)


@pytest.mark.parametrize("model", [LeastSquares(), LinearDiscriminant(), FisherDiscriminant()])
def test_too_many_features_are_refused(model: Any) -> None:
    X = sparse.csr_array((3, 5_000_000))
    with pytest.raises(DataError, match="5,000,000 features"):
        model.fit(X, [0, 1, 1])
    assert not hasattr(model, "classes_")
