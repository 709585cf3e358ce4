"""The pages of the lectures: one section a topic, each with a few lines of code that run."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rosenblatt import scene_names

DOCS = Path(__file__).parents[2] / "docs"
TOPICS = {"000": 39, "001": 14, "002": 17, "003": 23, "004": 15}  # rows of slides in the decks
MAX_LINES = 8
ONLY_NAMED = "Only named on the slide."
PRIVATE = re.compile(r"(from|import) rosenblatt\.(?!(plotting|features) import)|\b_\w")
SECTION = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)


def sections(lecture: str) -> dict[int, str]:
    """The text of each numbered section of a page."""
    text = (DOCS / "lectures" / f"{lecture}.md").read_text(encoding="utf-8")
    found = list(SECTION.finditer(text))
    ends = [*(m.start() for m in found[1:]), len(text)]
    return {int(m[1]): text[m.end() : end] for m, end in zip(found, ends, strict=True)}


@pytest.mark.parametrize("lecture", TOPICS)
def test_every_topic_has_a_section_in_order(lecture: str) -> None:
    assert list(sections(lecture)) == list(range(1, TOPICS[lecture] + 1))


@pytest.mark.parametrize("lecture", TOPICS)
def test_every_section_has_a_few_lines_of_public_code(lecture: str) -> None:
    for number, text in sections(lecture).items():
        lines = [
            line
            for example in doctest.DocTestParser().get_examples(text)
            for line in example.source.splitlines()
        ]
        assert lines or ONLY_NAMED in text, f"{lecture}.{number} has no code"
        assert len(lines) <= MAX_LINES, f"{lecture}.{number} has {len(lines)} lines"
        private = [line for line in lines if PRIVATE.search(line)]
        assert private == [], f"{lecture}.{number}"


@pytest.mark.parametrize("lecture", TOPICS)
def test_pictures_exist(lecture: str) -> None:
    page = DOCS / "lectures" / f"{lecture}.md"
    for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / path).is_file(), path


@pytest.mark.parametrize("lecture", TOPICS)
def test_scenes_exist(lecture: str) -> None:
    text = (DOCS / "lectures" / f"{lecture}.md").read_text(encoding="utf-8")
    assert set(re.findall(r"--scene (\S+?)`", text)) <= set(scene_names(lecture))


def test_the_table_of_topics_is_that_of_the_pages() -> None:
    script = DOCS / "lectures" / "table.py"
    made = subprocess.run(
        [sys.executable, str(script), "--print"], capture_output=True, text=True, check=True
    )
    assert made.stdout == (DOCS / "lectures" / "index.md").read_text(encoding="utf-8")
