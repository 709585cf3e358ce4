"""Products of pairs of features taken at random, beside the features themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import floats
from rosenblatt.types import Ints

DRAWS = 1 << 16  # at a time


@dataclass(frozen=True, eq=False)
class Pairs:
    """The features, and the products of those on the left with those on the right."""

    n_inputs: int
    left: Ints
    right: Ints

    def __post_init__(self) -> None:
        both = np.concatenate([self.left, self.right])
        if both.dtype != np.int64 or self.left.shape != self.right.shape or both.ndim != 1:
            raise ValueError("the pairs are not pairs of places")
        if len(both) and not 0 <= both.min() <= both.max() < self.n_inputs:
            raise ValueError("a pair is not among the features")

    @property
    def n_outputs(self) -> int:
        """How many features it makes."""
        return self.n_inputs + len(self.left)

    def rows(self, rows: Rows) -> Rows:
        """The features and the products."""
        if isinstance(rows, CSR):
            from rosenblatt.maps.sparse import pairs  # noqa: PLC0415 (loads the compiler)

            return pairs(rows, self.left, self.right)
        from rosenblatt.maps.columns import multiply_columns  # noqa: PLC0415 (loads the compiler)

        X = np.ascontiguousarray(floats(rows))
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        multiply_columns(X, self.left, self.right, out[:, self.n_inputs :])
        return out

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age × fare"."""
        pairs = zip(self.left, self.right, strict=True)
        return (*names, *(f"{names[i]} × {names[j]}" for i, j in pairs))


def random_products(rows: Rows, n: int = 1000, *, seed: int = 0) -> Pairs:
    """Products of n different pairs; more of them begin with the same ones."""
    n_inputs = n_cols(rows)
    most = comb(n_inputs, 2)
    if not 0 <= n <= most:
        raise ParameterError(
            f"n must be a number of pairs from 0 to {most:,}, as {n_inputs:,} features have; got"
            f" {n!r}."
        )
    rng = np.random.default_rng(seed)
    chosen: dict[tuple[int, int], None] = {}  # keeps the order in which they are drawn
    while len(chosen) < n:
        for i, j in np.sort(rng.integers(0, n_inputs, (DRAWS, 2)), axis=1).tolist():
            if i < j:
                chosen.setdefault((i, j))
    drawn = np.array(list(chosen)[:n], np.int64).reshape(-1, 2)
    return Pairs(n_inputs, np.ascontiguousarray(drawn[:, 0]), np.ascontiguousarray(drawn[:, 1]))
