"""The only door for rows, labels and weights: what comes in is checked here, once.

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
from scipy import sparse

from rosenblatt.arrays import Array, Codes, Floats
from rosenblatt.data.problem import no_weights
from rosenblatt.data.rows import CSR, Rows, n_rows
from rosenblatt.errors import DataError

_AS_FLOAT32 = ("b1", "f2", "i1", "u1", "i2", "u2")


def rows_of(X: Any, *, min_rows: int = 1) -> Rows:
    """Rows of a table, dense or sparse, ready for a kernel."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype.char in "fd" and X.flags.c_contiguous:
        rows: Rows = X
    elif sparse.issparse(X):
        rows = _sparse_rows(X)
    else:
        rows = _dense_rows(X)
    _check_shape(n_rows(rows), rows.n_cols if isinstance(rows, CSR) else rows.shape[1], min_rows)
    return rows


def labels_of(y: Any, n: int) -> Array:
    """Labels of n rows as a one-dimensional array without missing values."""
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    if sparse.issparse(y):
        raise DataError("y must be a dense list of labels; got a sparse matrix. Use y.toarray().")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        _warn_column_vector()
        labels = labels[:, 0]
    if labels.ndim != 1:
        shape = f"y should be a 1d array, got an array of shape {labels.shape} instead."
        raise DataError(f"{shape} Give one label a row.")
    if len(labels) != n:
        raise DataError(f"X has {n} rows but y has {len(labels)} labels; they must be as many.")
    _check_labels(labels)
    return labels


def classes_of(labels: Array) -> Array:
    """Sorted distinct labels."""
    try:
        distinct = [np.unique(part) for part in _parts(labels)]
        return np.unique(np.concatenate(distinct))
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise DataError(
            f"Labels of y must be of one kind to be told apart; got {', '.join(kinds)}."
            " Turn them into strings first."
        ) from error


def codes_of(labels: Array, classes: Array) -> Codes:
    """Place of every label among the sorted classes, in the smallest integers that hold it."""
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    codes: Codes = np.empty(len(labels), smallest)
    for start, part in zip(range(0, len(labels), _PART), _parts(labels), strict=True):
        places = np.searchsorted(classes, part)
        known = np.minimum(places, len(classes) - 1)
        if not np.array_equal(classes[known], part):
            strange = next(v for v, k in zip(part, known, strict=True) if classes[k] != v)
            raise DataError(
                f"y holds {strange!r}, which is none of the classes {_listed(classes)}."
            )
        codes[start : start + len(part)] = known
    return codes


def weights_of(sample_weight: Any, n: int) -> Floats:
    """Weight of each of n rows: finite, not negative, not all zero."""
    if sample_weight is None:
        return no_weights(n)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n, weights)
    if weights.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar; got {weights.ndim} dimensions."
        )
    if len(weights) != n:
        raise DataError(f"sample_weight has {len(weights)} entries but X has {n} rows.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise DataError(
            f"sample_weight must be finite and not negative; entry {bad[0]} is {weights[bad[0]]}."
        )
    if not weights.any():
        raise DataError("sample_weight is zero for every row; at least one must be positive.")
    return np.ascontiguousarray(weights)


def not_finite(rows: Rows, first: int = 0, names: Any = None) -> DataError:
    """Tell where X first holds NaN or infinity, from row `first` on."""
    for start in range(first, n_rows(rows), _PART):
        if isinstance(rows, CSR):
            span = rows.indptr[start : start + _PART + 1]
            bad = np.flatnonzero(~np.isfinite(rows.data[span[0] : span[-1]])) + span[0]
            if len(bad):
                row = int(np.searchsorted(rows.indptr, bad[0], side="right")) - 1
                return _bad_entry(rows.data[bad[0]], row, int(rows.indices[bad[0]]), names)
        else:
            places = np.argwhere(~np.isfinite(rows[start : start + _PART]))
            if len(places):
                row, column = int(places[0][0]) + start, int(places[0][1])
                return _bad_entry(rows[row, column], row, column, names)
    return DataError("The scores grew beyond float64: X holds values too large. Scale its columns.")


_PART = 65_536


def _parts(labels: Array) -> list[Array]:
    return [labels[start : start + _PART] for start in range(0, len(labels), _PART)]


def _bad_entry(value: float, row: int, column: int, names: Any) -> DataError:
    what = "NaN" if np.isnan(value) else "infinity"
    name = "" if names is None else f" ({names[column]!r})"
    return DataError(
        f"Input X contains {what} at row {row}, column {column}{name}; every value must be finite."
        " Fill or drop such rows first, for instance with sklearn.impute.SimpleImputer."
    )


def _dense_rows(X: Any) -> Array:
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
    if table.dtype.kind in "OUSmM":
        table = _numbers(table)
    small = table.dtype.str[1:] in _AS_FLOAT32
    dtype = table.dtype if table.dtype.char in "fd" else np.float32 if small else np.float64
    return np.ascontiguousarray(table, dtype=dtype)


def _numbers(table: Array) -> Array:
    try:
        return table.astype(np.float64)
    except (TypeError, ValueError):
        for (row, column), value in np.ndenumerate(table):
            try:
                float(value)
            except (TypeError, ValueError) as error:
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
    if not matrix.has_canonical_format:  # repeated entries would spoil ‖x‖²
        matrix = matrix.copy() if matrix is X else matrix
        matrix.sum_duplicates()
    data = matrix.data
    if data.dtype.char not in "fd":
        small = data.dtype.str[1:] in _AS_FLOAT32
        data = data.astype(np.float32 if small else np.float64)
    return CSR(data, matrix.indices, matrix.indptr, int(matrix.shape[1]))


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


def _check_labels(labels: Array) -> None:
    if labels.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(labels))
        if len(bad):
            what = "NaN" if np.isnan(labels[bad[0]]) else "infinity"
            raise DataError(f"Input y contains {what} at row {bad[0]}; every row needs a label.")
        broken = labels != np.floor(labels)
        if broken.any():
            row = int(np.flatnonzero(broken)[0])
            raise DataError(
                f"Unknown label type: continuous. y holds {labels[row]} at row {row}; a classifier"
                " needs classes. Cut the values into classes, or use a regression."
            )
    if labels.dtype.kind == "O":
        for row, label in enumerate(labels):
            if label is None or label != label:  # noqa: PLR0124 (NaN differs from itself)
                raise DataError(f"Input y contains NaN at row {row} ({label!r}): a missing label.")


def _warn_column_vector() -> None:
    import warnings  # noqa: PLC0415 (needed only on this rare path)

    from sklearn.exceptions import DataConversionWarning  # noqa: PLC0415

    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Use y.ravel().",
        DataConversionWarning,
        stacklevel=4,
    )


def _listed(classes: Array) -> str:
    shown = ", ".join(repr(c) for c in classes.tolist()[:10])
    return shown + (", …" if len(classes) > 10 else "")
