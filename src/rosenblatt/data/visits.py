"""In which order a pass visits the rows: file order, or one seeded shuffle.

The shuffle is blockwise. The rows are cut into strips of 16, or up to 64 if they have few features.
A pass draws a new order of the strips and one permutation of a window's places, by which it
shuffles every window of 64 strips (a few less if they do not go in evenly); up to 1,024 rows that
is a uniform permutation. The rows of a
window come from 64 places of the data, so sorted data are mixed well, yet memory is read in long
stretches: that is what makes a shuffled pass quick. The order depends on the seed, the pass and the
shape of the data alone, not on how they are stored.

Each part of a plan also says which rows to fetch into the cache meanwhile.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from rosenblatt.arrays import Ints
from rosenblatt.data.rows import UINT

LEAST_STRIP, MOST_STRIP = 16, 64  # rows
STRIP_FEATURES = 2048  # between the two, a strip has so many entries: in float32 some 8 KB
STRIPS = 64  # a window
UNIFORM = 1024  # up to so many rows, the shuffle is a uniform permutation
PART = 32_768  # rows planned at a time, unless asked otherwise: a multiple of every window
CACHED_BYTES = 1024 * 1024  # a window of this size stays in a cache while it is used
FETCH_BYTES = 4 * 1024  # how far ahead of the reader memory has to be asked for,
FETCH_ROWS = 16  # and how many rows at least


class Visit(NamedTuple):
    """Rows in the order of their visit, and for each a row that is worth fetching then."""

    order: Ints
    fetch: Ints

    def part(self, start: int, stop: int) -> "Visit":
        """The visits from `start` to `stop`."""
        return Visit(self.order[start:stop], self.fetch[start:stop])


class Shape(NamedTuple):
    """What a plan has to know about rows: how many, of how many features and bytes."""

    n: int
    n_features: int
    row_bytes: int


def visits(
    shape: Shape,
    shuffle_key: tuple[int, int] | None = None,
    *,
    streams: bool = False,
    size: int = PART,
) -> Iterator[Visit]:
    """Visit all rows once, part by part: in file order, or shuffled by a key (seed, pass).

    Rows that are read as one long stream (`streams`) need no fetching in file order: the hardware
    sees to it. A part has `size` rows; its arrays are overwritten by the next.
    """
    n = shape.n
    ahead = max(FETCH_ROWS, FETCH_BYTES // max(1, shape.row_bytes))
    if n <= UNIFORM:  # not worth a plan, nor the loading of a kernel
        small = np.arange(n) if shuffle_key is None else _random(shuffle_key).permutation(n)
        return iter([Visit(small, small)])
    if shuffle_key is None:
        return _in_file_order(n, 0 if streams else ahead, size)
    strip = strip_rows(shape.n_features)
    window_fits = shape.row_bytes * strip * STRIPS <= CACHED_BYTES
    return _shuffled(n, strip, shuffle_key, None if window_fits else ahead, size)


@lru_cache(maxsize=2)
def order_of(shape: Shape, shuffle_key: tuple[int, int] | None) -> Ints:
    """All rows in the order in which `visits` visits them."""
    return np.concatenate([part.order.copy() for part in visits(shape, shuffle_key)])


def strip_rows(n_features: int) -> int:
    """How many rows are kept together when strips are shuffled: a power of two."""
    wanted = STRIP_FEATURES // max(1, n_features)
    return 1 << (min(MOST_STRIP, max(LEAST_STRIP, wanted)).bit_length() - 1)


def _in_file_order(n: int, ahead: int, size: int) -> Iterator[Visit]:
    first = np.arange(min(n, size) + ahead)
    rows = first.copy()
    for start in range(0, n, size):
        np.add(first, start, out=rows)
        if start + len(rows) > n:
            np.minimum(rows, n - 1, out=rows)
        stop = min(size, n - start)
        yield Visit(rows[:stop], rows[ahead : ahead + stop])


def _shuffled(
    n: int, strip: int, key: tuple[int, int], ahead: int | None, size: int
) -> Iterator[Visit]:
    """Fetch some visits ahead, or (None) stream the next window in while this one is visited."""
    rng = _random(key)
    n_windows = -(-n // (strip * STRIPS))
    # strips beyond the last fill up the windows, all alike; their rows do not exist
    first_rows = rng.permutation(n_windows * STRIPS).reshape(-1, STRIPS) * strip
    next_rows = np.roll(first_rows, -1, axis=0)
    places = np.divmod(rng.permutation(strip * STRIPS), strip)
    at_once = min(size // (strip * STRIPS), n_windows)
    room = at_once * strip * STRIPS + max(1, ahead or 0)
    order, fetch = np.empty(room, np.int64), np.empty(room, np.int64)
    for window in range(0, n_windows, at_once):
        now = first_rows[window : window + at_once]
        later = next_rows[window : window + at_once]
        n_rows = fill_windows(now, later, places, n - 1, Visit(order, fetch))
        if ahead is None:
            yield Visit(order[:n_rows], fetch[:n_rows])
        else:
            order[n_rows : n_rows + ahead] = order[n_rows - 1]
            yield Visit(order[:n_rows], order[ahead : n_rows + ahead])


def _random(key: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng(key)


@njit(cache=True, nogil=True)
def fill_windows(now: Ints, later: Ints, places: tuple[Ints, Ints], last: int, part: Visit) -> int:
    """Rows of each window at their shuffled places; those of the next window to be fetched.

    `now` and `later` are the first rows of strips, a window a line. Gives how many rows exist.
    """
    strips, insides = places
    order, fetch, strip = part.order, part.fetch, len(strips) // STRIPS
    n = UINT(0)
    for window in range(len(now)):
        meanwhile = fetch[n:]
        for s in range(STRIPS):
            for inside in range(strip):
                meanwhile[s * strip + inside] = min(later[window, s] + inside, last)
        for q in range(len(strips)):
            row = now[window, UINT(strips[q])] + insides[q]
            order[n] = row
            n += UINT(row <= last)
    return int(n)
