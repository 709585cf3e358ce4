"""The examples of the lectures run, and write the one file that they say."""

import runpy
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

mpl.use("agg")
FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(FOLDER.glob("lecture_*/*.py"))
PNG = b"\x89PNG"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: f"{s.parent.name}/{s.stem}")
def test_an_example_writes_its_file(script: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.delenv("ROSENBLATT_DATA", raising=False)
    written = runpy.run_path(str(script))["run"](tmp_path)
    mpl.pyplot.close("all")
    assert list(tmp_path.iterdir()) == [written]
    assert written.stem == script.stem
    content = written.read_bytes()
    if written.suffix == ".png":
        assert content.startswith(PNG)
        assert len(content) > 5_000  # an empty figure has less
    else:
        assert written.suffix == ".txt"
        assert len(content.decode().splitlines()) > 1


def test_every_lecture_has_examples() -> None:
    assert {script.parent.name for script in SCRIPTS} == {f"lecture_00{k}" for k in range(5)}
    assert sys.modules["matplotlib"].get_backend() == "agg"
