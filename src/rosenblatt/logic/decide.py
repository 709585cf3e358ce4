"""Decides whether one unit computes a Boolean function: its weights, or contradicting rows.

Three methods, the cheapest first:

- *pairs*: true rows a, b and false rows c, d with a + b = c + d. A unit would have w·a + b₀ and
  w·b + b₀ both ≥ 0, the other two < 0, yet both sums are equal. Functions of up to 8 inputs without
  such a quadruple are all threshold functions (Muroga, Tsuboi, Baugh), so little remains;
- *perceptron*: batch updates of integer weights until all rows are correct;
- `separability`: exact for the rest, functions of 9 and 10 inputs or with very small margins.

A contradiction is a set of rows with positive integer weights λ whose signed sum Σ ± λ (x, 1) is 0.
"""

from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from rosenblatt.errors import ProofError
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.logic.units import ThresholdUnit
from rosenblatt.separation.decide import separability
from rosenblatt.types import Array, Floats, Ints

MAX_PERCEPTRON_STEPS = 2000


class Contradiction(NamedTuple):
    """Rows of a truth table with positive integer weights; their signed sum is 0."""

    rows: tuple[int, ...]
    weights: tuple[int, ...]


def decide(bits: Bits) -> ThresholdUnit | Contradiction:
    """A unit with integer weights that computes the function, or rows that rule it out."""
    pairs = opposing_pairs(bits)
    if pairs is not None:
        return Contradiction(tuple(sorted(pairs)), (1, 1, 1, 1))
    if len(set(bits)) == 1:
        return ThresholdUnit((0,) * (len(bits).bit_length() - 1), bits[0] - 1, boolean=True)
    W, done = perceptron(np.array([bits]))
    return unit_of(W[0].tolist()) if done[0] else _prove(bits)


def opposing_pairs(bits: Bits) -> tuple[int, int, int, int] | None:
    """Rows a, b that are true and c, d that are false with a + b = c + d, or None."""
    n = len(bits).bit_length() - 1
    code = inputs(n) @ 3 ** np.arange(n)  # in base three a sum of two rows carries nothing
    values = np.array(bits)
    true, false = np.flatnonzero(values == 1), np.flatnonzero(values == 0)
    above = code[true][:, None] + code[true]
    below = code[false][:, None] + code[false]
    true_sums = np.zeros(3**n, dtype=bool)
    true_sums[above] = True
    both = true_sums[below]
    if not both.any():
        return None
    c, d = np.unravel_index(int(both.argmax()), below.shape)
    a, b = np.unravel_index(int((above == below[c, d]).argmax()), above.shape)
    return int(true[a]), int(true[b]), int(false[c]), int(false[d])


def perceptron(tables: Array, steps: int = MAX_PERCEPTRON_STEPS) -> tuple[Ints, Array]:
    """Run a batch perceptron on all truth tables, one row of ``tables`` each.

    Returns integer weights (w, b), one row for each function, and whether they classify all its
    rows strictly correctly. The inputs are encoded as ±1 during the run: their columns are then
    orthogonal, and the start Σ ± (x, 1), the Chow parameters, is seldom far from a solution.
    """
    n = tables.shape[1].bit_length() - 1
    Z: Floats = np.column_stack([2.0 * inputs(n) - 1, np.ones(2**n)])
    signs: Floats = np.where(tables == 1, 1.0, -1.0)
    W = signs @ Z  # these integers are exact in floats, which multiply faster
    active = np.arange(len(tables))
    for _ in range(steps):
        wrong = signs[active] * (W[active] @ Z.T) <= 0
        unfinished = wrong.any(axis=1)
        active = active[unfinished]
        if not len(active):
            break
        W[active] += (signs[active] * wrong[unfinished]) @ Z
    done = np.ones(len(tables), dtype=bool)
    done[active] = False
    return _to_bit_inputs(W.astype(np.int64)), done


def _to_bit_inputs(W: Ints) -> Ints:
    """Weights for inputs 0 and 1, from those for −1 and 1: w·(2x − 1) + b = 2w·x + (b − Σw)."""
    w, b = W[:, :-1], W[:, -1:]
    return np.hstack([2 * w, b - w.sum(axis=1, keepdims=True)])


def _prove(bits: Bits) -> ThresholdUnit | Contradiction:
    n = len(bits).bit_length() - 1
    verdict = separability(inputs(n), bits)
    if verdict.answer == "separable":
        return unit_of(_integers([Fraction(w) for w in verdict.W[0].tolist()]))
    assert verdict.answer == "inseparable"  # undecided only by a time limit
    return Contradiction(verdict.rows, tuple(_integers(verdict.weights)))


def unit_of(w: list[int]) -> ThresholdUnit:
    """The unit with these weights (w, b), divided by their greatest common divisor."""
    divisor = gcd(*w) or 1
    return ThresholdUnit(
        tuple(weight // divisor for weight in w[:-1]), w[-1] // divisor, boolean=True
    )


def _integers(numbers: list[Fraction] | tuple[Fraction, ...]) -> list[int]:
    scale = lcm(*(number.denominator for number in numbers))
    integers = [int(number * scale) for number in numbers]
    divisor = gcd(*integers) or 1
    return [number // divisor for number in integers]


def check_unit(unit: ThresholdUnit, bits: Bits) -> None:
    """Raise ProofError unless the unit's output on every row is that of the table."""
    n = len(bits).bit_length() - 1
    if unit.n_inputs != n:
        raise ProofError(f"The table has {n} inputs and the unit {unit.n_inputs}.")
    for row, (output, expected) in enumerate(zip(unit.truth_table(), bits, strict=True)):
        if output != expected:
            raise ProofError(f"The unit gives {output} on row {row}; the table has {expected}.")


def check_contradiction(found: Contradiction, bits: Bits) -> None:
    """Raise ProofError unless rows and weights rule out every unit, in plain integers."""
    rows, weights = found
    n = len(bits).bit_length() - 1
    if not len(rows) == len(weights) == len(set(rows)) > 0:
        raise ProofError("A proof lists each row once, with one weight; this one does not.")
    if min(rows) < 0 or max(rows) >= len(bits):
        raise ProofError(f"A row lies outside the table's rows 0 to {len(bits) - 1}.")
    if not all(isinstance(weight, int) and weight > 0 for weight in weights):
        raise ProofError("A weight is not a positive integer: this is not a proof.")
    signed = [w if bits[row] else -w for row, w in zip(rows, weights, strict=True)]
    if sum(signed) != 0:
        raise ProofError("The weights of the true rows and of the false rows differ in sum.")
    for place in range(n):
        # x1 is the most significant bit of a row's number
        total = sum(w * (row >> (n - 1 - place) & 1) for row, w in zip(rows, signed, strict=True))
        if total != 0:
            raise ProofError(f"The signed sum of the rows is not 0 in x{place + 1}.")
