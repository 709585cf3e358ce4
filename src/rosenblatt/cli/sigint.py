"""Signals that end a command: Ctrl-C, SIGTERM and SIGHUP stop it and leave no file half written.

Each raises KeyboardInterrupt in the main thread, so that files and folders are closed and removed
on the way out. Three things cannot be left so. Code that is being compiled comes to its end first:
an exception inside the compiler is lost in a callback, or takes the process with it. Where Python
itself loses the exception, in a generator or an object that it finalises, it is raised again. And
compiled code or a library may not return to Python for long; after FORCED_EXIT_DELAY seconds a
thread removes unfinished files and ends the process (unless that library holds the interpreter
lock all the while, as exact arithmetic does for moments; then the command ends after it).
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
RESEND_DELAY = 0.05  # seconds
FORCED_EXIT_DELAY = 5.0  # seconds; `docker stop` waits for ten
HAS_PTHREAD_KILL = hasattr(signal, "pthread_kill")  # not everywhere
SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if HAS_PTHREAD_KILL
)


class Interrupted(KeyboardInterrupt):
    """A signal has come.

    After a KeyboardInterrupt itself, though handled, Python may end its process by SIGINT.
    """


class SignalExit:
    """The signal that ended a command; SIGINT where none is known."""

    number: int = signal.SIGINT
    settled = False  # an exception was raised, or comes too late: files are being removed

    @property
    def code(self) -> int:
        """The exit code of a command ended by a signal, as in a shell."""
        return 128 + self.number

    @property
    def message(self) -> str:
        """What ended the command, as a sentence."""
        if self.number == signal.SIGINT:
            return "Interrupted."
        return f"Ended by {signal.Signals(self.number).name}."

    def report(self) -> None:
        """Write the message to standard error, if there is one."""
        if sys.stderr is not None:
            with suppress(OSError):
                sys.stderr.write(f"{self.message}\n")
                sys.stderr.flush()


class SignalHandler:
    """Raises an exception in the main thread after a signal, later where it would be lost."""

    def __init__(self, signal_exit: SignalExit) -> None:
        self._signal_exit, self._report_lost = signal_exit, sys.unraisablehook
        self._timer: threading.Timer | None = None

    def interrupt(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if self._signal_exit.settled:
            return
        self._signal_exit.number = number
        if _would_be_lost(frame):
            self._send_again()
            return
        self._signal_exit.settled = True
        raise Interrupted

    def raise_again(self, lost: "sys.UnraisableHookArgs") -> None:
        """Handle an exception that Python can only report."""
        if isinstance(lost.exc_value, Interrupted):
            self._signal_exit.settled = False
            self._send_again()
        else:
            self._report_lost(lost)

    def _send_again(self) -> None:
        main = threading.main_thread()
        self._timer = threading.Timer(
            RESEND_DELAY, signal.pthread_kill, (main.ident, self._signal_exit.number)
        )
        self._timer.start()

    def cancel(self) -> None:
        """Raise no more exceptions."""
        if self._timer is not None:
            self._timer.cancel()


@contextmanager
def interruptible(signal_exit: SignalExit | None = None) -> Iterator[SignalExit]:
    """Turn signals into KeyboardInterrupt wherever possible; ignored signals stay ignored."""
    signal_exit = signal_exit or SignalExit()
    if not HAS_PTHREAD_KILL or threading.current_thread() is not threading.main_thread():
        yield signal_exit
        return
    with _handling(SignalHandler(signal_exit)), _watchdog(signal_exit):
        try:
            yield signal_exit
        finally:
            signal_exit.settled = True


@contextmanager
def _handling(signal_handler: SignalHandler) -> Iterator[None]:
    """Let a handler take signals and lost exceptions, and put the earlier ones back."""
    before = {n: signal.getsignal(n) for n in SIGNALS if signal.getsignal(n) != signal.SIG_IGN}
    lost_before, sys.unraisablehook = sys.unraisablehook, signal_handler.raise_again
    try:
        for number in before:
            signal.signal(number, signal_handler.interrupt)
        yield
    finally:
        signal_handler.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = lost_before


def end_in_silence() -> None:
    """Let Ctrl-C end a process that is shutting down, without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _watchdog(signal_exit: SignalExit) -> Iterator[None]:
    """A thread that receives signals even while the main thread is not in Python."""
    receiver, sender = socket.socketpair()
    sender.setblocking(False)  # noqa: FBT003 (its only parameter)
    over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(receiver, over, signal_exit), daemon=True)
    before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        over.set()
        sender.close()  # which ends the thread
        watcher.join()


def _watch(receiver: socket.socket, over: threading.Event, signal_exit: SignalExit) -> None:
    """End the process if the main thread does not do so in time after a signal."""
    with receiver:
        while numbers := receiver.recv(1):
            if numbers[0] in SIGNALS and not over.wait(FORCED_EXIT_DELAY):
                signal_exit.number = numbers[0]
                remove_unfinished()
                signal_exit.report()
                os._exit(signal_exit.code)


def _would_be_lost(frame: FrameType | None) -> bool:
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
