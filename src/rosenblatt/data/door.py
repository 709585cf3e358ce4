"""The door for rows: what comes in is checked here, once (labels.py: labels; weights.py: weights).

==============================================  ================================================
comes in                                        goes on as
==============================================  ================================================
float64, float32 in C order                     itself, no copy
float16, bool, 8- and 16-bit integers           float32, exactly
other integers, F order, lists, frames          float64 in C order
sparse of any kind                              CSR: values float32/64, indices 32 or 64 bit
==============================================  ================================================

Whether every value is finite is not looked up here: the kernels notice at the first row whose score
is not a number, and `not_finite` then finds the place.
"""

from typing import Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.data.missing import refuse_masked
from rosenblatt.data.rows import CSR, Rows, n_rows
from rosenblatt.data.storage import is_sparse, rows_part
from rosenblatt.errors import DataError, NotFiniteError, TooLargeError

_PART = 65_536
_AS_FLOAT32 = ("b1", "f2", "i1", "u1", "i2", "u2")


def rows_of(X: Any, *, min_rows: int = 1) -> Rows:
    """Rows of a table, dense or sparse, ready for a kernel."""
    if type(X) is np.ndarray and X.ndim == 2 and _is_ready(X.dtype) and X.flags.c_contiguous:
        rows: Rows = _for_kernels(X)
    elif is_sparse(X):
        rows = _sparse_rows(X)
    else:
        rows = _dense_rows(X)
    _check_shape(n_rows(rows), rows.n_cols if isinstance(rows, CSR) else rows.shape[1], min_rows)
    return rows


def require_finite(rows: Rows, table: str = "X") -> None:
    """Refuse rows with NaN or infinity where no kernel will look at each of them."""
    for start in range(0, n_rows(rows), _PART):
        part = rows_part(rows, start, start + _PART)
        values = part.data[part.indptr[0] : part.indptr[-1]] if isinstance(part, CSR) else part
        if not np.isfinite(values).all():
            raise not_finite(rows, table)


def not_finite(rows: Rows, table: str = "X") -> DataError:
    """Tell where a table first holds NaN or infinity."""
    for start in range(0, n_rows(rows), _PART):
        if isinstance(rows, CSR):
            span = rows.indptr[start : start + _PART + 1]
            bad = np.flatnonzero(~np.isfinite(rows.data[span[0] : span[-1]])) + span[0]
            if len(bad):
                row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
                return _bad_entry(rows.data[bad[0]], row, int(rows.indices[bad[0]]), table)
        else:
            places = np.argwhere(~np.isfinite(rows[start : start + _PART]))
            if len(places):
                row, column = int(places[0][0]) + start, int(places[0][1])
                return _bad_entry(rows[row, column], row, column, table)
    return TooLargeError(
        "The scores grew beyond float64: X holds values too large. Scale its columns."
    )


def _bad_entry(value: float, row: int, column: int, table: str) -> NotFiniteError:
    return NotFiniteError("NaN" if np.isnan(value) else "infinity", row, column, table=table)


def _is_ready(dtype: np.dtype[Any]) -> bool:
    return dtype.char in "fd" and dtype.isnative


def _dense_rows(X: Any) -> Array:
    refuse_masked(X, "X")
    try:
        table = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X)
    except ValueError as error:
        raise DataError(
            f"X must be a table of numbers; its rows differ in length ({error})."
        ) from error
    if table.dtype.kind == "c":
        raise DataError("Complex data not supported: X must be real.")
    if table.ndim != 2:
        _refuse_dimensions(table)
    if table.dtype.kind in "mMV":
        raise _NotANumberError(
            f"X must hold numbers; got {table.dtype}. Make numbers of its columns first: of dates,"
            " for example, the days since the first."
        )
    if table.dtype.kind in "OUST":
        table = _numbers(table)
    return _for_kernels(np.ascontiguousarray(table, dtype=_float_type(table.dtype)))


class _Writable:
    """The memory of a read-only array, under the promise not to write to it."""

    def __init__(self, array: Array) -> None:
        self.array = array  # which must live as long as whoever sees its memory
        described = array.__array_interface__
        self.__array_interface__ = {**described, "data": (described["data"][0], False)}


def _for_kernels(array: Array) -> Array:
    """The same array; a kernel only reads rows, and is not compiled again for read-only ones."""
    return array if array.flags.writeable else np.asarray(_Writable(array))


def _float_type(dtype: np.dtype[Any]) -> Any:
    """float32 where it holds every value exactly, else float64; in the order of this machine."""
    small = dtype.char == "f" or dtype.str[1:] in _AS_FLOAT32
    return np.float32 if small else np.float64


def _numbers(table: Array) -> Array:
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        for (row, column), value in np.ndenumerate(table):
            try:
                float(value)
            except (TypeError, ValueError, OverflowError) as error:
                kind = type(value).__name__
                raise _NotANumberError(
                    f"X must hold numbers; row {row}, column {column} is {value!r}, a {kind}:"
                    f" {error}. Encode such columns first."
                ) from error
        raise


class _NotANumberError(DataError, TypeError):
    """A cell that is no number: what scikit-learn reports as a TypeError."""


def _refuse_dimensions(table: Array) -> None:
    wanted = "X must be a table with one sample a row."
    if table.ndim == 1:
        raise DataError(
            f"Expected 2D array, got 1D array instead (shape {table.shape}). {wanted} "
            "Reshape your data: X.reshape(1, -1) for one sample, X.reshape(-1, 1) for one feature."
        )
    if table.ndim == 0:
        raise DataError(f"Expected 2D array, got scalar array instead: {table!r}. {wanted}")
    raise DataError(
        f"Found array with dim {table.ndim}, shape {table.shape}, while dim <= 2 is required."
        f" {wanted} Flatten images with X.reshape(len(X), -1)."
    )


def _sparse_rows(X: Any) -> CSR:
    if X.ndim != 2:
        raise DataError(f"X must have two dimensions; got a sparse array with {X.ndim}.")
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X must be real.")
    matrix = X.tocsr()
    _check_places(matrix)
    if not matrix.has_canonical_format:  # repeated entries would spoil ‖x‖²
        matrix = matrix.copy() if matrix is X else matrix
        matrix.sum_duplicates()
    data = matrix.data
    if not _is_ready(data.dtype):
        data = data.astype(_float_type(data.dtype))
    data, indices, indptr = map(_for_kernels, (data, matrix.indices, matrix.indptr))
    rows = CSR(data, indices, indptr, int(matrix.shape[1]))
    _check_indices(rows)
    return rows


def _check_places(matrix: Any) -> None:
    """Refuse rows that do not follow each other: scipy does not look, and would read anywhere."""
    indptr, n_entries = matrix.indptr, min(len(matrix.data), len(matrix.indices))
    if indptr[0] != 0 or indptr[-1] > n_entries or (indptr[1:] < indptr[:-1]).any():
        raise DataError(
            "X is a broken sparse matrix: its `indptr` must start at 0, never fall and end at the"
            f" number of entries, {n_entries}. Build it anew."
        )


def _check_indices(rows: CSR) -> None:
    """Refuse entries beyond the columns: scipy does not look, and a kernel would write there."""
    if len(rows.indices) and not 0 <= rows.indices.min() <= rows.indices.max() < rows.n_cols:
        bad = int(np.flatnonzero((rows.indices < 0) | (rows.indices >= rows.n_cols))[0])
        row = int(np.searchsorted(rows.indptr, bad, side="right")) - 1
        raise DataError(
            f"X is a broken sparse matrix: an entry of row {row} stands in column"
            f" {rows.indices[bad]}, but there are {rows.n_cols} columns. Build it anew."
        )


def _check_shape(n: int, d: int, min_rows: int) -> None:
    if d == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required."
        )
    if n < min_rows:
        raise DataError(
            f"Found array with {n} sample(s) (shape=({n}, {d})) while a minimum of {min_rows}"
            " is required."
        )
