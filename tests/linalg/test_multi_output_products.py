"""Products for several outputs agree with numpy's, for every storage and number of threads."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from rosenblatt.data.training_data import Blocks, unlabelled
from rosenblatt.data.validation import rows_of
from rosenblatt.linalg import multi_output

STORAGES = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csr, float32": lambda X: sparse.csr_array(X.astype(np.float32)),
}
N, D, K = 400, 7, 3


def double(scores: Any, factors: Any) -> None:
    scores *= factors[:, None]


@pytest.fixture(params=[7, 64, 10**6], ids=lambda n: f"{n} bytes at a time")
def cacheful(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multi_output, "CACHE_BYTES", request.param)


@pytest.mark.usefixtures("cacheful")
@pytest.mark.parametrize("storage", STORAGES)
def test_products_are_those_of_numpy(storage: str, rng: Any) -> None:
    X = np.where(rng.random((N, D)) < 0.5, rng.integers(-8, 8, (N, D)) / 4, 0.0)
    W, U, theta = rng.normal(size=(D + 1, K)), rng.normal(size=(N, K)), rng.random(N)
    Z = np.column_stack([X, np.ones(N)])
    blocks = Blocks(unlabelled(rows_of(STORAGES[storage](X))))
    np.testing.assert_allclose(multi_output.scores(blocks, W), Z @ W, rtol=0, atol=1e-12)
    np.testing.assert_allclose(multi_output.sums(blocks, U), Z.T @ U, rtol=0, atol=1e-11)
    H = Z.T @ (theta[:, None] * Z)
    np.testing.assert_allclose(
        multi_output.hessian_vector_product(blocks, W, double, theta), H @ W, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("storage", STORAGES)
def test_rough_products_lose_no_more_than_float32_does(storage: str, rng: Any) -> None:
    X, W, theta = rng.normal(size=(N, D)), rng.normal(size=(D + 1, K)), rng.random(N)
    blocks = Blocks(unlabelled(rows_of(STORAGES[storage](X))))
    use_float32 = multi_output.hessian_vector_product(blocks, W, double, theta, use_float32=True)
    exact = multi_output.hessian_vector_product(blocks, W, double, theta)
    trace = float(theta @ (1 + (X**2).sum(axis=1)))  # of Σ θ (x, 1) (x, 1)ᵀ
    rounded = np.finfo(np.float32).eps * trace * np.linalg.norm(W)
    assert np.linalg.norm(use_float32 - exact) <= rounded
    assert np.array_equal(use_float32, exact) == (storage != "float32")


@pytest.mark.parametrize("storage", STORAGES)
def test_threads_change_no_bit(storage: str, rng: Any) -> None:
    n = 600_000 // D * 4
    X, W, theta = rng.normal(size=(n, D)), rng.normal(size=(D + 1, K)), rng.random(n)
    rows = rows_of(STORAGES[storage](X))
    one, two = Blocks(unlabelled(rows)), Blocks(unlabelled(rows), n_jobs=2)
    assert len(one) > 1
    np.testing.assert_array_equal(multi_output.scores(one, W), multi_output.scores(two, W))
    products = [
        multi_output.hessian_vector_product(blocks, W, double, theta) for blocks in (one, two)
    ]
    np.testing.assert_array_equal(*products)
