"""The HTML page: sections under a header, with inline style and script and no external resources.

Its content security policy lets nothing run or load but what this module wrote. So a report opens
without a network, and text from the data cannot become code.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from rosenblatt.atomic_write import written_whole
from rosenblatt.report.html.markup import Markup, tag, void


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
    """Text with a paragraph a line."""
    return Markup("".join(tag("p", line) for line in text.splitlines() if line))


def _own(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _hash(content: Markup) -> str:
    return "sha256-" + b64encode(sha256(content.encode()).digest()).decode()
