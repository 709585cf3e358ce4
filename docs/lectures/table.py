"""Write the table of all topics of the lectures, from the pages and the examples.

python docs/lectures/table.py [--print]
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
SECTION = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
DISPLAY = re.compile(r"\b(\w+Display)\b")
EXAMPLE = re.compile(r"examples/(lecture_\d+/\w+\.py)")
COLUMNS = "| | topic | picture | example |\n|---|---|---|---|"
HEAD = """# The lectures

Five university lectures describe what this library does. Each has a page with one section for
each topic of its slides: what the slide says, a few lines of code, and a picture if the slide
is one. The worked examples are also scenes that can be played: `rosenblatt.scene("003-batch")` in
Python, `rosenblatt lab --scene 003-batch` in the lab. The experiments are scripts in the folder
`examples`; `python examples/notebooks.py` makes a notebook for each lecture.
"""


class Topic(NamedTuple):
    """A section of a page: its number, title and text."""

    number: str
    title: str
    text: str


def topics(page: str) -> list[Topic]:
    """The sections of a page."""
    found = list(SECTION.finditer(page))
    ends = [*(m.start() for m in found[1:]), len(page)]
    return [Topic(m[1], m[2], page[m.end() : end]) for m, end in zip(found, ends, strict=True)]


def anchor(topic: Topic) -> str:
    """The anchor of a heading, as renderers of Markdown make it."""
    words = re.sub(r"[^\w\- ]", "", f"{topic.number}. {topic.title}".lower())
    return words.replace(" ", "-")


def row(name: str, topic: Topic) -> str:
    """A row of the table: the topic, its pictures, and its examples."""
    pictures = sorted(set(DISPLAY.findall(topic.text)))
    examples = sorted(set(EXAMPLE.findall(topic.text)))
    missing = [path for path in examples if not (EXAMPLES / path).is_file()]
    if missing:
        raise SystemExit(f"{name}.md, section {topic.number}: there is no example {missing[0]}")
    shown = ", ".join(f"`{picture}`" for picture in pictures)
    linked = ", ".join(f"[{Path(e).stem}](../../examples/{e})" for e in examples)
    return f"| {topic.number} | [{topic.title}]({name}.md#{anchor(topic)}) | {shown} | {linked} |"


def table() -> str:
    """The whole page."""
    parts = [HEAD]
    for path in sorted(HERE.glob("0*.md")):
        page = path.read_text(encoding="utf-8")
        title = TITLE.search(page)
        if title is None:
            raise SystemExit(f"{path.name} has no title")
        rows = "\n".join(row(path.stem, topic) for topic in topics(page))
        parts.append(f"## [{title[1]}]({path.name})\n\n{COLUMNS}\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(table())
    else:
        (HERE / "index.md").write_text(table(), encoding="utf-8")
