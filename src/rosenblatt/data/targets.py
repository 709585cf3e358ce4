"""The door for a matrix of targets: one row a sample, one column an output."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Array, Floats
from rosenblatt.data.missing import refuse_masked
from rosenblatt.errors import DataError

PAIRS = ((0, 1), (-1, 1))  # labels of an output: no and yes


def is_matrix(y: Any) -> bool:
    """Whether y has more than one column: targets of a layer, not labels."""
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
    table = _real_numbers(dense)
    if table.ndim != 2:
        raise DataError(f"y must be a matrix of targets; got shape {table.shape}.")
    if len(table) != n:
        raise DataError(f"X has {n} rows but y has {len(table)}; they must be as many.")
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        row, column = bad[0]
        what = "NaN" if np.isnan(table[row, column]) else "infinity"
        raise DataError(
            f"Input y contains {what} at row {row}, column {column}; every output needs a target."
        )
    return table


def _real_numbers(dense: Any) -> Array:
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
    for pair in PAIRS:
        if np.isin(table, pair).all():
            return np.array(pair).astype(table.dtype)
    return None


def scaled_targets(table: Array, pair: Array | None, least: float, most: float) -> Floats:
    """Targets in the range of an output: labels at its ends, real ones as they are."""
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
