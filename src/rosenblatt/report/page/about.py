"""What every report has: the figures at its head, the data, and how it was made."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from rosenblatt.report.page.html import Markup, joined, table, tag
from rosenblatt.report.page.page import Section

SHOWN_CLASSES = 30
SHOWN_COLUMNS = 200
Tile = tuple[str, str, str]  # a name, what matters, and more about it


class Made(NamedTuple):
    """What a report was made by: the command, when, and with which versions."""

    command: str
    date: str
    versions: dict[str, str]


def tiles(told: Sequence[Tile]) -> Markup:
    """What matters most, side by side."""
    boxes = (
        tag("div", tag("dt", name), tag("dd", value, tag("small", more)))
        for name, value, more in told
    )
    return tag("dl", *boxes, class_="tiles")


def data_section(told: dict[str, Any]) -> Section:
    """What was learned from; a comparison tells less about it than a fit."""
    target = "" if told["target"] is None else f" by {told['target']}"
    head = tag("p", f"{told['source']}: {told['rows']:,} rows, classes{target}:")
    counts = [[name, count] for name, count in told["classes"].items()]
    parts = [head, table(["class", "rows"], counts[:SHOWN_CLASSES])]
    if told.get("columns"):
        columns = [[c["name"], c["kind"], c["features"]] for c in told["columns"]]
        parts.append(table(["column", "kind", "features"], columns[:SHOWN_COLUMNS]))
    if "columns" in told and told["maps"]:
        made = [[each["map"]] for each in told["maps"]]
        parts.append(table([f"{told['features']:,} features by"], made))
    if told["left_out"]:
        left = [[each["column"], each["reason"]] for each in told["left_out"]]
        parts.append(table(["left out", "because"], left))
    return Section("The data", joined(parts))


def made_section(made: Made, settings: dict[str, Any] | None = None) -> Section:
    """How to have the same again."""
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    parts = [tag("p", tag("code", made.command)), tag("p", f"{made.date}; {versions}.")]
    if settings:
        rows = table(["setting", "value"], [[name, str(value)] for name, value in settings.items()])
        parts.append(tag("details", tag("summary", "Settings of the rule"), rows))
    return Section("How it was made", joined(parts))
