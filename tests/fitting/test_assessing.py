"""The estimate of accuracy and Wilson's interval around it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from rosenblatt.fitting.assessing import Estimate, estimated
from rosenblatt.tables.targets import UNKNOWN


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_is_wilsons(right, wrong):
    if right + wrong == 0:
        return
    estimate = Estimate(np.array([[right, wrong], [0, 0]]), "")
    low, high = binomtest(right, right + wrong).proportion_ci(method="wilson")
    assert estimate.interval == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
    assert 0.0 <= estimate.interval[0] <= estimate.accuracy <= estimate.interval[1] <= 1.0


def test_the_ends_of_the_scale_are_inside():
    for n in range(1, 500):
        assert Estimate(np.array([[n, 0], [0, 0]]), "").interval[1] == 1.0
        assert Estimate(np.array([[0, n], [0, 0]]), "").interval[0] == 0.0


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=1, max_size=50),
    st.sampled_from([np.int8, np.int32, np.int64]),
)
def test_counts(pairs, kind):
    true, decided = (np.array(part, kind) for part in zip(*pairs, strict=True))
    estimate = estimated(true, decided, 4, "some rows")
    known = true != UNKNOWN
    wanted = np.zeros((4, 4), int)
    if known.any():
        wanted = confusion_matrix(true[known], decided[known], labels=range(4))
    np.testing.assert_array_equal(estimate.counts, wanted)
    assert estimate.strange == np.count_nonzero(~known)
    assert estimate.rows == len(pairs)
    assert estimate.accuracy == pytest.approx(np.mean(true == decided))


def test_many_classes_do_not_overflow():
    codes = np.arange(120, dtype=np.int8)
    assert estimated(codes, codes, 120, "").accuracy == 1.0
