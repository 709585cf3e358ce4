"""Ctrl-C anywhere but in the compiler, whose work comes to its end first."""

import signal
import time
from typing import Any

import pytest

from rosenblatt.cli.interrupting import interruptible

WORK = """
def work(interrupt, done):
    interrupt()
    done.append("in the midst")
    wait(0.2)
    done.append("at the end")
"""


def working(module: str) -> Any:
    """A function that belongs to a module."""
    names = {"__name__": module, "wait": time.sleep}
    exec(WORK, names)
    return names["work"]


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("module", "wanted"),
    [
        ("rosenblatt.solvers.run", []),
        ("numbats", []),
        ("numba.core.dispatcher", ["in the midst", "at the end"]),
        ("llvmlite.binding", ["in the midst", "at the end"]),
    ],
)
def test_an_interrupt_waits_for_the_compiler(module: str, wanted: list[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    done: list[str] = []
    work = working(module)

    def interrupted() -> None:
        with interruptible():
            work(interrupt, done)
            time.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == wanted
    assert signal.getsignal(signal.SIGINT) is before
