"""Work in a process of its own: it can be stopped, and its memory is its own."""

import multiprocessing
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PATIENCE = 300.0
STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Failed:
    """The work ended by an error, or by the limit of its time."""

    why: str


def in_a_child(work: Callable[[], Iterator[Any]], budget: float) -> Iterator[Any]:
    """Yield what the work yields; before each timed piece it yields None, and the clock starts.

    Ends with `Failed` when the timed pieces together took longer than the budget. To stop
    listening stops the work.
    """
    fork = multiprocessing.get_context("fork")
    here, there = fork.Pipe(duplex=False)
    child = fork.Process(target=_tell, args=(work, there))
    child.start()
    signal.signal(signal.SIGTERM, _leave)  # a child must not outlive its parent
    there.close()
    try:
        yield from _listen(here, budget)
    finally:
        child.kill()
        child.join()
        here.close()


def _leave(*_: Any) -> None:
    sys.exit("stopped")


def _listen(here: Connection, budget: float) -> Iterator[Any]:
    left, started = budget, None
    while here.poll(PATIENCE if started is None else max(left, 0.1)):
        try:
            told = here.recv()
        except EOFError:
            return
        if started is not None:
            left -= time.perf_counter() - started
        started = time.perf_counter() if told is None else None
        if told is not None:
            yield told
    yield Failed(f"stopped after {budget if started else PATIENCE:.0f} s")


def _tell(work: Callable[[], Iterator[Any]], there: Connection) -> None:
    try:
        for word in work():
            there.send(word)
    except Exception as error:  # a peer may raise anything; the race goes on
        there.send(Failed(f"{type(error).__name__}: {error}"[:200]))
    there.close()


def clock(threads: int) -> Callable[[], float]:
    """One thread is timed by the processor's time, which other programs do not lengthen."""
    return time.process_time if threads == 1 else time.perf_counter


def timed(run: Callable[[], Any], threads: int) -> tuple[Any, float, float]:
    """The result, its time, and the peak memory above the start."""
    start, now = _reset_peak(), clock(threads)
    begun = now()
    result = run()
    return result, now() - begun, max(0.0, _megabytes("VmHWM") - start)


def _reset_peak() -> float:
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _megabytes("VmRSS")


def _megabytes(field: str) -> float:
    if not STATUS.exists():
        return float("nan")
    lines = STATUS.read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
