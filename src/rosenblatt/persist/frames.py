"""Frames, arrays and sparse matrices as chunks, so that a model takes what an estimator takes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.csr import CSR
from rosenblatt.errors import DataError
from rosenblatt.io.chunks import Chunk, Matrix, Place, Table
from rosenblatt.types import Array

if TYPE_CHECKING:
    import polars as pl

HERE = Place("X")


def chunk_of(X: Any) -> Chunk:
    """Rows of any kind as a chunk."""
    if isinstance(X, Table | Matrix):
        return X
    home = type(X).__module__.partition(".")[0]
    if home == "polars":
        return Table(X.collect() if hasattr(X, "collect") else X, HERE)
    if home == "pandas":
        return Table(_polars_frame(X), HERE)
    if hasattr(X, "tocsr"):
        matrix = X.tocsr()
        rows = CSR(matrix.data, matrix.indices, matrix.indptr, int(matrix.shape[1]))
        return Matrix(rows, None, HERE)
    return Matrix(_table(X), None, HERE)


def _table(X: Any) -> Array:
    try:
        rows = np.asarray(X, None if isinstance(X, np.ndarray) else np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a frame, or a table of numbers: {error}.") from error
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise DataError(
            f"X must be a frame, or a table of numbers; got shape {rows.shape} of {rows.dtype}."
        )
    return rows


def _polars_frame(frame: Any) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 (slow to import)

    return pl.DataFrame([_polars_column(str(name), frame[name]) for name in frame.columns])


def _polars_column(name: str, column: Any) -> "pl.Series":
    """A column of pandas, whatever it has for a missing cell."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiub":
        return pl.Series(name, column.to_numpy())
    missing = column.isna().to_numpy()
    cells = [None if gone else cell for cell, gone in zip(column.tolist(), missing, strict=True)]
    return pl.Series(name, cells, strict=False)
