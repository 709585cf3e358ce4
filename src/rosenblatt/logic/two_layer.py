"""Two layers for a function that one unit cannot compute, with few hidden units.

Hidden units are half-spaces whose accepted rows all have one value. They are chosen greedily among
many integer directions (below), each time the one that accepts most new rows, and composed in three
ways:

- *and*: half-spaces of false rows until all are covered; the output is 1 where none accepts. XOR
  becomes AND(OR, NAND), as in lecture 003;
- *or*: the same with true rows;
- *decision list*: half-spaces of either value, each for the rows that those before it rejected
  (Marchand, Golea and Ruján); the first to accept a row gives its value. Parity of n needs n units
  this way, and 2ⁿ⁻¹ in the other two.

The network with the fewest hidden units is returned; it is good, but not always the smallest.

The directions of n inputs are all with entries −m … m, m as large as is affordable; if even m = 1
is too much, those with few nonzero entries or with almost all, which include the Hamming balls (±1
everywhere) and the small and large subcubes. And one *star* for each row v: 1 in the inputs whose
change keeps the value of v, 2 in the others, so that {v and its neighbours of the same value} is a
half-space.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from rosenblatt.logic.smallest_weights import smallest
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
from rosenblatt.types import Array, Ints

MAX_LIST_LENGTH = 24  # the output's weights may double with every unit of a list
MAX_DIRECTIONS = 7000
MAX_ENTRY = 3
MAX_NONZEROS = 3  # of directions with few nonzero entries


class Candidates(NamedTuple):
    """Directions, simplest first, and ``scores[r, k]``, row r of the truth table under the k-th.

    Every ±1 direction is among them. Each row is extreme in one of these, so that some half-space
    accepts it alone.
    """

    directions: Array
    scores: Array


class Cut(NamedTuple):
    """A hidden unit, the rows it accepts, and their value."""

    unit: ThresholdUnit
    rows: Array
    value: int


def compose(bits: Bits) -> ThresholdNetwork:
    """A network of two layers that computes the function; it must not be constant."""
    values = np.array(bits)
    pool = candidates(values)
    found = [_conjunction(pool, values), _disjunction(pool, values), _decision_list(pool, values)]
    return min((network for network in found if network), key=_size)


def _size(network: ThresholdNetwork) -> tuple[int, int]:
    units = (*network.hidden, network.output)
    return len(network.hidden), sum(abs(w) for unit in units for w in unit.whole[:-1])


def _conjunction(pool: Candidates, values: Ints) -> ThresholdNetwork:
    hidden = tuple(cut.unit.negated() for cut in _cover(pool, values, 0))
    return ThresholdNetwork(hidden, ThresholdUnit((1,) * len(hidden), -len(hidden), boolean=True))


def _disjunction(pool: Candidates, values: Ints) -> ThresholdNetwork:
    hidden = tuple(cut.unit for cut in _cover(pool, values, 1))
    return ThresholdNetwork(hidden, ThresholdUnit((1,) * len(hidden), -1, boolean=True))


def _cover(pool: Candidates, values: Ints, value: int) -> list[Cut]:
    """Half-spaces that together accept all rows of this value and none of the other."""
    accepted = pool.scores > pool.scores[values != value].max(axis=0)
    gains = accepted.sum(axis=0)
    left, cuts = values == value, []
    while left.any():
        best = int(gains.argmax())
        fresh = left & accepted[:, best]
        cuts.append(_cut(pool, best, accepted[:, best], value))
        gains -= accepted[fresh].sum(axis=0)  # every row is subtracted once, when first covered
        left &= ~fresh
    return _without_redundant(cuts)


def _without_redundant(cuts: list[Cut]) -> list[Cut]:
    """The cuts without those whose rows the others cover, the latest dropped first."""
    times = np.sum([cut.rows for cut in cuts], axis=0)
    kept = []
    for cut in reversed(cuts):
        if (times[cut.rows] > 1).all():
            times = times - cut.rows
        else:
            kept.append(cut)
    return kept[::-1]


def _decision_list(pool: Candidates, values: Ints) -> ThresholdNetwork | None:
    """Half-spaces of pure rows until the rest have one value; None if that takes too many units."""
    left = np.ones(len(values), dtype=bool)
    cuts: list[Cut] = []
    while len(np.unique(values[left])) > 1:
        if len(cuts) == MAX_LIST_LENGTH:
            return None
        cuts.append(max((_best_cut(pool, values, left, v) for v in (0, 1)), key=_accepted))
        left &= ~cuts[-1].rows
    return _list_network(values, cuts, int(values[left][0]))


def _accepted(cut: Cut) -> int:
    return int(cut.rows.sum())


def _best_cut(pool: Candidates, values: Ints, left: Array, value: int) -> Cut:
    own = left & (values == value)
    barrier = pool.scores[left & ~own].max(axis=0)
    best = int((pool.scores[own] > barrier).sum(axis=0).argmax())
    return _cut(pool, best, own & (pool.scores[:, best] > barrier[best]), value)


def _cut(pool: Candidates, place: int, rows: Array, value: int) -> Cut:
    intercept = -int(pool.scores[rows, place].min())
    return Cut(
        ThresholdUnit(tuple(pool.directions[place].tolist()), intercept, boolean=True), rows, value
    )


def _list_network(values: Ints, cuts: list[Cut], otherwise: int) -> ThresholdNetwork:
    """The network of a decision list: a unit's weight exceeds the sum of all later ones."""
    powers = [2**k for k in reversed(range(len(cuts)))]
    signs = [1 if cut.value else -1 for cut in cuts]
    weights = tuple(sign * power for sign, power in zip(signs, powers, strict=True))
    hidden = tuple(cut.unit for cut in cuts)
    network = ThresholdNetwork(hidden, ThresholdUnit(weights, otherwise - 1, boolean=True))
    shorter = smallest(network.hidden_values(inputs(network.n_inputs)), values)
    return network if shorter is None else ThresholdNetwork(hidden, shorter.unit)


def candidates(values: Ints) -> Candidates:
    """Candidate directions for the function with these values."""
    n = len(values).bit_length() - 1
    directions = np.vstack([_integer_directions(n), _stars(values)]).astype(np.int8)
    order = np.argsort(np.abs(directions).sum(axis=1), kind="stable")
    directions = directions[order]
    return Candidates(directions, inputs(n).astype(np.int8) @ directions.T)


def _stars(values: Ints) -> Ints:
    n = len(values).bit_length() - 1
    neighbours = np.arange(2**n)[:, None] ^ (1 << np.arange(n - 1, -1, -1))
    same = values[neighbours] == values[:, None]
    return np.where(same, 1, 2) * (2 * inputs(n) - 1)


@lru_cache(maxsize=4)
def _integer_directions(n: int) -> Ints:
    return np.array(list(_entries(n)), dtype=np.int64)


def _entries(n: int) -> Iterator[tuple[int, ...]]:
    largest = sum((2 * m + 1) ** n <= MAX_DIRECTIONS for m in range(1, MAX_ENTRY + 1))
    if largest:
        yield from product(range(-largest, largest + 1), repeat=n)
        return
    for count in (*range(1, MAX_NONZEROS + 1), n - 1, n):
        for places in combinations(range(n), count):
            for signs in product((-1, 1), repeat=count):
                entries = dict(zip(places, signs, strict=True))
                yield tuple(entries.get(j, 0) for j in range(n))
