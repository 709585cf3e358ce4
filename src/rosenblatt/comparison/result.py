"""The results of a comparison: predictions of every rule, fit times, verdicts on separability."""

from dataclasses import dataclass
from functools import cached_property
from statistics import median_low

import numpy as np

from rosenblatt.pipeline.evaluate import PairedDifference, paired_difference, wilson
from rosenblatt.preprocess.column_types import LeftOutColumn
from rosenblatt.preprocess.target import LabelCounts
from rosenblatt.separation.proof import cover_count
from rosenblatt.separation.proof.verdict import Proof
from rosenblatt.types import Array

NO_MAP = "none"


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """A feature map, the number of its features, and the verdict on separability after it.

    `rank` is that of the matrix (X, 1), or its number of columns where finding the rank would take
    long. `cover_probability` bounds the probability that random labels are separable: it is that of
    Cover's theorem for points in general position, and None for more than two classes.
    """

    map: str
    n_features: int
    n_rows: int
    rank: int | None
    proof: Proof | None

    @property
    def cover_probability(self) -> float | None:
        """The largest probability that random labels are separable."""
        return None if self.rank is None else cover_count.chance(self.n_rows, self.rank)

    @property
    def cover_probability_text(self) -> str | None:
        """The same as text, also where it is below all floats."""
        return None if self.rank is None else cover_count.chance_text(self.n_rows, self.rank)


@dataclass(frozen=True, eq=False)
class Result:
    """The cross-validated predictions of a rule after a feature map, or of a non-linear baseline.

    `correct` says for every row whether it was predicted correctly, `evaluated` whether it was
    predicted at all. `seconds` are the fit times, one a fold. `note` says if rows were sampled.
    """

    rule: str
    map: str
    correct: Array
    evaluated: Array
    seconds: tuple[float, ...]
    n_weights: int | None
    note: str = ""

    @cached_property
    def accuracy(self) -> float:
        """Share of the evaluated rows that are predicted correctly."""
        return float(self.correct[self.evaluated].mean())

    @property
    def n_rows(self) -> int:
        """Number of evaluated rows."""
        return int(self.evaluated.sum())

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval around the accuracy."""
        return wilson(self.accuracy, self.n_rows)

    @property
    def fit_seconds(self) -> float:
        """Median fit time of a fold, the lower of two: the first may include compilation."""
        return median_low(self.seconds)

    @property
    def is_baseline(self) -> bool:
        """Whether it is a non-linear baseline."""
        return self.n_weights is None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every rule after every feature map, and two non-linear baselines, on the same folds.

    `left_out` are columns that were left out. `feature_sets` begin with the original features;
    `results` end with the baselines.
    """

    source: str
    target: str | None
    counts: LabelCounts
    left_out: tuple[LeftOutColumn, ...]
    n_folds: int
    seed: int
    proof_seconds: float
    feature_sets: tuple[FeatureSet, ...]
    results: tuple[Result, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.counts.values())

    @property
    def baseline_accuracy(self) -> float:
        """Accuracy of the majority-class baseline."""
        return max(self.counts.values()) / self.n_rows

    @cached_property
    def best(self) -> Result:
        """The result of the highest accuracy."""
        return self.best_of(self.results)

    @property
    def fastest_fit_seconds(self) -> float:
        """Fit time of the linear rule that was fitted fastest."""
        return min(result.fit_seconds for result in self.results if not result.is_baseline)

    def best_of(self, results: tuple[Result, ...]) -> Result:
        """The result of the highest accuracy; of equals, the one with the fewest features."""
        return max(results, key=lambda e: (e.accuracy, -self.feature_set(e).n_features))

    def feature_set(self, result: Result) -> FeatureSet:
        """The features that a result was trained on."""
        return next(
            feature_set for feature_set in self.feature_sets if feature_set.map == result.map
        )

    def difference(self, one: Result, other: Result) -> PairedDifference:
        """Difference in accuracy of two results, on the rows that both predicted."""
        both = one.evaluated & other.evaluated
        return paired_difference(np.asarray(one.correct[both]), np.asarray(other.correct[both]))

    def __str__(self) -> str:
        from rosenblatt.comparison.text import comparison_text  # noqa: PLC0415 (which imports this)

        return comparison_text(self)
