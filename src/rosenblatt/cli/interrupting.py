"""Ctrl-C ends a command at once, but for code that is being compiled: that comes to its end first.

An exception in the midst of the compiler is lost in a callback, or takes the process with it.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

COMPILERS = {"numba", "llvmlite"}
SOON = 0.05  # seconds
CAN_WAIT = hasattr(signal, "pthread_kill")  # not everywhere


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt wherever there can be one."""
    main = threading.main_thread()
    if not CAN_WAIT or threading.current_thread() is not main:
        yield
        return
    waiting: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not _is_compiling(frame):
            raise KeyboardInterrupt
        again = threading.Timer(SOON, signal.pthread_kill, (main.ident, number))
        waiting[:] = [again]
        again.start()

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        for again in waiting:
            again.cancel()
        signal.signal(signal.SIGINT, before)


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in COMPILERS:
            return True
        frame = frame.f_back
    return False
