"""n-gram counts by a vocabulary, and their tf-idf weights."""

from collections import Counter
from functools import cached_property
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from rosenblatt.errors import DataError
from rosenblatt.features.maps.ngrams import (
    MIN_UNIT_BYTES,
    EncodedTexts,
    K,
    NGrams,
    allocate_tokens,
    find_runs,
    find_units,
    in_blocks,
    spelled,
    stacked,
    text_in,
    text_of,
)
from rosenblatt.features.maps.spec import UNITS, NgramSpec
from rosenblatt.io.chunks import unnamed
from rosenblatt.kernels.cache import njit
from rosenblatt.kernels.rows import CSR, UINT
from rosenblatt.types import Array, Floats, Ints

MIN_DOCUMENT_FREQUENCY = 2


def document_frequencies(counts: CSR) -> Ints:
    """Number of rows in which each feature occurs; those of chunks can be added."""
    entries = slice(counts.indptr[0], counts.indptr[-1])
    return np.bincount(counts.indices[entries], minlength=counts.n_cols)


def inverse_frequencies(frequencies: Ints, n: int, min_df: int = MIN_DOCUMENT_FREQUENCY) -> Floats:
    """Inverse document frequency of each feature, of n rows; 0 below `min_df`."""
    idf = 1 + np.log((1 + n) / (1 + frequencies))
    return np.where(frequencies >= min_df, idf, 0.0)


def weighted(counts: CSR, idf: Floats) -> CSR:
    """Rows of tf-idf weights for counts, each of unit length if it has any entry."""
    return CSR(*weigh(counts.data, counts.indices, counts.indptr, idf), counts.n_cols)


@njit(cache=True, nogil=True)
def weigh(data: Array, indices: Array, indptr: Array, idf: Floats) -> tuple[Array, Array, Array]:
    """Nonzero weights, their features, and the row pointers."""
    n_entries = indptr[-1] - indptr[0]
    weights = np.empty(n_entries, np.float32)
    features = np.empty(n_entries, indices.dtype)
    starts = np.zeros(len(indptr), indptr.dtype)
    n = UINT(0)
    for row in range(len(indptr) - 1):
        start, square = n, 0.0
        for k in range(UINT(indptr[row]), UINT(indptr[row + 1])):
            weight = (1.0 + np.log(data[k])) * idf[UINT(indices[k])]
            if weight > 0.0:
                weights[n], features[n] = weight, indices[k]
                square += weight * weight
                n += UINT(1)
        length = np.sqrt(square)
        for k in range(start, n):
            weights[k] /= length
        starts[row + 1] = n
    return weights[:n], features[:n], starts


ALL_FEATURES = np.ones(2, np.bool_)  # of one bit, all wanted


class HashTable(NamedTuple):
    """Sorted hashes of n-grams, and the feature of each."""

    hashes: Array
    features: Ints


class Vocabulary:
    """n-grams by name, at least one, in the order of their features."""

    def __init__(self, names: Array, sizes: tuple[int, int], unit: str) -> None:
        self.names, self.sizes, self.unit = names, sizes, unit

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.names)

    def names_in(self, texts: pl.Series, wanted: Ints) -> dict[int, list[str]]:
        """The name of each wanted feature that occurs in some texts."""
        there = np.intersect1d(self.counts(texts).indices, wanted)
        return {int(j): [str(self.names[j])] if j in there else [] for j in wanted}

    @cached_property
    def _table(self) -> HashTable:
        text = text_of(pl.Series(self.names.tolist(), dtype=pl.String))
        with np.errstate(over="ignore"):  # hashes are taken modulo 2⁶⁴
            hashes = hash_whole(text, UNITS.index(self.unit))
        order = np.argsort(hashes)
        return HashTable(hashes[order], order)

    def counts(self, texts: pl.Series) -> CSR:
        """Counts of the n-grams of the vocabulary in texts, sorted in each row."""
        return stacked(in_blocks(self._counted, texts), len(self.names))

    def _counted(self, block: pl.Series) -> tuple[Array, Array, Array]:
        runs, width = _runs(text_in(block, self.unit), self.sizes, self.unit), len(self.names)
        known = self._table
        places = np.minimum(np.searchsorted(known.hashes, runs.hashes), width - 1)
        there = known.hashes[places] == runs.hashes
        entries = runs.rows[there] * width + known.features[places[there]]
        entries, times = np.unique(entries, return_counts=True)
        rows, features = np.divmod(entries, width)
        lengths = np.bincount(rows, minlength=len(block))
        return features.astype(np.int32), times.astype(np.float32), lengths


Reader = NgramSpec | Vocabulary


def ngram_document_frequencies(texts: pl.Series, sizes: tuple[int, int], unit: str) -> Counter[str]:
    """Document frequency of each n-gram; those of chunks can be added."""

    def found(block: pl.Series) -> dict[str, int]:
        text = text_in(block, unit)
        runs = _runs(text, sizes, unit)
        _, firsts, kinds = np.unique(runs.hashes, return_index=True, return_inverse=True)
        once = np.unique(kinds * len(block) + runs.rows)  # an n-gram counts once per text
        times = np.bincount(once // len(block), minlength=len(firsts))
        names = spelled(text, runs.starts[firsts], runs.stops[firsts], unit)
        return dict(zip(names, times.tolist(), strict=True))

    total: Counter[str] = Counter()
    for part in in_blocks(found, texts):
        total.update(part)
    return total


def _runs(text: EncodedTexts, sizes: tuple[int, int], unit: str) -> NGrams:
    with np.errstate(over="ignore"):
        return find_runs(text, sizes, UNITS.index(unit), 1, ALL_FEATURES)


@njit(cache=True, nogil=True)
def hash_whole(text: EncodedTexts, unit: int) -> Array:
    """Hash of each row as a single n-gram."""
    letters, places = text
    units = allocate_tokens(places, MIN_UNIT_BYTES[unit])
    hashes = np.empty(len(places) - 1, np.uint64)
    for row in range(len(hashes)):
        run = UINT(0)
        for i in range(find_units(letters, places[row], places[row + 1], unit, units)):
            run = run * K + units.hashes[i]
        hashes[row] = run
    return hashes


def texts_of(texts: Any, what: str = "X") -> pl.Series:
    """Texts of a list, an array or a series of strings as a series; None and NaN are missing."""
    if isinstance(texts, str) or not hasattr(texts, "__iter__"):
        kind = "one text" if isinstance(texts, str) else type(texts).__name__
        raise DataError(f"{what} must be a list, an array or a series of texts; got {kind}.")
    if isinstance(texts, pl.Series) and texts.dtype == pl.String:
        return unnamed(texts)
    if len(np.shape(texts)) > 1:
        raise DataError(f"{what} must be one column of texts; got the shape {np.shape(texts)}.")
    cells = [None if _is_missing(cell) else cell for cell in texts]
    for index, cell in enumerate(cells):
        if not isinstance(cell, str | None):
            raise DataError(
                f"{what} must hold texts; got {cell!r} of the type {type(cell).__name__} at index"
                f" {index}."
            )
    return pl.Series(cells, dtype=pl.String)


def _is_missing(cell: Any) -> bool:
    return cell is None or type(cell).__name__ == "NAType" or (type(cell) is float and isnan(cell))
