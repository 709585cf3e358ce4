"""Signals that end a command: Ctrl-C, SIGTERM and SIGHUP stop it and leave no file half written.

Each raises KeyboardInterrupt in the main thread, so that files and folders are closed and removed
on the way out. Two things cannot be left so. Code that is being compiled comes to its end first: an
exception in the midst of the compiler is lost in a callback, or takes the process with it. And
compiled code or a library may not return to Python for long; after PATIENCE seconds a thread
removes what is unfinished, and ends the process.
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from rosenblatt.writing import remove_unfinished

COMPILERS = {"numba", "llvmlite"}
IMPORTING = {"importlib._bootstrap", "_frozen_importlib"}
SOON = 0.05  # seconds
PATIENCE = 5.0  # seconds; `docker stop` waits for ten
CAN_WAIT = hasattr(signal, "pthread_kill")  # not everywhere
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if CAN_WAIT)


class Interrupted(KeyboardInterrupt):
    """A signal has come.

    After a KeyboardInterrupt itself, though handled, Python may end its process by SIGINT.
    """


class Ending:
    """Which signal has ended a command, if one has; Ctrl-C where nobody knows better."""

    number: int = signal.SIGINT
    settled = False  # whether an exception was raised, or is too late: files are being removed

    @property
    def code(self) -> int:
        """The exit code of a command that a signal has ended, as a shell has it."""
        return 128 + self.number

    @property
    def words(self) -> str:
        """What has ended it."""
        if self.number == signal.SIGINT:
            return "Interrupted."
        return f"Ended by {signal.Signals(self.number).name}."

    def tell(self) -> None:
        """Say what has ended it, where there is anything to say it on."""
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"{self.words}\n")
                sys.stderr.flush()


@contextmanager
def interruptible(ending: Ending | None = None) -> Iterator[Ending]:
    """Let signals be a KeyboardInterrupt wherever there can be one; those ignored stay ignored."""
    ending, main = ending or Ending(), threading.main_thread()
    if not CAN_WAIT or threading.current_thread() is not main:
        yield ending
        return
    waiting: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if ending.settled:
            return
        ending.number = number
        if not _must_go_on(frame):
            ending.settled = True
            raise Interrupted
        again = threading.Timer(SOON, signal.pthread_kill, (main.ident, number))
        waiting[:] = [again]
        again.start()

    before = {n: signal.getsignal(n) for n in ENDING if signal.getsignal(n) != signal.SIG_IGN}
    try:
        with _watched(ending):
            for number in before:
                signal.signal(number, interrupt)
            try:
                yield ending
            finally:
                ending.settled = True
    finally:
        for again in waiting:
            again.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _watched(ending: Ending) -> Iterator[None]:
    """A thread that hears of signals even while the main thread is not in Python."""
    heard, told = socket.socketpair()
    told.setblocking(False)  # noqa: FBT003 (its only parameter)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(heard, over, ending), daemon=True)
    before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        told.close()  # which ends the thread
        watcher.join()


def _watch(heard: socket.socket, over: threading.Event, ending: Ending) -> None:
    """End the process if the main thread does not, in time after a signal."""
    with heard:
        while numbers := heard.recv(1):
            if numbers[0] in ENDING and not over.wait(PATIENCE):
                ending.number = numbers[0]
                remove_unfinished()
                ending.tell()
                os._exit(ending.code)


def _must_go_on(frame: FrameType | None) -> bool:
    """Whether an exception would be lost here: in the compiler, or in a callback of an import."""
    if _module_of(frame) in IMPORTING:
        return True
    while frame is not None:
        if _module_of(frame).partition(".")[0] in COMPILERS:
            return True
        frame = frame.f_back
    return False


def _module_of(frame: FrameType | None) -> str:
    return "" if frame is None else str(frame.f_globals.get("__name__"))
