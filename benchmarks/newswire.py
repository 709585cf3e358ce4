"""Text files like RCV1: rows of words by Zipf's law, tf-idf values of unit length, two classes."""

import math
from pathlib import Path

import numpy as np
from numba import njit

N_ROWS, N_WORDS, MEAN_LENGTH = 700_000, 47_000, 76
BLOCK = 20_000  # rows
LONGEST_TOKEN = 24  # bytes
COMMON = 60.0  # words are drawn as if so many more common ones had been left out
SVMLIGHT, WABBIT = b" ", b" | "
POINT, ZERO, SPACE, COLON, NEWLINE = (np.uint8(ord(sign)) for sign in ".0 :\n")


def write(path: Path, n_rows: int = N_ROWS, after_label: bytes = SVMLIGHT, seed: int = 0) -> int:
    """Write rows to a file and give the number of their entries; a seed means the same rows."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=N_WORDS + 1)
    entries = 0
    with path.open("wb") as file:
        for start in range(0, n_rows, BLOCK):
            n = min(BLOCK, n_rows - start)
            lengths = np.clip(rng.lognormal(np.log(MEAN_LENGTH) - 0.18, 0.6, n), 1, 1000)
            lengths = lengths.astype(np.int64)
            draws = rng.random((2, int(lengths.sum())))
            text = np.empty((len(draws[0]) + n) * LONGEST_TOKEN, np.uint8)
            between = np.frombuffer(after_label, np.uint8)
            size, found = _lines(lengths, draws[0], draws[1], truth, between, text)
            file.write(text[:size])
            entries += found
    return entries


@njit(cache=True)
def _lines(lengths, places, sizes, truth, between, text):  # type: ignore[no-untyped-def]
    at, first, entries = 0, 0, 0
    span = math.log((N_WORDS + COMMON) / COMMON)
    for length in lengths:
        words = np.empty(length, np.int64)
        for k in range(length):
            words[k] = int(COMMON * math.exp(span * places[first + k]) - COMMON) + 1
        words = np.unique(np.minimum(words, N_WORDS))
        values = np.empty(len(words))
        for k in range(len(words)):
            values[k] = (1.0 + sizes[first + k]) * math.log(10.0 + words[k])
        values /= math.sqrt((values * values).sum())
        score = 0.0
        for k in range(len(words)):
            score += truth[words[k]] * values[k]
        at = _put(text, at, "1" if score > 0.1 * (sizes[first] - 0.5) else "-1")
        for sign in between[:-1]:
            text[at] = sign
            at += 1
        for k in range(len(words)):
            text[at] = SPACE
            at = _put_whole(text, at + 1, words[k])
            text[at] = COLON
            at = _put_fraction(text, at + 1, values[k])
        text[at] = NEWLINE
        at += 1
        first += length
        entries += len(words)
    return at, entries


@njit(cache=True)
def _put(text, at, signs):  # type: ignore[no-untyped-def]
    for sign in signs:
        text[at] = ord(sign)
        at += 1
    return at


@njit(cache=True)
def _put_whole(text, at, number):  # type: ignore[no-untyped-def]
    power = 1
    while power * 10 <= number:
        power *= 10
    while power:
        text[at] = ZERO + number // power % 10
        power //= 10
        at += 1
    return at


@njit(cache=True)
def _put_fraction(text, at, value):  # type: ignore[no-untyped-def]
    """A number below 1 in six digits, as %g has it: 0.0437377."""
    if value >= 0.9999995:
        return _put(text, at, "1")
    decimals = 5 - math.floor(math.log10(value))
    digits = round(value * 10.0**decimals)
    while digits % 10 == 0:
        digits //= 10
        decimals -= 1
    text[at], text[at + 1] = ZERO, POINT
    for k in range(decimals - 1, -1, -1):
        text[at + 2 + k] = ZERO + digits % 10
        digits //= 10
    return at + 2 + decimals
