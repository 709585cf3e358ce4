"""The estimate of accuracy and Wilson's interval around it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from rosenblatt.pipeline.evaluate import Evaluation
from rosenblatt.preprocess.target import UNKNOWN_CLASS


def of(right: int, wrong: int) -> Evaluation:
    true = np.zeros(right + wrong, int)
    return Evaluation(true, (np.arange(right + wrong) >= right).astype(int), 2, "")


@given(st.integers(0, 500), st.integers(0, 500))
def test_the_interval_is_wilsons(right, wrong):
    if right + wrong == 0:
        return
    evaluation = of(right, wrong)
    low, high = binomtest(right, right + wrong).proportion_ci(method="wilson")
    assert evaluation.accuracy_interval == pytest.approx((low, high), abs=1e-12)
    low, high = evaluation.accuracy_interval
    assert 0.0 <= low <= evaluation.accuracy <= high <= 1.0


def test_the_ends_of_the_scale_are_inside():
    for n in range(1, 500):
        assert of(n, 0).accuracy_interval[1] == 1.0
        assert of(0, n).accuracy_interval[0] == 0.0


@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 3)), min_size=1, max_size=50),
    st.sampled_from([np.int8, np.int32, np.int64]),
)
def test_counts(pairs, kind):
    true, predicted = (np.array(part, kind) for part in zip(*pairs, strict=True))
    evaluation = Evaluation(true, predicted, 4, "some rows")
    known = true != UNKNOWN_CLASS
    wanted = np.zeros((4, 4), int)
    if known.any():
        wanted = confusion_matrix(true[known], predicted[known], labels=range(4))
    np.testing.assert_array_equal(evaluation.confusion, wanted)
    assert evaluation.n_unknown_class == np.count_nonzero(~known)
    assert evaluation.n_rows == len(pairs)
    assert evaluation.accuracy == pytest.approx(np.mean(true == predicted))


def test_many_classes_do_not_overflow():
    codes = np.arange(120, dtype=np.int8)
    assert Evaluation(codes, codes, 120, "").accuracy == 1.0
