"""Products of random pairs of features, after the features themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.feature_map import as_floats
from rosenblatt.types import Ints

PAIRS_PER_DRAW = 1 << 16


@dataclass(frozen=True, eq=False)
class Pairs:
    """The features, and the products of those in `left` with those in `right`."""

    n_inputs: int
    left: Ints
    right: Ints

    def __post_init__(self) -> None:
        both = np.concatenate([self.left, self.right])
        if both.dtype != np.int64 or self.left.shape != self.right.shape or both.ndim != 1:
            raise ValueError("left and right must be integer vectors of the same length")
        if len(both) and not 0 <= both.min() <= both.max() < self.n_inputs:
            raise ValueError("a pair has an index outside the features")

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return self.n_inputs + len(self.left)

    def transform(self, rows: Rows) -> Rows:
        """The features and the products."""
        from rosenblatt.features.maps.product_kernels import (  # noqa: PLC0415 (loads numba)
            multiply_columns,
            sparse_pairs,
        )

        if isinstance(rows, CSR):
            return sparse_pairs(rows, self.left, self.right)
        X = np.ascontiguousarray(as_floats(rows))
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        multiply_columns(X, self.left, self.right, out[:, self.n_inputs :])
        return out

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age × fare"."""
        pairs = zip(self.left, self.right, strict=True)
        return (*names, *(f"{names[i]} × {names[j]}" for i, j in pairs))


def random_products(rows: Rows, n: int = 1000, *, seed: int = 0) -> Pairs:
    """Products of n different random pairs; a larger n begins with the same pairs."""
    n_inputs = n_cols(rows)
    n_pairs = comb(n_inputs, 2)
    if not 0 <= n <= n_pairs:
        raise ParameterError(
            f"n must be a number of pairs from 0 to {n_pairs:,}, as {n_inputs:,} features have;"
            f" got {n!r}."
        )
    rng = np.random.default_rng(seed)
    chosen: dict[tuple[int, int], None] = {}  # in the order in which they are drawn
    while len(chosen) < n:
        for i, j in np.sort(rng.integers(0, n_inputs, (PAIRS_PER_DRAW, 2)), axis=1).tolist():
            if i < j:
                chosen.setdefault((i, j))
    drawn = np.array(list(chosen)[:n], np.int64).reshape(-1, 2)
    return Pairs(n_inputs, np.ascontiguousarray(drawn[:, 0]), np.ascontiguousarray(drawn[:, 1]))
