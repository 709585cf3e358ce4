"""Hashed n-grams of words or characters, without a vocabulary.

A word is a run of letters, digits and underscores. Any other ASCII character ends it, and so does
the punctuation of Latin-1, of typography (dashes, quotes, spaces) and of ideographs. An apostrophe
ends a word too: pairs of words then have "don t", which classifies better than one word "don't".

n-grams of characters stay within what stands between blanks, punctuation included, with a blank
before and after it, as scikit-learn's `analyzer="char_wb"` has them; a character is a code point. A
word that is too short for any n-gram is one by itself.

An n-gram of units with hashes t₁ … tₙ has the hash Σ tᵢ Kⁿ⁻ⁱ modulo 2⁶⁴. That is mixed, and its
first bits are the feature.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rosenblatt.features.maps.spec import UNITS, NgramSpec
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT
from rosenblatt.types import Array, Ints

BLOCK_BYTES = 1 << 21  # of text, handed to a thread at a time
BASIS, PRIME = UINT(0xCBF29CE484222325), UINT(0x100000001B3)  # of the hash FNV-1a, 64 bits
IN_WORDS = np.array([chr(byte).isalnum() or chr(byte) == "_" for byte in range(128)])
ASCII = 128
LATIN_1, TYPOGRAPHY, IDEOGRAPHS = 0xC2, 0xE2, 0xE3  # first bytes of their punctuation in UTF-8
BLANKS = r"[\s\x1c-\x1f]+"  # as Python's str.split has them
BLANK = UINT(ord(" "))
CONTINUATION, CONTINUATION_MASK = UINT(0x80), UINT(0xC0)  # in UTF-8 such bytes are 10xxxxxx
SIZES, _, BITS, _ = NgramSpec()
WORD, CHARACTER = range(2)  # codes of the units in kernels
MIN_UNIT_BYTES = (2, 1)  # with what must follow: a letter and a space, or a letter
K = UINT(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: odd, and without a pattern
MIX_1, MIX_2, HALF = UINT(0xFF51AFD7ED558CCD), UINT(0xC4CEB9FE1A85EC53), UINT(33)  # of MurmurHash3
ONE = UINT(1)
SPACE = ord(" ")


class EncodedTexts(NamedTuple):
    """Concatenated texts in UTF-8, and the start of each and the end of the last."""

    letters: Array
    places: Ints


class TokenBuffers(NamedTuple):
    """Buffers for the words or characters of a row: starts, ends and hashes."""

    starts: Ints
    stops: Ints
    hashes: Array


def blocks_of(texts: pl.Series) -> Iterator[pl.Series]:
    """Blocks of texts of about BLOCK_BYTES; one empty block if there are no texts."""
    n_blocks = 1 + int(texts.str.len_bytes().sum()) // BLOCK_BYTES
    step = 1 + len(texts) // n_blocks
    for start in range(0, max(1, len(texts)), step):
        yield texts.slice(start, step)


def text_of(texts: pl.Series) -> EncodedTexts:
    """Texts in UTF-8; missing ones are empty."""
    joined = texts.str.join("").cast(pl.Binary).item()
    places = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), out=places[1:])
    return EncodedTexts(np.frombuffer(joined, np.uint8), places)


@njit(cache=True, nogil=True)
def allocate_tokens(places: Ints, shortest: int) -> TokenBuffers:
    """Buffers for any row, whose units have at least `shortest` bytes with what follows."""
    longest = 0
    for row in range(len(places) - 1):
        longest = max(longest, places[row + 1] - places[row])
    most = longest // shortest + 1
    return TokenBuffers(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.uint64)
    )


@njit(cache=True, nogil=True)
def find_words(letters: Array, start: int, stop: int, words: TokenBuffers) -> int:
    """Find the words between two positions; returns how many there are."""
    starts, stops, hashes = words
    n, i, end = UINT(0), UINT(start), UINT(stop)
    while i < end:
        gap = gap_at(letters, i)
        if gap:
            i += gap
            continue
        starts[n], word = i, BASIS
        while i < end and gap_at(letters, i) == UINT(0):
            word = (word ^ UINT(letters[i])) * PRIME
            i += UINT(1)
        stops[n], hashes[n] = i, word
        n += UINT(1)
    return int(n)


@njit(cache=True, nogil=True, forceinline=True)
def gap_at(letters: Array, i: int) -> Any:
    """Number of bytes at a position that belong to no word; 0 within a word."""
    byte = letters[i]
    if byte < ASCII:
        return UINT(not IN_WORDS[byte])
    if byte == LATIN_1:
        return UINT(2)
    if byte == TYPOGRAPHY:
        return UINT(3 * (letters[i + UINT(1)] <= 0x81))
    if byte == IDEOGRAPHS:
        return UINT(3 * (letters[i + UINT(1)] == 0x80))
    return UINT(0)


with np.errstate(over="ignore"):
    BLANK_HASH = (BASIS ^ BLANK) * PRIME


def padded(texts: pl.Series) -> pl.Series:
    """Texts with a blank on both sides of every word; null for texts without words."""
    words = texts.str.replace_all(BLANKS, "  ").str.strip_chars(" ")
    return " " + words.set(words == "", None) + " "


@njit(cache=True, nogil=True)
def find_characters(letters: Array, start: int, stop: int, found: TokenBuffers) -> int:
    """Find the characters between two positions; returns how many there are."""
    starts, stops, hashes = found
    n, i, end = UINT(0), UINT(start), UINT(stop)
    while i < end:
        starts[n], character = i, BASIS
        while True:
            character = (character ^ UINT(letters[i])) * PRIME
            i += UINT(1)
            if i == end or UINT(letters[i]) & CONTINUATION_MASK != CONTINUATION:
                break
        stops[n], hashes[n] = i, character
        n += UINT(1)
    return int(n)


@njit(cache=True, nogil=True, forceinline=True)
def end_of_word(hashes: Array, first: int) -> Any:
    """End of the padded word that begins at a blank."""
    last = first + UINT(1)
    while hashes[last] != BLANK_HASH:
        last += UINT(1)
    return last + UINT(1)


class NGrams(NamedTuple):
    """n-grams in a text: hashes, features, starts, ends and rows."""

    hashes: Array
    features: Ints
    starts: Ints
    stops: Ints
    rows: Ints


def counts(
    texts: pl.Series, *, sizes: tuple[int, int] = SIZES, bits: int = BITS, unit: str = "word"
) -> CSR:
    """Counts of the n-grams of words (or characters) in texts, n from `sizes[0]` to `sizes[1]`.

    There are 2^bits features, sorted in each row. A missing text is an empty row.
    """

    def counted(block: pl.Series) -> tuple[Array, Array, Array]:
        with np.errstate(over="ignore"):  # hashes are taken modulo 2⁶⁴
            return count(text_in(block, unit), sizes, UNITS.index(unit), bits)

    return stacked(in_blocks(counted, texts), 1 << bits)


def in_blocks(do: Callable[[pl.Series], Any], texts: pl.Series) -> list[Any]:
    """Results of a function for each block of texts, on all cores."""
    blocks = list(blocks_of(texts))
    with ThreadPoolExecutor(min(len(blocks), os.cpu_count() or 1)) as threads:
        return list(threads.map(do, blocks))


def stacked(parts: list[tuple[Array, Array, Array]], n_features: int) -> CSR:
    """Rows out of parts of them: features, values, and how many of them each row has."""
    lengths = np.concatenate([lengths for _, _, lengths in parts])
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    index = np.int32 if indptr[-1] <= np.iinfo(np.int32).max else np.int64
    return CSR(
        np.concatenate([values for _, values, _ in parts]),
        np.concatenate([features for features, _, _ in parts], dtype=index),
        indptr.astype(index),
        n_features,
    )


def text_in(texts: pl.Series, unit: str) -> EncodedTexts:
    """Lower-case texts, made ready to be cut into units."""
    lower = texts.str.to_lowercase()
    return text_of(padded(lower) if unit == "character" else lower)


def names_of(
    texts: pl.Series,
    wanted: Ints,
    *,
    sizes: tuple[int, int] = SIZES,
    bits: int = BITS,
    unit: str = "word",
) -> dict[int, list[str]]:
    """What in some texts has each of the wanted features, the most frequent first."""
    is_wanted = np.zeros(1 << bits, np.bool_)
    is_wanted[wanted] = True
    times: dict[int, Counter[str]] = {int(feature): Counter() for feature in wanted}
    for block in blocks_of(texts):
        text = text_in(block, unit)
        with np.errstate(over="ignore"):
            runs = find_runs(text, sizes, UNITS.index(unit), bits, is_wanted)
        _, firsts, numbers = np.unique(runs.hashes, return_index=True, return_counts=True)
        names = spelled(text, runs.starts[firsts], runs.stops[firsts], unit)
        features = runs.features[firsts].tolist()
        for feature, name, n in zip(features, names, numbers.tolist(), strict=True):
            times[feature][name] += n
    return {feature: _most_frequent(names) for feature, names in times.items()}


def spelled(text: EncodedTexts, starts: Ints, stops: Ints, unit: str) -> list[str]:
    """n-grams as text: characters as they are, words with one space between them."""
    letters, places = spell(text.letters, starts, stops, UNITS.index(unit))
    raw = letters.tobytes()
    return [raw[start:stop].decode() for start, stop in pairwise(places.tolist())]


def _most_frequent(names: Counter[str]) -> list[str]:
    """Names by decreasing count, ties in alphabetical order."""
    return sorted(names, key=lambda name: (-names[name], name))


@njit(cache=True, nogil=True)
def count(
    text: EncodedTexts, sizes: tuple[int, int], unit: int, bits: int
) -> tuple[Array, Array, Array]:
    """Features of all rows, their counts, and the number of features of each row."""
    letters, places = text
    n, units = len(places) - 1, allocate_tokens(places, MIN_UNIT_BYTES[unit])
    size, row_size = max_runs(text, sizes, unit), len(units.hashes) * (sizes[1] - sizes[0] + 1)
    features, values = np.empty(size, np.int32), np.empty(size, np.float32)
    run, spare = np.empty(row_size, np.int32), np.empty(row_size, np.int32)
    lengths = np.empty(n, np.int64)
    tallies = np.empty(1 << ((bits + 1) // 2), np.int64)
    total = 0
    for row in range(n):
        n_units = find_units(letters, places[row], places[row + 1], unit, units)
        n_runs = hash_runs(units.hashes[:n_units], sizes, unit, bits, run)
        sort_features(run[:n_runs], spare, bits, tallies)
        lengths[row] = tally(run[:n_runs], features[total:], values[total:])
        total += lengths[row]
    return features[:total], values[:total], lengths


@njit(cache=True, nogil=True)
def max_runs(text: EncodedTexts, sizes: tuple[int, int], unit: int) -> int:
    """Upper bound of the number of n-grams."""
    n_units = len(text.letters) // MIN_UNIT_BYTES[unit] + len(text.places)
    return n_units * (sizes[1] - sizes[0] + 1)


@njit(cache=True, nogil=True, forceinline=True)
def find_units(letters: Array, start: int, stop: int, unit: int, found: TokenBuffers) -> int:
    """Find the words or characters between two positions; returns how many there are."""
    if unit == CHARACTER:
        return find_characters(letters, start, stop, found)
    return find_words(letters, start, stop, found)


@njit(cache=True, nogil=True, forceinline=True)
def ngram_limits(hashes: Array, first: int, least: int, unit: int) -> tuple[int, int]:
    """Limit of the n-grams that begin at a unit, and their minimal number of units."""
    if unit == CHARACTER:
        end = end_of_word(hashes, first)
        return end, min(UINT(least), end - first)
    return UINT(len(hashes)), UINT(least)


@njit(cache=True, nogil=True, forceinline=True)
def hash_runs(hashes: Array, sizes: tuple[int, int], unit: int, bits: int, features: Array) -> int:
    """Compute the features of all n-grams of some units; returns how many there are."""
    n, found, begin = UINT(len(hashes)), UINT(0), UINT(0)
    while begin < n:
        end, least = ngram_limits(hashes, begin, sizes[0], unit)
        for first in range(begin, end):
            run = UINT(0)
            for last in range(first, min(end, first + UINT(sizes[1]))):
                run = run * K + hashes[last]
                if last + ONE >= first + least:
                    features[found] = feature_of(run, bits)
                    found += ONE
        begin = end
    return int(found)


@njit(cache=True, nogil=True, forceinline=True)
def feature_of(run: Any, bits: int) -> Any:
    """The first bits of the mixed hash of an n-gram."""
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
    """Stable counting sort by some bits."""
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
    """Distinct features of a sorted array, with their counts; returns how many there are."""
    n = UINT(0)
    for i in range(UINT(len(run))):
        if i == UINT(0) or run[i] != run[i - ONE]:
            features[n], values[n] = run[i], np.float32(0)
            n += ONE
        values[n - ONE] += np.float32(1)
    return int(n)


@njit(cache=True, nogil=True)
def find_runs(
    text: EncodedTexts, sizes: tuple[int, int], unit: int, bits: int, wanted: Array
) -> NGrams:
    """n-grams whose features are wanted."""
    letters, places = text
    units = allocate_tokens(places, MIN_UNIT_BYTES[unit])
    size = max_runs(text, sizes, unit)
    hashes, features = np.empty(size, np.uint64), np.empty(size, np.int64)
    starts, stops = np.empty(size, np.int64), np.empty(size, np.int64)
    rows = np.empty(size, np.int64)
    found = 0
    for row in range(len(places) - 1):
        n = UINT(find_units(letters, places[row], places[row + 1], unit, units))
        begin = UINT(0)
        while begin < n:
            end, least = ngram_limits(units.hashes[:n], begin, sizes[0], unit)
            for first in range(begin, end):
                run = UINT(0)
                for last in range(first, min(end, first + UINT(sizes[1]))):
                    run = run * K + units.hashes[last]
                    feature = feature_of(run, bits)
                    if last + ONE >= first + least and wanted[feature]:
                        hashes[found], features[found], rows[found] = run, feature, row
                        starts[found], stops[found] = units.starts[first], units.stops[last]
                        found += 1
            begin = end
    return NGrams(hashes[:found], features[:found], starts[:found], stops[:found], rows[:found])


@njit(cache=True, nogil=True)
def spell(letters: Array, starts: Ints, stops: Ints, unit: int) -> EncodedTexts:
    """Concatenated n-grams, with one space for whatever stands between words."""
    places = np.zeros(len(starts) + 1, np.int64)
    for run in range(len(starts)):
        places[run + 1] = places[run] + stops[run] - starts[run]
    spelling, n = np.empty(places[-1], np.uint8), 0
    for run in range(len(starts)):
        i, stop = UINT(starts[run]), UINT(stops[run])
        while i < stop:
            gap = gap_at(letters, i) if unit == WORD else UINT(0)
            if gap == UINT(0):
                spelling[n] = letters[i]
                n += 1
                i += ONE
                continue
            if spelling[n - 1] != SPACE:
                spelling[n] = SPACE
                n += 1
            i += gap
        places[run + 1] = n
    return EncodedTexts(spelling[:n], places)
