"""Distances to one or several centres, after the features themselves.

No line separates a ring from what it surrounds, but a threshold on the distance to its middle does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part, rows_take
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.feature_map import as_floats, canonical_csr
from rosenblatt.types import Array, Floats

MAX_KMEANS_ROWS = 10_000  # that the centres are fitted to
ROWS_PER_BLOCK = 1 << 12


@dataclass(frozen=True, eq=False)
class Distances:
    """The features, and the distance to each centre."""

    centres: Floats

    def __post_init__(self) -> None:
        if self.centres.ndim != 2 or not len(self.centres) or not np.isfinite(self.centres).all():
            raise ValueError("centres must be a matrix of finite numbers with at least one row")

    @property
    def n_inputs(self) -> int:
        """Number of input features."""
        return int(self.centres.shape[1])

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return self.n_inputs + len(self.centres)

    def transform(self, rows: Rows) -> Rows:
        """The features and the distances."""
        if isinstance(rows, CSR):
            from rosenblatt.features.maps.product_kernels import (  # noqa: PLC0415 (loads numba)
                append_dense,
            )

            return append_dense(rows, self._sparse_distances(rows))
        X = as_floats(rows)
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        for k, centre in enumerate(self.centres):
            difference = X - centre
            out[:, self.n_inputs + k] = np.sqrt(np.einsum("ij,ij->i", difference, difference))
        return out

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "distance to the centre 2"; a single centre has no number."""
        numbers = (
            [""] if len(self.centres) == 1 else [f" {k + 1}" for k in range(len(self.centres))]
        )
        return (*names, *(f"distance to the centre{number}" for number in numbers))

    def _sparse_distances(self, rows: CSR) -> Floats:
        """|x − c| as |c|² and a change at each stored entry of x."""
        rows = canonical_csr(rows)
        row = np.repeat(np.arange(n_rows(rows)), np.diff(rows.indptr))
        distances = np.empty((n_rows(rows), len(self.centres)))
        for k, centre in enumerate(self.centres):
            at = centre[rows.indices]
            change = (rows.data - at) ** 2 - at**2
            distances[:, k] = np.bincount(row, change, n_rows(rows)) + centre @ centre
        return np.sqrt(np.maximum(distances, 0.0))


def radial(rows: Rows, centres: int = 1, *, seed: int = 0) -> Distances:
    """Distances to the mean of all rows or, for several centres, to the means of k-means."""
    if centres < 1:
        raise ParameterError(f"centres must be an integer of at least 1; got {centres!r}.")
    if centres == 1:
        return Distances(_mean(rows)[None])
    from sklearn.cluster import KMeans  # noqa: PLC0415 (slow to import)

    n = n_rows(rows)
    if centres > n:
        raise ParameterError(
            f"{centres:,} centres need at least as many rows; got n_samples = {n}."
        )
    sample = np.random.default_rng(seed).permutation(n)[:MAX_KMEANS_ROWS]
    kmeans = KMeans(centres, n_init=1, random_state=seed)
    kmeans.fit(_dense(rows_take(rows, np.sort(sample))))
    return Distances(np.asarray(kmeans.cluster_centers_, np.float64))


def _mean(rows: Rows) -> Floats:
    total = np.zeros(n_cols(rows))
    for start in range(0, n_rows(rows), ROWS_PER_BLOCK):
        part = rows_part(rows, start, start + ROWS_PER_BLOCK)
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
