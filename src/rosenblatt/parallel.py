"""Ordered parallel maps: several threads work at once, results come in the order of the items."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MAX_THREADS = 8  # more wait for memory, and fill it with results

S = TypeVar("S")
T = TypeVar("T")


def processors() -> int:
    """The number of processors that this process may use, at most eight."""
    known = hasattr(os, "sched_getaffinity")
    return min(MAX_THREADS, len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1)


def in_order(f: Callable[[S], T], items: Iterable[S], n_threads: int) -> Iterator[T]:
    """Results of f for each item, in order, by so many threads."""
    if n_threads == 1:
        yield from map(f, items)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield from map_in_pool(pool, f, items, max_pending=n_threads)


def map_in_pool(
    pool: ThreadPoolExecutor, f: Callable[[S], T], items: Iterable[S], *, max_pending: int
) -> Iterator[T]:
    """Results of f for each item, in order, by the threads of a pool; few are kept waiting."""
    pending: deque[Future[T]] = deque()
    for item in items:
        pending.append(pool.submit(f, item))
        if len(pending) > max_pending:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()
