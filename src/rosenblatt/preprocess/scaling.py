"""Scaling of features to comparable size, which a penalty on the weights presupposes.

A stored entry becomes (x − shift) · factor of its feature; zeros that are not stored stay zero, so
only features that every row stores have a shift. Counts get tf-idf weights (tfidf.py): 1 + log x,
times the inverse document frequency, with every row scaled to unit length.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.types import Array, Floats

BLOCK_ROWS = 1 << 14  # scaled at a time, which keeps temporary arrays small


@dataclass(frozen=True, eq=False)
class Scaling:
    """A shift and a factor per feature; for counts, a logarithm before and unit rows after."""

    shift: Floats
    factor: Floats
    unit_norm: bool = False
    sublinear_tf: bool = False

    def apply(self, rows: Rows) -> None:
        """Scale rows in place; overflow becomes infinity."""
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(rows, CSR):
                self._scale_sparse(rows)
            else:
                self._scale_dense(rows)

    def _scale_dense(self, rows: Array) -> None:
        for start in range(0, len(rows), BLOCK_ROWS):
            part = rows[start : start + BLOCK_ROWS]
            if self.sublinear_tf:
                _take_logarithm(part)
            part -= self.shift
            part *= self.factor
            if self.unit_norm:
                part /= _safe(np.sqrt(np.einsum("ij,ij->i", part, part)))[:, None]

    def _scale_sparse(self, rows: CSR) -> None:
        for start in range(0, len(rows.indptr) - 1, BLOCK_ROWS):
            ends = rows.indptr[start : start + BLOCK_ROWS + 1]
            span = slice(int(ends[0]), int(ends[-1]))
            data, features = rows.data[span], rows.indices[span]
            if self.sublinear_tf:
                _take_logarithm(data)
            data -= self.shift[features]
            data *= self.factor[features]
            if self.unit_norm:
                part = CSR(data, features, ends - ends[0], rows.n_cols)
                data /= np.repeat(_safe(np.sqrt(squares_of(part))), np.diff(ends))


def _take_logarithm(counts: Array) -> None:
    """Replace every positive x by 1 + log x."""
    positive = counts > 0
    np.log(counts, out=counts, where=positive)
    np.add(counts, 1.0, out=counts, where=positive)


def squares_of(rows: CSR) -> Floats:
    """Squared norm of each sparse row."""
    row = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    squares = rows.data.astype(np.float64) ** 2
    return np.asarray(np.bincount(row, squares, len(rows.indptr) - 1), np.float64)


def _safe(lengths: Floats) -> Floats:
    """Lengths to divide by; 1 for rows of zeros."""
    return np.where(lengths > 0, lengths, 1.0)
