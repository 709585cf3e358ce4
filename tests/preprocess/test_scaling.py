"""Scaling where rows stand, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize

from rosenblatt.csr import CSR
from rosenblatt.preprocess import transformer
from rosenblatt.preprocess.transformer import Scaling


@pytest.fixture(params=[2, 1 << 14])
def parts(request, monkeypatch):
    monkeypatch.setattr(transformer, "SCALED_BLOCK_ROWS", request.param)


@pytest.fixture
def table(rng):
    return rng.normal(size=(9, 4)) * (rng.random((9, 4)) < 0.6)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_dense_rows(table, unit, kind):
    X = table.astype(kind)
    shift, factor = np.array([0, 1, -2, 0.5]), np.array([1, 2, 0.5, 10])
    wanted = (X - shift) * factor
    Scaling(shift, factor, unit).apply(X)
    assert X.dtype == kind
    np.testing.assert_allclose(X, normalize(wanted) if unit else wanted, rtol=1e-5)


@pytest.mark.usefixtures("parts")
@pytest.mark.parametrize("unit", [False, True])
def test_sparse_rows_keep_their_zeros(table, unit):
    X = table
    X[3] = 0.0
    matrix = sparse.csr_array(X)
    rows = CSR(matrix.data.copy(), matrix.indices, matrix.indptr, 4)
    factor = np.array([1, 2, 0.5, 10])
    Scaling(np.zeros(4), factor, unit).apply(rows)
    wanted = normalize(X * factor) if unit else X * factor
    found = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=X.shape).toarray()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert not found[3].any()
