"""95 % confidence intervals: Wilson's for a share, the bootstrap for means."""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Floats

N_BOOTSTRAP_SAMPLES = 1000
CONFIDENCE = 0.95
Z = 1.959963984540054  # standard normal quantile of a 95 % interval


class IntervalEstimate(NamedTuple):
    """A number with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def wilson(p: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval around a share p of n independent rows."""
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * float(np.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)))
    low = 0.0 if p == 0 else middle - reach  # exactly, whatever rounding makes of it
    high = 1.0 if p == 1 else middle + reach
    return low, high


def bootstrap_means(rows: Floats, rng: np.random.RandomState) -> list[IntervalEstimate]:
    """The mean of each column, with its percentile bootstrap interval over the rows.

    All columns share the bootstrap samples. A column of zeros has the interval 0 to 0, although an
    event that none of n rows has may still occur in up to 3 of n.
    """
    n = len(rows)
    samples = np.array(
        [rows[rng.randint(n, size=n)].mean(axis=0) for _ in range(N_BOOTSTRAP_SAMPLES)]
    )
    low, high = np.quantile(samples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return [
        IntervalEstimate(float(mean), float(a), float(b))
        for mean, a, b in zip(rows.mean(axis=0), low, high, strict=True)
    ]
