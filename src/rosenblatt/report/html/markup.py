"""HTML and SVG as text. Everything that is not markup already is escaped."""

import json
from html import escape
from typing import Any

CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127), "\N{REPLACEMENT CHARACTER}")


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()

    def __add__(self, other: str) -> "Markup":
        """Markup and what follows it."""
        return Markup(super().__add__(text(other)))


def text(value: Any) -> Markup:
    """A value as text of a page."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(str(value).translate(CONTROLS)))


def tag(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element: `tag("td", 5, class_="number")`. An attribute of None is left out."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{joined(content)}</{name}>")


def void(name: str, /, **attributes: Any) -> Markup:
    """An element without content and without an end."""
    return Markup(tag(name, **attributes).removesuffix(f"</{name}>"))


def joined(parts: Any, between: str = "") -> Markup:
    """Parts joined to one markup."""
    return Markup(between.join(text(part) for part in parts))


def data(value: Any, id_: str) -> Markup:
    """Plain data for the script of a page, encoded so that it cannot end the element."""
    encoded = json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return tag("script", Markup(encoded), type="application/json", id=id_)


def table(head: list[Any], rows: list[list[Any]], **attributes: Any) -> Markup:
    """A table with a line of names; cells that are tags already stay as they are."""
    top = tag("tr", *(tag("th", name, scope="col") for name in head))
    body = (tag("tr", *map(_cell, row)) for row in rows)
    return tag("table", tag("thead", top), tag("tbody", *body), **attributes)


def _cell(value: Any) -> Markup:
    if isinstance(value, Markup) and value.startswith(("<td", "<th")):
        return value
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    content = f"{value:,}" if isinstance(value, int) else f"{value:.4g}" if number else value
    return tag("td", content, class_="number" if number else None)
