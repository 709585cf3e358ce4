"""What is learned of a column in one pass over the training rows, chunk by chunk."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.storage import CSR, Rows
from rosenblatt.tables.columns import numbers_of, words_of
from rosenblatt.tables.scaling import Scaling, squares_of

if TYPE_CHECKING:
    import polars as pl

SIZES, BITS = (1, 2), 18  # words and word pairs, into so many features
MOST_DISTINCT = 100_000  # words that are counted; a column of more is no category


@dataclass
class Numbers:
    """Mean and spread of a column of numbers, and whether it only counts the rows."""

    n: int = 0
    missing: int = 0
    mean: float = 0.0
    squares: float = 0.0  # of the distances from the mean
    counts_on: bool = True
    boolean: bool = False
    _last: float | None = None

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        from rosenblatt.tables.moments import moments_of  # noqa: PLC0415 (loads the compiler)

        self.boolean = str(cells.dtype) == "Boolean"
        values = numbers_of(cells)
        self.join(values, *(part[0].item() for part in moments_of(values[:, None])))

    def join(self, values: Floats, n: int, mean: float, squares: float) -> None:
        """Take in numbers of known moments, and join these as Chan's rule has it."""
        self.missing += len(values) - n
        if self.counts_on:
            self._watch(values[~np.isnan(values)])
        if n:
            total, gap = self.n + n, mean - self.mean
            self.squares += squares + gap * gap * self.n * n / total
            self.mean += gap * n / total
            self.n = total

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self.squares / self.n)) if self.n else 0.0

    @property
    def constant(self) -> bool:
        """Whether all given cells are equal, up to rounding."""
        return self.deviation <= 1e-12 * abs(self.mean)

    def _watch(self, given: Floats) -> None:
        if not len(given):
            return
        first = given[0] if self._last is None else self._last + 1
        self.counts_on = bool(np.array_equal(given, first + np.arange(len(given))))
        self._last = float(given[-1])


@dataclass
class Words:
    """How often each word of a column comes."""

    n: int = 0
    missing: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        words = words_of(cells)
        given = words.drop_nulls()
        self.missing += len(words) - len(given)
        self.n += len(given)
        if len(self.counts) <= MOST_DISTINCT:
            found = given.value_counts()
            self.counts.update(dict(zip(found[:, 0].to_list(), found[:, 1].to_list(), strict=True)))

    @property
    def constant(self) -> bool:
        """Whether all given cells are equal."""
        return len(self.counts) < 2


@dataclass
class Texts:
    """In how many cells each hashed word or word pair comes."""

    sizes: tuple[int, int] = SIZES
    bits: int = BITS
    n: int = 0
    documents: Ints = field(default_factory=lambda: np.zeros(2**BITS, np.int64))
    constant: bool = False

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        from rosenblatt.tables.ngrams import counts  # noqa: PLC0415 (loads the compiler)
        from rosenblatt.tables.tfidf import document_frequencies  # noqa: PLC0415

        found = counts(words_of(cells), sizes=self.sizes, bits=self.bits)
        self.documents += document_frequencies(found)
        self.n += len(cells)

    @property
    def idf(self) -> Floats:
        """How much each weighs: the rarer, the more."""
        from rosenblatt.tables.tfidf import inverse_frequencies  # noqa: PLC0415 (as above)

        return inverse_frequencies(self.documents, self.n)


@dataclass
class Spread:
    """Mean and spread of every feature of a matrix."""

    n: int = 0
    mean: Floats = field(default_factory=lambda: np.zeros(1))
    squares: Floats = field(default_factory=lambda: np.zeros(1))

    def add(self, rows: Rows) -> None:
        """Take in some dense rows."""
        assert not isinstance(rows, CSR)
        mean = rows.mean(axis=0, dtype=np.float64)
        squares = np.zeros(rows.shape[1])
        for start in range(0, len(rows), 1024):  # which keeps what is allocated small
            gaps = rows[start : start + 1024] - mean
            squares += np.einsum("ij,ij->j", gaps, gaps)
        n, gap = self.n + len(rows), mean - self.mean
        self.squares = self.squares + squares + gap * gap * (self.n * len(rows) / n)
        self.mean = self.mean + gap * (len(rows) / n)
        self.n = n

    def scaling(self, width: int) -> Scaling:  # noqa: ARG002 (as wide as it is)
        """Every feature to mean 0 and deviation 1; a constant one becomes 0."""
        deviation = np.sqrt(self.squares / self.n)
        factor = 1.0 / np.where(deviation > 0, deviation, 1.0)
        return Scaling(self.mean, factor)


@dataclass
class Stored:
    """The stored values of sparse rows: how large, whether counts, whether rows of unit length."""

    n: int = 0
    documents: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    largest: Floats = field(default_factory=lambda: np.zeros(0))
    whole: bool = True
    negative: bool = False
    unit: bool = True

    def add(self, rows: Rows) -> None:
        """Take in some sparse rows."""
        assert isinstance(rows, CSR)
        wider = (0, max(0, rows.n_cols - len(self.largest)))
        self.largest, self.documents = np.pad(self.largest, wider), np.pad(self.documents, wider)
        self.n += len(rows.indptr) - 1
        self.documents += np.bincount(rows.indices[rows.data != 0], minlength=len(self.documents))
        np.maximum.at(self.largest, rows.indices, np.abs(rows.data))
        self.whole = self.whole and bool((rows.data == np.floor(rows.data)).all())
        self.negative = self.negative or bool((rows.data < 0).any())
        self.unit = self.unit and bool(np.allclose(squares_of(rows), 1.0, atol=1e-3))

    def scaling(self, width: int) -> Scaling | None:
        """None for flags and for rows of length 1; counts are weighted; all else is at most ±1."""
        flags = self.whole and not self.negative and self.largest.max(initial=0.0) <= 1
        if flags or self.unit:
            return None
        if self.whole and not self.negative:
            from rosenblatt.tables.tfidf import inverse_frequencies  # noqa: PLC0415 (as above)

            factor = inverse_frequencies(self.documents, self.n)
            return Scaling(np.zeros(width), factor, unit_rows=True, logarithm=True)
        largest = np.pad(self.largest, (0, width - len(self.largest)))
        return Scaling(np.zeros(width), 1.0 / np.where(largest > 0, largest, 1.0))
