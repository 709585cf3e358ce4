"""What the machine allows: one pass over the rows, one Gram matrix, and how fast memory is read."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from stopwatch import clock, in_a_child
from threadpoolctl import threadpool_limits

GRAM_COLUMNS = 1000


def limits(X: Any) -> dict[str, float]:
    """Best times in ms; bandwidth in GB/s."""

    def work() -> Iterator[dict[str, float]]:
        yield _limits(X)

    return next(in_a_child(work, 60.0))


def _limits(X: Any) -> dict[str, float]:
    w = np.ones(X.shape[1], X.dtype)
    flat, found = np.ones(1 << 26, np.float32), {}
    for threads in (1, 2):
        with threadpool_limits(threads):
            found[f"pass_ms_{threads}"] = 1e3 * best(lambda: X @ w, 15, threads)
            if not sparse.issparse(X) and X.shape[1] <= GRAM_COLUMNS:
                found[f"gram_ms_{threads}"] = 1e3 * best(lambda: X.T @ X, 3, threads)
            found[f"read_gb_s_{threads}"] = (
                flat.nbytes / 1e9 / best(lambda: flat @ flat, 5, threads)
            )
    return found


def best(run: Callable[[], Any], repeats: int, threads: int) -> float:
    now = clock(threads)
    times = []
    for _ in range(repeats):
        start = now()
        run()
        times.append(now() - start)
    return min(times)
