"""A comparison as text: a table, and one paragraph that answers the question."""

from rosenblatt.comparison.compare import Conclusion, ResultDifference, conclude
from rosenblatt.comparison.result import Comparison, FeatureSet, Result
from rosenblatt.pipeline.evaluate import PairedDifference
from rosenblatt.separation.proof.verdict import Inseparable, Separable
from rosenblatt.text import listed, listed_with_and

HEAD = ("rule", "features", "weights", "accuracy (95 % CI)", "vs. best, points", "fit time")
SHOWN_ROWS = 8
SHOWN_CLASSES = 12
MIN_UNINFORMATIVE = 0.01  # probability of separable random labels from which a verdict says little


def comparison_text(comparison: Comparison) -> str:
    """The comparison as text."""
    counts = [f"{label} {n:,}" for label, n in comparison.counts.items()]
    classes = listed(counts, SHOWN_CLASSES)
    features = comparison.feature_sets[0].n_features
    about = f"{comparison.source}: {comparison.n_rows:,} rows, {features:,} features; {classes}"
    evaluated = (
        f"{comparison.n_folds}-fold CV, the same folds for all; majority-class baseline"
        f" {_percent(comparison.baseline_accuracy)}."
    )
    notes = [f"{result.rule}: {result.note}." for result in comparison.results if result.note]
    left_out = map(str, comparison.left_out)
    lines = [about, *left_out, evaluated, *_table(comparison), *notes, "", conclusion(comparison)]
    return "\n".join(lines)


def conclusion(comparison: Comparison) -> str:
    """One paragraph: is linear enough, which feature map helps, and what is separable."""
    shown = conclude(comparison)
    parts = [_about_linear(shown), *_about_map(comparison, shown)]
    return " ".join([*parts, *_about_separability(comparison)])


def _table(comparison: Comparison) -> list[str]:
    ranked = sorted(comparison.results, key=lambda result: -result.accuracy)
    cells = [HEAD, *(_cells(comparison, result) for result in ranked)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEAD))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _cells(comparison: Comparison, result: Result) -> tuple[str, ...]:
    low, high = result.accuracy_interval
    best = result is comparison.best
    return (
        result.rule,
        result.map,
        "" if result.n_weights is None else f"{result.n_weights:,}",
        f"{_percent(result.accuracy)} ({100 * low:.1f}–{100 * high:.1f} %)",
        "" if best else _points(comparison.difference(result, comparison.best)),
        f"× {result.fit_seconds / comparison.fastest_fit_seconds:.1f}",
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"


def _points(by: PairedDifference) -> str:
    """A difference in percentage points, with its interval, as a cell of the table."""
    return f"{100 * by.difference:+.2f} ({100 * by.low:+.2f} to {100 * by.high:+.2f})"


def _difference(by: PairedDifference) -> str:
    """A difference in percentage points, with its interval, within a sentence."""
    chance = "" if by.low > 0 or by.high < 0 else "; not significant at 5 %"
    return (
        f"{100 * by.difference:+.2f} points (95 % CI {100 * by.low:+.2f} to"
        f" {100 * by.high:+.2f}{chance})"
    )


def _about_linear(shown: Conclusion) -> str:
    nonlinear, linear, by = shown.nonlinear_vs_linear
    enough = "A linear rule is enough" if shown.linear_enough else "A linear rule is not enough"
    about = (
        f"{enough} on the original features: {linear.rule} has an accuracy of"
        f" {_percent(linear.accuracy)}, and {nonlinear.rule}, the best non-linear baseline, of"
        f" {_percent(nonlinear.accuracy)}"
    )
    both = f" on the {by.n_rows:,} rows that both predicted" if by.n_rows < linear.n_rows else ""
    return f"{about}; the difference is {_difference(by)}{both}."


def _about_map(comparison: Comparison, shown: Conclusion) -> list[str]:
    if shown.mapped_vs_plain is None:
        return []
    best, plain, by = shown.mapped_vs_plain
    accuracy = _percent(best.accuracy)
    if not shown.feature_map_helps:
        neither = f"{shown.nonlinear_vs_linear.result.rule} is not significantly better than that"
        left = "" if shown.linear_enough else _remaining(shown.nonlinear_vs_mapped, neither)
        sentence = (
            f"No feature map improves accuracy significantly: with the best, {best.map},"
            f" {best.rule} has an accuracy of {accuracy}, {_difference(by)}{left}."
        )
        return [sentence]
    cost = _cost(comparison, best, plain)
    still = "still" if shown.linear_enough else "then"
    left = _remaining(shown.nonlinear_vs_mapped, f"a linear rule is {still} enough")
    sentence = (
        f"The feature map {best.map} helps: {best.rule} then has an accuracy of {accuracy},"
        f" {_difference(by)}, at {cost}{left}."
    )
    return [sentence]


def _cost(comparison: Comparison, one: Result, other: Result) -> str:
    features = comparison.feature_set(one).n_features / comparison.feature_set(other).n_features
    seconds = one.fit_seconds / other.fit_seconds
    return f"{features:.3g} times the features and {seconds:.2g} times the fit time"


def _remaining(after: ResultDifference | None, otherwise: str) -> str:
    if after is None:
        return ""
    if after.better:
        return f"; {after.result.rule} is still better, by {_difference(after.paired)}"
    return f"; {otherwise}"


def _about_separability(comparison: Comparison) -> list[str]:
    first, *mapped = comparison.feature_sets
    parts = [_verdict(first, comparison.proof_seconds)]
    for answer, words in (
        ("separable", "the classes are linearly separable (proved)"),
        ("inseparable", "the classes are not linearly separable (proved)"),
        ("undecided", f"separability was not decided within {comparison.proof_seconds:g} s"),
    ):
        alike = [f for f in mapped if f.proof is not None and f.proof.answer == answer]
        if alike:
            names = listed_with_and([features.map for features in alike])
            parts.append(f"After {names}, {words}{_cover(alike[-1])}.")
    return [part for part in parts if part]


def _verdict(features: FeatureSet, seconds: float) -> str:
    """What is proved about the original features."""
    proof = features.proof
    if proof is None:
        return ""
    if isinstance(proof, Separable):
        return f"The classes are linearly separable (proved){_cover(features)}."
    if isinstance(proof, Inseparable):
        rows = listed(sorted(set(proof.rows)), SHOWN_ROWS)
        return (
            "The classes are not linearly separable (proved): with positive weights, the signed"
            f" sum of the rows {rows} (counted from 0) is exactly 0."
        )
    return f"Separability was not decided within {seconds:g} s."


def _cover(features: FeatureSet) -> str:
    """The probability that random labels are separable, where it is known."""
    chance = features.cover_probability
    if features.proof is None or features.proof.answer != "separable" or chance is None:
        return ""
    little = ", so this says little" if chance > MIN_UNINFORMATIVE else ""
    probability = features.cover_probability_text
    return f"; random labels would be separable with probability at most {probability}{little}"
