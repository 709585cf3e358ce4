"""Confidence intervals, and the paired test of two classifiers."""

from typing import NamedTuple

import numpy as np

from rosenblatt.types import Array, Floats

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


class PairedDifference(NamedTuple):
    """A difference in accuracy, as a share of the rows.

    The 95 % interval is Bonett and Price's (2012), which holds for few rows too; `p_value` is that
    of McNemar's exact test.
    """

    difference: float
    low: float
    high: float
    p_value: float
    n_rows: int


def paired_difference(one: Array, other: Array) -> PairedDifference:
    """The difference in accuracy of `one` and the `other`: whether each row is correct."""
    from scipy.stats import binomtest  # noqa: PLC0415 (slow to import)

    n, wins = len(one), int(np.sum(one & ~other))
    losses = int(np.sum(other & ~one))
    middle = (wins - losses) / (n + 2)
    spread = (wins + losses + 2) / (n + 2) - middle**2
    reach = Z * float(np.sqrt(spread / (n + 2)))
    p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    low, high = max(-1.0, middle - reach), min(1.0, middle + reach)
    return PairedDifference((wins - losses) / n, low, high, float(p), n)
