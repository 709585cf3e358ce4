"""HTML and SVG as text, and the page of a report: everything that is not markup is escaped.

The page has sections under a header, with inline style and script and no external resources. Its
content security policy lets nothing run or load but what this module wrote. So a report opens
without a network, and text from the data cannot become code.
"""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from importlib.resources import files
from math import ceil, floor, log10
from pathlib import Path
from typing import Any, NamedTuple

from rosenblatt import palette
from rosenblatt.atomic_write import written_whole
from rosenblatt.geometry.plane import Box

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


LEFT, RIGHT, TOP, BOTTOM = 72, 12, 14, 44  # room for names and numbers, in pixels
Points = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Frame:
    """A part of the plane on a drawing of so many pixels; `log` if up are powers of ten.

    `left` is the room for names and numbers beside it.
    """

    box: Box
    width: int = 640
    height: int = 420
    log: bool = False
    left: int = LEFT

    def x(self, value: float) -> float:
        """Where a value across is drawn."""
        span = self.box.right - self.box.left
        inside = self.width - self.left - RIGHT
        return round(self.left + inside * (value - self.box.left) / span, 1)

    def y(self, value: float) -> float:
        """Where a value up is drawn."""
        span = self.box.top - self.box.bottom
        inside = self.height - TOP - BOTTOM
        return round(self.height - BOTTOM - inside * (value - self.box.bottom) / span, 1)

    def points(self, line: Points) -> str:
        """A polyline or polygon as SVG has it."""
        return " ".join(f"{self.x(x):g},{self.y(y):g}" for x, y in line)

    def drawing(self, title: str, *content: Any, **attributes: Any) -> Markup:
        """The whole drawing, with a title that is read aloud."""
        size = f"0 0 {self.width} {self.height}"
        parts = (tag("title", title), *content)
        return tag("svg", *parts, viewBox=size, role="img", aria_label=title, **attributes)

    def axes(self, across: str, up: str, *, numbers_up: bool = True, whole: bool = False) -> Markup:
        """Lines, numbers and names on the lower and the left edge; whole numbers across, if so."""
        left, right, bottom, top = self.box
        base, side = self.height - BOTTOM, self.left
        parts = [line(side, base, self.width - RIGHT, base), line(side, TOP, side, base)]
        for value in ticks(left, right, least=1.0 if whole else 0.0):
            x = self.x(value)
            parts += [line(x, base, x, base + 5), label_at(x, base + 18, number(value))]
        for value in ticks(bottom, top, least=1.0 if self.log else 0.0) if numbers_up else ():
            label = f"1e{value:g}".replace("-", "−") if self.log else number(value)
            y = self.y(value)
            parts += [line(side - 5, y, side, y), label_at(side - 8, y + 4, label, "end")]
        middle = (self.left + self.width - RIGHT) / 2
        parts.append(label_at(middle, self.height - 6, across, class_="name"))
        halfway = (TOP + base) / 2
        turned = f"rotate(-90 14 {halfway:g})"
        parts.append(label_at(14, halfway, up, class_="name", transform=turned))
        return tag("g", *parts, class_="axes")


def line(x1: float, y1: float, x2: float, y2: float, **attributes: Any) -> Markup:
    """A straight line."""
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def label_at(x: float, y: float, label: str, anchor: str = "middle", **attributes: Any) -> Markup:
    """Text at a place."""
    return tag("text", label, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, **attributes)


def ticks(low: float, high: float, count: int = 6, *, least: float = 0.0) -> list[float]:
    """Round numbers from low to high, about so many, so far from each other at least."""
    smallest = max((high - low) / count, least)
    power = 10.0 ** floor(log10(smallest))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= smallest * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def number(value: float) -> str:
    """A number on an axis."""
    return f"{value:,.10g}".replace("-", "−") if abs(value) < 1e5 else f"{value:.3g}"


def markers(frame: Frame, points: Iterable[Sequence[float]], k: int, size: float = 4.0) -> Markup:
    """Points of class k as one path, in its colour and shape."""
    shape = OUTLINES[palette.shape(k)]
    path = "".join(f"M{frame.x(x):g} {frame.y(y):g}{shape(size)}" for x, y in points)
    return tag("path", d=path, fill=palette.colour(k), class_="rows")


def symbol(k: int) -> Markup:
    """The look of class k, for a legend."""
    shape = OUTLINES[palette.shape(k)](5.0)
    mark = tag("path", d=f"M8 8{shape}", fill=palette.colour(k))
    return tag("svg", mark, viewBox="0 0 16 16", class_="symbol", aria_hidden="true")


def legend(classes: Sequence[Any], most: int = 26) -> Markup:
    """The looks of the classes and their names."""
    items = [tag("li", symbol(k), " ", name) for k, name in enumerate(classes[:most])]
    more = [tag("li", f"and {len(classes) - most} more")] if len(classes) > most else []
    return tag("ul", *items, *more, class_="legend")


def _circle(r: float) -> str:
    return f"m{-r:g} 0a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"


def _polygon(*corners: tuple[float, float]) -> Any:
    """The outline with these corners, as a function of its size."""

    def outline(r: float) -> str:
        steps, here = [], (0.0, 0.0)
        for x, y in corners:
            steps.append(f"{r * (x - here[0]):g} {r * (y - here[1]):g}")
            here = (x, y)
        return f"m{steps[0]}l{' '.join(steps[1:])}z"

    return outline


OUTLINES = {
    "circle": _circle,
    "square": _polygon((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": _polygon((0, -1.15), (1.05, 0.8), (-1.05, 0.8)),
    "diamond": _polygon((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "wedge": _polygon((0, 1.15), (1.05, -0.8), (-1.05, -0.8)),
    "cross": _polygon(
        *((-1, -0.6), (-0.6, -1), (0, -0.4), (0.6, -1), (1, -0.6), (0.4, 0)),
        *((1, 0.6), (0.6, 1), (0, 0.4), (-0.6, 1), (-1, 0.6), (-0.4, 0)),
    ),
    "plus": _polygon(
        *((-0.4, -1.15), (0.4, -1.15), (0.4, -0.4), (1.15, -0.4), (1.15, 0.4), (0.4, 0.4)),
        *((0.4, 1.15), (-0.4, 1.15), (-0.4, 0.4), (-1.15, 0.4), (-1.15, -0.4), (-0.4, -0.4)),
    ),
    "star": _polygon(
        *((0, -1.35), (0.33, -0.45), (1.28, -0.42), (0.53, 0.17), (0.79, 1.09)),
        *((0, 0.56), (-0.79, 1.09), (-0.53, 0.17), (-1.28, -0.42), (-0.33, -0.45)),
    ),
}


class Section(NamedTuple):
    """A section of a report; a wide one takes the full width of the page."""

    title: str
    content: Markup
    wide: bool = False


def page(title: str, summary: Markup, sections: list[Section]) -> str:
    """The report as text."""
    style, script = _own("page.css"), _own("page.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_hash(style)}';"
        f" script-src '{_hash(script)}'"
    )
    head = tag(
        "head",
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=policy),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", style),
    )
    parts = (
        tag("section", tag("h2", part.title), part.content, class_="wide" if part.wide else None)
        for part in sections
    )
    top = tag("header", tag("h1", title), summary)
    body = tag("body", top, tag("main", *parts), tag("script", script))
    return "<!DOCTYPE html>\n" + tag("html", head, body, lang="en") + "\n"


def write_page(path: str | Path, report: str) -> None:
    """Write a report, whole or not at all."""
    with written_whole(path) as file:
        file.write(report.encode("utf-8", "replace"))


def paragraphs(text: str) -> Markup:
    """Text with one paragraph per line."""
    return Markup("".join(tag("p", line) for line in text.splitlines() if line))


def _own(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _hash(content: Markup) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
