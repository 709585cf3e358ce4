"""Polynomial features: products of features, powers of single ones, products of random pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows
from rosenblatt.errors import ParameterError
from rosenblatt.features.maps.feature_map import FeatureMap, as_floats, canonical_csr
from rosenblatt.types import Ints

MAX_MONOMIAL_DEGREE = 6
MAX_POWER = 64
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Monomials:
    """Products of up to `degree` features; `repeated` allows x² and the like."""

    n_inputs: int
    degree: int
    repeated: bool

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not 1 <= self.degree <= MAX_MONOMIAL_DEGREE:
            raise ParameterError(
                f"degree must be an integer from 1 to {MAX_MONOMIAL_DEGREE}; got {self.degree!r}."
            )

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return sum(self.n_from(0, k) for k in range(1, self.degree + 1))

    def transform(self, rows: Rows) -> Rows:
        """The features and their products."""
        if isinstance(rows, CSR):
            from rosenblatt.features.maps.product_kernels import (  # noqa: PLC0415 (loads numba)
                sparse_monomials,
            )

            return sparse_monomials(rows, self)
        X = as_floats(rows)
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        for target, factor, source in self._products():
            np.multiply(X[:, factor, None], out[:, source], out=out[:, target])
        return out

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age × fare" or "age²"."""
        choose = combinations_with_replacement if self.repeated else combinations
        by_degree = (choose(names, k) for k in range(1, self.degree + 1))
        return tuple(product_name(factors) for products in by_degree for factors in products)

    def _products(self) -> Iterator[tuple[slice, int, slice]]:
        """Columns to compute, the factor, and the earlier columns that it multiplies."""
        target, previous = self.n_inputs, 0
        for degree in range(2, self.degree + 1):
            end = previous + self.n_from(0, degree - 1)
            for factor in range(self.n_inputs):
                n = self.n_from(factor + (not self.repeated), degree - 1)
                yield slice(target, target + n), factor, slice(end - n, end)
                target += n
            previous = end

    def output_lengths(self, lengths: Ints) -> Ints:
        """Number of stored entries of output rows, from that of input rows."""
        sizes, inverse = np.unique(lengths, return_inverse=True)
        degrees = range(1, self.degree + 1)
        repeated = int(self.repeated)
        counts = [sum(comb(int(m) + repeated * (k - 1), k) for k in degrees) for m in sizes]
        return np.array(counts)[inverse]

    def n_from(self, feature: int, degree: int) -> int:
        """Number of products of a degree whose factors are this feature or later ones."""
        n = self.n_inputs - feature
        return comb(n + degree - 1, degree) if self.repeated else comb(n, degree)


@dataclass(frozen=True)
class Powers:
    """The powers x, x², … x^degree of every feature, all features of a power together."""

    n_inputs: int
    degree: int

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not 1 <= self.degree <= MAX_POWER:
            raise ParameterError(
                f"degree must be an integer from 1 to {MAX_POWER}; got {self.degree!r}."
            )

    @property
    def n_outputs(self) -> int:
        """Number of output features."""
        return self.n_inputs * self.degree

    def transform(self, rows: Rows) -> Rows:
        """The powers of some rows; zeros stay zero."""
        if isinstance(rows, CSR):
            return self._sparse(rows)
        X = as_floats(rows)
        out = np.empty((len(X), self.degree, self.n_inputs), X.dtype)
        out[:, 0] = X
        for power in range(1, self.degree):
            np.multiply(out[:, power - 1], X, out=out[:, power])
        return out.reshape(len(X), self.n_outputs)

    def feature_names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age²"."""
        powers = range(1, self.degree + 1)
        return tuple(power_name(name, power) for power in powers for name in names)

    def _sparse(self, rows: CSR) -> CSR:
        """Sparse powers: in each row, the entries of a power follow those of the previous one."""
        rows = canonical_csr(rows)
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
        indptr = np.zeros(n_rows(rows) + 1, np.int64)
        np.cumsum(lengths * self.degree, out=indptr[1:])
        return CSR(data, indices, indptr, self.n_outputs)


def products(rows: Rows, degree: int = 2) -> Monomials:
    """The features and the products of distinct ones: Φ(u, v) = (u, v, uv)."""
    return Monomials(n_cols(rows), degree, repeated=False)


def polynomial(rows: Rows, degree: int = 2, *, full: bool = False) -> FeatureMap:
    """Powers of every feature or, if `full`, all products up to a degree.

    The constant 1 of Φ(x) = (1, x, x², …) is the intercept of the model.
    """
    if full:
        return Monomials(n_cols(rows), degree, repeated=True)
    return Powers(n_cols(rows), degree)


def product_name(factors: Sequence[str]) -> str:
    """Name of a product with its powers: ("a", "a", "b") is "a² × b"."""
    powers = {name: factors.count(name) for name in factors}
    return " × ".join(power_name(name, power) for name, power in powers.items())


def power_name(name: str, power: int) -> str:
    """A name with its exponent, if that is not 1."""
    return name if power == 1 else name + str(power).translate(SUPERSCRIPTS)


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
