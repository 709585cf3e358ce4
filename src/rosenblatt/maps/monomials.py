"""Products of features, all of them up to a degree: Φ(u, v) = (u, v, uv).

They stand by degree, and those of a degree in lexicographic order of their factors. So the products
of degree k that begin with feature i are x_i times a run at the end of those of degree k − 1: the
ones whose first factor comes after i, or is i itself where a factor may be repeated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols
from rosenblatt.errors import ParameterError
from rosenblatt.maps.map import floats
from rosenblatt.types import Ints

MOST_FACTORS = 6
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Monomials:
    """Products of up to `degree` features; `repeated` allows x² and the like."""

    n_inputs: int
    degree: int
    repeated: bool

    def __post_init__(self) -> None:
        if self.n_inputs < 1 or not 1 <= self.degree <= MOST_FACTORS:
            raise ParameterError(
                f"degree must be an integer from 1 to {MOST_FACTORS}; got {self.degree!r}."
            )

    @property
    def n_outputs(self) -> int:
        """How many features it makes."""
        return sum(self.first_at_least(0, k) for k in range(1, self.degree + 1))

    def rows(self, rows: Rows) -> Rows:
        """The features and their products."""
        if isinstance(rows, CSR):
            from rosenblatt.maps.sparse import monomials  # noqa: PLC0415 (loads the compiler)

            return monomials(rows, self)
        X = floats(rows)
        out = np.empty((len(X), self.n_outputs), X.dtype)
        out[:, : self.n_inputs] = X
        for made, factor, of in self._products():
            np.multiply(X[:, factor, None], out[:, of], out=out[:, made])
        return out

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Names such as "age × fare" or "age²"."""
        chosen = combinations_with_replacement if self.repeated else combinations
        factors = (chosen(names, k) for k in range(1, self.degree + 1))
        return tuple(product_name(of) for several in factors for of in several)

    def _products(self) -> Iterator[tuple[slice, int, slice]]:
        """Which features are made by which factor out of which earlier ones."""
        made, before = self.n_inputs, 0
        for degree in range(2, self.degree + 1):
            end = before + self.first_at_least(0, degree - 1)
            for factor in range(self.n_inputs):
                n = self.first_at_least(factor + (not self.repeated), degree - 1)
                yield slice(made, made + n), factor, slice(end - n, end)
                made += n
            before = end

    def products_of(self, lengths: Ints) -> Ints:
        """How many features rows of so many entries become."""
        sizes, where = np.unique(lengths, return_inverse=True)
        degrees = range(1, self.degree + 1)
        spare = int(self.repeated)
        made = [sum(comb(int(m) + spare * (k - 1), k) for k in degrees) for m in sizes]
        return np.array(made)[where]

    def first_at_least(self, factor: int, degree: int) -> int:
        """How many products of a degree have no factor before this one."""
        left = self.n_inputs - factor
        return comb(left + degree - 1, degree) if self.repeated else comb(left, degree)


def product_name(factors: Sequence[str]) -> str:
    """Factors with their powers: ("a", "a", "b") is "a² × b"."""
    powers = {name: factors.count(name) for name in factors}
    return " × ".join(power_name(name, power) for name, power in powers.items())


def power_name(name: str, power: int) -> str:
    """A name with an exponent, where there is one to be written."""
    return name if power == 1 else name + str(power).translate(SUPERSCRIPTS)


def products(rows: Rows, degree: int = 2) -> Monomials:
    """Features and the products of different ones."""
    return Monomials(n_cols(rows), degree, repeated=False)
