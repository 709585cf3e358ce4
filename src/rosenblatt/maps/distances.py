"""The distance to a centre, or to several, beside the features themselves.

A ring is no half of the plane, but it is one end of the distances to its middle.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import floats, in_order
from rosenblatt.types import Array, Floats

MOST_ROWS = 10_000  # from which several centres are learned
PART = 1 << 12


@dataclass(frozen=True, eq=False)
class Distances:
    """The features, and the distance to each centre."""

    centres: Floats

    def __post_init__(self) -> None:
        if self.centres.ndim != 2 or not len(self.centres) or not np.isfinite(self.centres).all():
            raise ValueError("the centres are no finite rows")

    @property
    def n_inputs(self) -> int:
        """How many features it takes."""
        return int(self.centres.shape[1])

    @property
    def n_outputs(self) -> int:
        """How many features it makes."""
        return self.n_inputs + len(self.centres)

    def rows(self, rows: Rows) -> Rows:
        """The features and the distances."""
        if isinstance(rows, CSR):
            from rosenblatt.maps.sparse import with_dense  # noqa: PLC0415 (loads the compiler)

            return with_dense(rows, self._sparse_distances(rows))
        X = floats(rows)
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        for k, centre in enumerate(self.centres):
            away = X - centre
            out[:, self.n_inputs + k] = np.sqrt(np.einsum("ij,ij->i", away, away))
        return out

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "distance to centre 2"; a single centre has no number."""
        numbers = (
            [""] if len(self.centres) == 1 else [f" {k + 1}" for k in range(len(self.centres))]
        )
        return (*names, *(f"distance to the centre{number}" for number in numbers))

    def _sparse_distances(self, rows: CSR) -> Floats:
        """|x − c|, where only the entries of x that are stored differ from −c."""
        rows = in_order(rows)
        row = np.repeat(np.arange(n_rows(rows)), np.diff(rows.indptr))
        found = np.empty((n_rows(rows), len(self.centres)))
        for k, centre in enumerate(self.centres):
            at = centre[rows.indices]
            change = (rows.data - at) ** 2 - at**2
            found[:, k] = np.bincount(row, change, n_rows(rows)) + centre @ centre
        return np.sqrt(np.maximum(found, 0.0))


def radial(rows: Rows, centres: int = 1, *, seed: int = 0) -> Distances:
    """Distances to the mean of all rows or, for more centres, to the means of groups of them."""
    if centres < 1:
        raise ParameterError(f"centres must be an integer of at least 1; got {centres!r}.")
    if centres == 1:
        return Distances(_mean(rows)[None])
    from sklearn.cluster import KMeans  # noqa: PLC0415 (slow to import)

    n = n_rows(rows)
    if centres > n:
        raise ParameterError(f"{centres:,} centres need as many rows; got n_samples = {n}.")
    some = np.random.default_rng(seed).permutation(n)[:MOST_ROWS]
    groups = KMeans(centres, n_init=1, random_state=seed).fit(
        _dense(rows_take(rows, np.sort(some)))
    )
    return Distances(np.asarray(groups.cluster_centers_, np.float64))


def _mean(rows: Rows) -> Floats:
    total = np.zeros(n_cols(rows))
    for start in range(0, n_rows(rows), PART):
        part = rows_part(rows, start, start + PART)
        if isinstance(part, CSR):
            span = slice(int(part.indptr[0]), int(part.indptr[-1]))
            total += np.bincount(part.indices[span], part.data[span], part.n_cols)
        else:
            total += part.sum(axis=0, dtype=np.float64)
    return total / n_rows(rows)


def _dense(rows: Rows) -> Array:
    if not isinstance(rows, CSR):
        return rows
    from rosenblatt.data.training_data import matrix_of  # noqa: PLC0415 (loads scipy)

    dense: Any = matrix_of(rows).toarray()
    return np.asarray(dense)
