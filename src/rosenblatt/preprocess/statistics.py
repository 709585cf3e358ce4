"""What is learned of a column in one pass over the training rows, chunk by chunk."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import BadCellError
from rosenblatt.preprocess.column_encoders import FEW_CELLS, words_of
from rosenblatt.preprocess.ngram_spec import Grams
from rosenblatt.preprocess.scaling import Scaling, squares_of
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

BLOCK = 1 << 12  # rows
STRIP = 64  # columns at a time, which keeps what is allocated small
MOST_BLOCKS = 8  # at a time, for the same reason
MOST_DISTINCT = 100_000  # words that are counted; a column of more is no category
ENOUGH = 20  # cells that show whether a column counts the rows
MOST_LEFT_OUT = 2  # numbers a cell, where only some of the rows are seen
HUGE = 1e150  # whose squares can hardly be added up
ROUNDING = 1e-12  # of the mean: a smaller deviation is none


class Total(NamedTuple):
    """How many rows, the mean of each column, and the squares of the distances from it."""

    n: int
    mean: Floats
    squares: Floats

    def joined(self, n: int, mean: Floats, squares: Floats) -> "Total":
        """Both parts together."""
        both, gap = self.n + n, mean - self.mean
        return Total(
            both,
            self.mean + gap * (n / both),
            self.squares + squares + gap * gap * (self.n * n / both),
        )


class Moments:
    """The moments of rows that come in parts."""

    def __init__(self) -> None:
        self.n = 0
        self._total = Total(0, np.zeros(1), np.zeros(1))
        self._waiting: list[Array] = []
        self._asked: Total | None = None  # for, since rows were last taken in

    def take(self, columns: Array) -> "Moments":
        """The moments of some columns, to go on with."""
        part = Moments()
        part.n = self.n
        if self._total.n:
            n, mean, squares = self._total
            part._total = Total(n, mean[columns], squares[columns])
        part._waiting = [rows[:, columns] for rows in self._waiting]
        return part

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, rows: Array) -> None:
        """Take in some rows."""
        lacking = -self.n % BLOCK  # rows, to complete the block that waits
        start = min(lacking, len(rows))
        stop = len(rows) - (len(rows) - start) % BLOCK
        self.n += len(rows)
        self._asked = None
        if start:
            self._waiting.append(rows[:start].copy())  # the chunk itself need not wait
        if self._waiting and start == lacking:
            self._total, self._waiting, self._asked = self.total(), [], None
        for first in range(start, stop, BLOCK * MOST_BLOCKS):
            last = min(stop, first + BLOCK * MOST_BLOCKS)
            self._total = _with_blocks(self._total, rows[first:last], BLOCK)
        if stop < len(rows):
            self._waiting.append(rows[stop:].copy())

    @np.errstate(over="ignore", invalid="ignore")
    def total(self) -> Total:
        """The moments of all rows; not finite where their squares are beyond float64."""
        if not self._waiting:
            return self._total
        if self._asked is None:
            rest = np.concatenate(self._waiting)
            self._asked = _with_blocks(self._total, rest, len(rest))
        return self._asked


def _with_blocks(total: Total, rows: Array, size: int) -> Total:
    """The moments with those of rows that make up blocks of a size."""
    strips = range(0, rows.shape[1], STRIP)
    parts = [_of_blocks(rows[:, first : first + STRIP], size) for first in strips]
    means, squares = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    for block in zip(means, squares, strict=True):
        total = total.joined(size, *block)
    return total


def _of_blocks(rows: Array, size: int) -> tuple[Floats, Floats]:
    """Mean and squares of each column in each block."""
    blocks = np.ascontiguousarray(rows.reshape(-1, size, rows.shape[1]).swapaxes(1, 2))
    means = blocks.mean(axis=2, dtype=np.float64)
    gaps = blocks - means[:, :, None]
    gaps *= gaps
    return means, gaps.sum(axis=2)


class Numbers:
    """Mean and spread of columns of numbers, and whether they only count the rows.

    Each is counted by its own given cells. Columns that had as many in every chunk so far share
    their moments; they part where they have not.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.missing = np.zeros(len(names), np.int64)
        self.boolean = np.zeros(len(names), bool)
        self._least = np.full(len(names), np.inf)
        self._largest = np.full(len(names), -np.inf)
        self._rises = np.ones(len(names), bool)  # by whole steps
        self._groups = [_Group(np.arange(len(names)), Moments())]

    def add(self, values: Floats) -> None:
        """Take in some numbers, a row for each column; a missing one is NaN."""
        _refuse_huge(values, self.names)
        missing = np.isnan(values)
        n_missing = missing.sum(axis=1)
        self.missing += n_missing
        groups = []
        for group in self._groups:
            own = n_missing[group.columns]
            for n in np.unique(own).tolist():
                part = group.take(own == n)
                groups.append(part)
                self._add(part, values, missing if n else None)
        self._groups = groups

    def _add(self, group: "_Group", values: Floats, missing: Array | None) -> None:
        """Take in the given cells of columns that have as many each."""
        columns = group.columns
        given = values if len(columns) == len(values) else values[columns]
        if missing is not None:
            given = given[~missing[columns]].reshape(len(columns), -1)
        if not given.size:
            return
        self._watch_steps(group, given)
        self._least[columns] = np.minimum(self._least[columns], given.min(axis=1))
        self._largest[columns] = np.maximum(self._largest[columns], given.max(axis=1))
        group.moments.add(given.T)

    def _watch_steps(self, group: "_Group", given: Floats) -> None:
        rising = self._rises[group.columns]  # hardly a column does for long
        if not rising.any():
            return
        columns, cells = group.columns[rising], given[rising]
        before = self._largest[columns] if group.moments.n else cells[:, 0] - 1.0
        steps = np.diff(cells, axis=1, prepend=before[:, None])
        self._rises[columns] = ((steps >= 1) & (steps == np.floor(steps))).all(axis=1)

    @property
    def mean(self) -> Floats:
        """Mean of the given cells of each column."""
        return self._of_groups(lambda total: total.mean)

    @property
    def deviation(self) -> Floats:
        """Standard deviation of each column."""
        return self._of_groups(lambda total: np.sqrt(total.squares / max(total.n, 1)))

    @property
    def n(self) -> Ints:
        """How many cells of each column are given."""
        counts = np.empty(len(self.names), np.int64)
        for group in self._groups:
            counts[group.columns] = group.moments.n
        return counts

    @property
    def constant(self) -> Array:
        """Whether all given cells of a column are equal."""
        return np.asarray(self._least >= self._largest)

    @property
    def counts_rows(self) -> Array:
        """Whether it rises by whole steps and leaves few numbers out, as some of the rows would."""
        n = self.n
        few_left_out = self._largest - self._least < MOST_LEFT_OUT * n
        return np.asarray(self._rises & (n >= ENOUGH) & few_left_out)

    def _of_groups(self, wanted: Callable[[Total], Floats]) -> Floats:
        found = np.empty(len(self.names))
        for group in self._groups:
            found[group.columns] = wanted(group.moments.total())
        return found


class _Group(NamedTuple):
    """Columns, by their numbers, that share their moments."""

    columns: Ints
    moments: Moments

    def take(self, chosen: Array) -> "_Group":
        """Some of the columns."""
        if chosen.all():
            return self
        return _Group(self.columns[chosen], self.moments.take(chosen))


def _refuse_huge(values: Floats, names: Sequence[str]) -> None:
    huge = np.abs(values) > HUGE
    if huge.any():
        column, row = np.argwhere(huge)[0].tolist()
        trouble = f"{values[column, row]:g} is too large to be learned from."
        raise BadCellError(row, names[column], trouble)


@dataclass
class Words:
    """How often each word of a column comes."""

    n: int = 0
    missing: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, words: "pl.Series") -> None:
        """Take in some words."""
        n_missing = words.null_count()
        self.missing += n_missing
        self.n += len(words) - n_missing
        if len(self.counts) > MOST_DISTINCT:
            return
        if len(words) <= FEW_CELLS:  # quicker than a query
            self.counts.update(word for word in words.to_list() if word is not None)
            return
        found = words.drop_nulls().value_counts()
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
        from rosenblatt.preprocess.tfidf import document_frequencies  # noqa: PLC0415 (as above)

        if len(self.documents):
            self.documents += document_frequencies(self.grams.counts(*words_of([cells])))
        self.n += len(cells)

    @property
    def idf(self) -> Floats | None:
        """How much each weighs, the rarer the more; None where they are counted only."""
        if not len(self.documents):
            return None
        from rosenblatt.preprocess.tfidf import inverse_frequencies  # noqa: PLC0415 (as above)

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
            from rosenblatt.preprocess.tfidf import inverse_frequencies  # noqa: PLC0415 (as above)

            factor = inverse_frequencies(self.documents, self.n)
            return Scaling(np.zeros(width), factor, unit_rows=True, logarithm=True)
        largest = np.pad(self.largest, (0, width - len(self.largest)))
        return Scaling(np.zeros(width), 1.0 / np.where(largest > 0, largest, 1.0))
