"""Errors are one line of bounded length, whatever names are in them."""

from pathlib import Path

import pytest
from commands import QUICKLY, rosenblatt

from rosenblatt.cli.output import MAX_MESSAGE_CHARACTERS

ODD_NAMES = ["a\nb", "a\rb", "a\x1b[2Jb", "a\x85b", "a\u2028b", "a\udcffb"]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_a_file_name_stays_on_its_line(name: str) -> None:
    answer = rosenblatt("fit", f"{name}.csv")
    assert answer.code == 2
    assert answer.err.endswith(".\n")
    assert answer.err[:-1].isprintable()
    assert f"a{name[1:-1].encode('unicode_escape').decode()}b.csv " in answer.err


def test_a_very_long_name_is_cut_in_the_middle() -> None:
    long = "n" * 10_000
    Path("long.csv").write_text(f"{long},kind\n1,x\n2,y\n")
    answer = rosenblatt("fit", "long.csv", "--target", f"{long}s", *QUICKLY)
    assert answer.code == 2
    assert len(answer.err) <= MAX_MESSAGE_CHARACTERS + len("…\n")
    assert answer.err.startswith("Error: ")
    assert answer.err.endswith(".\n")
    assert "n…n" in answer.err


def test_links_that_lead_to_each_other_are_no_output() -> None:
    Path("loop").symlink_to("loop")
    for command in (("fit", "-o"), ("separable", "--proof")):
        answer = rosenblatt(command[0], "builtin:and", command[1], "loop")
        assert (answer.code, answer.err.count("\n")) == (2, 1)
        assert answer.err.startswith("Error: loop cannot be written: ")
    assert Path("loop").is_symlink()


def test_a_cell_too_large_to_scale_is_told_in_one_line() -> None:
    Path("rows.csv").write_text("a,b,kind\n" + "0.5,1,x\n1.5,3,y\n" * 4)
    rosenblatt("fit", "rows.csv", *QUICKLY, "-o", "m.model")
    Path("large.csv").write_text("a,b\n0.5,1\n1e308,1\n")
    answer = rosenblatt("predict", "m.model", "large.csv")
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert (
        "large.csv, line 3, column 'a': the cell is missing, not finite or too large" in answer.err
    )
