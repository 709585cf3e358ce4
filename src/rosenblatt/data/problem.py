"""Rows with their classes, or with targets, and weights: checked and ready for a kernel."""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array, Codes, Floats
from rosenblatt.data.rows import CSR, Rows, n_rows


class Problem(NamedTuple):
    """Checked samples. A kernel takes it whole.

    `codes` are the classes 0 … K−1 of the rows, `weights` their sample weights and `class_weights`
    the weight of each class; the weight of a row is the product of the two.
    """

    rows: Rows
    codes: Codes
    weights: Floats
    class_weights: Floats

    @property
    def n_classes(self) -> int:
        """How many classes."""
        return len(self.class_weights)

    def part(self, start: int, stop: int) -> "Problem":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            codes=self.codes[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "Problem":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            codes=self.codes[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


class Layer(NamedTuple):
    """Rows with the targets of every output, and the weights of the rows.

    A score on the wrong side of `middle`, seen from the target, is a mistake.
    """

    rows: Rows
    targets: Floats
    weights: Floats
    middle: float

    def part(self, start: int, stop: int) -> "Layer":
        """Rows start … stop, without a copy."""
        span = slice(start, stop)
        return self._replace(
            rows=rows_part(self.rows, start, stop),
            targets=self.targets[span],
            weights=self.weights[span],
        )

    def take(self, chosen: Array) -> "Layer":
        """The chosen rows, copied."""
        return self._replace(
            rows=rows_take(self.rows, chosen),
            targets=self.targets[chosen],
            weights=np.ascontiguousarray(self.weights[chosen]),
        )


def no_weights(n: int) -> Floats:
    """Weight 1 for each of n rows, in the memory of one number."""
    ones: Floats = np.lib.stride_tricks.as_strided(np.ones(1), (n,), (0,))
    return ones


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


def row_bytes(rows: Rows) -> int:
    """How many bytes a row takes, on average."""
    if isinstance(rows, CSR):
        entries = (rows.indptr[-1] - rows.indptr[0]) / max(1, n_rows(rows))
        return int(entries * (rows.data.itemsize + rows.indices.itemsize))
    return int(rows.strides[0])
