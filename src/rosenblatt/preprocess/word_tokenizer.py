"""Words of a text: where they stand in its bytes, and their hashes.

A word is a run of letters, digits and underscores. Any other ASCII character ends it, and so does
the punctuation of Latin-1, of typography (dashes, quotes, spaces) and of ideographs. An apostrophe
ends a word too: pairs of words then have "don t", which classifies better than one word "don't".
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT
from rosenblatt.types import Array, Ints

BLOCK_BYTES = 1 << 21  # of text, handed to a thread at a time
BASIS, PRIME = UINT(0xCBF29CE484222325), UINT(0x100000001B3)  # of the hash FNV-1a, 64 bits
IN_WORDS = np.array([chr(byte).isalnum() or chr(byte) == "_" for byte in range(128)])
ASCII = 128
LATIN_1, TYPOGRAPHY, IDEOGRAPHS = 0xC2, 0xE2, 0xE3  # with what their punctuation begins in UTF-8


class Text(NamedTuple):
    """Texts one after the other in UTF-8, and where each begins and the last ends."""

    letters: Array
    places: Ints


class Words(NamedTuple):
    """Room for the words, or characters, of a row: where they begin and end, and their hashes."""

    starts: Ints
    stops: Ints
    hashes: Array


def blocks_of(texts: pl.Series) -> Iterator[pl.Series]:
    """Cut texts into blocks of some size, each of at least one row unless there is none."""
    n_blocks = 1 + int(texts.str.len_bytes().sum()) // BLOCK_BYTES
    step = 1 + len(texts) // n_blocks
    for start in range(0, max(1, len(texts)), step):
        yield texts.slice(start, step)


def text_of(texts: pl.Series) -> Text:
    """Texts as they are; one that is missing is empty."""
    joined = texts.str.join("").cast(pl.Binary).item()
    places = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(texts.str.len_bytes().fill_null(0).to_numpy(), out=places[1:])
    return Text(np.frombuffer(joined, np.uint8), places)


@njit(cache=True, nogil=True)
def room_for_words(places: Ints, shortest: int) -> Words:
    """Room for the words of any row, where one and what follows it have so many bytes or more."""
    longest = 0
    for row in range(len(places) - 1):
        longest = max(longest, places[row + 1] - places[row])
    most = longest // shortest + 1
    return Words(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.uint64))


@njit(cache=True, nogil=True)
def find_words(letters: Array, start: int, stop: int, words: Words) -> int:
    """Write down the words that stand between two places; how many there are."""
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
    """How many bytes at a place are no part of a word: 0 in a word."""
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
