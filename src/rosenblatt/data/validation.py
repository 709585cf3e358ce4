"""Validation of X, of matrices of targets and of weights (labels.py: of labels).

==============================================  ================================================
input                                           result
==============================================  ================================================
float64, float32 in C order                     itself, no copy
float16, bool, 8- and 16-bit integers           float32, exactly
other integers, F order, lists, frames          float64 in C order
sparse of any kind                              CSR: values float32/64, indices 32 or 64 bit
==============================================  ================================================

Whether every value is finite is not checked here: the kernels stop at the first row whose score is
not finite, and `not_finite` then finds the value.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, is_sparse, n_rows, rows_part
from rosenblatt.data.training_data import no_weights
from rosenblatt.errors import DataError, NotFiniteError, ParameterError, TooLargeError
from rosenblatt.types import Array, Floats

CHECKED_ROWS = 65_536  # at a time
LABEL_PAIRS = ((0, 1), (-1, 1))  # labels of an output: negative and positive
MIN_WEIGHT, MAX_WEIGHT = 1e-100, 1e100  # so that squares of weights neither under- nor overflow
_AS_FLOAT32 = ("b1", "f2", "i1", "u1", "i2", "u2")


def rows_of(X: Any, *, min_rows: int = 1) -> Rows:
    """Validated rows of X, dense or CSR, ready for a kernel."""
    if type(X) is np.ndarray and X.ndim == 2 and _is_ready(X.dtype) and X.flags.c_contiguous:
        rows: Rows = _for_kernels(X)
    elif is_sparse(X):
        rows = _sparse_rows(X)
    else:
        rows = _dense_rows(X)
    _check_shape(n_rows(rows), rows.n_cols if isinstance(rows, CSR) else rows.shape[1], min_rows)
    return rows


def require_finite(rows: Rows, table: str = "X") -> None:
    """Refuse rows with NaN or infinity, where no kernel will read each of them."""
    for start in range(0, n_rows(rows), CHECKED_ROWS):
        part = rows_part(rows, start, start + CHECKED_ROWS)
        values = part.data[part.indptr[0] : part.indptr[-1]] if isinstance(part, CSR) else part
        if not np.isfinite(values).all():
            raise not_finite(rows, table)


def not_finite(rows: Rows, table: str = "X") -> DataError:
    """Error that names the first NaN or infinity in a table."""
    for start in range(0, n_rows(rows), CHECKED_ROWS):
        if isinstance(rows, CSR):
            span = rows.indptr[start : start + CHECKED_ROWS + 1]
            bad = np.flatnonzero(~np.isfinite(rows.data[span[0] : span[-1]])) + span[0]
            if len(bad):
                row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
                return _bad_entry(rows.data[bad[0]], row, int(rows.indices[bad[0]]), table)
        else:
            places = np.argwhere(~np.isfinite(rows[start : start + CHECKED_ROWS]))
            if len(places):
                row, column = int(places[0][0]) + start, int(places[0][1])
                return _bad_entry(rows[row, column], row, column, table)
    return TooLargeError(
        "The scores overflow float64: X holds values that are too large. Scale its columns."
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
            f"X must hold numbers; got {table.dtype}. Convert its columns to numbers first: dates,"
            " for example, to days since the first."
        )
    if table.dtype.kind in "OUST":
        table = _numbers(table)
    return _for_kernels(np.ascontiguousarray(table, dtype=_float_type(table.dtype)))


class _Writable:
    """The memory of a read-only array, marked writable; nobody writes to it."""

    def __init__(self, array: Array) -> None:
        self.array = array  # keeps the memory alive
        described = array.__array_interface__
        self.__array_interface__ = {**described, "data": (described["data"][0], False)}


def _for_kernels(array: Array) -> Array:
    """The array marked writable, so that kernels are not compiled again for read-only ones."""
    return array if array.flags.writeable else np.asarray(_Writable(array))


def _float_type(dtype: np.dtype[Any]) -> Any:
    """float32 where it represents every value exactly, else float64; in native byte order."""
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
    """A cell that is not a number; a TypeError, too, as in scikit-learn."""


def _refuse_dimensions(table: Array) -> None:
    wanted = "X must be a table with one sample per row."
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
    if not matrix.has_canonical_format:  # duplicate entries would falsify ‖x‖²
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
    """Refuse an invalid indptr: scipy does not check it, and would read out of bounds."""
    indptr, n_entries = matrix.indptr, min(len(matrix.data), len(matrix.indices))
    if indptr[0] != 0 or indptr[-1] > n_entries or (indptr[1:] < indptr[:-1]).any():
        raise DataError(
            "X is a broken sparse matrix: its `indptr` must start at 0, never decrease and end at"
            f" the number of entries, {n_entries}. Rebuild it."
        )


def _check_indices(rows: CSR) -> None:
    """Refuse columns out of range, which scipy does not check; a kernel would write there."""
    if len(rows.indices) and not 0 <= rows.indices.min() <= rows.indices.max() < rows.n_cols:
        bad = int(np.flatnonzero((rows.indices < 0) | (rows.indices >= rows.n_cols))[0])
        row = int(np.searchsorted(rows.indptr, bad, side="right")) - 1
        raise DataError(
            f"X is a broken sparse matrix: an entry of row {row} is in column"
            f" {rows.indices[bad]}, but there are {rows.n_cols} columns. Rebuild it."
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


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array with masked values."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        first = np.argwhere(np.ma.getmaskarray(values))[0]
        place = ", column ".join(str(index) for index in first)
        raise DataError(f"{name} has a masked value in row {place}. Fill it, or drop the row.")


def refuse_missing(labels: Array) -> None:
    """Refuse missing labels: NaN, NaT, None and the like."""
    if labels.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(labels))
        if len(bad):
            what = "NaN" if np.isnan(labels[bad[0]]) else "infinity"
            raise DataError(f"Input y contains {what} at row {bad[0]}; every row needs a label.")
    elif labels.dtype.kind in "mM":
        bad = np.flatnonzero(np.isnat(labels))
        if len(bad):
            raise DataError(f"Input y contains NaT at row {bad[0]}: a missing label.")
    elif labels.dtype.kind == "O" and labels.ndim == 1:
        for row, label in enumerate(labels):
            if _is_missing(label):
                raise DataError(f"Input y contains NaN at row {row} ({label!r}): a missing label.")


def _is_missing(label: Any) -> bool:
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(label, (float, np.floating)) and bool(np.isnan(label))


def is_matrix(y: Any) -> bool:
    """Whether y has more than one column: a matrix of targets, not labels."""
    if isinstance(y, (list, tuple)):
        widths = {len(row) if _is_row(row) else 0 for row in y}
        return len(widths) == 1 and max(widths) > 1
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] > 1


def _is_row(row: Any) -> bool:
    return isinstance(row, (list, tuple)) or (isinstance(row, np.ndarray) and row.ndim > 0)


def targets_of(Y: Any, n: int) -> Array:
    """Targets of n rows as a table of finite numbers."""
    dense: Any = Y.toarray() if hasattr(Y, "toarray") else Y  # labels may come as a sparse matrix
    refuse_masked(dense, "y")
    table = _target_numbers(dense)
    if table.ndim != 2:
        raise DataError(f"y must be a matrix of targets; got shape {table.shape}.")
    if len(table) != n:
        raise DataError(f"X has {n} rows but y has {len(table)}; the numbers must be equal.")
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0]
        what = "NaN" if np.isnan(table[row, column]) else "infinity"
        raise DataError(
            f"Input y contains {what} at row {row}, column {column}; every output needs a target."
        )
    return table


def _target_numbers(dense: Any) -> Array:
    try:
        table = np.asarray(dense)
        kind = table.dtype.kind
        numbers = table if kind in "biufc" else table.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"y, a matrix of targets, must hold numbers: {error}.") from error
    if kind == "c":
        raise DataError("y, a matrix of targets, must hold real numbers; got complex ones.")
    return numbers


def label_pair(table: Array) -> Array | None:
    """The two labels of a matrix of labels, 0 and 1 or −1 and 1; None for real targets."""
    for pair in LABEL_PAIRS:
        if np.isin(table, pair).all():
            return np.array(pair).astype(table.dtype)
    return None


def scaled_targets(table: Array, pair: Array | None, least: float, most: float) -> Floats:
    """Targets in the range of an output: labels at its ends, real ones unchanged."""
    if pair is not None:
        return np.where(table == pair[1], most, least)
    bad = np.argwhere((table < least) | (table > most))
    if len(bad):
        row, column = bad[0]
        raise DataError(
            f"y holds {table[row, column]} at row {row}, column {column}; real targets must lie"
            f" between {least:g} and {most:g}, as the outputs do. Scale them, or give labels: 0 and"
            " 1, or -1 and 1."
        )
    return np.ascontiguousarray(table, np.float64)


def weights_of(sample_weight: Any, n: int, *, some_positive: bool = True) -> Floats:
    """Weight of each of n rows: finite, not negative, and by default at least one positive."""
    if sample_weight is None:
        return no_weights(n)
    weights = _weight_numbers(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar; sample_weight has {weights.ndim}"
            " dimensions."
        )
    if len(weights) != n:
        raise DataError(f"sample_weight has {len(weights)} entries but X has {n} rows.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise DataError(
            f"sample_weight must be finite and not negative; entry {bad[0]} is {weights[bad[0]]}."
        )
    if some_positive and not weights.any():
        raise DataError("sample_weight is zero for every row; at least one must be positive.")
    extreme = np.flatnonzero((weights > MAX_WEIGHT) | ((weights > 0) & (weights < MIN_WEIGHT)))
    if len(extreme):
        raise DataError(
            f"sample_weight must be 0 or between {MIN_WEIGHT:g} and {MAX_WEIGHT:g}; entry"
            f" {extreme[0]} is {weights[extreme[0]]}."
        )
    return np.ascontiguousarray(weights)


def class_weights_of(class_weight: Any, classes: Array, counted: Callable[[], Array]) -> Floats:
    """Weight of each class: 1, as given by label, or "balanced": n / (K n_k)."""
    if isinstance(class_weight, str):
        counts = counted()
        seen = np.count_nonzero(counts)
        return np.asarray(counts.sum() / (seen * np.where(counts > 0, counts, 1)), np.float64)
    weights, unknown = weights_by_label(class_weight or {}, classes)
    if unknown and len(class_weight) - len(unknown) < len(classes):
        raise ParameterError(
            f"class_weight names {unknown[0]!r}, which is not one of the classes"
            f" {', '.join(repr(c) for c in classes.tolist()[:10])}."
        )
    return weights


def weights_by_label(given: dict[Any, float], classes: Array) -> tuple[Floats, list[Any]]:
    """Weight of each class, 1 where none is given; and the labels that are not among them."""
    weights, unknown = np.ones(len(classes)), []
    for label, weight in given.items():
        here = np.zeros(len(classes), bool) if np.ndim(label) else classes == _as_in(classes, label)
        weights[here] = weight
        if not np.any(here):
            unknown.append(label)
    return weights, unknown


def _as_in(classes: Array, label: Any) -> Any:
    """A label in the type of the classes, for dates, which numpy has a type of its own for."""
    dated = classes.dtype.kind in "mM" and not isinstance(label, (int, float, str))
    return np.asarray(label, classes.dtype) if dated else label


def _weight_numbers(sample_weight: Any) -> Floats:
    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.asarray(sample_weight)
        if weights.dtype.kind == "c":
            raise DataError("sample_weight must hold real numbers; got complex ones.")
        return weights.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"sample_weight must hold numbers: {error}.") from error
