"""Dense and sparse rows, for code that needs no kernel: no compiler is loaded here."""

import sys
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.types import Array


class CSR(NamedTuple):
    """Sparse rows: the entries of row i stand at indptr[i] … indptr[i+1]."""

    data: Array
    indices: Array
    indptr: Array
    n_cols: int


Rows = Array | CSR


def is_sparse(X: Any) -> bool:
    """Whether X is a scipy sparse matrix; false without importing scipy.sparse."""
    loaded = sys.modules.get("scipy.sparse")
    return loaded is not None and bool(loaded.issparse(X))


def n_rows(X: Rows) -> int:
    """Number of rows."""
    return len(X.indptr) - 1 if isinstance(X, CSR) else len(X)


def n_cols(X: Rows) -> int:
    """Number of features."""
    return X.n_cols if isinstance(X, CSR) else int(X.shape[1])


def rows_part(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start … stop, without a copy."""
    if isinstance(rows, CSR):
        return rows._replace(indptr=rows.indptr[start : min(stop, n_rows(rows)) + 1])
    part: Array = rows[start:stop]
    return part


def rows_take(rows: Rows, chosen: Array) -> Rows:
    """The chosen rows, copied."""
    if not isinstance(rows, CSR):
        taken: Array = rows[chosen]
        return taken
    lengths = np.diff(rows.indptr)[chosen]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(rows.indptr.dtype)
    inside = np.arange(indptr[-1]) - np.repeat(indptr[:-1], lengths)
    entries = np.repeat(rows.indptr[:-1][chosen], lengths) + inside
    return CSR(rows.data[entries], rows.indices[entries], indptr, rows.n_cols)
