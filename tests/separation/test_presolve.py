"""Rows that a one-sided feature decides: no certificate needs them, and they follow the rest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt.separation.decide import separability
from rosenblatt.separation.proof.margins import signs
from rosenblatt.separation.proof.validation import read_table
from rosenblatt.separation.search.deadline import Deadline
from rosenblatt.separation.search.exact import Found
from rosenblatt.separation.search.kesler import Space
from rosenblatt.separation.search.presolve import rest_of


def rest(X, y, *, fit_intercept=True):
    return rest_of(Space(read_table(X, y), fit_intercept), Deadline())


def test_rounds_by_hand():
    # "prize" is said in spam only; without its rows, "lunch" is said in ham only
    words = [[1, 1, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 2]]
    spam = [1, 0, 0, 0, 1]
    left = rest(words, spam)
    assert [r.rows.tolist() for r in left.rounds] == [[0, 2], [1]]
    assert left.rows.tolist() == [3, 4]
    assert left.columns.tolist() == [3, 4]  # the last word, and the intercept
    W = left.restored(Found(np.array([[1.0, -1.5]]), None, ())).W
    assert signs(left.space.table, W).min() > 0


@st.composite
def words_in_texts(draw):
    n, d, K = draw(st.integers(4, 12)), draw(st.integers(2, 6)), draw(st.integers(2, 3))
    values = st.sampled_from([0, 0, 0, 1, 2, -1])
    X = draw(st.lists(st.lists(values, min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(
        st.lists(st.integers(0, K - 1), min_size=n, max_size=n).filter(lambda y: len({*y}) > 1)
    )
    return np.array(X, dtype=float), np.array(y), draw(st.booleans())


@given(words_in_texts())
def test_the_rest_decides_for_all(problem):
    X, y, fit_intercept = problem
    left = rest(X, y, fit_intercept=fit_intercept)
    kept = left.rows if left.rounds else np.arange(len(y))
    whole = separability(X, y, fit_intercept=fit_intercept)
    if whole.answer == "inseparable":
        assert set(whole.rows) <= set(kept.tolist())
    if len(np.unique(y[kept])) > 1:
        part = separability(X[kept], y[kept], fit_intercept=fit_intercept)
        assert part.answer == whole.answer


@given(words_in_texts())
def test_sparse_rows_are_freed_as_dense_ones(problem):
    X, y, fit_intercept = problem
    dense, compressed = (
        rest(X, y, fit_intercept=fit_intercept),
        rest(sparse.csr_array(X), y, fit_intercept=fit_intercept),
    )
    assert dense.rows.tolist() == compressed.rows.tolist()
    assert dense.columns.tolist() == compressed.columns.tolist()
    for a, b in zip(dense.rounds, compressed.rounds, strict=True):
        np.testing.assert_array_equal(a.rows, b.rows)


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("answer", ["separable", "inseparable"])
def test_many_rows_take_this_road(K, answer):
    """Most rows have a rare word of their class; a few are close to each other, or mixed."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, 1200)
    y[:40] %= 2
    X = np.zeros((1200, 2 + 30 * K))
    X[np.arange(1200), 2 + 30 * y + rng.integers(0, 30, 1200)] = 1
    X[:40, 2:] = 0
    X[:, :2] = rng.integers(1, 9, (1200, 1)) / 8
    X[0, :2] = 0.5
    X[:40, 0] += np.where(y[:40] == 1, 1, -1) / 2**12
    if answer == "inseparable":
        X[0, 0] = 0.5 - (X[0, 0] - 0.5)  # the other side, between its enemies
    stages = []
    proof = separability(X, y, progress=lambda step: stages.append(step.stage))
    assert proof.answer == answer
    assert proof.verify(X, y)
    assert "one-sided features" in stages
    if answer == "separable":
        assert proof.margin > 1e-6  # removed rows do not spoil it: the rest has 2e-4
