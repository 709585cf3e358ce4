"""In which order a pass visits the rows: file order, or one seeded shuffle.

The shuffle is blockwise. The rows are cut into strips of 16, or up to 64 if they have few features,
and the strips into 64 regions. A window is one strip of each region; the next window takes the next
strip of each, from a strip that each pass draws anew for each region, the last followed by the
first. A pass also draws one permutation of a window's places, by which it shuffles every window; up
to 1,024 rows, the shuffle is a uniform permutation. So a window holds rows from 64 places, evenly
spread over the data, which mixes sorted data well; yet memory is read in 64 long streams, and two
windows fit into a cache near the processor: that is what makes a shuffled pass quick. The order
depends on the seed, the pass and the shape of the data alone, not on how they are stored.

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
STRIP_FEATURES = 512  # between the two, a strip has so many entries: in float32 2 KB
STRIPS = 64  # a window, one of each region
UNIFORM = 1024  # up to so many rows, the shuffle is a uniform permutation
PART = 65_536  # rows planned at a time, unless asked otherwise: a multiple of every window
CACHED_BYTES = 240 * 1024  # two windows of this size stay in a cache while they are used
FETCH_BYTES = 4 * 1024  # how far ahead of the reader memory has to be asked for,
NEXT_ROWS = 4  # and how many rows at least: in file order those that are scored next,
FETCH_ROWS = 16  # in a shuffle more, since the hardware foresees none of them


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
    ahead = FETCH_BYTES // max(1, shape.row_bytes)
    if n <= UNIFORM:  # not worth a plan, nor the loading of a kernel
        small = np.arange(n) if shuffle_key is None else _random(shuffle_key).permutation(n)
        return iter([Visit(small, small)])
    if shuffle_key is None:
        return _in_file_order(n, 0 if streams else max(NEXT_ROWS, ahead), size)
    strip = strip_rows(shape.n_features)
    window_fits = shape.row_bytes * strip * STRIPS <= CACHED_BYTES
    far = None if window_fits else max(FETCH_ROWS, ahead)
    return _shuffled(n, strip, shuffle_key, far, size)


@lru_cache(maxsize=2)
def order_of(shape: Shape, shuffle_key: tuple[int, int] | None) -> Ints:
    """All rows in the order in which `visits` visits them."""
    return np.concatenate([part.order.copy() for part in visits(shape, shuffle_key)])


def strip_rows(n_features: int) -> int:
    """How many rows are kept together when strips are shuffled: a power of two."""
    wanted = STRIP_FEATURES // max(1, n_features)
    return 1 << (min(MOST_STRIP, max(LEAST_STRIP, wanted)).bit_length() - 1)


def _in_file_order(n: int, ahead: int, size: int) -> Iterator[Visit]:
    rows = np.arange(min(n, size) + ahead)
    for start in range(0, n, size):
        if start + len(rows) > n:
            np.minimum(rows, n - 1, out=rows)
        stop = min(size, n - start)
        yield Visit(rows[:stop], rows[ahead : ahead + stop])
        rows += size


def _shuffled(
    n: int, strip: int, key: tuple[int, int], ahead: int | None, size: int
) -> Iterator[Visit]:
    """Fetch some visits ahead, or (None) stream the next window in while this one is visited."""
    rng = _random(key)
    n_strips = -(-n // strip)
    n_windows = -(-n_strips // STRIPS)
    regions = Regions(
        first=np.arange(STRIPS + 1) * n_strips // STRIPS,
        start=rng.integers(n_windows, size=STRIPS),
    )
    places = np.divmod(rng.permutation(strip * STRIPS), strip)
    at_once = min(size // (strip * STRIPS), n_windows)
    room = at_once * strip * STRIPS + max(1, ahead or 0)
    order, fetch = np.empty(room, np.int64), np.empty(room, np.int64)
    for window in range(0, n_windows, at_once):
        span = window, min(window + at_once, n_windows), n_windows
        n_rows = fill_windows(span, regions, places, n, Visit(order, fetch))
        if ahead is None:
            yield Visit(order[:n_rows], fetch[:n_rows])
        else:
            order[n_rows : n_rows + ahead] = order[n_rows - 1]
            yield Visit(order[:n_rows], order[ahead : n_rows + ahead])


def _random(key: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng(key)


class Regions(NamedTuple):
    """The first strip of each region, and the one past the last; where in each a pass starts."""

    first: Ints
    start: Ints


@njit(cache=True, nogil=True)
def fill_windows(
    span: tuple[int, int, int], regions: Regions, places: tuple[Ints, Ints], n: int, part: Visit
) -> int:
    """Rows of some windows at their shuffled places; those of the next window to be fetched.

    `span` is the first window, the one past the last, and how many there are in all. Gives how many
    rows were filled in.
    """
    window, stop, n_windows = span
    strips, insides = places
    order, fetch, strip = part.order, part.fetch, UINT(len(strips) // STRIPS)
    now, later = np.empty(STRIPS, np.int64), np.empty(STRIPS, np.int64)
    whole = find_strips(window, n_windows, regions, (strip, n), now)
    filled = UINT(0)
    while window < stop:
        window += 1
        next_whole = find_strips(window % n_windows, n_windows, regions, (strip, n), later)
        for s in range(UINT(STRIPS)):
            first = min(later[s], n - np.int64(strip))  # at the end, as many rows before it
            for inside in range(strip):
                fetch[filled + s * strip + inside] = first + np.int64(inside)
        if whole:
            for q in range(UINT(len(strips))):
                order[filled + q] = now[UINT(strips[q])] + insides[q]
            filled += UINT(len(strips))
        else:
            for q in range(UINT(len(strips))):
                row = now[UINT(strips[q])] + insides[q]
                order[filled] = row
                filled += UINT(row < n)
        now, later, whole = later, now, next_whole
    return int(filled)


@njit(cache=True, nogil=True, forceinline=True)
def find_strips(
    window: int, n_windows: int, regions: Regions, size: tuple[int, int], rows: Ints
) -> bool:
    """Write the first row of each strip of a window; tell whether all their rows exist.

    A region may be a strip shorter than others: then one window goes without, and the row is n.
    """
    first, start = regions
    strip, n = size
    whole = True
    for s in range(UINT(STRIPS)):
        turn = window + start[s]
        at = first[s] + (turn if turn < n_windows else turn - n_windows)
        rows[s] = at * np.int64(strip) if at < first[s + UINT(1)] else n
        whole &= rows[s] + np.int64(strip) <= n
    return whole
