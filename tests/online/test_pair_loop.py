"""Rows taken in pairs give the bits of rows taken one after the other, in everything they count."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from rosenblatt import Perceptron
from rosenblatt.data.shuffle import SampleOrder
from rosenblatt.data.training_data import TrainingData, no_weights
from rosenblatt.errors import DataError
from rosenblatt.kernels.rows import perceptron_pair
from rosenblatt.losses.margin_losses import Loss
from rosenblatt.online.algorithms import Step
from rosenblatt.online.pair_loop import pairs_are_faster, two_sample_epoch
from rosenblatt.online.sample_loop import binary_epoch
from rosenblatt.online.state import OptimiserState
from rosenblatt.online.update import ALL_FINITE, Rule


@njit
def learn(X: Any, rows: Any, signs: Any, steps: Any, constant: Any, w: Any) -> Any:
    return perceptron_pair(X, rows, signs, steps, constant, w)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_steps_at_once_are_two_steps(dtype: type) -> None:
    rng = np.random.default_rng(0)
    for d in range(1, 71):
        X = rng.integers(-3, 4, (6, d)).astype(dtype)  # whole numbers: sums in any order agree
        for _ in range(8):
            start = rng.integers(-2, 3, d + 1).astype(float)
            rows = tuple(rng.integers(0, 6, 2).tolist())
            signs = tuple(rng.choice([-1.0, 1.0], 2).tolist())
            steps = (signs[0] * 0.5, signs[1] * 2.0)
            for constant in (0.0, 1.0):
                compiled, plain = start.copy(), start.copy()
                margins = learn(X, rows, signs, steps, constant, compiled)
                assert margins == perceptron_pair(X, rows, signs, steps, constant, plain)
                assert compiled.tobytes() == plain.tobytes()


RULE = Rule(int(Loss.PERCEPTRON), int(Step.CONSTANT))


def noise(seed: int, n: int, d: int, dtype: Any) -> TrainingData:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    return TrainingData(
        X, rng.integers(0, 2, n).astype(np.int8), no_weights(n), np.array([0.5, 2.0])
    )


@given(
    seed=st.integers(0, 2**32 - 1),
    half=st.integers(1, 40),
    d=st.sampled_from([1, 3, 16, 28, 33]),
    step=st.sampled_from([Step.CONSTANT, Step.INVERSE]),
    keep=st.sampled_from(["last", "average"]),
    constant=st.sampled_from([0.0, 1.0]),
)
def test_an_epoch_in_pairs_counts_and_learns_what_an_epoch_of_single_samples_does(
    seed: int, half: int, d: int, step: Step, keep: str, constant: float
) -> None:
    data = noise(seed, 2 * half, d, np.float32)
    order = np.random.default_rng(seed).permutation(2 * half)
    rule = RULE._replace(step=int(step), eta=0.3, constant=constant)
    states = []
    for epoch in (binary_epoch, two_sample_epoch):
        state = OptimiserState.from_weights(np.full((1, d + 1), -0.0), 2, keep=keep, l1=False)
        assert epoch(data, SampleOrder(order, order), rule, state) == ALL_FINITE
        states.append(state)
    for one, pairs in zip(*states, strict=True):
        assert one.tobytes() == pairs.tobytes()


@pytest.mark.parametrize("keep", ["last", "average", "pocket"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_estimator_that_takes_pairs_has_the_bits_of_a_stream_of_single_rows(
    keep: str, dtype: type
) -> None:
    data = noise(7, 1501, 9, dtype)
    X, y = data.rows, data.codes
    whole = Perceptron(keep=keep).partial_fit(X, y, classes=[0, 1])
    again = Perceptron(keep=keep).partial_fit(X, y, classes=[0, 1])
    rows = Perceptron(keep=keep)
    whole.partial_fit(X, y)
    assert whole.mistakes_ > 0.3 * 2 * len(y)
    for _ in range(2):
        for i in range(len(y)):
            rows.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    again.partial_fit(X[:601], y[:601]).partial_fit(X[601:], y[601:])
    for other in (rows, again):
        assert other.coef_.tobytes() == whole.coef_.tobytes()
        assert other.intercept_.tobytes() == whole.intercept_.tobytes()
        assert other.mistakes_ == whole.mistakes_


def test_pairs_are_taken_only_where_each_step_is_known_before() -> None:
    data = noise(0, 2000, 5, np.float32)
    order = np.arange(2000)
    sampling = SampleOrder(order, order)
    state = OptimiserState.from_weights(np.zeros((1, 6)), 2, keep="last", l1=False)
    assert not pairs_are_faster(data, sampling, RULE, state)  # nothing is known yet
    binary_epoch(data, sampling, RULE, state)
    assert pairs_are_faster(data, sampling, RULE, state)
    weighted = data._replace(weights=np.ones(2000))
    assert not pairs_are_faster(weighted, sampling, RULE, state)
    assert not pairs_are_faster(data, sampling.part(0, 100), RULE, state)
    for other in (
        {"loss": int(Loss.HINGE)},
        {"step": int(Step.PASSIVE_AGGRESSIVE_1)},
        {"balanced": True},
    ):
        assert not pairs_are_faster(data, sampling, RULE._replace(**other), state)


def test_a_row_that_is_not_finite_is_found_in_a_pair() -> None:
    data = noise(3, 6000, 4, np.float64)
    for bad in (5_200, 5_201):
        X = data.rows.copy()
        X[bad, 1] = np.inf
        with pytest.raises(DataError, match=f"row {bad}"):
            Perceptron(shuffle=False, max_iter=3).fit(X, data.codes)


def test_two_large_margins_are_finite_though_their_sum_is_not() -> None:
    X = np.array([[1e308], [1e308]])
    data = TrainingData(X, np.array([1, 1], np.int8), no_weights(2), np.ones(2))
    state = OptimiserState.from_weights(np.array([[1.0, 0.0]]), 2, keep="last", l1=False)
    order = np.arange(2)
    assert two_sample_epoch(data, SampleOrder(order, order), RULE, state) == ALL_FINITE
    for bad in (0, 1):
        X[bad] = np.inf
        assert two_sample_epoch(data, SampleOrder(order, order), RULE, state) == bad
        X[bad] = 1.0
