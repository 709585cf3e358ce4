"""Texts in the forms that people have them, as one column of strings."""

from math import isnan
from typing import Any

import numpy as np
import polars as pl

from rosenblatt.errors import DataError
from rosenblatt.io.column_stack import unnamed


def texts_of(texts: Any, what: str = "X") -> pl.Series:
    """Texts out of a list, an array or a series of strings; None and NaN are missing ones."""
    if isinstance(texts, str) or not hasattr(texts, "__iter__"):
        told = "one text" if isinstance(texts, str) else type(texts).__name__
        raise DataError(f"{what} must be a list, an array or a series of texts; got {told}.")
    if isinstance(texts, pl.Series) and texts.dtype == pl.String:
        return unnamed(texts)
    if len(np.shape(texts)) > 1:
        raise DataError(f"{what} must be one column of texts; got the shape {np.shape(texts)}.")
    cells = [None if _is_missing(cell) else cell for cell in texts]
    for place, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise DataError(
                f"{what} must hold texts; got {cell!r} of the type {type(cell).__name__} at place"
                f" {place}."
            )
    return pl.Series(cells, dtype=pl.String)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (type(cell) is float and isnan(cell))
