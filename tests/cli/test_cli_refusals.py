"""Every misuse and every bad input: one sentence, exit code 2, no file written or changed."""

import re
import shlex
from functools import partial
from pathlib import Path

import pytest
from badfiles import write_bad_files
from commands import ONLY_FIT, QUICKLY, refusal, rosenblatt

from rosenblatt.io import csv, files
from rosenblatt.io.csv_dialect import last_record_end

HERE = Path(__file__).parent
COMMANDS = {
    "fit": ("fit", "{}", "-o", "old.model", *QUICKLY),
    "separable": ("separable", "{}", "--proof", "old.json"),
    "predict": ("predict", "pets.model", "{}", "-o", "old.csv"),
    "score": ("score", "pets.model", "{}"),
}


def golden(name: str) -> list[tuple[str, str]]:
    """What is refused, and the sentence, out of a file of blocks."""
    _, *blocks = (HERE / name).read_text().strip().split("\n\n")
    split = [block.partition("\nError: ") for block in blocks]
    return [(what, sentence) for names, _, sentence in split for what in names.splitlines()]


@pytest.fixture(scope="session")
def and_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("and") / "and.model"
    assert rosenblatt("fit", "builtin:and", "-o", path, *ONLY_FIT).code == 0
    return path.read_bytes()


@pytest.fixture(autouse=True)
def _bad_files(folder: Path, and_bytes: bytes, pets_bytes: bytes) -> None:
    (folder / "and.model").write_bytes(and_bytes)
    write_bad_files(pets_bytes)


def check(sentence: str, wanted: str) -> None:
    pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
    assert re.fullmatch(pattern, sentence), sentence


@pytest.mark.parametrize(("source", "wanted"), golden("refused_sources.txt"))
@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_source(command: str, source: str, wanted: str) -> None:
    words = [source if word == "{}" else word for word in COMMANDS[command]]
    check(refusal(*words), wanted)


@pytest.mark.parametrize(("command", "wanted"), golden("refused_commands.txt"))
def test_a_bad_command(command: str, wanted: str) -> None:
    check(refusal(*shlex.split(command.removeprefix("$ rosenblatt "))), wanted)


def test_a_bad_row_in_a_later_chunk_leaves_no_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    short = partial(files.pieces, size=999, last_end=partial(last_record_end, separators=","))
    monkeypatch.setattr(csv, "pieces", lambda file, **_: short(file))
    for name in ("old.csv", "new.csv", "new.jsonl", "new.parquet"):
        sentence = refusal("predict", "pets.model", "deep.csv", "-o", name)
        assert sentence.startswith("deep.csv, line 5012, column 'weight': '7o' is not a number")


def test_no_command_shows_the_help() -> None:
    said = rosenblatt()
    assert (said.code, said.err) == (2, "")
    assert "Linear classifiers with proofs." in said.out


def test_an_internal_error_is_never_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("rosenblatt.pipeline.question.read_rows", broken)
    said = rosenblatt("separable", "builtin:xor")
    assert said == (70, "", "Internal error, please report it: RuntimeError: boom\n")
