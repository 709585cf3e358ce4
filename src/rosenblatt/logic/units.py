"""McCulloch–Pitts units and networks of two layers.

A threshold unit of n inputs is 1 where w·x + b ≥ 0 and 0 elsewhere (lecture 000). Its weights are
integers, fractions or floats, each taken at its exact value. Outputs are computed in integers, so
that none is wrong by rounding. `rosenblatt.plotting` draws them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isfinite, lcm
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.types import Ints

Number = int | Fraction | float

MAX_TABLE_INPUTS = 20  # a truth table of more has over a million rows
MAX_INT64_SUM = 2**62  # smaller sums fit a 64-bit integer


@dataclass(frozen=True)
class ThresholdUnit:
    """A unit whose output is 1 where w·x + b ≥ 0, else 0.

    Parameters
    ----------
    weights
        One number for each input: integers, fractions or floats.
    intercept
        The number added to their sum; minus the threshold.

    Examples
    --------
    >>> unit = ThresholdUnit((2, 1), -3)
    >>> print(unit)
    2·x1 + x2 − 3 ≥ 0
    >>> unit(1, 1), unit([1, 0])
    (1, 0)
    >>> unit.truth_table()
    (0, 0, 0, 1)
    """

    weights: tuple[Number, ...]
    intercept: Number

    def __post_init__(self) -> None:
        weights = tuple(_number(w, "A weight") for w in self.weights)
        if not weights:
            raise ParameterError("A threshold unit needs at least one input; got no weights.")
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "intercept", _number(self.intercept, "The intercept"))

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return len(self.weights)

    def __call__(self, *x: Any) -> Any:
        """The output for one input, as bits or as a sequence, or for every row of an array."""
        rows, single = _rows(x, self.n_inputs)
        outputs = self.decide(rows)
        return int(outputs[0]) if single else outputs

    def decide(self, rows: Ints) -> Ints:
        """Outputs for rows of 0s and 1s, which are not validated."""
        *w, b = self.whole
        fits = sum(map(abs, self.whole)) < MAX_INT64_SUM
        dtype = np.dtype(np.int64) if fits else np.dtype(object)
        scores = rows.astype(dtype) @ np.array(w, dtype=dtype) + b
        outputs: Ints = (scores >= 0).astype(np.int64)
        return outputs

    @cached_property
    def whole(self) -> tuple[int, ...]:
        """An integer multiple of (w, b), which is the same unit."""
        exact = [Fraction(number) for number in (*self.weights, self.intercept)]
        scale = lcm(*(number.denominator for number in exact))
        return tuple(int(number * scale) for number in exact)

    def negated(self) -> "ThresholdUnit":
        """The unit with the opposite output, in integers: −w·x − b − 1 ≥ 0."""
        *w, b = self.whole
        return ThresholdUnit(tuple(-weight for weight in w), -b - 1)

    def truth_table(self) -> Bits:
        """The 2ⁿ outputs, in the order 0…00, 0…01, …, 1…11."""
        return tuple(self.decide(_all_inputs(self.n_inputs)).tolist())

    def formula(self, name: str = "x") -> str:
        """The inequality, with inputs named ``name`` and their number."""
        terms = [
            (weight, f"{name}{place}") for place, weight in enumerate(self.weights, 1) if weight
        ]
        if self.intercept or not terms:
            terms.append((self.intercept, ""))
        (first, letter), *rest = terms
        text = f"{'−' if first < 0 else ''}{_term(first, letter)}"
        for weight, letter in rest:
            text += f" {'−' if weight < 0 else '+'} {_term(weight, letter)}"
        return f"{text} ≥ 0"

    def __str__(self) -> str:
        return self.formula()


@dataclass(frozen=True)
class ThresholdNetwork:
    """Two layers: hidden units read the input, the output unit reads the hidden units.

    Examples
    --------
    >>> both, either = ThresholdUnit((1, 1), -2), ThresholdUnit((1, 1), -1)
    >>> xor = ThresholdNetwork((either, both), ThresholdUnit((1, -1), -1))
    >>> xor.truth_table()
    (0, 1, 1, 0)
    >>> print(xor)
    h1 = [x1 + x2 − 1 ≥ 0]
    h2 = [x1 + x2 − 2 ≥ 0]
    y = [h1 − h2 − 1 ≥ 0]
    """

    hidden: tuple[ThresholdUnit, ...]
    output: ThresholdUnit

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        widths = sorted({unit.n_inputs for unit in self.hidden})
        if len(widths) != 1:
            raise ParameterError(
                "The hidden units must all read the same inputs, and there must be at least one; "
                f"got {len(self.hidden)} units with {', '.join(map(str, widths)) or 'no'} inputs."
            )
        if self.output.n_inputs != len(self.hidden):
            raise ParameterError(
                f"The output unit must have one weight for each hidden unit; got "
                f"{self.output.n_inputs} weights for {len(self.hidden)} hidden units."
            )

    @property
    def n_inputs(self) -> int:
        """Number of inputs."""
        return self.hidden[0].n_inputs

    def __call__(self, *x: Any) -> Any:
        """The output for one input, as bits or as a sequence, or for every row of an array."""
        rows, single = _rows(x, self.n_inputs)
        outputs = self.decide(rows)
        return int(outputs[0]) if single else outputs

    def decide(self, rows: Ints) -> Ints:
        """Outputs for rows of 0s and 1s, which are not validated."""
        return self.output.decide(self.hidden_values(rows))

    def hidden_values(self, rows: Ints) -> Ints:
        """Outputs of the hidden units, one column for each."""
        return np.column_stack([unit.decide(rows) for unit in self.hidden])

    def truth_table(self) -> Bits:
        """The 2ⁿ outputs, in the order 0…00, 0…01, …, 1…11."""
        return tuple(self.decide(_all_inputs(self.n_inputs)).tolist())

    def formula(self) -> str:
        """One line for each unit, the output last."""
        lines = [f"h{k} = [{unit.formula()}]" for k, unit in enumerate(self.hidden, 1)]
        return "\n".join([*lines, f"y = [{self.output.formula('h')}]"])

    def __str__(self) -> str:
        return self.formula()


def as_text(number: Number) -> str:
    """The absolute value of a number as text."""
    return str(abs(number))


def _term(weight: Number, letter: str) -> str:
    if not letter:
        return as_text(weight)
    return letter if abs(weight) == 1 else f"{as_text(weight)}·{letter}"


def _number(value: Any, what: str) -> Number:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int)):
        return int(value)
    if isinstance(value, Fraction) or (isinstance(value, float) and isfinite(value)):
        return value
    raise ParameterError(f"{what} must be an integer, a fraction or a finite float; got {value!r}.")


def _rows(x: tuple[Any, ...], n: int) -> tuple[Ints, bool]:
    """Validated rows of inputs, and whether a single input was given."""
    given = np.asarray(x[0] if len(x) == 1 else x)
    values = np.atleast_1d(given)
    if values.ndim > 2 or values.shape[-1] != n:
        raise DataError(
            f"This unit reads {n} bits: one input of {n}, or rows with {n} columns; "
            f"got shape {given.shape}."
        )
    if not bool(np.isin(values, (0, 1)).all()):
        raise DataError("Inputs of a threshold unit are bits, 0 or 1; some are not.")
    return np.atleast_2d(values).astype(np.int64), values.ndim == 1


def _all_inputs(n: int) -> Ints:
    if n > MAX_TABLE_INPUTS:
        raise ParameterError(
            f"Truth tables have up to {MAX_TABLE_INPUTS} inputs; this unit has {n}. "
            "Call it on the rows you need."
        )
    return inputs(n)
