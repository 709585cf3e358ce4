"""Paired differences: McNemar's test by mlxtend, the interval by its coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlxtend.evaluate import mcnemar

from rosenblatt.pipeline.evaluate import paired_difference


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_differences_and_p_values(rows):
    one, other = (np.array(part) for part in zip(*rows, strict=True))
    found = paired_difference(one, other)
    assert found.difference == pytest.approx(one.mean() - other.mean())
    assert found.low <= found.difference <= found.high
    assert found.low >= -1
    assert found.high <= 1
    wins, losses = np.sum(one & ~other), np.sum(other & ~one)
    p = mcnemar(np.array([[0, wins], [losses, 0]]), exact=True)[1] if wins + losses else 1.0
    assert found.p_value == pytest.approx(min(1.0, p))
    turned = paired_difference(other, one)
    assert (turned.low, turned.high) == (-found.high, -found.low)


@pytest.mark.parametrize(
    ("n", "wins", "losses"), [(30, 0.1, 0.02), (200, 0.05, 0.05), (100, 0.3, 0)]
)
def test_the_interval_holds_the_truth_as_often_as_it_says(n, wins, losses):
    rng = np.random.default_rng(3)
    held = 0
    for _ in range(600):
        drawn = rng.uniform(size=n)
        one, other = drawn < 0.5 + wins, (drawn < 0.5) | (drawn > 1 - losses)
        found = paired_difference(one, other)
        held += found.low <= wins - losses <= found.high
    assert held >= 559  # of 570, less 2 deviations


def test_nobody_differs():
    found = paired_difference(np.ones(50, bool), np.ones(50, bool))
    assert (found.difference, found.p_value, found.n_rows) == (0.0, 1.0, 50)
    assert found.low == -found.high < 0  # 50 rows do not exclude a small difference
