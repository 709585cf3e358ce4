"""Powers of every feature by itself: Φ(x) = (1, x, x², …, x^D), where 1 is the bias of the line."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import Map, floats, in_order
from rosenblatt.maps.monomials import Monomials, power_name

MOST_DEGREE = 64


@dataclass(frozen=True)
class Powers:
    """The powers x, x², … x^degree of every feature, all features of a power together."""

    n_inputs: int
    degree: int

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not 1 <= self.degree <= MOST_DEGREE:
            raise ParameterError(
                f"degree must be an integer from 1 to {MOST_DEGREE}; got {self.degree!r}."
            )

    @property
    def n_outputs(self) -> int:
        """How many features it makes."""
        return self.n_inputs * self.degree

    def rows(self, rows: Rows) -> Rows:
        """The powers of some rows; what is zero stays zero."""
        if isinstance(rows, CSR):
            return self._sparse(rows)
        X = floats(rows)
        out = np.empty((len(X), self.degree, self.n_inputs), X.dtype)
        out[:, 0] = X
        for power in range(1, self.degree):
            np.multiply(out[:, power - 1], X, out=out[:, power])
        return out.reshape(len(X), self.n_outputs)

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age²"."""
        powers = range(1, self.degree + 1)
        return tuple(power_name(name, power) for power in powers for name in names)

    def _sparse(self, rows: CSR) -> CSR:
        """Row by row, the entries of each power after those of the one before."""
        rows = in_order(rows)
        values = [rows.data]
        for _ in range(1, self.degree):
            values.append(values[-1] * values[0])
        lengths = np.diff(rows.indptr).astype(np.int64)
        starts = rows.indptr[:-1].astype(np.int64)
        places = np.repeat(starts * (self.degree - 1), lengths) + np.arange(len(rows.data))
        data = np.empty(len(rows.data) * self.degree, rows.data.dtype)
        indices = np.empty(len(data), np.int64)
        for power, powered in enumerate(values):
            at = places + power * np.repeat(lengths, lengths)
            data[at] = powered
            indices[at] = rows.indices + power * self.n_inputs
        ends = np.zeros(n_rows(rows) + 1, np.int64)
        np.cumsum(lengths * self.degree, out=ends[1:])
        return CSR(data, indices, ends, self.n_outputs)


def polynomial(rows: Rows, degree: int = 2, *, full: bool = False) -> Map:
    """Powers of every feature or, in full, all products up to a degree."""
    if full:
        return Monomials(n_cols(rows), degree, repeated=True)
    return Powers(n_cols(rows), degree)
