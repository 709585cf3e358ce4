"""Validated training data: rows with their classes, or with targets, and weights."""

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows, rows_part, rows_take
from rosenblatt.types import Array, Codes, Floats


class TrainingData(NamedTuple):
    """Validated samples, as a kernel takes them.

    `codes` are the classes 0 … K−1 of the rows, `weights` their sample weights and `class_weights`
    the weight of each class; the weight of a row is the product of the two.
    """

    rows: Rows
    codes: Codes
    weights: Floats
    class_weights: Floats

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.class_weights)

    @property
    def all_weigh_one(self) -> bool:
        """Whether every row has the weight 1."""
        unweighted = self.weights.strides == (0,) or (self.weights == 1).all()
        return bool(unweighted and (self.class_weights == 1).all())

    def part(self, start: int, stop: int) -> "TrainingData":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            codes=self.codes[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "TrainingData":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            codes=self.codes[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


class MultiOutputData(NamedTuple):
    """Validated samples of several outputs: rows, a matrix of targets, and sample weights.

    A score and a target on different sides of `middle` are a mistake.
    """

    rows: Rows
    targets: Floats
    weights: Floats
    middle: float

    def part(self, start: int, stop: int) -> "MultiOutputData":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            targets=self.targets[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "MultiOutputData":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            targets=self.targets[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


def no_weights(n: int) -> Floats:
    """Weight 1 for each of n rows, by strides of 0, in the memory of one number."""
    ones: Floats = np.lib.stride_tricks.as_strided(np.ones(1), (n,), (0,))
    return ones


def unlabelled(rows: Rows) -> TrainingData:
    """Rows as training data of a single class, where no labels are needed."""
    n = n_rows(rows)
    return TrainingData(rows, np.zeros(n, np.int8), no_weights(n), np.ones(1))


def rows_joined(first: Rows, second: Rows) -> Rows:
    """Rows of both, stored like the first."""
    if not isinstance(first, CSR):
        dense = matrix_of(second).toarray() if isinstance(second, CSR) else second
        both: Array = np.concatenate([first, dense])
        return both
    if not isinstance(second, CSR):
        second = CSR(*_entries_of(second), second.shape[1])
    entries = slice(second.indptr[0], second.indptr[-1])
    return CSR(
        np.concatenate([first.data, second.data[entries]]),
        np.concatenate([first.indices, second.indices[entries]]),
        np.concatenate([first.indptr, second.indptr[1:] + (first.indptr[-1] - entries.start)]),
        first.n_cols,
    )


def matrix_of(rows: Rows) -> Any:
    """Rows as a numpy array or a scipy CSR array."""
    if not isinstance(rows, CSR):
        return rows
    from scipy import sparse  # noqa: PLC0415 (slow to import, and dense rows do without)

    entries = slice(rows.indptr[0], rows.indptr[-1])
    parts = (rows.data[entries], rows.indices[entries], rows.indptr - entries.start)
    return sparse.csr_array(parts, shape=(n_rows(rows), rows.n_cols))


def _entries_of(rows: Array) -> tuple[Array, Array, Array]:
    from scipy import sparse  # noqa: PLC0415 (slow to import, and dense rows do without)

    matrix = sparse.csr_array(rows)
    return matrix.data, matrix.indices, matrix.indptr


def entries_in(rows: Rows) -> int:
    """Number of stored entries."""
    return int(rows.indptr[-1] - rows.indptr[0]) if isinstance(rows, CSR) else int(rows.size)


def row_bytes(rows: Rows) -> int:
    """Bytes a row, on average."""
    if isinstance(rows, CSR):
        entries = entries_in(rows) / max(1, n_rows(rows))
        return int(entries * (rows.data.itemsize + rows.indices.itemsize))
    return int(rows.strides[0])
