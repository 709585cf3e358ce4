"""Two layers for a function that one unit cannot compute, with few hidden units.

Hidden units are half-spaces whose accepted rows are all of one value. Many integer directions are
tried (`candidates`), and the one that accepts most new rows is taken, in three ways of composing:

- *and*: half-spaces of false rows until all are covered; the output is 1 where none accepts. Xor
  becomes AND(OR, NAND), as in lecture 003;
- *or*: the same with true rows;
- *list*: half-spaces of either value, each judged on the rows that those before it left over
  (Marchand, Golea and Ruján); the first to accept decides. Parity of n needs n units this way, and
  2ⁿ⁻¹ in the other two.

The fewest hidden units win. This is a good network, not always the smallest.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.logic.candidates import Candidates, candidates
from rosenblatt.logic.smallest_weights import smallest
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit
from rosenblatt.types import Array, Ints

LONGEST_LIST = 24  # the output's weights may double with every unit of a list


class Cut(NamedTuple):
    """A unit, the rows it is there for, and their value."""

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
    return ThresholdNetwork(hidden, ThresholdUnit((1,) * len(hidden), -len(hidden)))


def _disjunction(pool: Candidates, values: Ints) -> ThresholdNetwork:
    hidden = tuple(cut.unit for cut in _cover(pool, values, 1))
    return ThresholdNetwork(hidden, ThresholdUnit((1,) * len(hidden), -1))


def _cover(pool: Candidates, values: Ints, value: int) -> list[Cut]:
    """Half-spaces that accept every row of this value and none of the other."""
    beyond = pool.scores > pool.scores[values != value].max(axis=0)
    gains = beyond.sum(axis=0)
    left, cuts = values == value, []
    while left.any():
        best = int(gains.argmax())
        fresh = left & beyond[:, best]
        cuts.append(_cut(pool, best, beyond[:, best], value))
        gains -= beyond[fresh].sum(axis=0)  # every row is subtracted once, when first covered
        left &= ~fresh
    return _needed(cuts)


def _needed(cuts: list[Cut]) -> list[Cut]:
    """Leave out cuts whose rows the others cover, the latest and smallest first."""
    times = np.sum([cut.rows for cut in cuts], axis=0)
    kept = []
    for cut in reversed(cuts):
        if (times[cut.rows] > 1).all():
            times = times - cut.rows
        else:
            kept.append(cut)
    return kept[::-1]


def _decision_list(pool: Candidates, values: Ints) -> ThresholdNetwork | None:
    """Cut off pure rows until those left are of one value; None if that takes too many units."""
    left = np.ones(len(values), dtype=bool)
    cuts: list[Cut] = []
    while len(np.unique(values[left])) > 1:
        if len(cuts) == LONGEST_LIST:
            return None
        cuts.append(max((_best_cut(pool, values, left, v) for v in (0, 1)), key=_accepted))
        left &= ~cuts[-1].rows
    return _listed(values, cuts, int(values[left][0]))


def _accepted(cut: Cut) -> int:
    return int(cut.rows.sum())


def _best_cut(pool: Candidates, values: Ints, left: Array, value: int) -> Cut:
    mine = left & (values == value)
    barrier = pool.scores[left & ~mine].max(axis=0)
    best = int((pool.scores[mine] > barrier).sum(axis=0).argmax())
    return _cut(pool, best, mine & (pool.scores[:, best] > barrier[best]), value)


def _cut(pool: Candidates, place: int, rows: Array, value: int) -> Cut:
    bias = -int(pool.scores[rows, place].min())
    return Cut(ThresholdUnit(tuple(pool.directions[place].tolist()), bias), rows, value)


def _listed(values: Ints, cuts: list[Cut], otherwise: int) -> ThresholdNetwork:
    """The first unit that accepts decides: its weight exceeds the sum of all later ones."""
    powers = [2**k for k in reversed(range(len(cuts)))]
    signs = [1 if cut.value else -1 for cut in cuts]
    weights = tuple(sign * power for sign, power in zip(signs, powers, strict=True))
    hidden = tuple(cut.unit for cut in cuts)
    network = ThresholdNetwork(hidden, ThresholdUnit(weights, otherwise - 1))
    shorter = smallest(network.hidden_values(inputs(network.n_inputs)), values)
    return network if shorter is None else ThresholdNetwork(hidden, shorter.unit)
