"""Validation of the targets of a regression: one number a row, or one a row and output."""

from typing import Any

import numpy as np

from rosenblatt.csr import is_sparse
from rosenblatt.data.validation import refuse_masked
from rosenblatt.errors import DataError
from rosenblatt.types import Array, Floats


def regression_targets(y: Any, n: int) -> Floats:
    """Targets of n rows as float64: of shape (n,), or (n, n_outputs)."""
    if y is None:
        raise DataError("This estimator requires y to be passed, but the target y is None.")
    targets = _numbers(y.toarray() if is_sparse(y) else y)
    if targets.ndim not in (1, 2) or targets.shape[1:] == (0,):
        raise DataError(
            "y must hold one target per row, or a column of them for each output; got the shape"
            f" {targets.shape}."
        )
    if len(targets) != n:
        raise DataError(f"X has {n} rows but y has {len(targets)}; the numbers must be equal.")
    bad = np.argwhere(~np.isfinite(targets))
    if len(bad):
        value = targets[tuple(bad[0])]
        place = ", column ".join(str(index) for index in bad[0])
        what = "NaN" if np.isnan(value) else "infinity"
        raise DataError(f"Input y contains {what} at row {place}; every row needs a finite target.")
    return targets


def _numbers(y: Any) -> Array:
    refuse_masked(y, "y")
    try:
        given = np.asarray(y)
        if given.dtype.kind == "c":
            raise DataError("Complex data not supported: y must be real.")
        if given.dtype.kind in "mMSUV":
            raise DataError(f"y must hold numbers; got {given.dtype}. Convert them first.")
        return np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"y must hold numbers, the targets of a regression: {error}. A classifier learns labels"
            " of any type."
        ) from error
