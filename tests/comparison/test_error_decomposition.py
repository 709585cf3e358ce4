"""Errors taken apart, row by row: against mlxtend, plain numpy, and the identities themselves."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from mlxtend.evaluate import bias_variance_decomp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from rosenblatt import builtin
from rosenblatt.comparison.error_decomposition import RunningMoments, Votes

ROWS = np.arange(20)


@given(
    hnp.arrays(np.float64, (7, 20, 3), elements=st.floats(-100, 100)),
    hnp.arrays(np.float64, (20, 3), elements=st.floats(-100, 100)),
)
def test_squared_parts_are_those_of_numpy(outputs, targets):
    tally = RunningMoments(targets)
    for each in outputs:
        tally.add(ROWS, each)
    parts = tally.parts(ROWS)
    variance = outputs.var(axis=0, ddof=1).sum(axis=1)
    off = ((outputs.mean(axis=0) - targets) ** 2).sum(axis=1)
    error = ((outputs - targets) ** 2).sum(axis=2).mean(axis=0)
    np.testing.assert_allclose(parts.error, error, rtol=1e-12)
    np.testing.assert_allclose(parts.variance, variance, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.bias, off - variance / 7, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.error, parts.bias + parts.variance, rtol=1e-9, atol=1e-9)


@given(st.integers(2, 5).flatmap(lambda K: st.tuples(st.just(K), decisions(K))))
def test_zero_one_parts_sum_to_the_error(drawn):
    K, votes_and_codes = drawn
    *votes, codes = votes_and_codes
    tally = Votes(codes, K)
    for each in votes:
        tally.add(ROWS, each)
    parts = tally.parts(ROWS)
    np.testing.assert_allclose(parts.error, np.mean(votes != codes, axis=0), atol=1e-15)
    np.testing.assert_allclose(
        parts.error, parts.bias + parts.unbiased - parts.corrected, atol=1e-15
    )
    np.testing.assert_array_equal(parts.variance, parts.unbiased + parts.biased)
    assert (parts.corrected <= parts.biased + 1e-15).all()
    if K == 2:
        np.testing.assert_allclose(parts.corrected, parts.biased, atol=1e-15)


def decisions(K):
    return hnp.arrays(np.int64, (8, 20), elements=st.integers(0, K - 1))


def test_rows_may_be_judged_by_different_models():
    tally, votes = RunningMoments(np.zeros((3, 1))), Votes(np.array([0, 1, 0]), 2)
    for rows, outputs in (([0, 1], [1.0, 2.0]), ([1, 2], [4.0, 5.0]), ([0, 1], [3.0, 0.0])):
        tally.add(np.array(rows), np.array(outputs)[:, None])
        votes.add(np.array(rows), np.array([0, 1]))
    np.testing.assert_array_equal(tally.counts, [2, 3, 1])
    parts = tally.parts(np.array([0, 1]))
    np.testing.assert_allclose(parts.variance, [2.0, 4.0])
    np.testing.assert_allclose(parts.error, [5.0, 20 / 3])
    np.testing.assert_array_equal(votes.counts, [[2, 0], [1, 2], [0, 1]])


class Recorder(ClassifierMixin, BaseEstimator):
    """A tree whose decisions are kept, whoever asks for them."""

    heard: list = []  # noqa: RUF012 (mlxtend works on copies)

    def fit(self, X, y):
        self.tree_ = DecisionTreeClassifier(random_state=0).fit(X, y)
        return self

    def predict(self, X):
        self.heard.append(self.tree_.predict(X))
        return self.heard[-1]


def test_agreement_with_mlxtend():
    data = builtin("iris")
    codes = np.unique(data.y, return_inverse=True)[1]
    train = np.arange(150) % 3 > 0
    Recorder.heard.clear()
    for loss in ("0-1_loss", "mse"):
        theirs = bias_variance_decomp(
            Recorder(),
            data.X[train],
            codes[train],
            data.X[~train],
            codes[~train],
            loss=loss,
            num_rounds=20,
            random_seed=1,
        )
        heard, Recorder.heard = np.array(Recorder.heard[-20:]), []
        rows = np.arange(50)
        if loss == "mse":  # without the correction for few models
            tally = RunningMoments(codes[~train, None].astype(float))
            for each in heard:
                tally.add(rows, each[:, None].astype(float))
            error, bias, variance = tally.parts(rows)
            ours = (error, bias + variance / 20, variance * 19 / 20)
        else:
            votes = Votes(codes[~train], 3)
            for each in heard:
                votes.add(rows, each)
            ours = votes.parts(rows)[:3]
        np.testing.assert_allclose([part.mean() for part in ours], theirs, rtol=1e-12)
