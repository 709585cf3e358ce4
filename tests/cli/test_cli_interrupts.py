"""Ctrl-C anywhere but in the compiler, whose work comes to its end first, and never lost."""

import signal
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from rosenblatt.cli.sigint import interruptible


@pytest.fixture(autouse=True)
def _not_ignored() -> Iterator[None]:
    """Take interrupts even where a shell started the tests in the background, ignoring them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
        ("rosenblatt.online.stopping", []),
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


class InterruptedAtItsEnd:
    def __del__(self) -> None:
        interrupt()


def test_an_interrupt_that_python_loses_is_raised_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = sys.unraisablehook

    def interrupted() -> None:
        with interruptible():
            InterruptedAtItsEnd()  # where an exception is told about, and goes no further
            time.sleep(2)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert sys.unraisablehook is before
    assert capsys.readouterr().err == ""
