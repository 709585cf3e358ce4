"""Text to numbers: words and runs of words, hashed to features. No vocabulary is kept.

A run of words t₁ … tₙ, given by their hashes, has the number Σ tᵢ Kⁿ⁻ⁱ modulo 2⁶⁴. That is mixed,
and its first bits are the feature.
"""

import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numba import njit

from rosenblatt.arrays import Array, Ints
from rosenblatt.data.rows import CSR, UINT
from rosenblatt.tables.words import Text, blocks_of, find_words, room_for_words, text_of

SIZES = (1, 2)  # words in a run: from, to
BITS = 18

K = UINT(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: odd, and without a pattern
MIX_1, MIX_2, HALF = UINT(0xFF51AFD7ED558CCD), UINT(0xC4CEB9FE1A85EC53), UINT(33)  # of MurmurHash3
ONE = UINT(1)


class Runs(NamedTuple):
    """Runs of words in a text: their hashes and features, and where they begin and end."""

    hashes: Array
    features: Ints
    starts: Ints
    stops: Ints


def counts(texts: pl.Series, *, sizes: tuple[int, int] = SIZES, bits: int = BITS) -> CSR:
    """How often words, and runs of as many words as `sizes` allow, occur in each text.

    There are 2^bits features, in rising order in a row. A missing text is a row without entries.
    """

    def counted(block: pl.Series) -> tuple[Array, Array, Array]:
        with np.errstate(over="ignore"):  # hashes are taken modulo 2⁶⁴
            return count(text_of(block), sizes, bits)

    blocks = list(blocks_of(texts))
    with ThreadPoolExecutor(min(len(blocks), os.cpu_count() or 1)) as threads:
        parts = list(threads.map(counted, blocks))
    lengths = np.concatenate([lengths for _, _, lengths in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    index = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
    return CSR(
        np.concatenate([values for _, values, _ in parts]),
        np.concatenate([features for features, _, _ in parts], dtype=index),
        indptr.astype(index),
        1 << bits,
    )


def names_of(
    texts: pl.Series, wanted: Ints, *, sizes: tuple[int, int] = SIZES, bits: int = BITS
) -> dict[int, list[str]]:
    """What in some texts has each of the wanted features, the most frequent first."""
    is_wanted = np.zeros(1 << bits, np.bool_)
    is_wanted[wanted] = True
    times: dict[int, Counter[str]] = {int(feature): Counter() for feature in wanted}
    for block in blocks_of(texts):
        text = text_of(block)
        with np.errstate(over="ignore"):
            runs = find_runs(text, sizes, bits, is_wanted)
            _, firsts, numbers = np.unique(runs.hashes, return_index=True, return_counts=True)
            for first, n in zip(firsts, numbers, strict=True):
                name = _name(text.letters[runs.starts[first] : runs.stops[first]])
                times[int(runs.features[first])][name] += int(n)
    return {feature: _most_frequent(names) for feature, names in times.items()}


def _name(letters: Array) -> str:
    """Words with one space between them, whatever stood there."""
    words = room_for_words(np.array([0, len(letters)]))
    n = find_words(letters, 0, len(letters), words)
    spans = zip(words.starts[:n], words.stops[:n], strict=True)
    return " ".join(bytes(letters[start:stop]).decode() for start, stop in spans)


def _most_frequent(names: Counter[str]) -> list[str]:
    """Names by their number, equals in alphabetical order."""
    return sorted(names, key=lambda name: (-names[name], name))


@njit(cache=True, nogil=True)
def count(text: Text, sizes: tuple[int, int], bits: int) -> tuple[Array, Array, Array]:
    """Features of all rows in turn, their counts, and how many of them each row has."""
    letters, places = text
    n, words = len(places) - 1, room_for_words(places)
    room, row_room = room_for_runs(text, sizes), len(words.hashes) * (sizes[1] - sizes[0] + 1)
    features, values = np.empty(room, np.int32), np.empty(room, np.float32)
    run, spare = np.empty(row_room, np.int32), np.empty(row_room, np.int32)
    lengths = np.empty(n, np.int64)
    tallies = np.empty(1 << ((bits + 1) // 2), np.int64)
    total = 0
    for row in range(n):
        n_words = find_words(letters, places[row], places[row + 1], words)
        n_runs = hash_runs(words.hashes[:n_words], sizes, bits, run)
        sort_features(run[:n_runs], spare, bits, tallies)
        lengths[row] = tally(run[:n_runs], features[total:], values[total:])
        total += lengths[row]
    return features[:total], values[:total], lengths


@njit(cache=True, nogil=True)
def room_for_runs(text: Text, sizes: tuple[int, int]) -> int:
    """How many runs of words there are at most; a letter and a space are the shortest word."""
    return (len(text.letters) // 2 + len(text.places)) * (sizes[1] - sizes[0] + 1)


@njit(cache=True, nogil=True, forceinline=True)
def hash_runs(hashes: Array, sizes: tuple[int, int], bits: int, features: Array) -> int:
    """Features of the runs of some words; how many there are."""
    n, found = UINT(len(hashes)), UINT(0)
    for first in range(n):
        run = UINT(0)
        for last in range(first, min(n, first + UINT(sizes[1]))):
            run = run * K + hashes[last]
            if last + ONE >= first + UINT(sizes[0]):
                features[found] = feature_of(run, bits)
                found += ONE
    return int(found)


@njit(cache=True, nogil=True, forceinline=True)
def feature_of(run: Any, bits: int) -> Any:
    """The first bits of the mixed hash of a run of words."""
    mixed = (run ^ (run >> HALF)) * MIX_1
    mixed = (mixed ^ (mixed >> HALF)) * MIX_2
    return (mixed ^ (mixed >> HALF)) >> UINT(64 - bits)


@njit(cache=True, nogil=True)
def sort_features(features: Array, spare: Array, bits: int, tallies: Array) -> None:
    """Sort by the lower half of the bits, then by the upper half."""
    n, half = len(features), UINT((bits + 1) // 2)
    sort_by_digit(features, spare[:n], UINT(0), tallies)
    sort_by_digit(spare[:n], features, half, tallies)


@njit(cache=True, nogil=True, forceinline=True)
def sort_by_digit(features: Array, out: Array, shift: int, tallies: Array) -> None:
    """Sort by some bits, those with the same ones in the order they had."""
    mask = UINT(len(tallies) - 1)
    for digit in range(len(tallies)):
        tallies[digit] = 0
    for i in range(UINT(len(features))):
        tallies[(UINT(features[i]) >> shift) & mask] += 1
    before = 0
    for digit in range(len(tallies)):
        before, tallies[digit] = before + tallies[digit], before
    for i in range(UINT(len(features))):
        digit = (UINT(features[i]) >> shift) & mask
        out[UINT(tallies[digit])] = features[i]
        tallies[digit] += 1


@njit(cache=True, nogil=True, forceinline=True)
def tally(run: Array, features: Array, values: Array) -> int:
    """Each feature of a sorted run once, with its count; how many there are."""
    n = UINT(0)
    for i in range(UINT(len(run))):
        if i == UINT(0) or run[i] != run[i - ONE]:
            features[n], values[n] = run[i], np.float32(0)
            n += ONE
        values[n - ONE] += np.float32(1)
    return int(n)


@njit(cache=True, nogil=True)
def find_runs(text: Text, sizes: tuple[int, int], bits: int, wanted: Array) -> Runs:
    """Runs of words whose features are wanted."""
    letters, places = text
    words = room_for_words(places)
    room = room_for_runs(text, sizes)
    hashes, features = np.empty(room, np.uint64), np.empty(room, np.int64)
    starts, stops = np.empty(room, np.int64), np.empty(room, np.int64)
    found = 0
    for row in range(len(places) - 1):
        n = find_words(letters, places[row], places[row + 1], words)
        for first in range(n):
            run = UINT(0)
            for last in range(first, min(n, first + sizes[1])):
                run = run * K + words.hashes[last]
                feature = feature_of(run, bits)
                if last + 1 >= first + sizes[0] and wanted[feature]:
                    hashes[found], features[found] = run, feature
                    starts[found], stops[found] = words.starts[first], words.stops[last]
                    found += 1
    return Runs(hashes[:found], features[:found], starts[:found], stops[:found])
