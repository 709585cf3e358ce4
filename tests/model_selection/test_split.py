"""Which rows judge: a share, by number and seed alone; folds that have some of every class."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.model_selection.split import TEST_SHARE, folds_of, held_out, kept


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31, 2**63, 2**70, -3])
@pytest.mark.parametrize("share", [0.01, TEST_SHARE, 0.5])
def test_the_share_is_held_out(seed, share):
    n = 100_000
    chosen = held_out(seed, share)(np.arange(n))
    assert abs(chosen.mean() - share) < 5 * np.sqrt(share * (1 - share) / n)
    # rows near each other fall as rows far apart do
    both = (chosen[1:] & chosen[:-1]).mean()
    assert abs(both - share**2) < 5 * np.sqrt(share**2 / n)


@given(st.integers(0, 2**40), st.integers(0, 2**64), st.lists(st.integers(1, 99), max_size=5))
def test_a_row_falls_the_same_way_in_any_chunk(start, seed, cuts):
    rows = np.arange(start, start + 100)
    chosen = held_out(seed)
    parts = np.split(rows, sorted(cuts))
    np.testing.assert_array_equal(np.concatenate([chosen(p) for p in parts]), chosen(rows))
    np.testing.assert_array_equal(kept(chosen)(rows), ~chosen(rows))


def test_seeds_differ():
    rows = np.arange(1000)
    choices = {held_out(seed)(rows).tobytes() for seed in range(50)}
    assert len(choices) == 50
    folds = {folds_of(rows % 3, 5, seed).tobytes() for seed in range(50)}
    assert len(folds) == 50


@given(st.lists(st.integers(0, 4), min_size=1, max_size=80), st.integers(2, 10), st.integers(0, 99))
def test_folds_are_stratified(codes, n_folds, seed):
    codes = np.array(codes)
    folds = folds_of(codes, n_folds, seed)
    np.testing.assert_array_equal(folds, folds_of(codes, n_folds, seed))
    sizes = np.bincount(folds, minlength=n_folds)
    assert len(sizes) == n_folds
    assert sizes.max() - sizes.min() <= 1
    for code in np.unique(codes):
        inside = np.bincount(folds[codes == code], minlength=n_folds)
        assert inside.max() - inside.min() <= 1


def test_folds_do_not_follow_the_order_of_the_rows():
    folds = folds_of(np.repeat([0, 1], 500), 10, 0)
    runs = np.count_nonzero(np.diff(folds) == 1)
    assert runs < 200  # of 999 if they were dealt in order
