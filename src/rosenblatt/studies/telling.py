"""A comparison as text: a table, and one paragraph that answers the question."""

from collections.abc import Sequence

from rosenblatt.evidence.proof.verdict import Inseparable, Separable
from rosenblatt.studies.comparison import Comparison, Entry, Ground
from rosenblatt.studies.concluding import Conclusion, Gap, concluded
from rosenblatt.studies.pairing import Paired

HEAD = ("rule", "features", "weights", "right on new rows", "against the best", "fit time")
SHOWN_ROWS = 8
SHOWN_CLASSES = 12
LIKELY = 0.01  # chance of separable random labels from which on being separable says little


def told(found: Comparison) -> str:
    """The comparison as text."""
    counts = [f"{label} {n:,}" for label, n in found.counts.items()]
    more = ", …" if len(counts) > SHOWN_CLASSES else ""
    classes = ", ".join(counts[:SHOWN_CLASSES]) + more
    features = found.grounds[0].n_features
    about = f"{found.source}: {found.n_rows:,} rows, {features:,} features; {classes}"
    judged = (
        f"Every entry decided the same {found.n_folds} folds, learning from the others; the"
        f" largest class alone: {found.majority_share:.2%}."
    )
    notes = [f"{e.rule}: {e.note}." for e in found.entries if e.note]
    left_out = map(str, found.findings)
    return "\n".join([about, *left_out, judged, *_table(found), *notes, "", conclusion(found)])


def conclusion(found: Comparison) -> str:
    """One paragraph: is linear enough, which map helps, and what cannot be separated."""
    shown = concluded(found)
    parts = [_about_referee(shown), *_about_map(found, shown)]
    return " ".join([*parts, *_about_separability(found)])


def _table(found: Comparison) -> list[str]:
    ranked = sorted(found.entries, key=lambda e: -e.accuracy)
    cells = [HEAD, *(_cells(found, entry) for entry in ranked)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEAD))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _cells(found: Comparison, entry: Entry) -> tuple[str, ...]:
    low, high = entry.interval
    against = "" if entry is found.best else _points(found.difference(entry, found.best))
    return (
        entry.rule,
        entry.map,
        "" if entry.n_weights is None else f"{entry.n_weights:,}",
        f"{entry.accuracy:.2%} ({low:.2%} to {high:.2%})",
        against,
        f"× {entry.fit_seconds / found.quickest:.1f}",
    )


def _points(by: Paired) -> str:
    """A difference in points of a hundred, with its interval."""
    return f"{100 * by.difference:+.2f} ({100 * by.low:+.2f} to {100 * by.high:+.2f})"


def _about_referee(shown: Conclusion) -> str:
    referee, line, by = shown.referee
    beginning = "A line is enough" if shown.linear_enough else "A line is not enough"
    about = (
        f"{beginning} on the features as they are: {line.rule} is right on {line.accuracy:.2%} of"
        f" new rows, the best referee, {referee.rule}, on {referee.accuracy:.2%}"
    )
    both = f" on the {by.rows:,} rows that both decided" if by.rows < line.rows else ""
    return f"{about}, {_points(by)} points{both}{_weighed(by)}."


def _weighed(by: Paired) -> str:
    if by.low > 0 or by.high < 0:
        return ""
    return ", which chance may make"


def _about_map(found: Comparison, shown: Conclusion) -> list[str]:
    if shown.map is None:
        return []
    best, plain, by = shown.map
    change = f"{best.rule} is then right on {best.accuracy:.2%}, {_points(by)} points"
    if not shown.map_helps:
        neither = f"{shown.referee.entry.rule} is not shown to be better than that"
        left = "" if shown.linear_enough else _left(shown.referee_after, neither)
        start = f"No map is shown to help: after {best.map}, the best of them,"
        return [f"{start} {change}{_weighed(by)}{left}."]
    cost = _cost(found, best, plain)
    still = "still" if shown.linear_enough else "then"
    left = _left(shown.referee_after, f"a line is {still} enough")
    return [f"{best.map} helps: {change}, at {cost}{left}."]


def _cost(found: Comparison, one: Entry, other: Entry) -> str:
    features = found.ground(one).n_features / found.ground(other).n_features
    seconds = one.fit_seconds / other.fit_seconds
    return f"{features:.3g} times the features and {seconds:.2g} times the fit time"


def _left(after: Gap | None, otherwise: str) -> str:
    if after is None:
        return ""
    if after.better:
        return f"; {after.entry.rule} is still better, by {_points(after.by)} points"
    return f"; {otherwise}"


def _about_separability(found: Comparison) -> list[str]:
    first, *maps = found.grounds
    parts = [_verdict(first, found.proof_seconds)]
    for answer, words in (
        ("separable", "a line puts every row right, which is proved"),
        ("inseparable", "no line does, which is proved too"),
        ("undecided", f"nothing was decided in {found.proof_seconds:g} s"),
    ):
        alike = [g for g in maps if g.proof is not None and g.proof.answer == answer]
        if alike:
            parts.append(f"After {_listed(alike)} {words}{_chance(alike[-1])}.")
    return [part for part in parts if part]


def _verdict(ground: Ground, seconds: float) -> str:
    """What is proved about the features as they are."""
    proof = ground.proof
    if proof is None:
        return ""
    if isinstance(proof, Separable):
        return f"A line puts every row right, which is proved{_chance(ground)}."
    if isinstance(proof, Inseparable):
        rows = sorted(set(proof.rows))
        first = ", ".join(map(str, rows[:SHOWN_ROWS]))
        more = f", … ({len(rows)} in all)" if len(rows) > SHOWN_ROWS else ""
        return (
            f"No line puts every row right: rows {first}{more}, counted from 0, cannot be"
            " separated, since with positive weights their signed sum is exactly 0."
        )
    return f"Whether a line can put every row right was not decided in {seconds:g} s."


def _chance(ground: Ground) -> str:
    """How much being separable says, where it is known."""
    if ground.proof is None or ground.proof.answer != "separable" or ground.chance is None:
        return ""
    chance = f"random labels would be separable with chance {ground.chance_text} at most"
    return f" ({chance}{', so it says little' if ground.chance > LIKELY else ''})"


def _listed(grounds: Sequence[Ground]) -> str:
    names = [ground.map for ground in grounds]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
