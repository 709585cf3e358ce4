"""Figures as text for people."""

from collections.abc import Sequence
from typing import Any

SHOWN_PASSES = 12
SHOWN_WEIGHTS = 10
SHOWN_CLASSES = 12
SHOWN_COLUMNS = 12
LONGEST = 60  # name in a table


def sentences(told: dict[str, Any]) -> str:
    """The figures of a fit as text."""
    parts = [
        *_about_the_data(told),
        told["rule"] + _price(told["C"]) + _mistakes_a_pass(told["mistakes"]),
        told["outcome"],
        *_about_accuracy(told),
        weights_table(told["weights"], told["features"]),
    ]
    parts.extend(_about_separability(told))
    kept = told["model"]
    parts.append("Not kept: -o MODEL writes it." if kept is None else f"Written to {kept}.")
    if told["report"] is not None:
        parts.append(f"Report in {told['report']}.")
    return "\n".join(parts)


def _about_separability(told: dict[str, Any]) -> list[str]:
    """The verdict on the rows as they were read, and on what the maps made of them."""
    as_read, of_features = told["separability"], told["separability_of_features"]
    parts = [] if as_read is None else [_verdict(as_read)]
    if of_features is not None:
        parts.append(f"After {_maps(told)}: {_verdict(of_features)}")
    if told["rows_in_file"]:
        what = " these features of" if as_read is not None else ""
        parts.append(f"No proof was looked for in{what} so many rows: `rosenblatt separable` does.")
    return parts


def _verdict(told: dict[str, Any]) -> str:
    """A verdict, and whether the columns left out would change it."""
    effect = told["question"]["effect_of_left_out"]
    return f"{told['explanation']}\n{effect}" if effect else str(told["explanation"])


def _maps(told: dict[str, Any]) -> str:
    return " and ".join(made["map"] for made in told["maps"])


def _about_the_data(told: dict[str, Any]) -> list[str]:
    rows, features = told["rows"], told["encoded_features"]
    classes = listed([f"{brief(name)} {count:,}" for name, count in told["classes"].items()])
    target = "" if told["target"] is None else f"{told['target']}: "
    noun = "feature" if features == 1 else "features"
    parts = [f"{told['source']}: {rows:,} rows, {features:,} {noun}; {target}{classes}"]
    if told["columns"] and any(c["kind"] != "number" for c in told["columns"]):
        parts.append(f"Columns: {listed([_column(c) for c in told['columns']], SHOWN_COLUMNS)}")
    if told["maps"]:
        parts.append(f"Features by {_maps(told)}: {told['features']:,}")
    for left in told["left_out"]:
        name = left["column"]
        parts.append(f"Left out {name!r}: {left['reason']} (--use {name} takes it in).")
    return parts


def _column(column: dict[str, Any]) -> str:
    kind, n = ", ".join([column["kind"], *filter(None, [column.get("read")])]), column["features"]
    name = brief(column["name"])
    return f"{name} ({kind})" if n == 1 else f"{name} ({kind}, {n:,} features)"


def _about_accuracy(told: dict[str, Any]) -> list[str]:
    majority = f"the largest class alone: {told['majority_share']:.2%}"
    training = f"Right on the training rows: {told['training_accuracy']:.2%}"
    if told["test"] is None:
        return [f"{training} ({majority}).", told["test_advice"]]
    test = told["test"]
    low, high = test["interval"]
    new = (
        f"Right on new rows: {test['accuracy']:.2%} ({majority}); 95 % interval {low:.2%} to"
        f" {high:.2%}, by {test['method']} ({test['rows']:,} rows)."
    )
    return [
        new,
        f"{training}.",
        confusion_table(list(told["classes"]), test["confusion"]),
    ]


def confusion_table(classes: Sequence[str], counts: Sequence[Sequence[int]]) -> str:
    """How often each class (a line) was decided for each (a column)."""
    if len(classes) > SHOWN_CLASSES:
        return f"(The table of {len(classes)} × {len(classes)} decisions is in --json.)"
    classes = [brief(name) for name in classes]
    width = max(len(name) for name in [*classes, "true \\ decided"])
    longest = max(len(f"{n:,}") for row in counts for n in row)
    columns = [(k, max(longest, 6, len(name))) for k, name in enumerate(classes)]
    head = "".join(f"  {classes[k]:>{size}}" for k, size in columns)
    lines = ["true \\ decided".ljust(width) + head]
    for name, row in zip(classes, counts, strict=True):
        lines.append(name.ljust(width) + "".join(f"  {row[k]:>{size},}" for k, size in columns))
    return "\n".join(lines)


def weights_table(weights: dict[str, dict[str, float]], n_features: int) -> str:
    """Largest weights by feature name, a column a unit, the bias last."""
    shown_units = dict(list(weights.items())[:SHOWN_CLASSES])
    *features, bias = next(iter(weights.values()))
    shown = [*features[:SHOWN_WEIGHTS], bias]
    width = max(len(brief(name)) for name in [*shown, "weights"])
    columns = [(unit, max(10, len(brief(unit)))) for unit in shown_units]
    lines = ["weights".ljust(width) + "".join(f"  {brief(unit):>{size}}" for unit, size in columns)]
    for name in shown:
        cells = "".join(f"  {weights[unit][name]:>{size}.4g}" for unit, size in columns)
        lines.append(brief(name).ljust(width) + cells)
    left = n_features - SHOWN_WEIGHTS
    if left > 0:
        lines.insert(-1, f"… {left:,} smaller ones")
    return "\n".join(lines)


def brief(name: str) -> str:
    """A name that fits into a line of a table."""
    line = " ".join(name.splitlines())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def listed(items: Sequence[str], most: int = SHOWN_CLASSES) -> str:
    """Some words with commas between them, and how many more there are."""
    more = f", … ({len(items) - most:,} more)" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def _price(C: Any) -> str:
    return "" if C is None else f", C = {C:g}" if isinstance(C, (int, float)) else f", C = {C}"


def _mistakes_a_pass(mistakes: list[int] | None) -> str:
    if mistakes is None:
        return ""
    shown = ", ".join(str(m) for m in mistakes[:SHOWN_PASSES])
    rest = "" if len(mistakes) <= SHOWN_PASSES else f", …, {mistakes[-1]}"
    return f", mistakes a pass: {shown}{rest}"
