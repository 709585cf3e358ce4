"""Work on the parts of a file by several threads at once, in the order of the file."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST_THREADS = 8  # more would wait for memory, and fill it with parts

Given = TypeVar("Given")
Made = TypeVar("Made")


def processors() -> int:
    """How many this process may use, up to eight."""
    known = hasattr(os, "sched_getaffinity")
    return min(MOST_THREADS, len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1)


def in_order(
    work: Callable[[Given], Made], parts: Iterable[Given], n_threads: int
) -> Iterator[Made]:
    """Work on each part, on some of them at once, and give what is made in order."""
    if n_threads == 1:
        yield from map(work, parts)
        return
    waiting: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > n_threads:  # parts are not piled up
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
