"""Values that say of themselves that they are missing: refused, with their place."""

from typing import Any

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.errors import DataError


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array that says of some of its values that they are none."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        first = np.argwhere(np.ma.getmaskarray(values))[0]
        place = ", column ".join(str(index) for index in first)
        raise DataError(f"{name} has a masked value in row {place}. Fill it, or drop the row.")


def refuse_missing(labels: Array) -> None:
    """Refuse labels that are none: NaN, NaT, None and their like."""
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
