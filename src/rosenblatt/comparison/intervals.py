"""Numbers with their intervals of 95 %."""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Floats

DRAWS = 1000  # of rows, for an interval
LEVEL = 0.95


class IntervalEstimate(NamedTuple):
    """A number, and the interval of 95 % around it."""

    value: float
    low: float
    high: float


def means_of(rows: Floats, rng: np.random.RandomState) -> list[IntervalEstimate]:
    """Mean of each column, with the interval that the bootstrap of the rows gives.

    All columns share their draws. A column of zeros has the interval 0 to 0: of n rows in which
    something never came, none can tell whether it comes in up to 3 of n.
    """
    n = len(rows)
    draws = np.array([rows[rng.randint(n, size=n)].mean(axis=0) for _ in range(DRAWS)])
    low, high = np.quantile(draws, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return [
        IntervalEstimate(float(mean), float(a), float(b))
        for mean, a, b in zip(rows.mean(axis=0), low, high, strict=True)
    ]
