"""Weights of which a file lists what is not 0, and records that make arrays of them when wanted.

A file of a few bytes can announce any number of features. So no array of that size is made before
`verify` has found that the data have as many, or the array is asked for.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.types import Array


class Listed(NamedTuple):
    """Rows of weights as {column: value}, floats or fractions, and how many columns there are."""

    rows: Sequence[Mapping[int, float | Fraction]]
    width: int

    def array(self) -> Array:
        """All weights: float64, or fractions where there are some."""
        exact = any(isinstance(value, Fraction) for row in self.rows for value in row.values())
        shape = len(self.rows), self.width
        out = np.full(shape, Fraction(0), dtype=object) if exact else np.zeros(shape)
        for weights, row in zip(out, self.rows, strict=True):
            weights[list(row)] = [Fraction(v) if exact else v for v in row.values()]
        return out


class ListedArray:
    """A field of a record that is an array, given as one or listed; it may have a default."""

    def __init__(self, *default: Any) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        """Keep the name of the field."""
        self.name = name

    def __get__(self, record: Any, owner: type) -> Any:
        """The array."""
        if record is None:
            if not self.default:
                raise AttributeError(self.name)  # from which a dataclass sees that it has none
            return self.default[0]
        value = vars(record)[self.name]
        if isinstance(value, Listed):
            value = vars(record)[self.name] = value.array()
        return value

    def __set__(self, record: Any, value: Any) -> None:
        """Keep what is given."""
        vars(record)[self.name] = value
