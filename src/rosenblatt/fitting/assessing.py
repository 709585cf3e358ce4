"""How good is it on new rows? Judged by rows that the model never saw, with an interval."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.tables.targets import UNKNOWN

Z = 1.959963984540054  # of a normal interval of 95 %


@dataclass(frozen=True)
class Estimate:
    """Decisions on rows that were not learned from: counts[true, decided].

    `method` says in words which rows these were. `strange` rows are of classes that training did
    not have: whatever is decided for them is wrong. `sure` has for each row the probability of what
    was decided, negative where that was wrong; it is None where a rule gives none.
    """

    counts: Ints
    method: str
    strange: int = 0
    sure: Floats | None = None

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


def decisions(estimator: Any, X: Any) -> tuple[Ints, Floats | None]:
    """What a classifier decides for rows, and how probable it says that is, if it does."""
    decided = np.asarray(estimator.predict(X), np.int64)
    if not hasattr(estimator, "predict_proba"):
        return decided, None
    return decided, np.asarray(estimator.predict_proba(X)).max(axis=1)


def estimated(
    true: Ints, decided: Ints, n_classes: int, method: str, said: Floats | None = None
) -> Estimate:
    """What decisions say that were made for rows of known classes."""
    known = true != UNKNOWN
    sure = None if said is None else np.where(true == decided, said, -said)
    places = true[known].astype(np.int64) * n_classes + decided[known]
    counts = np.bincount(places, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
    return Estimate(counts, method, int(np.count_nonzero(~known)), sure)
