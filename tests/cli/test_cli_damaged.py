"""Files that no library may be trusted with: a sentence, exit code 2, and little memory.

Each is read in a child, whose memory is limited: what ends a process must not end the tests.
"""

import os
from pathlib import Path

import pytest
from damagedfiles import write_damaged_files
from limited import Ended, limited
from test_cli_refusals import check, golden

import rosenblatt as library

MAX_MEGABYTES = 400  # of which the libraries take some 100
FIT = "fit {} --rule perceptron --proof-seconds 0 -o old.model"
REFUSED = golden("refused_damaged.txt")


@pytest.fixture(scope="module")
def endings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """How `fit` ends with every one of them."""
    home = str(Path(library.__file__).parent.parent)  # by a path that holds in every folder
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("damaged"))
        patch.setenv("PYTHONPATH", home)
        write_damaged_files()
        Path("old.model").write_text("old\n")
        found = limited([_command(source) for source, _ in REFUSED])
        assert Path("old.model").read_text() == "old\n"
    return dict(zip([source for source, _ in REFUSED], found, strict=True))


def _command(source: str) -> str:
    """A source may be standard input: "- < file"."""
    name, _, given = source.partition(" < ")
    return FIT.format(name) + (f" < {given}" if given else "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
@pytest.mark.parametrize(("source", "wanted"), REFUSED)
def test_a_damaged_file(endings: dict[str, Ended], source: str, wanted: str) -> None:
    ended = endings[source]
    assert (ended.code, ended.err[:7]) == (2, "Error: "), ended
    assert ended.err.count("\n") == 1
    check(ended.err.removeprefix("Error: ").removesuffix("\n"), wanted)
    assert ended.megabytes < MAX_MEGABYTES
