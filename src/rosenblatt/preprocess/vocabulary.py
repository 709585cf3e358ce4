"""How texts become rows of features: by hashes alone, or by a vocabulary.

With a vocabulary every run of words, or of characters, that was learned is a feature of its own. A
run is looked up by the 64 bits of its hash (ngrams.py). Its name has the same hash, so names are
all that has to be kept; of two runs with one hash, which chance does not bring about, the counts
would be added up.
"""

from collections import Counter
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rosenblatt.errors import DataError
from rosenblatt.io.column_stack import unnamed
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT
from rosenblatt.preprocess.ngram_spec import UNITS, Grams
from rosenblatt.preprocess.ngrams import (
    SHORTEST,
    K,
    Runs,
    Text,
    find_runs,
    find_units,
    in_blocks,
    room_for_words,
    spelled,
    stacked,
    text_in,
    text_of,
)
from rosenblatt.types import Array, Ints

ALL = np.ones(2, np.bool_)  # features that are wanted, of one bit


class Known(NamedTuple):
    """Hashes of runs in rising order, and the feature of each."""

    hashes: Array
    features: Ints


class Vocabulary:
    """Runs by name, at least one, in the order of their features."""

    def __init__(self, names: Array, sizes: tuple[int, int], unit: str) -> None:
        self.names, self.sizes, self.unit = names, sizes, unit

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return len(self.names)

    def names_in(self, texts: pl.Series, wanted: Ints) -> dict[int, list[str]]:
        """What each of the wanted features is called, if it occurs in some texts."""
        there = np.intersect1d(self.counts(texts).indices, wanted)
        return {int(j): [str(self.names[j])] if j in there else [] for j in wanted}

    @cached_property
    def _known(self) -> Known:
        text = text_of(pl.Series(self.names.tolist(), dtype=pl.String))
        with np.errstate(over="ignore"):  # hashes are taken modulo 2⁶⁴
            hashes = hash_whole(text, UNITS.index(self.unit))
        order = np.argsort(hashes)
        return Known(hashes[order], order)

    def counts(self, texts: pl.Series) -> CSR:
        """How often each run of the vocabulary occurs in texts, in rising order in a row."""
        return stacked(in_blocks(self._counted, texts), len(self.names))

    def _counted(self, block: pl.Series) -> tuple[Array, Array, Array]:
        runs, width = _runs(text_in(block, self.unit), self.sizes, self.unit), len(self.names)
        known = self._known
        places = np.minimum(np.searchsorted(known.hashes, runs.hashes), width - 1)
        there = known.hashes[places] == runs.hashes
        entries = runs.rows[there] * width + known.features[places[there]]
        entries, times = np.unique(entries, return_counts=True)
        rows, features = np.divmod(entries, width)
        lengths = np.bincount(rows, minlength=len(block))
        return features.astype(np.int32), times.astype(np.float32), lengths


Reader = Grams | Vocabulary


def texts_with_runs(texts: pl.Series, sizes: tuple[int, int], unit: str) -> Counter[str]:
    """In how many texts each run occurs; those of chunks can be added."""

    def found(block: pl.Series) -> dict[str, int]:
        text = text_in(block, unit)
        runs = _runs(text, sizes, unit)
        _, firsts, kinds = np.unique(runs.hashes, return_index=True, return_inverse=True)
        once = np.unique(kinds * len(block) + runs.rows)  # a run counts once a text
        times = np.bincount(once // len(block), minlength=len(firsts))
        names = spelled(text, runs.starts[firsts], runs.stops[firsts], unit)
        return dict(zip(names, times.tolist(), strict=True))

    total: Counter[str] = Counter()
    for part in in_blocks(found, texts):
        total.update(part)
    return total


def _runs(text: Text, sizes: tuple[int, int], unit: str) -> Runs:
    with np.errstate(over="ignore"):
        return find_runs(text, sizes, UNITS.index(unit), 1, ALL)


@njit(cache=True, nogil=True)
def hash_whole(text: Text, unit: int) -> Array:
    """Hash of each row as one run."""
    letters, places = text
    units = room_for_words(places, SHORTEST[unit])
    hashes = np.empty(len(places) - 1, np.uint64)
    for row in range(len(hashes)):
        run = UINT(0)
        for i in range(find_units(letters, places[row], places[row + 1], unit, units)):
            run = run * K + units.hashes[i]
        hashes[row] = run
    return hashes


def texts_of(texts: Any, what: str = "X") -> pl.Series:
    """Texts out of a list, an array or a series of strings; None and NaN are missing ones."""
    if isinstance(texts, str) or not hasattr(texts, "__iter__"):
        told = "one text" if isinstance(texts, str) else type(texts).__name__
        raise DataError(f"{what} must be a list, an array or a series of texts; got {told}.")
    if isinstance(texts, pl.Series) and texts.dtype == pl.String:
        return unnamed(texts)
    if len(np.shape(texts)) > 1:
        raise DataError(f"{what} must be one column of texts; got the shape {np.shape(texts)}.")
    cells = [None if _is_missing(cell) else cell for cell in texts]
    for place, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise DataError(
                f"{what} must hold texts; got {cell!r} of the type {type(cell).__name__} at place"
                f" {place}."
            )
    return pl.Series(cells, dtype=pl.String)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (type(cell) is float and isnan(cell))
