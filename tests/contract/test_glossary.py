"""Pages for readers of the code name files, functions and layers that exist."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src/rosenblatt"
GUIDES = ROOT / "docs/contributing"
EXAMPLES = {  # what a reader of a guide writes
    "cli/count.py",
    "features/transformers/absolute.py",
    "io/logfmt.py",
    "features/maps/absolute.py",
    "tests/cli/test_cli_count.py",
    "tests/io/test_logfmt.py",
}
NAMED = re.compile(r"`([\w./-]+/[\w.-]*|\w+\.py)(?:::(\w+))?`")
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.skipif(not GUIDES.exists(), reason="tests run apart from the repository")


def pages() -> list[Path]:
    return [ROOT / "CONTRIBUTING.md", ROOT / "docs/glossary.md", *sorted(GUIDES.glob("*.md"))]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_names_what_exists(page: Path) -> None:
    named = NAMED.findall(FENCED.sub("", page.read_text()))
    assert named
    assert [pair for pair in named if pair[0] not in EXAMPLES and not exists(*pair)] == []


def test_the_architecture_is_that_of_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [layer.replace("rosenblatt.", "") for layer in contracts["contracts"][0]["layers"]]
    picture = (ROOT / "CONTRIBUTING.md").read_text().split("```text\n")[1].split("```")[0]
    assert [re.split(r" {2,}", line)[0] for line in picture.splitlines()] == layers


def test_links_between_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = [(page, link) for page in pages for link in LINK.findall(page.read_text())]
    assert len(links) > 50
    assert [(str(page), link) for page, link in links if not leads_somewhere(page, link)] == []


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether a link leads to a file, and to a heading of it, if it names one."""
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    if not anchor:
        return target.exists()
    headings = re.findall(r"^#+ (.*)$", target.read_text(), re.MULTILINE)
    return anchor in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in headings}


def exists(path: str, name: str) -> bool:
    """Whether the package or the repository has a file, which defines a name if one is given."""
    found = next((base / path for base in (PACKAGE, ROOT) if (base / path).exists()), None)
    if found is None or not name:
        return found is not None
    nodes = ast.parse(found.read_text()).body
    return name in {getattr(node, "name", None) for node in nodes}
