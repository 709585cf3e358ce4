"""Moments of the classes against exact sums, wherever the rows lie and however they are cut."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.closed_form import moments
from rosenblatt.closed_form.moments import Moments, moments_of
from rosenblatt.data import training_data
from rosenblatt.data.training_data import BLOCK_ROWS, Blocks, TrainingData, no_weights
from rosenblatt.data.validation import rows_of
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Floats

BY_CLASS = pytest.mark.parametrize("by_class", [False, True])


def found(X: Any, y: Array, k: int, weights: Any = None, jobs: int = 1, **how: Any) -> Moments:
    own = no_weights(len(y)) if weights is None else np.asarray(weights, float)
    problem = TrainingData(rows_of(X), y.astype(np.int8), own, np.ones(k))
    return moments_of(Blocks(problem, jobs), **how)


def exact_scatter(X: Floats, weights: Array) -> Floats:
    """Scatter about the mean in rational arithmetic, rounded once."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    times = [Fraction(w) for w in weights.tolist()]
    total, d = sum(times), X.shape[1]
    means = [sum(w * row[j] for w, row in zip(times, rows, strict=True)) / total for j in range(d)]
    off = [[row[j] - means[j] for j in range(d)] for row in rows]
    return np.array(
        [
            [float(sum(w * r[a] * r[b] for w, r in zip(times, off, strict=True))) for b in range(d)]
            for a in range(d)
        ]
    )


def assert_scatter(ours: Floats, exact: Floats, bound: float) -> None:
    """Each entry, measured by what the two features scatter."""
    sizes = np.sqrt(np.diag(exact))
    assert (np.abs(ours - exact) <= bound * np.outer(sizes, sizes)).all()


def same_bits(a: Moments, b: Moments) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_array_equal(one, other)


def rows(n: int, d: int, k: int, seed: int = 0) -> tuple[Floats, Array]:
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(k, d))[y]
    return X.astype(np.float32).astype(np.float64), y


def reference(X: Floats, y: Array, k: int, weights: Any = None) -> tuple[Floats, Floats]:
    """Means and scatter of each class by numpy."""
    w = np.ones(len(y)) if weights is None else np.asarray(weights)
    means = np.array([np.average(X[y == c], axis=0, weights=w[y == c]) for c in range(k)])
    Z = (X - means[y]) * np.sqrt(w)[:, None]
    return means, np.array([Z[y == c].T @ Z[y == c] for c in range(k)])


def assert_moments(m: Moments, X: Floats, y: Array, k: int, weights: Any = None) -> None:
    means, scatter = reference(X, y, k, weights)
    w = np.ones(len(y)) if weights is None else np.asarray(weights)
    np.testing.assert_allclose(m.counts, np.bincount(y, w, minlength=k), rtol=1e-14)
    np.testing.assert_allclose(m.means, means, rtol=1e-12, atol=1e-13)
    assert_scatter(m.pooled(), scatter.sum(axis=0), 1e-13)
    if len(m.scatter) > 1:
        for c in range(k):
            assert_scatter(m.of_class(c), scatter[c], 1e-13)


def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make for many joins, of chunks and of blocks."""
    monkeypatch.setattr(training_data, "BLOCK_ROWS", 100)
    monkeypatch.setattr(training_data, "BLOCK_ENTRIES", 0)
    monkeypatch.setattr(moments, "NARROW_CHUNK_ROWS", 16)
    monkeypatch.setattr(moments, "WIDE_CHUNK_ROWS", 16)
    monkeypatch.setattr(moments, "MIN_CHUNK_ROWS", 16)


# --- exact arithmetic ---------------------------------------------------------------------------


@BY_CLASS
@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8, 1e12])
@pytest.mark.parametrize("apart", [0.0, 3.0])
def test_no_digit_is_lost_far_from_the_origin(
    offset: float, apart: float, *, by_class: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # once: means were rounded at the offset: 2.6e-5 off at 1e12
    cut_small(monkeypatch)
    rng = np.random.default_rng(3)
    y = np.arange(360) % 2
    X = rng.normal(size=(360, 3)) + offset * np.array([1, -2, 0.3]) + apart * offset * y[:, None]
    weights = rng.integers(1, 4, 360)
    m = found(X, y, 2, weights, by_class=by_class)
    exact = [exact_scatter(X[y == c], weights[y == c]) for c in range(2)]
    assert_scatter(m.pooled(), exact[0] + exact[1], 2e-15)
    if by_class:
        for c in range(2):
            assert_scatter(m.of_class(c), exact[c], 2e-15)
    gap = np.array([np.mean(X[y == c] - X[c], axis=0) for c in range(2)]) + X[:2]
    np.testing.assert_allclose(m.means, gap, rtol=1, atol=1 + 0.01 * offset)


def test_the_gap_of_two_means_keeps_its_digits_far_from_the_origin() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(50) % 2
    X = rng.normal(size=(50, 2)) + 1e12 + y[:, None]
    m = found(X, y, 2)
    exact = [
        sum(map(Fraction, X[y == 1][:, j].tolist())) / 25
        - sum(map(Fraction, X[y == 0][:, j].tolist())) / 25
        for j in range(2)
    ]
    gaps = m.centred(m.counts)
    np.testing.assert_allclose(gaps[1] - gaps[0], [float(g) for g in exact], rtol=1e-14)
    np.testing.assert_allclose(m.counts @ gaps, 0, atol=1e-13)


@pytest.mark.parametrize("n", [3, 60, 1000, 20_000])
@pytest.mark.parametrize("value", [0.1, -1 / 3, 1e9 + 0.1, 1e-9 / 7])
@BY_CLASS
def test_a_constant_feature_scatters_by_exactly_0(n: int, value: float, *, by_class: bool) -> None:
    # once: the mean of n times 0.1 was not 0.1, and the feature counted as one that varies
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = np.column_stack([rng.normal(size=n), np.full(n, value), value * y])
    m = found(X, y, 2, rng.random(n) + 0.1, by_class=by_class)
    scatter = m.pooled()
    assert scatter[0, 0] > 0
    assert not scatter[1:].any()
    assert m.means[:, 1].tolist() == [value] * 2
    assert m.means[:, 2].tolist() == [0, value]


# --- sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [*range(1, 21), 31, 33, *range(119, 141)])
def test_every_width(d: int) -> None:
    X, y = rows(300, d, 3, seed=d)
    assert_moments(found(X, y, 3), X, y, 3)
    assert_moments(found(X, y, 3, by_class=True), X, y, 3)


CHUNK = (1 << 18) // 8 // 64  # rows of a chunk, 64 wide


@BY_CLASS
@pytest.mark.parametrize(
    ("n", "d"),
    [
        *((n, 2) for n in (1, 2, 3, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 3 * BLOCK_ROWS)),
        *((n, 64) for n in (CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 1)),
        *((n, 130) for n in (255, 256, 257, 513)),
    ],
)
def test_every_length(n: int, d: int, *, by_class: bool) -> None:
    k = min(n, 3)
    X, y = rows(n, d, k)
    assert_moments(found(X, y, k, by_class=by_class), X, y, k)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("outlier", [0.0, 1e9])
@pytest.mark.parametrize("drift", [0.0, 1e3])
def test_no_digit_is_lost_where_the_mean_moves(
    drift: float, outlier: float, *, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_small(monkeypatch)
    n = 240
    rng = np.random.default_rng(5)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, 3)) + drift * np.arange(n)[:, None]
    X[0] += outlier  # the first row of its class is far from all others
    weights = 2.0 ** (np.arange(n) // 8) if weighted else np.ones(n)  # the last outweigh all before
    m = found(X, y, 2, weights)
    exact = sum(exact_scatter(X[y == c], weights[y == c]) for c in range(2))
    assert_scatter(m.pooled(), exact, 1e-13)


@BY_CLASS
def test_a_class_may_be_missing_from_blocks(*, by_class: bool) -> None:
    X, y = rows(2 * BLOCK_ROWS + 77, 3, 3)
    y.sort()  # every block lacks a class
    assert_moments(found(X, y, 3, by_class=by_class), X, y, 3)
    assert_moments(found(X[::-1].copy(), y[::-1], 3, by_class=by_class), X, y, 3)


def test_a_class_without_rows_has_no_weight() -> None:
    X, y = rows(40, 3, 2)
    m = found(X, 2 * y, 4, by_class=True)
    assert (m.counts > 0).tolist() == [True, False, True, False]
    assert not m.means[[1, 3]].any()
    assert not m.scatter[[1, 3]].any()


# --- parts, weights, storages -------------------------------------------------------------------


@settings(max_examples=20)
@given(
    seed=st.integers(0, 99),
    cuts=st.lists(st.integers(1, 59), min_size=1, max_size=4, unique=True),
    by_class=st.booleans(),
    data=st.data(),
)
def test_parts_join_in_any_order(seed: int, cuts: list[int], *, by_class: bool, data: Any) -> None:
    X, y = rows(60, 3, 3, seed)
    ends = [0, *sorted(cuts), 60]
    parts = [
        found(X[a:b], y[a:b], 3, by_class=by_class) for a, b in itertools.pairwise(ends) if a < b
    ]
    order = data.draw(st.permutations(range(len(parts))))
    joined = parts[order[0]]
    for place in order[1:]:
        joined = joined + parts[place]
    assert_moments(joined, X, y, 3)


@BY_CLASS
@pytest.mark.parametrize("n", [40, BLOCK_ROWS + 300])
def test_a_weight_means_repetition(n: int, *, by_class: bool) -> None:
    X, y = rows(n, 4, 3)
    times = np.random.default_rng(1).integers(0, 4, n)
    times[:3], y[:3] = 1, range(3)
    weighted = found(X, y, 3, times, by_class=by_class)
    assert_moments(weighted, X.repeat(times, axis=0), y.repeat(times), 3)
    assert_moments(weighted, X, y, 3, times)


@BY_CLASS
def test_rows_of_weight_0_do_not_count_wherever_they_lie(*, by_class: bool) -> None:
    X, y = rows(50, 3, 2)
    weights = np.arange(50) % 2.0
    there = X.copy()
    there[weights == 0] = 1e15  # the very first row is one of them
    m = found(there, y, 2, weights, by_class=by_class)
    assert_moments(m, X[weights > 0], y[weights > 0], 2)


def test_weights_of_1_are_no_weights() -> None:
    X, y = rows(500, 5, 3)
    same_bits(found(X, y, 3), found(X, y, 3, np.ones(500)))


@BY_CLASS
@pytest.mark.parametrize("d", [3, 64, 130])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_storage_and_number_of_threads_gives_the_same_bits(
    d: int, *, by_class: bool, weighted: bool
) -> None:
    X, y = rows(900 if d > 3 else 2 * BLOCK_ROWS + 5, d, 3)
    X[np.abs(X) < 0.7] = 0
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    dense = found(X, y, 3, weights, by_class=by_class)
    for other in (X.astype(np.float32), sparse.csr_array(X), sparse.csr_array(X.astype("f4"))):
        same_bits(found(other, y, 3, weights, by_class=by_class), dense)
    same_bits(found(X, y, 3, weights, jobs=3, by_class=by_class), dense)
    same_bits(found(np.asfortranarray(X), y, 3, weights, by_class=by_class), dense)


def test_float32_is_summed_in_float64() -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(3000, 2)) + 1000).astype(np.float32)
    y = np.arange(3000) % 2
    assert_moments(found(X, y, 2), X.astype(np.float64), y, 2)


# --- refusals -----------------------------------------------------------------------------------


@BY_CLASS
def test_too_many_features_are_refused_before_anything_is_allocated(*, by_class: bool) -> None:
    X = sparse.csr_array((2, 10_000_000))
    with pytest.raises(DataError, match="10,000,000 features"):
        found(X, np.arange(2), 2, by_class=by_class)


def test_the_room_for_all_classes_is_counted() -> None:
    X = sparse.csr_array((1000, 3_000))
    with pytest.raises(DataError, match="1000 x 3,000 x 3,000"):
        moments_of(
            Blocks(TrainingData(rows_of(X), np.arange(1000), no_weights(1000), np.ones(1000))),
            by_class=True,
        )
