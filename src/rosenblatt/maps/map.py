"""What a feature map is.

A map is a frozen dataclass of numbers, words and arrays: it goes into the model file as it is. It
makes rows out of rows, dense or sparse, one row independently of the others.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.types import Array


class Map(Protocol):
    """Features made of features."""

    @property
    def n_inputs(self) -> int:
        """How many features it takes."""

    @property
    def n_outputs(self) -> int:
        """How many it makes."""

    def rows(self, rows: Rows) -> Rows:
        """The features of some rows, float32 where these are, or can be without rounding."""

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of its features, by the names of those it takes."""


def floats(values: Array) -> Array:
    """Values to calculate with: small integers as float32, which holds their products too."""
    if values.dtype in (np.float32, np.float64):
        return values
    return values.astype(np.float32 if values.dtype.itemsize == 1 else np.float64)


def in_order(rows: CSR) -> CSR:
    """Sparse rows to calculate with: entries in rising order, and each feature once."""
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    matrix = matrix_of(rows._replace(data=floats(rows.data)))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.n_cols)
