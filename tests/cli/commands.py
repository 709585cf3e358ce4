"""The command line within this process, and the tables that its tests speak of."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import pytest

from rosenblatt.cli.main import main
from rosenblatt.io import files

PETS = """weight,bark,colour,kind
4,false,red,cat
5,false,grey,cat
3,false,,cat
6,false,red,cat
,false,grey,cat
20,true,red,dog
30,true,grey,dog
9,true,red,dog
25,false,grey,dog
15,true,,dog
"""
QUICKLY = ("--rule", "perceptron", "--proof-seconds", "0")
ONLY_FIT = (*QUICKLY, "--test", "none")


class Said(NamedTuple):
    code: int
    out: str
    err: str


def rosenblatt(*words: object, stdin: bytes = b"") -> Said:
    """Run a command; what it printed, and its exit code."""
    out, err = TextIOWrapper(BytesIO(), "utf-8"), StringIO()
    files._spooled_input.cache_clear()  # every command has an input of its own
    with (
        patch.object(sys, "argv", ["rosenblatt", *map(str, words)]),
        patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin))),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ending,
    ):
        main()
    out.flush()
    return Said(int(ending.value.code or 0), out.buffer.getvalue().decode(), err.getvalue())


def refusal(*words: object, stdin: bytes = b"") -> str:
    """The sentence with which a command refuses; it must leave the folder it works in alone."""
    before = contents()
    said = rosenblatt(*words, stdin=stdin)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Error: ")
    assert said.err.count("\n") == 1
    assert contents() == before
    return said.err.removeprefix("Error: ").removesuffix("\n")


def contents() -> dict[str, bytes]:
    """Files of the working folder; what is no file counts as empty."""
    found = Path.cwd().iterdir()
    return {path.name: path.read_bytes() if path.is_file() else b"" for path in found}
