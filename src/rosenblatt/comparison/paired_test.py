"""A paired test of two classifiers on the same rows.

The predictions are paired, row by row, so only the rows matter on which one is right and the other
wrong. Rows are pooled over the folds: each was predicted once, by a model not trained on it. That
takes the models of the folds as they are. A t test over the folds' accuracies would ask about other
training rows as well, but has as many numbers as there are folds, and these are not independent
(Nadeau and Bengio 2003): with five, it finds little.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.model_selection.intervals import Z
from rosenblatt.types import Array


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
