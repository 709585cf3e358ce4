"""The verbs of rows: dense and CSR against numpy, and the same bits in any company."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy import sparse

from rosenblatt.data.training_data import matrix_of, row_bytes, rows_joined, rows_part, rows_take
from rosenblatt.data.validation import rows_of
from rosenblatt.kernels.rows import (
    CSR,
    Rows,
    add,
    apply_l1,
    dot,
    dot4,
    entry,
    n_cols,
    n_entries,
    n_rows,
    square,
)
from rosenblatt.types import Array, Floats

WIDTHS = range(1, 71)
LONG_WIDTHS = (80, 300, 1500, 2100)  # in turn one by one, but for the last: too many weights


def csr(X: Array, index: type) -> CSR:
    matrix = sparse.csr_array(X)
    return CSR(matrix.data, matrix.indices.astype(index), matrix.indptr.astype(index), X.shape[1])


STORAGES: dict[str, Callable[[Array], Rows]] = {
    "dense": lambda X: X,
    "csr int32": lambda X: csr(X, np.int32),
    "csr int64": lambda X: csr(X, np.int64),
}
EVERY_STORAGE = pytest.mark.parametrize("storage", STORAGES)
BOTH_TYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def table(n: int, d: int, dtype: type, seed: int = 0) -> Array:
    """Random numbers, a third of them zero, and one row of zeros only."""
    rng = np.random.default_rng((seed, n, d))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, (n, d))
    X[rng.uniform(size=X.shape) < 1 / 3] = 0
    X[n // 2] = 0
    return np.ascontiguousarray(X, dtype)


@njit
def counts(X: Any) -> Any:
    return n_rows(X), n_cols(X)


@njit
def each_dot(X: Any, w: Any, out: Any) -> None:
    for i in range(n_rows(X)):
        out[i] = dot(X, i, w)


@njit
def unpacked(X: Any, out: Any) -> None:
    for i in range(n_rows(X)):
        for e in range(n_entries(X, i)):
            j, x = entry(X, i, e)
            out[i, j] += x


@njit
def each_dot4(X: Any, w: Any, order: Any, later: Any, out: Any) -> None:
    for q in range(0, len(order), 4):
        now = (order[q], order[q + 1], order[q + 2], order[q + 3])
        soon = (later[q], later[q + 1], later[q + 2], later[q + 3])
        out[q], out[q + 1], out[q + 2], out[q + 3] = dot4(X, now, w, soon)


@njit
def each_square(X: Any, out: Any) -> None:
    for i in range(n_rows(X)):
        out[i] = square(X, i)


@njit
def add_row(X: Any, i: Any, a: Any, w: Any) -> None:
    add(X, i, a, w)


@njit
def truncate_row(X: Any, i: Any, w: Any, penalty: Any) -> None:
    apply_l1(X, i, w, penalty)


def dots(rows: Rows, w: Floats) -> Floats:
    out = np.empty(n_rows(rows))
    each_dot(rows, w, out)
    return out


def close(found: Any, wanted: Any, size: Any) -> None:
    """Equal but for the rounding of a sum whose terms add up to `size` in absolute value."""
    assert (np.abs(found - wanted) <= 1e-14 * size + 1e-300).all()


@EVERY_STORAGE
@BOTH_TYPES
def test_counts(storage: str, dtype: type) -> None:
    for n, d in ((1, 1), (7, 3), (3, 7)):
        rows = STORAGES[storage](table(n, d, dtype))
        assert counts(rows) == (n, d) == (n_rows(rows), n_cols(rows))


@EVERY_STORAGE
@BOTH_TYPES
def test_the_entries_of_all_rows_make_the_table(storage: str, dtype: type) -> None:
    X = table(9, 7, dtype)
    rows, out, plain = STORAGES[storage](X), np.zeros((9, 7)), np.zeros((9, 7))
    unpacked(rows, out)
    unpacked.py_func(rows, plain)
    np.testing.assert_array_equal(out, X)
    np.testing.assert_array_equal(plain, X)


@EVERY_STORAGE
@BOTH_TYPES
def test_products_and_squares_are_numpy_s(storage: str, dtype: type) -> None:
    for d in WIDTHS:
        X = table(9, d, dtype)
        exact = X.astype(np.float64)
        w = np.random.default_rng(d).normal(size=d + 1)  # the bias at the end takes no part
        w[d] = 1e30
        rows = STORAGES[storage](X)
        size = np.abs(exact) @ np.abs(w[:d])
        close(dots(rows, w), exact @ w[:d], size)
        close([dot(rows, i, w) for i in range(9)], exact @ w[:d], size)  # the plain Python body
        squares = np.empty(9)
        each_square(rows, squares)
        close(squares, (exact**2).sum(axis=1), (exact**2).sum(axis=1))
        close([square(rows, i) for i in range(9)], squares, squares)


@EVERY_STORAGE
@BOTH_TYPES
def test_four_products_at_once_are_four_single_ones_bit_for_bit(storage: str, dtype: type) -> None:
    shuffled, in_turn = np.array([5, 0, 3, 7, 2, 2, 6, 1]), np.arange(8)
    for d in (*WIDTHS, *LONG_WIDTHS):
        X = table(8, d, dtype, seed=1)
        w = np.random.default_rng(d).normal(size=d + 1)
        rows = STORAGES[storage](X)
        single = dots(rows, w)
        for order in (shuffled, in_turn):
            for later in (order, order[::-1].copy(), np.zeros(8, np.int64), np.full(8, 7)):
                out = np.empty(8)
                each_dot4(rows, w, order, later, out)
                assert out.tobytes() == single[order].tobytes()


@BOTH_TYPES
def test_a_product_does_not_look_at_its_neighbours(dtype: type) -> None:
    # the same row gives the same bits wherever it stands, and whatever lies around it in memory
    for d in WIDTHS:
        X = table(6, d, dtype, seed=2)
        w = np.random.default_rng(d).normal(size=d + 1)
        among = np.full((6, d + 3), np.nan, dtype)
        among[:, :d] = X
        wide = among[:, :d]  # rows with a gap between them
        assert dots(wide, w).tobytes() == dots(X, w).tobytes()
        shifted = np.full(6 * d + 1, np.nan, dtype)[1:].reshape(6, d)  # another alignment
        shifted[:] = X
        assert dots(shifted, w).tobytes() == dots(X, w).tobytes()


@BOTH_TYPES
def test_single_precision_rows_are_widened_not_summed_in_single(dtype: type) -> None:
    X = np.full((1, 64), 0.1, dtype)
    w = np.full(65, 1 / 3)
    exact = 64 * float(X[0, 0]) / 3
    assert dots(X, w)[0] == pytest.approx(exact, rel=1e-15)


@EVERY_STORAGE
@BOTH_TYPES
def test_whole_numbers_give_the_same_bits_in_every_storage(storage: str, dtype: type) -> None:
    for d in WIDTHS:
        rng = np.random.default_rng(d)
        X, w = rng.integers(-9, 10, (5, d)), rng.integers(-99, 100, d + 1)
        found = dots(STORAGES[storage](X.astype(dtype)), w.astype(float))
        assert found.tolist() == (X @ w[:d]).tolist()


@EVERY_STORAGE
@BOTH_TYPES
def test_adding_a_row_is_numpy_s_addition_bit_for_bit(storage: str, dtype: type) -> None:
    for d in WIDTHS:
        X = table(5, d, dtype, seed=3)
        start = np.random.default_rng(d).normal(size=d + 1)
        rows = STORAGES[storage](X)
        for i in range(5):
            wanted = start.copy()
            wanted[:d] += 0.3 * X[i].astype(np.float64)
            for adding in (add_row, add):
                w = start.copy()
                adding(rows, i, 0.3, w)
                np.testing.assert_array_equal(w, wanted)


@EVERY_STORAGE
@BOTH_TYPES
def test_weights_pay_what_they_owe_but_never_past_zero(storage: str, dtype: type) -> None:
    X = np.array([[1.0, 0.0, 2.0, 3.0, 4.0]], dtype)
    rows = STORAGES[storage](X)
    start = np.array([2.0, 2.0, -2.0, 0.2, 0.0, 7.0])  # the bias is never touched
    for paying in (truncate_row, apply_l1):
        w, paid = start.copy(), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        paying(rows, 0, w, (0.5, paid))
        second = 1.5 if storage == "dense" else 2.0  # in CSR a feature pays when it comes up
        np.testing.assert_allclose(w, [1.5, second, -1.5, 0.0, 0.0, 7.0], rtol=1e-15)
        second = -0.5 if storage == "dense" else 0.0
        np.testing.assert_allclose(paid, [-0.5, second, 0.5, -0.2, 0, 0], rtol=1e-15)
        paying(rows, 0, w, (0.5, paid))  # nothing more is owed by those that could pay
        np.testing.assert_allclose(w[[0, 2]], [1.5, -1.5], rtol=1e-15)


@given(
    data=st.data(), n=st.integers(1, 9), d=st.integers(1, 9), index=st.sampled_from(["i4", "i8"])
)
def test_parts_and_choices_of_rows_are_numpy_s(data: Any, n: int, d: int, index: str) -> None:
    X = table(n, d, np.float64)
    start = data.draw(st.integers(0, n - 1))
    stop = data.draw(st.integers(start + 1, n + 3))
    chosen = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=12)))
    w = np.random.default_rng(0).normal(size=d + 1)
    for rows in (X, csr(X, np.dtype(index).type)):
        whole = dots(rows, w)
        part, taken = rows_part(rows, start, stop), rows_take(rows, chosen)
        assert dots(part, w).tolist() == whole[start:stop].tolist()
        assert dots(taken, w).tolist() == whole[chosen].tolist()
        assert n_cols(part) == n_cols(taken) == d
        again = rows_take(part, np.arange(n_rows(part))[::-1])
        assert dots(again, w).tolist() == whole[start:stop][::-1].tolist()
    assert np.shares_memory(rows_part(X, start, stop), X)
    assert not np.shares_memory(rows_take(X, chosen), X)


def dense(rows: Rows) -> Array:
    matrix = matrix_of(rows)
    return matrix.toarray() if isinstance(rows, CSR) else matrix


@EVERY_STORAGE
@pytest.mark.parametrize("other", STORAGES)
def test_joined_rows_are_stored_like_the_first(storage: str, other: str) -> None:
    X, Y = table(7, 5, np.float64), table(6, 5, np.float64, seed=1)
    first = rows_take(STORAGES[storage](X), np.arange(7))
    for second in (STORAGES[other](Y), rows_part(STORAGES[other](Y), 2, 5)):
        both = rows_joined(first, second)
        assert isinstance(both, CSR) == isinstance(first, CSR)
        np.testing.assert_array_equal(dense(both), np.vstack([X, dense(second)]))
        assert rows_of(matrix_of(both)) is not None  # entries stand inside the columns


def test_bytes_of_a_row() -> None:
    assert row_bytes(np.zeros((3, 10), np.float32)) == 40
    assert row_bytes(csr(np.ones((3, 10)), np.int32)) == 10 * (8 + 4)
    assert row_bytes(csr(np.ones((3, 10), np.float32), np.int64)) == 10 * (4 + 8)
    part = rows_part(csr(np.tril(np.ones((10, 10))), np.int32), 5, 7)
    assert row_bytes(part) == 13 * 12 // 2


@BOTH_TYPES
def test_the_door_lets_good_rows_through_untouched(dtype: type) -> None:
    X = table(6, 4, dtype)
    assert rows_of(X) is X
    matrix = sparse.csr_array(X)
    rows = rows_of(matrix)
    assert isinstance(rows, CSR)
    assert np.shares_memory(rows.data, matrix.data)
    assert np.shares_memory(rows.indices, matrix.indices)
    X.flags.writeable = False
    rows = rows_of(X)
    assert rows.flags.writeable  # as kernels know rows: they are not compiled again
    assert rows.ctypes.data == X.ctypes.data
    assert np.shares_memory(rows_of(X[2:5]), X)


def test_rows_of_a_read_only_array_keep_its_memory_alive() -> None:
    X = np.arange(300_000.0).reshape(-1, 3)
    X.flags.writeable = False
    rows, total = rows_of(X), X.sum()
    del X
    assert np.zeros(300_000).sum() + rows.sum() == total


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        *((small, "f4") for small in ("f2", "?", "i1", "u1", "i2", "u2")),
        *((large, "f8") for large in ("i4", "u4", "i8", "u8", "g", "O")),
    ],
)
def test_the_door_widens_what_is_no_float(dtype: str, wanted: str) -> None:
    X = np.array([[0, 1, 1], [1, 0, 1]])
    rows = rows_of(X.astype(dtype))
    assert rows.dtype == wanted
    assert rows.flags.c_contiguous
    assert rows.tolist() == X.tolist()
    if dtype not in {"f2", "g", "O"}:
        sparse_rows = rows_of(sparse.csr_array(X.astype(dtype)))
        assert sparse_rows.data.dtype == wanted


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "f2"])
def test_small_numbers_become_single_precision_exactly(dtype: str) -> None:
    info = np.finfo(dtype) if dtype == "f2" else np.iinfo(dtype)
    X = np.array([[info.min, info.max, 1]], dtype)
    assert rows_of(X).tolist() == X.tolist()


def test_the_door_gives_native_bytes() -> None:
    # once: '>f8' and '>f4' pass as they are, because their dtype.char is 'd' and 'f' too
    for dtype in (">f8", ">f4", ">i4"):
        X = np.array([[1.0, 2.0]], dtype)
        rows = rows_of(X)
        assert rows.dtype.isnative
        assert rows.tolist() == [[1, 2]]


def test_the_door_refuses_sparse_rows_whose_columns_are_out_of_range() -> None:
    # once: scipy does not check the indices it is given, and a kernel would write beyond w
    for wrong in (5, -1):
        matrix = sparse.csr_array(np.eye(3))
        matrix.indices[1] = wrong
        with pytest.raises(ValueError, match="row 1"):
            rows_of(matrix)
