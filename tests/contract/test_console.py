"""Commands shown in the docs are run, and must print what is shown."""

import re
import sys
from doctest import ELLIPSIS, OutputChecker
from pathlib import Path

import pytest

from rosenblatt.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = {
    "command-line.md": 8,
    "compare.md": 2,
    "features.md": 3,
}  # commands that each has, at least
BLOCK = re.compile(r"^```(csv|console) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_is_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if not (ROOT / "docs").exists():
        pytest.skip("tests run apart from the repository")
    monkeypatch.chdir(tmp_path)
    run = 0
    for kind, name, text in BLOCK.findall((ROOT / "docs" / page).read_text()):
        if kind == "csv":
            Path(name).write_text(text)
            continue
        for session in text.split("$ ")[1:]:
            command, _, wanted = session.partition("\n")
            assert OutputChecker().check_output(wanted, said(command, monkeypatch, capfd), ELLIPSIS)
            run += 1
    assert run >= PAGES[page]


def said(command: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setattr(sys, "argv", command.split())
    with pytest.raises(SystemExit):
        main()
    out, err = capfd.readouterr()
    return out + err
