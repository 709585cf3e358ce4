"""What a comparison has found: who is right on which rows, at what cost, with which proofs."""

from dataclasses import dataclass
from functools import cached_property
from statistics import median_low

import numpy as np

from rosenblatt.arrays import Array
from rosenblatt.evidence.proof import cover
from rosenblatt.evidence.proof.verdict import Proof
from rosenblatt.fitting.assessing import wilson
from rosenblatt.studies.pairing import Paired, paired
from rosenblatt.tables.findings import Finding
from rosenblatt.tables.targets import Counts

AS_THEY_ARE = "none"  # the map that leaves features alone


@dataclass(frozen=True, eq=False)
class Ground:
    """Features that a line stands on: a map, what it makes, and whether a line separates them.

    `dimension` is how many of (features, 1) are independent; where counting these would take long,
    all are taken. Random labels of the rows are separable with at most the `chance` that Cover's
    count gives for so many points in general position; it is None for more than two classes.
    """

    map: str
    n_features: int
    n_rows: int
    dimension: int | None
    proof: Proof | None

    @property
    def chance(self) -> float | None:
        """Chance that random labels are separable, at most."""
        return None if self.dimension is None else cover.chance(self.n_rows, self.dimension)

    @property
    def chance_text(self) -> str | None:
        """The same in words, also where it is below all floats."""
        return None if self.dimension is None else cover.chance_text(self.n_rows, self.dimension)


@dataclass(frozen=True, eq=False)
class Entry:
    """A rule on the features of a map, or a referee, and its decisions on rows it had not seen.

    `right` says for every row whether it was decided right, `judged` whether it was decided at all.
    `seconds` are those of learning, a fold each. `note` tells what was done to save time.
    """

    rule: str
    map: str
    right: Array
    judged: Array
    seconds: tuple[float, ...]
    n_weights: int | None
    note: str = ""

    @cached_property
    def accuracy(self) -> float:
        """Share of the judged rows that were decided right."""
        return float(self.right[self.judged].mean())

    @property
    def rows(self) -> int:
        """How many rows judged."""
        return int(self.judged.sum())

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval of 95 % around the accuracy."""
        return wilson(self.accuracy, self.rows)

    @property
    def fit_seconds(self) -> float:
        """Seconds of learning in a fold, the middle one: the first may have had to compile."""
        return median_low(self.seconds)

    @property
    def is_referee(self) -> bool:
        """Whether it is no line."""
        return self.n_weights is None


@dataclass(frozen=True, eq=False)
class Comparison:
    """The same folds for every rule on every map, and for two non-linear referees.

    `findings` are columns that were left out; `grounds` are the maps, the features as they are
    first; `entries` the rules on them and, last, the referees.
    """

    source: str
    target: str | None
    counts: Counts
    findings: tuple[Finding, ...]
    n_folds: int
    seed: int
    proof_seconds: float
    grounds: tuple[Ground, ...]
    entries: tuple[Entry, ...]

    @property
    def n_rows(self) -> int:
        """How many rows there were."""
        return sum(self.counts.values())

    @property
    def majority_share(self) -> float:
        """Share of the largest class: what who knows nothing would be right on."""
        return max(self.counts.values()) / self.n_rows

    @cached_property
    def best(self) -> Entry:
        """The entry that is right most often."""
        return self.best_of(self.entries)

    @property
    def quickest(self) -> float:
        """Seconds of the line that learned quickest."""
        return min(entry.fit_seconds for entry in self.entries if not entry.is_referee)

    def best_of(self, entries: tuple[Entry, ...]) -> Entry:
        """The entry that is right most often; of equals, the one with the fewest features."""
        return max(entries, key=lambda e: (e.accuracy, -self.ground(e).n_features))

    def ground(self, entry: Entry) -> Ground:
        """The features that an entry learned from."""
        return next(ground for ground in self.grounds if ground.map == entry.map)

    def difference(self, one: Entry, other: Entry) -> Paired:
        """By how much one entry is right more often than another, on rows that both decided."""
        both = one.judged & other.judged
        return paired(np.asarray(one.right[both]), np.asarray(other.right[both]))

    def __str__(self) -> str:
        from rosenblatt.studies.telling import told  # noqa: PLC0415 (tells about this record)

        return told(self)
