"""Is linear enough? What a comparison shows, by its paired intervals."""

from typing import NamedTuple

from rosenblatt.studies.comparison import AS_THEY_ARE, Comparison, Entry
from rosenblatt.studies.pairing import Paired


class Gap(NamedTuple):
    """How an entry stands against another."""

    entry: Entry
    against: Entry
    by: Paired

    @property
    def better(self) -> bool:
        """Whether it is right more often than chance makes."""
        return self.by.low > 0


class Conclusion(NamedTuple):
    """The best referee against the best line; the best map against none, and against the referee.

    A line is enough where the referee is not better: where the interval of their difference holds
    0, or lies below it.
    """

    referee: Gap
    map: Gap | None
    referee_after: Gap | None

    @property
    def linear_enough(self) -> bool:
        """Whether a line on the features as they are is enough."""
        return not self.referee.better

    @property
    def map_helps(self) -> bool:
        """Whether a line after the best map is right more often than without."""
        return self.map is not None and self.map.better

    @property
    def enough_after_map(self) -> bool | None:
        """Whether a line after the best map is enough; None where no map was tried."""
        return None if self.referee_after is None else not self.referee_after.better


def concluded(found: Comparison) -> Conclusion:
    """What a comparison shows."""
    referee = found.best_of(tuple(e for e in found.entries if e.is_referee))
    lines = tuple(e for e in found.entries if not e.is_referee)
    plain = found.best_of(tuple(e for e in lines if e.map == AS_THEY_ARE))
    mapped = tuple(e for e in lines if e.map != AS_THEY_ARE)
    first = Gap(referee, plain, found.difference(referee, plain))
    if not mapped:
        return Conclusion(first, None, None)
    best = found.best_of(mapped)
    helps = Gap(best, plain, found.difference(best, plain))
    return Conclusion(first, helps, Gap(referee, best, found.difference(referee, best)))
