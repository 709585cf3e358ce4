"""Work in a process of its own: it can be stopped, and its memory is its own."""

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PATIENCE, TICK = 300.0, 0.2
PAUSE = "the clock stops"
STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Failed:
    """The work ended by an error, or by the limit of its time."""

    why: str


def in_a_child(work: Callable[[], Iterator[Any]], budget: float, threads: int = 1) -> Iterator[Any]:
    """Yield what the work yields; before each timed piece it yields None, and the clock starts.

    It stops at the answer, or before it at PAUSE, which is not passed on.
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
        yield from _listen(here, Budget(budget, child.pid or 0, threads))
    finally:
        child.kill()
        child.join()
        here.close()


def _leave(*_: Any) -> None:
    sys.exit("stopped")


@dataclass
class Budget:
    """What a child may spend, by the same clock as it is timed with."""

    left: float
    pid: int
    threads: int
    started: float | None = None

    def now(self) -> float:
        if self.threads > 1 or not STATUS.exists():
            return time.perf_counter()
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def turn(self, told: Any) -> None:
        """Start the clock at None, stop it at anything else."""
        if self.started is not None:
            self.left -= self.now() - self.started
        self.started = self.now() if told is None else None

    def spent(self) -> bool:
        return self.started is not None and self.now() - self.started > self.left


def _listen(here: Connection, budget: Budget) -> Iterator[Any]:
    allowed, heard = budget.left, time.perf_counter()
    while not budget.spent():
        if here.poll(TICK):
            heard = time.perf_counter()
            try:
                told = here.recv()
            except EOFError:
                return
            budget.turn(told)
            if told is not None and told != PAUSE:
                yield told
        elif budget.started is None and time.perf_counter() - heard > PATIENCE:
            allowed = PATIENCE
            break
    yield Failed(f"stopped after {allowed:.0f} s")


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
