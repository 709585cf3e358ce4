"""Signals that end a command: Ctrl-C, SIGTERM and SIGHUP stop it and leave no file half written.

Each raises KeyboardInterrupt in the main thread, so that files and folders are closed and removed
on the way out. Three things cannot be left so. Code that is being compiled comes to its end first:
an exception in the midst of the compiler is lost in a callback, or takes the process with it. Where
Python itself loses the exception, in a generator or an object that it disposes of, it is raised
again. And compiled code or a library may not return to Python for long; after PATIENCE seconds a
thread removes what is unfinished, and ends the process (unless that library holds the lock of the
interpreter all the while, as exact arithmetic does for moments; then the command ends after it).
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from rosenblatt.atomic_write import remove_unfinished

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


class Raiser:
    """Raises an exception in the main thread after a signal, later where it would be lost."""

    def __init__(self, ending: Ending) -> None:
        self._ending, self._tell_lost = ending, sys.unraisablehook
        self._timer: threading.Timer | None = None

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if self._ending.settled:
            return
        self._ending.number = number
        if _must_go_on(frame):
            self._send_again()
            return
        self._ending.settled = True
        raise Interrupted

    def raise_again(self, lost: "sys.UnraisableHookArgs") -> None:
        """Handle an exception that Python can only tell about."""
        if isinstance(lost.exc_value, Interrupted):
            self._ending.settled = False
            self._send_again()
        else:
            self._tell_lost(lost)

    def _send_again(self) -> None:
        main = threading.main_thread()
        self._timer = threading.Timer(SOON, signal.pthread_kill, (main.ident, self._ending.number))
        self._timer.start()

    def cancel(self) -> None:
        """Raise nothing any more."""
        if self._timer is not None:
            self._timer.cancel()


@contextmanager
def interruptible(ending: Ending | None = None) -> Iterator[Ending]:
    """Let signals be a KeyboardInterrupt wherever there can be one; those ignored stay ignored."""
    ending = ending or Ending()
    if not CAN_WAIT or threading.current_thread() is not threading.main_thread():
        yield ending
        return
    with _handled(Raiser(ending)), _watched(ending):
        try:
            yield ending
        finally:
            ending.settled = True


@contextmanager
def _handled(raiser: Raiser) -> Iterator[None]:
    """Signals and lost exceptions handled by a raiser."""
    before = {n: signal.getsignal(n) for n in ENDING if signal.getsignal(n) != signal.SIG_IGN}
    lost_before, sys.unraisablehook = sys.unraisablehook, raiser.raise_again
    try:
        for number in before:
            signal.signal(number, raiser.interrupt)
        yield
    finally:
        raiser.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = lost_before


def end_in_silence() -> None:
    """Let Ctrl-C end what is left of a process, instead of a traceback from where Python ends."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


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
