"""In which order a pass visits the rows: file order, or one seeded shuffle.

The shuffle is blockwise. The rows are cut into strips of 16. A pass draws a new order of the strips
and one permutation of 1,024 places, by which it shuffles every window of 64 strips; up to 1,024
rows that is a uniform permutation. The rows of a window come from 64 places of the data, so sorted
data are mixed well, yet memory is read in long stretches: that is what makes a shuffled pass quick.

Each part of a plan also says which rows to fetch into the cache meanwhile.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Ints

STRIP_BITS = 4
STRIP = 1 << STRIP_BITS
STRIPS = 64  # a window
WINDOW = STRIPS * STRIP
WINDOWS = 16  # a part, unless asked otherwise
CACHED_BYTES = 256 * 1024  # a window of this size stays in a second-level cache while it is used
FETCH_BYTES = 4 * 1024  # how far ahead of the reader memory has to be asked for,
FETCH_ROWS = 16  # and how many rows at least


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
    windows: int = WINDOWS,
) -> Iterator[Visit]:
    """Visit n rows once, part by part: in file order, or shuffled by a key (seed, pass).

    Rows that are read as one long stream (`streams`) need no fetching in file order: the hardware
    sees to it. A part is some `windows` long; its arrays are overwritten by the next.
    """
    ahead = max(FETCH_ROWS, FETCH_BYTES // max(1, row_bytes))
    if n <= WINDOW:  # not worth a plan, nor the loading of a kernel
        small = np.arange(n) if shuffle_key is None else _random(shuffle_key).permutation(n)
        return iter([Visit(small, small)])
    if shuffle_key is None:
        return _in_file_order(n, 0 if streams else ahead, windows * WINDOW)
    window_fits = row_bytes * WINDOW <= CACHED_BYTES
    return _shuffled(n, shuffle_key, None if window_fits else ahead, windows)


def _in_file_order(n: int, ahead: int, size: int) -> Iterator[Visit]:
    order, fetch = np.empty(min(n, size), np.int64), np.empty(min(n, size), np.int64)
    for start in range(0, n, size):
        part = Visit(order[: n - start], fetch[: n - start])
        count_up(start, ahead, n - 1, part)
        yield part


def _shuffled(n: int, key: tuple[int, int], ahead: int | None, windows: int) -> Iterator[Visit]:
    """Fetch some visits ahead, or (None) stream the next window in while this one is visited."""
    rng = _random(key)
    n_strips = -(-n // STRIP)
    n_windows = -(-n_strips // STRIPS)
    # strips beyond the last fill up the last window; their rows do not exist and are left out
    strips = np.full((n_windows + 1) * STRIPS, n_strips)
    strips[:n_strips] = rng.permutation(n_strips)
    first_rows, places = strips.reshape(-1, STRIPS) * STRIP, rng.permutation(WINDOW)
    most = min(windows, n_windows) * WINDOW
    order, fetch = np.empty(most, np.int64), np.empty(most, np.int64)
    for window in range(0, n_windows, windows):
        size = min(windows, n_windows - window)
        part = Visit(order[: size * WINDOW], fetch[: size * WINDOW])
        fill_windows(first_rows[window : window + size + 1], places, part)
        if ahead is not None:
            part.fetch[:-ahead] = part.order[ahead:]
            part.fetch[-ahead:] = part.order[-1]
        if first_rows[window : window + size].max() + STRIP > n:
            exists = part.order < n
            part = Visit(part.order[exists], part.fetch[exists])
        np.minimum(part.fetch, n - 1, out=part.fetch)
        yield part


def _random(key: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng(key)


@njit(cache=True, nogil=True)
def count_up(start: int, ahead: int, last: int, part: Visit) -> None:
    """Rows start … in file order, fetched some rows ahead."""
    order, fetch = part
    for q in range(len(order)):
        order[q] = start + q
        fetch[q] = min(start + q + ahead, last)


@njit(cache=True, nogil=True)
def fill_windows(first_rows: Ints, places: Ints, part: Visit) -> None:
    """Rows of each window at their shuffled places; those of the next window to be fetched."""
    order, fetch = part
    for window in range(len(first_rows) - 1):
        q = window * WINDOW
        for strip in range(STRIPS):
            for inside in range(STRIP):
                place = places[strip * STRIP + inside]
                order[q] = first_rows[window, place >> STRIP_BITS] + (place & (STRIP - 1))
                fetch[q] = first_rows[window + 1, strip] + inside
                q += 1
