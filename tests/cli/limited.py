"""Commands in children with limited memory: what each said, how it ended, and what it took.

As a script it reads the commands as JSON and runs each in a fork of itself, so that libraries are
loaded once.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, suppress
from io import StringIO
from pathlib import Path
from typing import NamedTuple

MAX_ADDRESSES = 4 << 30  # bytes that a child may allocate
MAX_SECONDS = 60  # of the processor


class Ended(NamedTuple):
    """How a command ended; below 0, the code is the signal that ended it."""

    code: int
    err: str
    megabytes: float
    """Of memory, at its most."""


def limited(commands: Sequence[str]) -> list[Ended]:
    """Run commands such as "fit a.csv", or "fit - < a.csv", with limited memory."""
    done = subprocess.run(
        [sys.executable, __file__], input=json.dumps(commands), stdout=subprocess.PIPE, text=True,
        check=True,
    )  # fmt: skip
    return [Ended(*found) for found in json.loads(done.stdout)]


def _run_all() -> None:
    commands = json.load(sys.stdin)
    _load_libraries()
    sys.stdout.write(json.dumps([_ended(command) for command in commands]))


def _load_libraries() -> None:
    """Load what every child would load; polars has no threads, which forks lack, before its use."""
    import polars  # noqa: F401, PLC0415

    import rosenblatt.io.numpy_files  # noqa: F401, PLC0415

    with redirect_stderr(StringIO()), suppress(SystemExit):
        _run("fit no-such-file.csv")


def _ended(command: str) -> Ended:
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_ADDRESSES, MAX_ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        words, _, given = command.partition(" < ")
        os.dup2(os.open(given or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(theirs, 2)
        sys.stdin = open(0)  # noqa: SIM115
        _run(words)
    os.close(theirs)
    with os.fdopen(ours, "rb") as stream:
        said = stream.read().decode()
    _, status, usage = os.wait4(child, 0)
    return Ended(os.waitstatus_to_exitcode(status), said, usage.ru_maxrss / 1024)


def _run(words: str) -> None:
    from rosenblatt.cli.main import main  # noqa: PLC0415

    sys.argv = ["rosenblatt", *words.split()]
    main()


if __name__ == "__main__":
    sys.path[0] = str(Path.cwd())  # not the folder of the tests
    _run_all()
