"""Characters of a text: those of each word, with a blank before it and a blank after it.

A word is here whatever stands between blanks, punctuation included, and a character is a Unicode
code point: as scikit-learn's `analyzer="char_wb"` has it.
"""

from typing import Any

import numpy as np
import polars as pl

from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import UINT
from rosenblatt.preprocess.word_tokenizer import BASIS, PRIME, Words
from rosenblatt.types import Array

BLANKS = r"[\s\x1c-\x1f]+"  # as Python's str.split has them
BLANK = UINT(ord(" "))
LATER, LATER_BITS = UINT(0x80), UINT(0xC0)  # a later byte of a character in UTF-8 is 10xxxxxx

with np.errstate(over="ignore"):
    BLANK_HASH = (BASIS ^ BLANK) * PRIME


def padded(texts: pl.Series) -> pl.Series:
    """Texts with a blank around every word, and nothing else between words; null for no word."""
    words = texts.str.replace_all(BLANKS, "  ").str.strip_chars(" ")
    return " " + words.set(words == "", None) + " "


@njit(cache=True, nogil=True)
def find_characters(letters: Array, start: int, stop: int, found: Words) -> int:
    """Write down the characters that stand between two places; how many there are."""
    starts, stops, hashes = found
    n, i, end = UINT(0), UINT(start), UINT(stop)
    while i < end:
        starts[n], character = i, BASIS
        while True:
            character = (character ^ UINT(letters[i])) * PRIME
            i += UINT(1)
            if i == end or UINT(letters[i]) & LATER_BITS != LATER:
                break
        stops[n], hashes[n] = i, character
        n += UINT(1)
    return int(n)


@njit(cache=True, nogil=True, forceinline=True)
def end_of_word(hashes: Array, first: int) -> Any:
    """Behind the blank that ends the word whose own first blank is given."""
    last = first + UINT(1)
    while hashes[last] != BLANK_HASH:
        last += UINT(1)
    return last + UINT(1)
