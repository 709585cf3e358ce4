"""What is learned of a column in one pass over the training rows, chunk by chunk."""

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rosenblatt.arrays import Floats, Ints
from rosenblatt.data.storage import CSR, Rows
from rosenblatt.errors import BadCellError
from rosenblatt.tables.columns import numbers_of, words_of
from rosenblatt.tables.grams import Grams
from rosenblatt.tables.moments import Moments
from rosenblatt.tables.scaling import Scaling, squares_of

if TYPE_CHECKING:
    import polars as pl

MOST_DISTINCT = 100_000  # words that are counted; a column of more is no category
ENOUGH = 20  # cells that show whether a column counts the rows
MOST_LEFT_OUT = 2  # numbers a cell, where only some of the rows are seen
HUGE = 1e150  # whose squares can hardly be added up
ROUNDING = 1e-12  # of the mean: a smaller deviation is none


@dataclass
class Numbers:
    """Mean and spread of a column of numbers, and whether it only counts the rows."""

    n: int = 0
    missing: int = 0
    least: float = np.inf
    largest: float = -np.inf
    boolean: bool = False
    _rises: bool = True  # by whole steps
    _moments: Moments = field(default_factory=Moments)

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        self.boolean = str(cells.dtype) == "Boolean"
        self.take_in(numbers_of(cells), cells.name)

    def take_in(self, values: Floats, name: str) -> None:
        """Take in some numbers of a column of this name; a missing one is NaN."""
        missing = np.isnan(values)
        n_missing = int(np.count_nonzero(missing))
        self.missing += n_missing
        given = values[~missing] if n_missing else values
        if not len(given):
            return
        least, largest = float(given.min()), float(given.max())
        if max(-least, largest) > HUGE:
            raise _huge(values, name)
        self._watch_steps(given)
        self.least, self.largest = min(self.least, least), max(self.largest, largest)
        self._moments.add(given[:, None])
        self.n += len(given)

    @property
    def mean(self) -> float:
        """Mean of the given cells."""
        return float(self._moments.total().mean[0]) if self.n else 0.0

    @property
    def deviation(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(self._moments.total().squares[0] / self.n)) if self.n else 0.0

    @property
    def constant(self) -> bool:
        """Whether all given cells are equal."""
        return self.least >= self.largest

    @property
    def counts_rows(self) -> bool:
        """Whether it rises by whole steps and leaves few numbers out, as some of the rows would."""
        return (
            self._rises and self.n >= ENOUGH and self.largest - self.least < MOST_LEFT_OUT * self.n
        )

    def _watch_steps(self, given: Floats) -> None:
        if self._rises:  # hardly a column does for long
            steps = np.diff(given, prepend=self.largest if self.n else given[0] - 1.0)
            self._rises = bool(((steps >= 1) & (steps == np.floor(steps))).all())


def _huge(values: Floats, name: str) -> BadCellError:
    row = int((np.abs(values) > HUGE).argmax())
    return BadCellError(row, name, f"{values[row]:g} is too large to be learned from.")


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
            found = given.value_counts(name=f"{given.name} count")
            self.counts.update(dict(zip(found[:, 0].to_list(), found[:, 1].to_list(), strict=True)))

    def most_frequent(self, most: int) -> list[str]:
        """The most frequent words; of those that come as often, the first by the alphabet."""
        return sorted(self.counts, key=lambda word: (-self.counts[word], word))[:most]

    @property
    def constant(self) -> bool:
        """Whether all given cells are equal."""
        return len(self.counts) < 2


@dataclass
class Texts:
    """In how many cells each hashed run of words comes, where that is what it weighs by."""

    grams: Grams
    n: int = 0
    documents: Ints = field(init=False)
    constant: bool = False

    def __post_init__(self) -> None:
        """No run has come yet."""
        weighed = self.grams.weight == "tfidf"
        self.documents = np.zeros(self.grams.n_features if weighed else 0, np.int64)

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        from rosenblatt.tables.tfidf import document_frequencies  # noqa: PLC0415 (as above)

        if len(self.documents):
            self.documents += document_frequencies(self.grams.counts(words_of(cells)))
        self.n += len(cells)

    @property
    def idf(self) -> Floats | None:
        """How much each weighs, the rarer the more; None where they are counted only."""
        if not len(self.documents):
            return None
        from rosenblatt.tables.tfidf import inverse_frequencies  # noqa: PLC0415 (as above)

        return inverse_frequencies(self.documents, self.n)


@dataclass
class Spread:
    """Mean and spread of every feature of a matrix."""

    _moments: Moments = field(default_factory=Moments)

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, rows: Rows) -> None:
        """Take in some dense rows."""
        assert not isinstance(rows, CSR)
        self._moments.add(rows)

    @np.errstate(over="ignore", invalid="ignore")
    def scaling(self, width: int) -> Scaling:  # noqa: ARG002 (as wide as it is)
        """Every feature to mean 0 and deviation 1; a constant one becomes 0.

        One that holds NaN or what is too large stays as it is: who learns from it names the cell.
        """
        n, mean, squares = self._moments.total()
        deviation = np.sqrt(squares / n)
        sound = np.isfinite(mean + deviation)
        varies = sound & (deviation > ROUNDING * np.abs(mean))
        return Scaling(np.where(sound, mean, 0.0), 1.0 / np.where(varies, deviation, 1.0))


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
