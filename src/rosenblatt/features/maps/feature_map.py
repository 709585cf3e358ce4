"""The interface of all feature maps.

A map is a frozen dataclass of numbers, strings and arrays: it goes into the model file as it is. It
transforms dense or sparse rows, each independently of the others.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.types import Array


class FeatureMap(Protocol):
    """A function from rows of features to rows of other features."""

    @property
    def n_inputs(self) -> int:
        """Number of input features."""

    @property
    def n_outputs(self) -> int:
        """Number of output features."""

    def transform(self, rows: Rows) -> Rows:
        """Output features of some rows, float32 where these are, or can be without rounding."""

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names of the output features, from the names of the input features."""


def as_floats(values: Array) -> Array:
    """Values as floats: bytes as float32, which holds their products exactly."""
    if values.dtype in (np.float32, np.float64):
        return values
    return values.astype(np.float32 if values.dtype.itemsize == 1 else np.float64)


def canonical_csr(rows: CSR) -> CSR:
    """Sparse rows of floats with sorted indices and without duplicate entries."""
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    matrix = matrix_of(rows._replace(data=as_floats(rows.data)))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.n_cols)
