"""Two ways to decide the same rows, and whether one is right more often than chance makes it.

The decisions are paired, row by row, so only the rows matter on which one is right and the other
wrong. Rows are pooled over the folds: each was decided once, by a model that had not seen it. That
takes the models of the folds as they are. A t test over the folds' accuracies would ask about other
training rows as well, but has as many numbers as there are folds, and these are not independent
(Nadeau and Bengio 2003): with five, it finds little.
"""

from typing import NamedTuple

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.fitting.assessing import Z


class Paired(NamedTuple):
    """By how much one is right more often than the other: a share of the rows.

    The interval of 95 % is Bonett and Price's (2012), which holds for few rows too; `p` is that of
    McNemar's exact test, the chance of a split as uneven if both were as good.
    """

    difference: float
    low: float
    high: float
    p: float
    rows: int


def paired(one: Array, other: Array) -> Paired:
    """Compare who is right, `one` or the `other`, on the same rows."""
    from scipy.stats import binomtest  # noqa: PLC0415 (slow to import)

    n, wins = len(one), int(np.sum(one & ~other))
    losses = int(np.sum(other & ~one))
    middle = (wins - losses) / (n + 2)
    spread = (wins + losses + 2) / (n + 2) - middle**2
    reach = Z * float(np.sqrt(spread / (n + 2)))
    p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    low, high = max(-1.0, middle - reach), min(1.0, middle + reach)
    return Paired((wins - losses) / n, low, high, float(p), n)
