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
TIMED = hasattr(signal, "setitimer")  # not everywhere


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C be a KeyboardInterrupt wherever there can be one."""
    if not TIMED or threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = (signal.SIGINT, signal.SIGALRM)
    before = {number: signal.signal(number, _interrupt) for number in signals}
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(_: int, frame: FrameType | None) -> None:
    if _is_compiling(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON)  # and then again
    else:
        raise KeyboardInterrupt


def _is_compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).partition(".")[0] in COMPILERS:
            return True
        frame = frame.f_back
    return False
