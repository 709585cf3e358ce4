"""Rows that come in parts: the same bits on disk and in memory, and nothing left behind."""

import os
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import rosenblatt
from rosenblatt.csr import CSR
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.pipeline.encoded_data import GrowableArray, RowBuffer

KINDS = [np.int8, np.int32, np.int64, np.float32, np.float64]


@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.integers(1, 9)), min_size=1, max_size=12),
    st.sampled_from([1, 64, 1 << 20]),
    st.sampled_from([0, 1, 7, 1000]),
)
def test_growing_is_concatenation(parts, most, expected):
    rng = np.random.default_rng(len(parts))
    arrays = [rng.integers(-100, 100, n).astype(kind) for kind, n in parts]
    growing = GrowableArray(most, expected)
    for array in arrays:
        growing.add(array)
    wanted = np.concatenate(arrays)
    np.testing.assert_array_equal(growing.array(), wanted)
    assert growing.array().dtype == wanted.dtype
    assert growing.size == len(wanted)


def dense_parts(rng, kind):
    return [rng.normal(size=(n, 3)).astype(kind) for n in (1, 0, 5, 40, 2)]


def sparse_parts(rng, kind, width=7):
    return [
        sparse.random_array((n, width - k), density=0.3, rng=rng, format="csr", dtype=kind)
        for k, n in enumerate((1, 0, 5, 40, 2))
    ]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("most", [1, 100, 1 << 20])
@pytest.mark.parametrize("expected", [0, 3, 48, 10_000])
def test_dense_rows(rng, kind, most, expected):
    parts = dense_parts(rng, kind)
    store = RowBuffer(expected, most)
    for part in parts:
        store.add(part)
    rows = store.rows()
    assert rows.dtype == kind
    assert rows.flags.c_contiguous
    np.testing.assert_array_equal(rows, np.vstack(parts))
    assert store.on_disk == (most < 1 << 20)
    assert store.n_rows == 48


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("most", [1, 100, 1 << 20])
def test_sparse_rows(rng, kind, most):
    parts = sparse_parts(rng, kind)
    store = RowBuffer(max_bytes=most)
    for part in parts:
        store.add(CSR(part.data, part.indices, part.indptr, part.shape[1]))
    for part in parts:
        part.resize(part.shape[0], 7)
    found, wanted = matrix_of(store.rows()), sparse.vstack(parts, format="csr")
    assert found.dtype == kind
    assert (found != wanted).nnz == 0
    np.testing.assert_array_equal(found.indptr, wanted.indptr)
    assert store.on_disk == (most < 1 << 20)


def test_a_part_of_larger_sparse_rows():
    whole = CSR(np.arange(6.0), np.arange(6), np.array([0, 2, 3, 6]), 6)
    store = RowBuffer()
    store.add(whole._replace(indptr=whole.indptr[1:]))
    rows = store.rows()
    assert rows.data.tolist() == [2, 3, 4, 5]
    assert rows.indptr.tolist() == [0, 1, 4]


def test_narrow_numbers_first_then_wide_ones():
    store = RowBuffer()
    store.add(np.full((2, 2), 0.1, np.float32))
    store.add(np.full((1, 2), 0.1))
    assert store.rows().dtype == np.float64
    assert store.rows()[:, 0].tolist() == [float(np.float32(0.1))] * 2 + [0.1]


def test_an_index_beyond_32_bits_stays_as_it_is():
    index = 2**31 + 5
    store = RowBuffer()
    store.add(CSR(np.ones(1), np.array([index]), np.array([0, 1]), index + 1))
    assert store.rows().indices.tolist() == [index]
    assert store.rows().indptr.dtype == np.int64


def test_nothing_is_left_in_the_temporary_folder(rng, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    store = RowBuffer(max_bytes=1)
    for part in dense_parts(rng, np.float64):
        store.add(part)
        assert os.listdir(tmp_path) == []  # noqa: PTH208 (names alone)
    assert store.on_disk


def test_a_full_disk_is_told(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(SourceError, match=r"8,000 bytes in .* refused: No space left.*TMPDIR"):
        GrowableArray(max_bytes=10).add(np.zeros(1000))


@pytest.mark.parametrize(
    "model",
    [
        rosenblatt.Perceptron(shuffle=True, random_state=3, max_iter=20),
        rosenblatt.LinearSVM(),
        rosenblatt.LogisticRegression(),
        rosenblatt.LinearDiscriminant(),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_learning_from_disk_gives_the_same_bits(rng, model, layout):
    X = rng.normal(size=(300, 5)) * (rng.random((300, 5)) < 0.7)
    y = (X @ [1, -2, 0.5, 0, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    store = RowBuffer(max_bytes=100)
    for start in range(0, 300, 37):
        part = sparse.csr_array(X[start : start + 37])
        rows = CSR(part.data, part.indices, part.indptr, 5)
        store.add(rows if layout == "sparse" else X[start : start + 37])
    assert store.on_disk
    stored = model.fit(matrix_of(store.rows()), y)
    weights = stored.coef_.copy(), stored.intercept_.copy()
    model.fit(sparse.csr_array(X) if layout == "sparse" else X, y)
    np.testing.assert_array_equal(weights[0], model.coef_)
    np.testing.assert_array_equal(weights[1], model.intercept_)
