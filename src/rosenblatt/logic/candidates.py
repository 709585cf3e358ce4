"""Integer directions in which pure half-spaces of a truth table are looked for.

Of n inputs, all directions with entries −m … m, m as large as is affordable; where even m = 1 is
too much, those with few entries or with almost all, which hold the Hamming balls (±1 everywhere)
and the small and large subcubes. And one *star* a row v: 1 in the inputs whose change keeps the
value of v, 2 in the others, so that {v and its neighbours of the same value} is a half-space.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from rosenblatt.logic.truth_table import inputs
from rosenblatt.types import Array, Ints

AFFORDABLE = 7000
LARGEST_ENTRY = 3
FEW = 3


class Candidates(NamedTuple):
    """Directions, simplest first, and ``scores[r, k]``, row r of the truth table under the k-th.

    Every ±1 direction is among them. Each row is the outermost in one of these, so that there is
    always a half-space that accepts it alone.
    """

    directions: Array
    scores: Array


def candidates(values: Ints) -> Candidates:
    """Directions worth trying for the function with these values."""
    n = len(values).bit_length() - 1
    directions = np.vstack([_fixed(n), _stars(values)]).astype(np.int8)
    order = np.argsort(np.abs(directions).sum(axis=1), kind="stable")
    directions = directions[order]
    return Candidates(directions, inputs(n).astype(np.int8) @ directions.T)


def _stars(values: Ints) -> Ints:
    n = len(values).bit_length() - 1
    neighbours = np.arange(2**n)[:, None] ^ (1 << np.arange(n - 1, -1, -1))
    same = values[neighbours] == values[:, None]
    return np.where(same, 1, 2) * (2 * inputs(n) - 1)


@lru_cache(maxsize=4)
def _fixed(n: int) -> Ints:
    return np.array(list(_entries(n)), dtype=np.int64)


def _entries(n: int) -> Iterator[tuple[int, ...]]:
    largest = sum((2 * m + 1) ** n <= AFFORDABLE for m in range(1, LARGEST_ENTRY + 1))
    if largest:
        yield from product(range(-largest, largest + 1), repeat=n)
        return
    for count in (*range(1, FEW + 1), n - 1, n):
        for places in combinations(range(n), count):
            for signs in product((-1, 1), repeat=count):
                entries = dict(zip(places, signs, strict=True))
                yield tuple(entries.get(j, 0) for j in range(n))
