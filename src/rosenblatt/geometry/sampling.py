"""Which rows are drawn where there are too many to draw. Nothing is ever computed from a sample."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that are drawn, in order, out of so many."""

    rows: Ints
    total: int

    @property
    def whole(self) -> bool:
        """Whether all rows are drawn."""
        return len(self.rows) == self.total

    def __str__(self) -> str:
        if self.whole:
            return f"all {self.total:,} rows"
        return f"{len(self.rows):,} of {self.total:,} rows, chosen at random from each class"


def sample(
    codes: npt.ArrayLike, most: int = 2000, keep: Iterable[int] = (), seed: int = 0
) -> Sample:
    """At most so many rows, of each class in proportion, one at least, and those to keep.

    Rows of `keep`, such as those of a proof, are drawn whatever `most` says.
    """
    classes = np.asarray(codes)
    total = len(classes)
    if total <= most:
        return Sample(np.arange(total), total)
    rng = np.random.default_rng(seed)
    chosen = [np.fromiter(keep, dtype=np.int64)]
    for code in np.unique(classes):
        own = np.flatnonzero(classes == code)
        share = max(1, most * len(own) // total)
        chosen.append(rng.choice(own, min(share, len(own)), replace=False))
    return Sample(np.unique(np.concatenate(chosen)), total)
