"""The classical gates as threshold units, with the numbers of lecture 000.

===========  =====================  ==========================
gate         is 1 where             unit
===========  =====================  ==========================
``OR``       at least 1 of 2        x1 + x2 − 0.5 ≥ 0
``AND``      at least 2 of 2        x1 + x2 − 1.5 ≥ 0
``MAJORITY`` at least 2 of 3        x1 + x2 + x3 − 1.5 ≥ 0
``NOT``      at most 0 of 1         −x1 + 0.5 ≥ 0
``NOR``      at most 0 of 2         −x1 − x2 + 0.5 ≥ 0
``NAND``     at most 1 of 2         −x1 − x2 + 1.5 ≥ 0
===========  =====================  ==========================

So OR of n inputs is ``at_least(1, n)``, AND is ``at_least(n, n)``, NOR is ``at_most(0, n)`` and
NAND is ``at_most(n - 1, n)``. No unit computes XOR (`realize` proves it); two layers do (lecture
003).

>>> AND(1, 1), OR(1, 0), NOT(1), XOR(1, 1)
(1, 1, 0, 0)
"""

from rosenblatt.errors import ParameterError
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit


def at_least(count: int, n: int) -> ThresholdUnit:
    """Unit that is 1 where at least ``count`` of n inputs are 1."""
    _check_gate(count, n)
    return ThresholdUnit((1,) * n, 0.5 - count, boolean=True)


def at_most(count: int, n: int) -> ThresholdUnit:
    """Unit that is 1 where at most ``count`` of n inputs are 1."""
    _check_gate(count, n)
    return ThresholdUnit((-1,) * n, 0.5 + count, boolean=True)


def majority(n: int) -> ThresholdUnit:
    """Unit that is 1 where more than half of n inputs are 1."""
    return at_least(n // 2 + 1, n)


def parity(n: int) -> ThresholdNetwork:
    """Network that is 1 where an odd number of n inputs are 1.

    The k-th hidden unit tests for at least k ones. The output adds them with signs +, −, +, …: that
    is 1 for an odd number of ones and 0 for an even one.
    """
    hidden = tuple(at_least(count, n) for count in range(1, n + 1))
    signs = tuple((-1) ** k for k in range(n))
    return ThresholdNetwork(hidden, ThresholdUnit(signs, -0.5, boolean=True))


def _check_gate(count: int, n: int) -> None:
    if n < 1 or not 0 <= count <= n:
        raise ParameterError(
            f"A gate has at least 1 input and counts from 0 to all of them; got {count} of {n}."
        )


OR = at_least(1, 2)
AND = at_least(2, 2)
MAJORITY = majority(3)
NOT = at_most(0, 1)
NOR = at_most(0, 2)
NAND = at_most(1, 2)
XOR = ThresholdNetwork((OR, NAND), AND)
