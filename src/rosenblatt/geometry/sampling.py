"""A sample of rows to draw if there are too many. Nothing is ever computed from it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rosenblatt.types import Ints


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows to draw, in order, and the number of all."""

    rows: Ints
    total: int

    @property
    def whole(self) -> bool:
        """Whether it holds all rows."""
        return len(self.rows) == self.total

    def __str__(self) -> str:
        if self.whole:
            return f"all {self.total:,} rows"
        return f"{len(self.rows):,} of {self.total:,} rows, chosen at random from each class"


def sample(
    codes: npt.ArrayLike, max_rows: int = 2000, keep: Iterable[int] = (), seed: int = 0
) -> Sample:
    """A stratified sample of at most `max_rows` rows, with at least one of each class.

    Rows of `keep`, such as those of a proof, are added to it.
    """
    classes = np.asarray(codes)
    total = len(classes)
    if total <= max_rows:
        return Sample(np.arange(total), total)
    rng = np.random.default_rng(seed)
    chosen = [np.fromiter(keep, dtype=np.int64)]
    for code in np.unique(classes):
        own = np.flatnonzero(classes == code)
        share = max(1, max_rows * len(own) // total)
        chosen.append(rng.choice(own, min(share, len(own)), replace=False))
    return Sample(np.unique(np.concatenate(chosen)), total)
