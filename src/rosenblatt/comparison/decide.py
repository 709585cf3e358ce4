"""Is linear enough? What a comparison shows, by its paired intervals."""

from typing import NamedTuple

from rosenblatt.comparison.paired_test import PairedDifference
from rosenblatt.comparison.result import NO_MAP, Comparison, Result


class ResultDifference(NamedTuple):
    """The difference in accuracy of a result against a reference."""

    result: Result
    reference: Result
    paired: PairedDifference

    @property
    def better(self) -> bool:
        """Whether the result is significantly better, at 5 %."""
        return self.paired.low > 0


class Conclusion(NamedTuple):
    """The best non-linear baseline against linear rules, and the best feature map against none.

    A linear rule is enough where the best baseline is not significantly better.
    """

    nonlinear_vs_linear: ResultDifference
    mapped_vs_plain: ResultDifference | None
    nonlinear_vs_mapped: ResultDifference | None

    @property
    def linear_enough(self) -> bool:
        """Whether a linear rule on the features as they are is enough."""
        return not self.nonlinear_vs_linear.better

    @property
    def feature_map_helps(self) -> bool:
        """Whether the best feature map improves accuracy significantly."""
        return self.mapped_vs_plain is not None and self.mapped_vs_plain.better

    @property
    def linear_enough_after_map(self) -> bool | None:
        """Whether a linear rule after the best map is enough; None where no map was tried."""
        return None if self.nonlinear_vs_mapped is None else not self.nonlinear_vs_mapped.better


def conclude(comparison: Comparison) -> Conclusion:
    """What a comparison shows."""
    nonlinear = comparison.best_of(tuple(r for r in comparison.results if r.is_baseline))
    linear = tuple(r for r in comparison.results if not r.is_baseline)
    plain = comparison.best_of(tuple(r for r in linear if r.map == NO_MAP))
    mapped = tuple(r for r in linear if r.map != NO_MAP)
    first = _difference(comparison, nonlinear, plain)
    if not mapped:
        return Conclusion(first, None, None)
    best = comparison.best_of(mapped)
    helps = _difference(comparison, best, plain)
    return Conclusion(first, helps, _difference(comparison, nonlinear, best))


def _difference(comparison: Comparison, result: Result, reference: Result) -> ResultDifference:
    return ResultDifference(result, reference, comparison.difference(result, reference))
