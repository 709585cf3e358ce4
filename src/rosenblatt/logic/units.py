"""McCulloch–Pitts units and networks of two layers.

A threshold unit of n inputs is 1 where w·x + b ≥ 0 and 0 elsewhere (lecture 000). Its weights are
integers, fractions or floats, and its inputs bits or any numbers, each taken at its exact value. No
output is wrong by rounding: those of bits are computed in integers, and those of floats again in
fractions where a sum is too close to 0. `rosenblatt.plotting` draws them.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import inf, isfinite, lcm
from typing import Any

import numpy as np

from rosenblatt.errors import DataError, ParameterError
from rosenblatt.logic.truth_table import Bits, inputs
from rosenblatt.types import Array, Ints

Number = int | Fraction | float

MAX_TABLE_INPUTS = 20  # a truth table of more has over a million rows
MAX_INT64_SUM = 2**62  # smaller sums fit a 64-bit integer
EPSILON, TINY = float(np.finfo(np.float64).eps), 1e-290  # rounding of a float, and of one near 0


@dataclass(frozen=True)
class ThresholdUnit:
    """A unit whose output is 1 where w·x + b ≥ 0, else 0.

    Parameters
    ----------
    weights
        One number for each input: integers, fractions or floats.
    intercept
        The number added to their sum; minus the threshold.
    boolean
        Whether calls accept bits only, as those of `gates` do; else any finite numbers.

    Examples
    --------
    >>> unit = ThresholdUnit((2, 1), -3)
    >>> print(unit)
    2·x1 + x2 − 3 ≥ 0
    >>> unit(1, 1), unit([1, 0])
    (1, 0)
    >>> unit.truth_table()
    (0, 0, 0, 1)

    A perceptron has real inputs. An animal that comes to 1 of 40 people and weighs 100 pounds is a
    dog by the rule 0.5 x1 + 0.5 x2 ≥ 20:

    >>> ThresholdUnit((0.5, 0.5), -20)([1, 100])
    1
    """

    weights: tuple[Number, ...]
    intercept: Number
    boolean: bool = field(default=False, compare=False)

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
        """The output for one input, as numbers or as a sequence, or for every row of an array."""
        rows, single = _rows(x, self.n_inputs, boolean=self.boolean)
        outputs = self.decide(rows)
        return int(outputs[0]) if single else outputs

    def decide(self, rows: Array) -> Ints:
        """Outputs for rows of numbers, which are not validated."""
        if rows.dtype.kind == "f":
            return self._decide_floats(rows)
        *w, b = self.whole
        largest = 1
        if rows.dtype.kind in "iu" and rows.size:
            largest = max(1, int(rows.max()), -int(rows.min()))
        fits = rows.dtype.kind != "O" and largest * sum(map(abs, self.whole)) < MAX_INT64_SUM
        dtype = np.dtype(np.int64) if fits else np.dtype(object)
        scores = rows.astype(dtype) @ np.array(w, dtype=dtype) + b
        outputs: Ints = (scores >= 0).astype(np.int64)
        return outputs

    def _decide_floats(self, rows: Array) -> Ints:
        """Outputs by sums of floats, and by exact ones where rounding could turn the sign."""
        *w, b = (float_of(number) for number in (*self.weights, self.intercept))
        table, sizes = rows.astype(np.float64), np.abs(np.array(w))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = table @ np.array(w) + b
            error = 4 * (len(w) + 2) * EPSILON * (np.abs(table) @ sizes + abs(b)) + TINY
            outputs: Ints = (scores >= 0).astype(np.int64)
            doubtful = np.flatnonzero(~(np.abs(scores) > error) | ~np.isfinite(scores))
        if ((sizes < TINY) & np.array([weight != 0 for weight in self.weights])).any():
            doubtful = np.arange(len(rows))  # floats have too few digits for such a weight
        exact = [Fraction(number) for number in (*self.weights, self.intercept)]
        for i in doubtful.tolist():
            terms = zip(exact[:-1], rows[i].tolist(), strict=True)
            outputs[i] = sum((a * Fraction(x) for a, x in terms), exact[-1]) >= 0
        return outputs

    @cached_property
    def whole(self) -> tuple[int, ...]:
        """An integer multiple of (w, b), which is the same unit."""
        exact = [Fraction(number) for number in (*self.weights, self.intercept)]
        scale = lcm(*(number.denominator for number in exact))
        return tuple(int(number * scale) for number in exact)

    def negated(self) -> "ThresholdUnit":
        """The unit with the opposite output for bits, in integers: −w·x − b − 1 ≥ 0."""
        *w, b = self.whole
        return ThresholdUnit(tuple(-weight for weight in w), -b - 1, boolean=True)

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
        """The output for one input, as numbers or as a sequence, or for every row of an array.

        Inputs must be bits where some hidden unit takes bits only.
        """
        boolean = any(unit.boolean for unit in self.hidden)
        rows, single = _rows(x, self.n_inputs, boolean=boolean)
        outputs = self.decide(rows)
        return int(outputs[0]) if single else outputs

    def decide(self, rows: Array) -> Ints:
        """Outputs for rows of numbers, which are not validated."""
        return self.output.decide(self.hidden_values(rows))

    def hidden_values(self, rows: Array) -> Ints:
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


def float_of(number: Number) -> float:
    """The nearest float; infinity beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _rows(x: tuple[Any, ...], n: int, *, boolean: bool) -> tuple[Array, bool]:
    """Validated rows of inputs, and whether a single input was given."""
    what = "bits" if boolean else "numbers"
    try:
        given = np.asarray(x[0] if len(x) == 1 else x)
    except ValueError as error:  # rows of different lengths
        raise DataError(f"Inputs of this unit must be rows of {n} {what}: {error}.") from error
    values = np.atleast_1d(given)
    if values.ndim > 2 or values.shape[-1] != n:
        raise DataError(
            f"This unit reads {n} {what}: one input of {n}, or rows with {n} columns; "
            f"got shape {given.shape}."
        )
    if boolean and not bool(np.isin(values, (0, 1)).all()):
        raise DataError("Inputs of a Boolean unit are bits, 0 or 1; some are not.")
    rows = np.atleast_2d(values.astype(np.int64) if boolean else _numbers(values))
    return rows, values.ndim == 1


def _numbers(values: Array) -> Array:
    """Finite numbers: floats, integers, or objects that are integers, fractions or floats."""
    if values.dtype.kind == "b":
        return values.astype(np.int64)
    if values.dtype.kind == "O":
        try:
            exact = [Fraction(_number(value, "An input")) for value in values.ravel().tolist()]
        except ParameterError as error:
            raise DataError(str(error)) from error
        objects = np.empty(values.size, object)
        objects[:] = exact
        return objects.reshape(values.shape)
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        raise DataError(f"Inputs of this unit must be finite numbers; got {values.tolist()!r:.80}.")
    return values


def _all_inputs(n: int) -> Ints:
    if n > MAX_TABLE_INPUTS:
        raise ParameterError(
            f"Truth tables have up to {MAX_TABLE_INPUTS} inputs; this unit has {n}. "
            "Call it on the rows you need."
        )
    return inputs(n)
