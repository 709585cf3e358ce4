"""A threshold unit for a Boolean function, or a proof that there is none and a network.

>>> print(realize("0111"))
One unit computes this function of 2 inputs: x1 + x2 − 1 ≥ 0.
No unit has a smaller sum of absolute weights.
>>> print(realize("0110"))
No unit computes this function of 2 inputs.
Proof: 01 + 10 (true) = 00 + 11 (false).
Two layers compute it:
h1 = [x1 + x2 − 1 ≥ 0]
h2 = [−x1 − x2 + 1 ≥ 0]
y = [h1 + h2 − 2 ≥ 0]
"""

from dataclasses import dataclass

import numpy as np

from rosenblatt.errors import ProofError
from rosenblatt.logic.decide import Contradiction, check_contradiction, check_unit, decide
from rosenblatt.logic.smallest_weights import smallest
from rosenblatt.logic.truth_table import Bits, Source, inputs, read_bits
from rosenblatt.logic.two_layer import compose
from rosenblatt.logic.units import ThresholdNetwork, ThresholdUnit


@dataclass(frozen=True)
class Realizable:
    """A function that one unit computes, and such a unit, in integers.

    ``minimal`` says whether it is proved that no unit has a smaller sum of absolute weights (the
    intercept not counted); else the weights are only small.
    """

    table: Bits
    unit: ThresholdUnit
    minimal: bool

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.table).bit_length() - 1

    def verify(self) -> bool:
        """Return True if the unit gives the output of every row; else raise ProofError."""
        check_unit(self.unit, self.table)
        return True

    def __str__(self) -> str:
        size = (
            "No unit has a smaller sum of absolute weights."
            if self.minimal
            else "The weights are small; whether they are the smallest is not proved."
        )
        return f"One unit computes this function of {_count(self.n_inputs)}: {self.unit}.\n{size}"


@dataclass(frozen=True)
class Unrealizable:
    """A function that no unit computes: the rows that prove it, and a network that does.

    With the positive integers ``weights`` on ``rows``, the true rows and the false rows have the
    same sum of (x, 1). A unit's score w·x + b would then have the same weighted sum over both, yet
    it is ≥ 0 on the true rows and < 0 on the false ones.
    """

    table: Bits
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    network: ThresholdNetwork

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.table).bit_length() - 1

    def verify(self) -> bool:
        """Return True if rows and weights rule out all units and the network computes the table.

        Else raise ProofError. Only integers are used.
        """
        check_contradiction(Contradiction(self.rows, self.weights), self.table)
        if self.network.truth_table() != self.table:
            raise ProofError("The network does not compute the function of the table.")
        return True

    def sums(self) -> str:
        """The equation that proves it, in bits: "01 + 10 (true) = 00 + 11 (false)"."""
        return f"{self._side(1)} (true) = {self._side(0)} (false)"

    def _side(self, value: int) -> str:
        terms = [
            f"{row:0{self.n_inputs}b}" if weight == 1 else f"{weight}·{row:0{self.n_inputs}b}"
            for row, weight in zip(self.rows, self.weights, strict=True)
            if self.table[row] == value
        ]
        return " + ".join(terms)

    def __str__(self) -> str:
        return (
            f"No unit computes this function of {_count(self.n_inputs)}.\nProof: {self.sums()}.\n"
            f"Two layers compute it:\n{self.network}"
        )


def realize(
    truth_table: Source | ThresholdUnit | ThresholdNetwork, *, n: int | None = None
) -> Realizable | Unrealizable:
    """Find a threshold unit for a Boolean function, or prove that there is none.

    Parameters
    ----------
    truth_table
        The function of 1 to 10 inputs: its 2ⁿ values in the order 0…00, 0…01, …, 1…11 as a
        sequence, an array or a string such as "0110"; a mapping from inputs ("01" or (0, 1)) to
        values; a function of n bits (then give ``n``); a unit or a network.
    n
        Number of inputs; needed for a function only.

    Returns
    -------
    Realizable or Unrealizable
        Already verified; ``.verify()`` does it again.
    """
    if isinstance(truth_table, (ThresholdUnit, ThresholdNetwork)):
        n = truth_table.n_inputs if n is None else n
    bits = read_bits(truth_table, n)
    found = decide(bits)
    answer: Realizable | Unrealizable
    if isinstance(found, Contradiction):
        answer = Unrealizable(bits, *found, compose(bits))
    else:
        answer = _realizable(bits, found)
    answer.verify()
    return answer


def _count(n: int) -> str:
    return "1 input" if n == 1 else f"{n} inputs"


def _realizable(bits: Bits, unit: ThresholdUnit) -> Realizable:
    values = np.array(bits)
    small = smallest(inputs(len(bits).bit_length() - 1), values)
    if small is None:
        return Realizable(bits, unit, minimal=False)
    return Realizable(bits, *small)
