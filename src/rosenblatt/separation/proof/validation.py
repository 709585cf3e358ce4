"""Validation: rows and labels of any type become a `Table`, or are refused with the reason.

Accepts arrays of floats, integers and booleans, scipy sparse matrices, data frames and lists.
What would have to be rounded is refused rather than rounded.
"""

from typing import Any

import numpy as np

from rosenblatt.errors import DataError
from rosenblatt.separation.proof.table import MANTISSA_BITS, Csr, Table, bigs, floats
from rosenblatt.types import Array, Ints

LABELS_AT_ONCE = 1 << 20  # labels looked at together


def read_table(X: Any, y: Any) -> Table:
    """Check rows and labels and give them class codes, in the order of the sorted labels."""
    rows = read_rows(X)
    codes, classes = read_labels(y, int(rows.shape[0]))
    return Table(rows, codes, classes)


def read_rows(X: Any) -> Array | Csr:
    """Check the rows: two dimensions, real numbers, all finite."""
    sparse = hasattr(X, "tocsr")
    rows = _read_csr(X) if sparse else _read_dense(X)
    if 0 in rows.shape:
        raise DataError(
            f"X must have at least one row and one column; got shape {tuple(rows.shape)}."
        )
    return rows


def _refuse_masked(values: Any, name: str) -> None:
    """Refuse values that are hidden: a proof cannot speak about them."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        row = np.argwhere(np.ma.getmaskarray(values))[0][0]
        raise DataError(f"{name} has a masked value in row {row}. Fill it, or drop the row.")


def _check_csr(matrix: Any) -> None:
    """Refuse entries outside of all rows and columns: scipy does not look."""
    indptr, indices = matrix.indptr, matrix.indices
    in_turn = len(indptr) == matrix.shape[0] + 1 and len(matrix.data) == len(indices)
    in_turn = in_turn and indptr[0] == 0 and indptr[-1] <= len(indices)
    in_turn = in_turn and bool((indptr[1:] >= indptr[:-1]).all())
    if not in_turn or (len(indices) and not 0 <= indices.min() <= indices.max() < matrix.shape[1]):
        raise DataError("X is a broken sparse matrix: entries stand outside of it. Build it again.")


def _in_order(matrix: Any) -> bool:
    """Say whether columns increase in every row; scipy's own word may be out of date."""
    column = matrix.indices[: matrix.indptr[-1]]
    falls = np.flatnonzero(column[1:] <= column[:-1]) + 1
    return bool(np.isin(falls, matrix.indptr).all())


def _read_csr(X: Any) -> Csr:
    _require_two_dimensions(X.shape)
    matrix = X if getattr(X, "format", "") == "csr" else X.tocsr()
    _check_csr(matrix)
    if not _in_order(matrix):
        matrix = type(matrix)((matrix.data, matrix.indices, matrix.indptr), matrix.shape, copy=True)
        matrix.sum_duplicates()
    data = _numbers(np.asarray(matrix.data))
    _refuse_endless(data)
    n, d = matrix.shape
    return Csr(data, np.asarray(matrix.indices), np.asarray(matrix.indptr), (int(n), int(d)))


def _read_dense(X: Any) -> Array:
    _refuse_masked(X, "X")
    rows = _as_array(X, "X")
    _require_two_dimensions(rows.shape)
    rows = _numbers(rows)
    step = max(1, (1 << 21) // max(1, rows.shape[1]))
    for start in range(0, rows.shape[0], step):
        _refuse_endless(rows[start : start + step], start)
    return rows


def _as_array(values: Any, name: str) -> Array:
    """The values as an array, without rounding.

    NumPy makes float64 of integers beside floats, and of int64 beside uint64. Where that may have
    rounded some, lists and frames are read again as Python's numbers.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise DataError(f"{name} cannot be read as an array: {error}") from error
    if isinstance(values, np.ndarray) or array.dtype != np.float64:
        return array
    if not bool((np.abs(array) >= 2.0**MANTISSA_BITS).any()):
        return array
    if isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    columns = _columns(values) if array.ndim == 2 else []
    if all(column.dtype.kind in "fb" for column in columns):
        return array
    exact = np.empty(array.shape, dtype=object)
    for j, column in enumerate(columns):
        exact[:, j] = column.tolist()
    return exact


def _columns(frame: Any) -> list[Array]:
    """Columns of a frame of pandas, polars or pyarrow; none of anything else."""
    if hasattr(frame, "items"):
        return [np.asarray(column) for _, column in frame.items()]
    names = [name for name in ("iter_columns", "itercolumns") if hasattr(frame, name)]
    return [np.asarray(column) for name in names for column in getattr(frame, name)()]


def _require_two_dimensions(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise DataError(
            f"X must be a table of rows and columns; got {len(shape)} dimension(s), shape "
            f"{tuple(shape)}. For one feature use X.reshape(-1, 1)."
        )


def _numbers(values: Array) -> Array:
    """Bring values to a type that holds them exactly, in the machine's order of bytes."""
    kind = values.dtype.kind
    if kind == "b":
        return _bits(values, "X")
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if kind in "iu" or values.dtype in (np.float32, np.float64):
        return values
    if values.dtype == np.float16:
        return values.astype(np.float32)
    if kind == "O":
        return _objects(values)
    raise DataError(
        f"X must hold real numbers (integers, booleans, float32 or float64); got {values.dtype}. "
        "Convert the columns first."
    )


def _bits(values: Array, name: str) -> Array:
    """Booleans as integers; bytes that are neither 0 nor 1 could be read as this or that."""
    bits = values.view(np.uint8)
    if bits.max(initial=0) > 1:
        raise DataError(f"{name} holds booleans that are neither true nor false. Make them again.")
    return bits


def _objects(values: Array) -> Array:
    """Python numbers: integers stay integers of any size; a mix becomes float64 if none rounds."""
    flat = values.ravel().tolist()
    for place, value in enumerate(flat):
        if not isinstance(value, (bool, int, float, np.integer, np.floating, np.bool_)):
            width = values.shape[1] if values.ndim == 2 else 1
            raise DataError(
                f"X must hold numbers; row {place // width}, column {place % width} holds "
                f"{value!r}. Encode or remove that column first."
            )
    if not any(isinstance(value, (float, np.floating)) for value in flat):
        whole = bigs(int(value) for value in flat)
        small = all(-(2**63) <= value < 2**63 for value in whole)
        return (whole.astype(np.int64) if small else whole).reshape(values.shape)
    numbers = floats(bigs(flat))
    for place, (value, number) in enumerate(zip(flat, numbers.tolist(), strict=True)):
        exact = int(value) if isinstance(value, np.integer) else value
        if exact != number and not np.isnan(number):
            raise DataError(
                f"X mixes floats with a number that float64 cannot hold exactly, in row "
                f"{place // values.shape[-1]}, column {place % values.shape[-1]}. "
                "Give integers only, or floats only."
            )
    return numbers.reshape(values.shape)


def _refuse_endless(values: Array, start: int = 0) -> None:
    if values.dtype.kind != "f" or bool(np.isfinite(values).all()):
        return
    place = np.argwhere(~np.isfinite(values))[0]
    where = f"row {start + place[0]}, column {place[1]}" if len(place) == 2 else "a sparse entry"
    raise DataError(
        f"X must hold finite numbers; {where} holds {values[tuple(place)]}. "
        "Remove such rows or fill the gaps: a proof cannot speak about them."
    )


def read_labels(y: Any, n: int) -> tuple[Ints, tuple[str, ...]]:
    """Class codes and class names of the labels."""
    _refuse_masked(y, "y")
    labels = _as_array(y, "y")
    if labels.shape != (n,):
        raise DataError(
            f"y must hold one label for each of the {n} rows; got shape {labels.shape}."
        )
    labels = _bits(labels, "y") if labels.dtype.kind == "b" else labels
    lost = _missing(labels)
    if lost is not None:
        raise DataError(f"y must hold a label for every row; row {lost} has none.")
    try:
        values = _distinct(labels)
    except TypeError:
        raise DataError(
            "y mixes labels that cannot be compared (such as numbers and text). "
            "Make them all of one type."
        ) from None
    names = tuple(label_text(value) for value in values.tolist())
    if len(names) < 2:
        raise DataError(
            f"y must hold at least two classes; got only {names[0]!r} in all {n} rows. "
            "With one class there is nothing to separate."
        )
    if len(set(names)) < len(names):
        raise DataError("y holds different labels that are written alike. Give them other names.")
    return np.searchsorted(values, labels), names


def _distinct(labels: Array) -> Array:
    """Distinct labels in order, found in runs: a copy of very many labels would be large."""
    runs = (
        labels[start : start + LABELS_AT_ONCE] for start in range(0, len(labels), LABELS_AT_ONCE)
    )
    return np.unique(np.concatenate([np.unique(run) for run in runs]))


def _missing(labels: Array) -> int | None:
    """Find the first row without a label."""
    if labels.dtype.kind in "fc":
        gaps = np.flatnonzero(np.isnan(labels))
    elif labels.dtype.kind in "mM":
        gaps = np.flatnonzero(np.isnat(labels))
    elif labels.dtype.kind == "O":
        gaps = np.array([i for i, v in enumerate(labels) if _is_gap(v)])
    else:
        gaps = np.array([])
    return int(gaps[0]) if len(gaps) else None


def label_text(label: Any) -> str:
    """How a label is written in a proof: 1, 1.0 and "1" are the same class."""
    if isinstance(label, bytes):
        return label.decode("latin-1")
    if isinstance(label, (bool, np.bool_)):
        return str(int(label))
    if isinstance(label, (float, np.floating)) and label.is_integer():
        return str(int(label))
    return str(label)


def _is_gap(label: Any) -> bool:
    return not isinstance(label, str) and str(label) in {"nan", "None", "<NA>", "NaT"}
