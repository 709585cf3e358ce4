"""In which order a pass visits the rows: file order, or one seeded shuffle.

The shuffle is blockwise. The rows are cut into strips of 64; a pass permutes the strips, then
shuffles every window of 16 strips (1,024 rows) as a whole; up to 1,024 rows it is one uniform
permutation. Rows of one window come from 16 places of the data, so sorted data are mixed
well, yet memory is read in long stretches, which is what makes a shuffled pass quick.

Each part of a plan also says which rows to fetch into the cache meanwhile.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Array, Ints

STRIP = 64
WINDOW = 16 * STRIP
PART = 16 * WINDOW
CACHED_BYTES = 256 * 1024  # a window of this size stays in a second-level cache while it is used
FETCH_BYTES = 8 * 1024  # how far ahead of the reader memory has to be asked for


class Visit(NamedTuple):
    """Rows in the order of their visit, and for each a row that is worth fetching then."""

    order: Ints
    fetch: Ints


def visits(
    n: int,
    row_bytes: int,
    shuffle_key: tuple[int, int] | None = None,
    *,
    streams: bool = False,
) -> Iterator[Visit]:
    """Visit n rows once, part by part: in file order, or shuffled by a key (seed, pass).

    Rows that are read as one long stream (`streams`) need no fetching in file order: the hardware
    sees to it. The arrays of a part are overwritten by the next.
    """
    if n <= WINDOW:  # too few to plan for; nor is it worth loading a kernel
        small = np.arange(n) if shuffle_key is None else _generator(shuffle_key).permutation(n)
        yield Visit(small, small)
        return
    order, fetch = np.empty(min(n, PART), np.int64), np.empty(min(n, PART), np.int64)
    ahead = max(4, FETCH_BYTES // max(1, row_bytes))
    if shuffle_key is None:
        for start in range(0, n, PART):
            part = Visit(order[: n - start], fetch[: n - start])
            in_file_order(start, 0 if streams else ahead, n, part)
            yield part
        return
    rng = _generator(shuffle_key)
    strips = rng.permutation(-(-n // STRIP))
    missing = STRIP * len(strips) - n  # the last strip of the data may be short
    short = int(np.flatnonzero(strips == len(strips) - 1)[0])
    plan = Strips(strips, (short + 1) * STRIP - missing, missing)
    keys = rng.integers(2**63, size=-(-n // WINDOW), dtype=np.uint64)
    window_ahead = WINDOW if row_bytes * WINDOW <= CACHED_BYTES else 0
    for start in range(0, n, PART):
        part = Visit(order[: n - start], fetch[: n - start])
        shuffled(plan, start, keys[start // WINDOW :], part)
        if window_ahead:  # stream the next window in while this one is visited
            in_sequence(plan, start + window_ahead, n, part.fetch)
        else:
            part.fetch[:-ahead] = part.order[ahead:]
            part.fetch[-ahead:] = part.order[-1]
        yield part


def _generator(key: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng(key)


class Strips(NamedTuple):
    """Strips in permuted order; from position `gap` on, `missing` rows are left out."""

    order: Ints
    gap: int
    missing: int


@njit(cache=True, nogil=True)
def in_file_order(start: int, ahead: int, n: int, part: Visit) -> None:
    """Rows start … in file order, fetched some rows ahead."""
    order, fetch = part
    for q in range(len(order)):
        order[q] = start + q
        fetch[q] = min(start + q + ahead, n - 1)


@njit(cache=True, nogil=True)
def row_at(plan: Strips, position: int) -> int:
    """Row that stands at a position of the permuted strips."""
    if position >= plan.gap:
        position += plan.missing
    return int(plan.order[position // STRIP] * STRIP + position % STRIP)


@njit(cache=True, nogil=True)
def in_sequence(plan: Strips, start: int, n: int, out: Ints) -> None:
    """Rows at positions start … of the permuted strips."""
    for q in range(len(out)):
        out[q] = row_at(plan, min(start + q, n - 1))


@njit(cache=True, nogil=True)
def shuffled(plan: Strips, start: int, keys: Array, part: Visit) -> None:
    """Rows at positions start … of the permuted strips, each window shuffled by its key."""
    order = part.order
    for q in range(len(order)):
        order[q] = row_at(plan, start + q)
    for window in range(0, len(order), WINDOW):
        state = keys[window // WINDOW]
        for i in range(min(WINDOW, len(order) - window) - 1, 0, -1):
            state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            j = np.int64(((state >> np.uint64(32)) * np.uint64(i + 1)) >> np.uint64(32))
            order[window + i], order[window + j] = order[window + j], order[window + i]
