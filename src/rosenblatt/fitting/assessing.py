"""How good is it on new rows? Judged by rows that the model never saw, with an interval."""

from dataclasses import dataclass

import numpy as np

from rosenblatt.arrays import Ints
from rosenblatt.tables.targets import UNKNOWN

Z = 1.959963984540054  # of a normal interval of 95 %


@dataclass(frozen=True)
class Estimate:
    """Decisions on rows that were not learned from: counts[true, decided].

    `method` says in words which rows these were. `strange` rows are of classes that training did
    not have: whatever is decided for them is wrong.
    """

    counts: Ints
    method: str
    strange: int = 0

    @property
    def rows(self) -> int:
        """How many rows judge."""
        return int(self.counts.sum()) + self.strange

    @property
    def accuracy(self) -> float:
        """Share of the rows that were decided right."""
        return float(np.trace(self.counts)) / self.rows

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 % around the accuracy, which takes the rows as independent."""
        return wilson(self.accuracy, self.rows)


def wilson(p: float, n: int) -> tuple[float, float]:
    """Wilson's interval of 95 % around a share p of n independent rows."""
    middle = (p + Z * Z / (2 * n)) / (1 + Z * Z / n)
    reach = Z / (1 + Z * Z / n) * float(np.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n)))
    low = 0.0 if p == 0 else middle - reach  # exactly, whatever rounding makes of it
    high = 1.0 if p == 1 else middle + reach
    return low, high


def estimated(true: Ints, decided: Ints, n_classes: int, method: str) -> Estimate:
    """What decisions say that were made for rows of known classes."""
    known = true != UNKNOWN
    places = true[known].astype(np.int64) * n_classes + decided[known]
    counts = np.bincount(places, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
    return Estimate(counts, method, int(np.count_nonzero(~known)))
