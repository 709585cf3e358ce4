"""The order of samples in an epoch: file order, or a seeded blockwise shuffle.

The shuffle is blockwise. The rows are cut into strips of 16, or up to 64 if they have few features,
and the strips into 60 regions. A window is one strip of each region; the next window takes the next
strip of each, cyclically, from a random strip of each region on. In a window 12 strips are
read side by side, one of each twelfth of the data, from their first row to their last: each round
takes one row of each strip in random order, and which strips go together is random, too. Where all
rows fit into the cache, a window is a uniform permutation of its rows; up to 1,024 rows, so is the
epoch. Each epoch draws once for all windows.

So every twelve rows come from 12 places, evenly spread over the data, and after some 16 rounds from
12 others, which mixes sorted data well. Yet memory is read in no more streams than the hardware
prefetches: that makes a shuffled epoch fast. The order depends on the seed, the epoch and the shape
of the data alone, not on how they are stored.

Each part of an order also says which rows to prefetch meanwhile.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT
from rosenblatt.types import Ints

MIN_STRIP_ROWS, MAX_STRIP_ROWS = 16, 64
STRIP_ENTRIES = 512  # of a strip between the two: a page of float64
N_STREAMS = 12  # strips read in turn: hardware prefetches no more streams
WINDOW_STRIPS = 5 * N_STREAMS  # one of each region
MAX_CACHED_ENTRIES = 1 << 22  # so many fit into a cache, where streams do not matter
MAX_UNIFORM_ROWS = 1024  # up to which the shuffle is a uniform permutation
ORDER_ROWS = 65_536  # rows of a part of an order: many windows
PREFETCH_BYTES = 4 * 1024  # prefetch distance,
MIN_PREFETCH_ROWS = 4  # at least: in file order the rows that are scored next,
MIN_SHUFFLED_PREFETCH_ROWS = 16  # in a shuffle more, which the hardware does not prefetch


class SampleOrder(NamedTuple):
    """Rows in the order of training, and for each the row to prefetch at that time."""

    order: Ints
    prefetch: Ints

    def part(self, start: int, stop: int) -> "SampleOrder":
        """The samples from `start` to `stop`."""
        return SampleOrder(self.order[start:stop], self.prefetch[start:stop])


class Shape(NamedTuple):
    """Number of rows, features a row and bytes a row."""

    n: int
    n_features: int
    row_bytes: int


def sample_orders(
    shape: Shape, shuffle_key: tuple[int, int] | None = None
) -> Iterator[SampleOrder]:
    """The order of all rows in an epoch, part by part: file order, or shuffled by (seed, epoch).

    The arrays of a part are overwritten by the next.
    """
    n = shape.n
    ahead = PREFETCH_BYTES // max(1, shape.row_bytes)
    if n <= MAX_UNIFORM_ROWS:  # not worth loading a kernel
        small = np.arange(n) if shuffle_key is None else _random(shuffle_key).permutation(n)
        return iter([SampleOrder(small, small)])
    if shuffle_key is None:
        return _in_file_order(n, max(MIN_PREFETCH_ROWS, ahead))
    return _shuffled(shape, shuffle_key, max(MIN_SHUFFLED_PREFETCH_ROWS, ahead))


@lru_cache(maxsize=2)
def epoch_order(shape: Shape, shuffle_key: tuple[int, int] | None) -> Ints:
    """The order of all rows in an epoch, in one piece."""
    return np.concatenate([part.order.copy() for part in sample_orders(shape, shuffle_key)])


def strip_rows(n_features: int) -> int:
    """Number of rows of a strip, a power of two."""
    wanted = STRIP_ENTRIES // max(1, n_features)
    return 1 << (min(MAX_STRIP_ROWS, max(MIN_STRIP_ROWS, wanted)).bit_length() - 1)


def _in_file_order(n: int, ahead: int) -> Iterator[SampleOrder]:
    rows = np.arange(min(n, ORDER_ROWS) + ahead)
    for start in range(0, n, ORDER_ROWS):
        if start + len(rows) > n:
            np.minimum(rows, n - 1, out=rows)
        stop = min(ORDER_ROWS, n - start)
        yield SampleOrder(rows[:stop], rows[ahead : ahead + stop])
        rows += ORDER_ROWS


def _shuffled(shape: Shape, key: tuple[int, int], ahead: int) -> Iterator[SampleOrder]:
    n, strip, rng = shape.n, strip_rows(shape.n_features), _random(key)
    n_strips = -(-n // strip)
    n_windows = -(-n_strips // WINDOW_STRIPS)
    regions = Regions(
        first=np.arange(WINDOW_STRIPS + 1) * n_strips // WINDOW_STRIPS,
        start=rng.integers(n_windows, size=WINDOW_STRIPS),
    )
    near = n * shape.n_features <= MAX_CACHED_ENTRIES
    places = _permuted(rng, strip) if near else _in_rounds(rng, strip)
    at_once = min(ORDER_ROWS // (strip * WINDOW_STRIPS), n_windows)
    order = np.empty(at_once * strip * WINDOW_STRIPS + ahead, np.int64)
    for window in range(0, n_windows, at_once):
        span = window, min(window + at_once, n_windows), n_windows
        n_rows = fill_windows(span, regions, places, n, order)
        order[n_rows : n_rows + ahead] = order[n_rows - 1]
        yield SampleOrder(order[:n_rows], order[ahead : n_rows + ahead])


def _permuted(rng: np.random.Generator, strip: int) -> tuple[Ints, Ints]:
    """Strip of each sample of a window, and its place in the strip, in random order."""
    return np.divmod(rng.permutation(strip * WINDOW_STRIPS), strip)


def _in_rounds(rng: np.random.Generator, strip: int) -> tuple[Ints, Ints]:
    """The same, but each strip from its first row to its last, some strips at a time."""
    # each row of `sets` has one strip of each part of the data
    sets = rng.permuted(np.arange(WINDOW_STRIPS).reshape(N_STREAMS, -1), axis=1).T
    rounds = rng.permuted(np.repeat(sets, strip, axis=0), axis=1)
    insides = np.tile(np.arange(strip), len(sets))
    return rounds.ravel(), np.repeat(insides, N_STREAMS)


def _random(key: tuple[int, int]) -> np.random.Generator:
    return np.random.default_rng(key)


class Regions(NamedTuple):
    """First strip of each region, and the one past the last; the strip where an epoch starts."""

    first: Ints
    start: Ints


@njit(cache=True, nogil=True)
def fill_windows(
    span: tuple[int, int, int], regions: Regions, places: tuple[Ints, Ints], n: int, order: Ints
) -> int:
    """Write the order of some windows to `order`; return their number of rows.

    `span` is the first window, the one past the last, and the number of all windows.
    """
    window, stop, n_windows = span
    strips, insides = places
    size, strip = UINT(len(strips)), len(strips) // WINDOW_STRIPS
    rows = np.full(WINDOW_STRIPS, n)
    filled = UINT(0)
    for at in range(window, stop):
        if follows_previous(at, n_windows, regions, (strip, n), rows):  # mostly, and quicker
            for q in range(filled, filled + size):
                order[q] = order[q - size] + strip
            filled += size
        else:
            for q in range(size):
                row = rows[UINT(strips[q])] + insides[q]
                order[filled] = row
                filled += UINT(row < n)
    return int(filled)


@njit(cache=True, nogil=True, forceinline=True)
def follows_previous(
    window: int, n_windows: int, regions: Regions, size: tuple[int, int], rows: Ints
) -> bool:
    """Replace the first rows of the strips of a window by those of the next window.

    Return whether each strip follows the one before and is complete. A region may be one strip
    shorter than others: then one window has none of it, and its row is n.
    """
    first, start = regions
    strip, n = size
    following = 0
    for s in range(UINT(WINDOW_STRIPS)):
        turn = window + start[s]
        at = first[s] + (turn if turn < n_windows else turn - n_windows)
        row = at * strip if at < first[s + UINT(1)] else n
        following += int(row == rows[s] + strip and row + strip <= n)
        rows[s] = row
    return following == WINDOW_STRIPS
