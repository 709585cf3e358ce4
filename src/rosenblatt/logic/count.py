"""The number of threshold functions of n inputs, with a proof for every Boolean function.

===  =================  ==========================  ========================
n    functions          threshold functions         how
===  =================  ==========================  ========================
1    4                  4                           each function
2    16                 14                          each function
3    256                104                         each function
4    65,536             1,882                       each function
5    4,294,967,296      94,572                      119 regular functions
6    2⁶⁴                15,028,134                  1,173 regular functions
7    2¹²⁸               8,378,070,864               44,315 regular functions
===  =================  ==========================  ========================

Up to n = 4 `census` gives every function a unit, or two true rows a, b and two false rows c, d with
a + b = c + d. Beyond, `threshold_classes` uses symmetry. Permuting inputs and negating inputs maps
threshold functions to threshold functions, and the class of each has exactly one member with a
unit with w_1 ≥ w_2 ≥ … ≥ w_n ≥ 0. Such a function is *regular*: changing a 0 to 1, or moving a 1
to the left, never turns it from 1 to 0. So it suffices to decide all regular functions, and to
count the class of each one that is a threshold function. A class has 2ⁿ n! / s members, where s
counts the symmetries of the function: permutations of inputs with the same number of true rows (in
a regular function they are interchangeable), and negations of inputs without effect.
"""

from collections import Counter
from dataclasses import dataclass
from math import factorial, prod

import numpy as np

from rosenblatt.errors import ParameterError, ProofError
from rosenblatt.logic.decide import (
    Contradiction,
    check_contradiction,
    check_unit,
    decide,
    opposing_pairs,
    perceptron,
    unit_of,
)
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.logic.units import ThresholdUnit
from rosenblatt.types import Array, Ints

MAX_CENSUS_INPUTS = 4  # up to here every function is decided by itself
MAX_COUNTED_INPUTS = 7  # up to here the regular functions are


@dataclass(frozen=True, eq=False)
class Census:
    """All functions of n inputs; a function's number is its truth table in binary.

    ``realizable[k]`` has the unit ``units[k]``, a row (w, b) of integers; ``unrealizable[k]`` has
    the rows ``pairs[k]`` = (a, b, c, d), true, true, false, false, with a + b = c + d.
    """

    n: int
    realizable: Ints
    units: Ints
    unrealizable: Ints
    pairs: Ints

    def verify(self) -> bool:
        """Return True if each function is there once with a valid proof; else raise ProofError."""
        both = np.concatenate([self.realizable, self.unrealizable])
        if not np.array_equal(np.sort(both), np.arange(2**2**self.n)):
            raise ProofError(f"The census does not hold every function of {self.n} inputs once.")
        x, w = inputs(self.n), self.units
        outputs = w[:, :-1] @ x.T + w[:, -1:] >= 0
        if not np.array_equal(outputs, truth_tables(self.realizable, self.n)):
            raise ProofError("A unit of the census does not compute its function.")
        a, b, c, d = self.pairs.T
        values = np.take_along_axis(truth_tables(self.unrealizable, self.n), self.pairs, axis=1)
        if not (np.array_equal(x[a] + x[b], x[c] + x[d]) and (values == [1, 1, 0, 0]).all()):
            raise ProofError("The pairs of the census do not rule out a unit for their function.")
        return True


@dataclass(frozen=True)
class ThresholdClass:
    """A threshold function with a unit w_1 ≥ … ≥ w_n ≥ 0, and the size of its class.

    ``size`` counts the functions obtained from it by permuting and negating inputs.
    """

    table: Bits
    unit: ThresholdUnit
    size: int


def count_threshold_functions(n: int) -> int:
    """Count the threshold functions of n inputs, 1 to 7, with a verified proof for every function.

    >>> [count_threshold_functions(n) for n in (1, 2, 3)]
    [4, 14, 104]
    """
    _check_inputs(n, MAX_COUNTED_INPUTS)
    if n > MAX_CENSUS_INPUTS:
        return sum(found.size for found in threshold_classes(n))
    found = census(n)
    found.verify()
    return len(found.realizable)


def census(n: int) -> Census:
    """Decide every function of n inputs, 1 to 4."""
    _check_inputs(n, MAX_CENSUS_INPUTS)
    numbers = np.arange(2**2**n)
    tables = truth_tables(numbers, n)
    proof = np.full(len(numbers), -1)
    quadruples = equal_sums(n)
    for place, (a, b, c, d) in enumerate(quadruples):
        proof[tables[:, a] & tables[:, b] & ~tables[:, c] & ~tables[:, d]] = place
    undecided = proof < 0
    units, done = perceptron(tables[undecided])
    if not done.all():
        raise ProofError(f"{(~done).sum()} functions of {n} inputs were not decided.")
    return Census(n, numbers[undecided], units, numbers[~undecided], quadruples[proof[~undecided]])


def truth_tables(numbers: Ints, n: int) -> Array:
    """Truth tables, one row for each function; row 0 of a table is its most significant bit."""
    return ((numbers[:, None] >> np.arange(2**n - 1, -1, -1)) & 1).astype(bool)


def equal_sums(n: int) -> Ints:
    """All rows a < b, c < d with a + b = c + d and {a, b} ≠ {c, d}."""
    first, second = np.triu_indices(2**n, 1)
    code = inputs(n) @ 3 ** np.arange(n)  # in base three a sum of two rows carries nothing
    total = code[first] + code[second]
    one, other = np.nonzero((total[:, None] == total) & ~np.eye(len(total), dtype=bool))
    return np.column_stack([first[one], second[one], first[other], second[other]])


def threshold_classes(n: int) -> tuple[ThresholdClass, ...]:
    """The threshold functions of n inputs, 1 to 7, up to permuting and negating inputs."""
    _check_inputs(n, MAX_COUNTED_INPUTS)
    proofs = _proofs(regular_functions(n))
    for bits, found in proofs:
        if isinstance(found, Contradiction):
            check_contradiction(found, bits)
        else:
            check_unit(found, bits)
    return tuple(
        ThresholdClass(bits, found, class_size(bits))
        for bits, found in proofs
        if isinstance(found, ThresholdUnit)
    )


def _proofs(functions: list[Bits]) -> list[tuple[Bits, ThresholdUnit | Contradiction]]:
    """Decisions with proofs; the perceptrons of functions without opposing pairs run as a batch."""
    asummable = [bits for bits in functions if opposing_pairs(bits) is None]
    W, done = perceptron(np.array(asummable))
    units = {
        bits: unit_of(w) for bits, w, ok in zip(asummable, W.tolist(), done, strict=True) if ok
    }
    return [(bits, units[bits] if bits in units else decide(bits)) for bits in functions]


def regular_functions(n: int) -> list[Bits]:
    """All functions that no step upwards turns from 1 to 0.

    A step upwards changes the last input from 0 to 1 or moves a 1 one place to the left; all others
    are sequences of these. The sets of true rows grow from the empty set by one row at a time, all
    of whose steps upwards lead to true rows.
    """
    above = [sum(1 << up for up in _steps_up(row, n)) for row in range(2**n)]
    level, found = {0}, [0]
    while level:
        level = {
            rows | 1 << row
            for rows in level
            for row in range(2**n)
            if not rows >> row & 1 and above[row] & ~rows == 0
        }
        found += sorted(level)
    return [tuple(rows >> row & 1 for row in range(2**n)) for rows in found]


def _steps_up(row: int, n: int) -> list[int]:
    lifted = [] if row & 1 else [row | 1]
    moved = [row + (1 << place) for place in range(n - 1) if row >> place & 3 == 1]
    return lifted + moved


def class_size(bits: Bits) -> int:
    """Number of functions obtained from a regular function by permuting and negating inputs."""
    x, values = inputs(len(bits).bit_length() - 1), np.array(bits)
    # true rows with x_j = 1: as many as with x_j = 0 if the input has no effect
    ones = (values @ x).tolist()
    no_effect = sum(2 * count == sum(bits) for count in ones)
    permutations = prod(factorial(times) for times in Counter(ones).values())
    return int(2 ** (len(ones) - no_effect) * factorial(len(ones)) // permutations)


def _check_inputs(n: int, largest: int) -> None:
    if not 1 <= n <= largest:
        raise ParameterError(f"The number of inputs must be from 1 to {largest}; got n = {n}.")
