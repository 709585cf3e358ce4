"""Features brought to comparable size: what a penalty on the weights takes for granted.

A stored entry becomes (x − shift) · factor of its feature; zeros that are not stored stay zero, so
a shift belongs only to features that every row stores. Counts of words are weighted instead, as
tfidf.py has it: 1 + log x, times a factor that is the larger the rarer the word, and each row
brought to length 1.
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.types import Array, Floats

PART = 1 << 14  # rows at a time, which keeps what is allocated small


@dataclass(frozen=True, eq=False)
class Scaling:
    """A shift and a factor for each feature; for counts, a logarithm before and length 1 after."""

    shift: Floats
    factor: Floats
    unit_rows: bool = False
    logarithm: bool = False

    def apply(self, rows: Rows) -> None:
        """Scale rows where they stand; what is too large becomes infinite."""
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(rows, CSR):
                self._scale_sparse(rows)
            else:
                self._scale_dense(rows)

    def _scale_dense(self, rows: Array) -> None:
        for start in range(0, len(rows), PART):
            part = rows[start : start + PART]
            if self.logarithm:
                _take_logarithm(part)
            part -= self.shift
            part *= self.factor
            if self.unit_rows:
                part /= _safe(np.sqrt(np.einsum("ij,ij->i", part, part)))[:, None]

    def _scale_sparse(self, rows: CSR) -> None:
        for start in range(0, len(rows.indptr) - 1, PART):
            ends = rows.indptr[start : start + PART + 1]
            span = slice(int(ends[0]), int(ends[-1]))
            data, features = rows.data[span], rows.indices[span]
            if self.logarithm:
                _take_logarithm(data)
            data -= self.shift[features]
            data *= self.factor[features]
            if self.unit_rows:
                part = CSR(data, features, ends - ends[0], rows.n_cols)
                data /= np.repeat(_safe(np.sqrt(squares_of(part))), np.diff(ends))


def _take_logarithm(counts: Array) -> None:
    """1 + log x in the place of every positive x."""
    positive = counts > 0
    np.log(counts, out=counts, where=positive)
    np.add(counts, 1.0, out=counts, where=positive)


def squares_of(rows: CSR) -> Floats:
    """Squared length of each sparse row."""
    row = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
    squares = rows.data.astype(np.float64) ** 2
    return np.asarray(np.bincount(row, squares, len(rows.indptr) - 1), np.float64)


def _safe(lengths: Floats) -> Floats:
    """Lengths to divide by: a row of zeros stays one."""
    return np.where(lengths > 0, lengths, 1.0)
