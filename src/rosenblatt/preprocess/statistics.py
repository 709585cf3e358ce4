"""Statistics of columns in one pass over the training rows, independent of the chunks.

Moments are summed over blocks of BLOCK_ROWS rows, counted from the first row of all, and merged by
Chan's rule in a fixed order, so that every division into chunks gives the same bits. Rows that do
not fill a block are kept until it is full.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows
from rosenblatt.errors import BadCellError
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.preprocess.column_encoders import FEW_CELLS, words_of
from rosenblatt.preprocess.transformer import Scaling, squares_of
from rosenblatt.types import Array, Floats, Ints

if TYPE_CHECKING:
    import polars as pl

BLOCK_ROWS = 1 << 12
COLUMNS_AT_A_TIME = 64  # which keeps temporary arrays small
BLOCKS_AT_A_TIME = 8  # for the same reason
MAX_COUNTED_VALUES = 100_000  # distinct ones of a category
MIN_CELLS = 20  # that show whether a column counts the rows
MAX_NUMBERS_PER_CELL = 2  # of a row counter, where some of the rows are missing
MAX_NUMBER = 1e150  # the squares of larger ones may overflow
MIN_RELATIVE_DEVIATION = 1e-12  # a smaller one is rounding


class Total(NamedTuple):
    """Number of rows, mean of each column, and sum of squared deviations from it."""

    n: int
    mean: Floats
    squares: Floats

    def merged(self, n: int, mean: Floats, squares: Floats) -> "Total":
        """The moments of both parts together (Chan)."""
        both, gap = self.n + n, mean - self.mean
        return Total(
            both,
            self.mean + gap * (n / both),
            self.squares + squares + gap * gap * (self.n * n / both),
        )


class Moments:
    """Mean and variance of rows that come in parts."""

    def __init__(self) -> None:
        self.n = 0
        self._total = Total(0, np.zeros(1), np.zeros(1))
        self._pending: list[Array] = []
        self._cached: Total | None = None  # moments including the pending rows

    def take(self, columns: Array) -> "Moments":
        """A copy for some of the columns."""
        part = Moments()
        part.n = self.n
        if self._total.n:
            n, mean, squares = self._total
            part._total = Total(n, mean[columns], squares[columns])
        part._pending = [rows[:, columns] for rows in self._pending]
        return part

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, rows: Array) -> None:
        """Take in some rows."""
        lacking = -self.n % BLOCK_ROWS  # rows to complete the pending block
        start = min(lacking, len(rows))
        stop = len(rows) - (len(rows) - start) % BLOCK_ROWS
        self.n += len(rows)
        self._cached = None
        if start:
            self._pending.append(rows[:start].copy())  # so that the chunk can be freed
        if self._pending and start == lacking:
            self._total, self._pending, self._cached = self.total(), [], None
        for first in range(start, stop, BLOCK_ROWS * BLOCKS_AT_A_TIME):
            last = min(stop, first + BLOCK_ROWS * BLOCKS_AT_A_TIME)
            self._total = _with_blocks(self._total, rows[first:last], BLOCK_ROWS)
        if stop < len(rows):
            self._pending.append(rows[stop:].copy())

    @np.errstate(over="ignore", invalid="ignore")
    def total(self) -> Total:
        """The moments of all rows; infinite where the squares overflow."""
        if not self._pending:
            return self._total
        if self._cached is None:
            rest = np.concatenate(self._pending)
            self._cached = _with_blocks(self._total, rest, len(rest))
        return self._cached


def _with_blocks(total: Total, rows: Array, size: int) -> Total:
    """The moments merged with those of rows that form blocks of a size."""
    strips = range(0, rows.shape[1], COLUMNS_AT_A_TIME)
    parts = [_block_moments(rows[:, first : first + COLUMNS_AT_A_TIME], size) for first in strips]
    means, squares = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    for block in zip(means, squares, strict=True):
        total = total.merged(size, *block)
    return total


def _block_moments(rows: Array, size: int) -> tuple[Floats, Floats]:
    """Mean and sum of squared deviations of each column in each block."""
    blocks = np.ascontiguousarray(rows.reshape(-1, size, rows.shape[1]).swapaxes(1, 2))
    means = blocks.mean(axis=2, dtype=np.float64)
    gaps = blocks - means[:, :, None]
    gaps *= gaps
    return means, gaps.sum(axis=2)


class NumberStatistics:
    """Mean and deviation of columns of numbers, and whether they only count the rows.

    Missing cells are not counted. Columns with as many missing cells as others in every chunk so
    far share one `Moments`; groups are split where they differ.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.missing = np.zeros(len(names), np.int64)
        self.boolean = np.zeros(len(names), bool)
        self._least = np.full(len(names), np.inf)
        self._largest = np.full(len(names), -np.inf)
        self._rises = np.ones(len(names), bool)  # by integer steps
        self._groups = [_Group(np.arange(len(names)), Moments())]

    def add(self, values: Floats) -> None:
        """Take in some cells, a row per column; NaN is missing."""
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
        """Take in columns with equally many cells that are not missing."""
        columns = group.columns
        given = values if len(columns) == len(values) else values[columns]
        if missing is not None:
            given = given[~missing[columns]].reshape(len(columns), -1)
        if not given.size:
            return
        self._check_steps(group, given)
        self._least[columns] = np.minimum(self._least[columns], given.min(axis=1))
        self._largest[columns] = np.maximum(self._largest[columns], given.max(axis=1))
        group.moments.add(given.T)

    def _check_steps(self, group: "_Group", given: Floats) -> None:
        rising = self._rises[group.columns]  # few columns do for long
        if not rising.any():
            return
        columns, cells = group.columns[rising], given[rising]
        before = self._largest[columns] if group.moments.n else cells[:, 0] - 1.0
        steps = np.diff(cells, axis=1, prepend=before[:, None])
        self._rises[columns] = ((steps >= 1) & (steps == np.floor(steps))).all(axis=1)

    @property
    def mean(self) -> Floats:
        """Mean of each column, missing cells ignored."""
        return self._of_groups(lambda total: total.mean)

    @property
    def deviation(self) -> Floats:
        """Standard deviation of each column."""
        return self._of_groups(lambda total: np.sqrt(total.squares / max(total.n, 1)))

    @property
    def n(self) -> Ints:
        """Number of cells of each column that are not missing."""
        counts = np.empty(len(self.names), np.int64)
        for group in self._groups:
            counts[group.columns] = group.moments.n
        return counts

    @property
    def constant(self) -> Array:
        """Whether all cells of a column are equal, missing ones ignored."""
        return np.asarray(self._least >= self._largest)

    @property
    def counts_rows(self) -> Array:
        """Whether a column rises by integer steps with few gaps, as a row number does."""
        n = self.n
        few_gaps = self._largest - self._least < MAX_NUMBERS_PER_CELL * n
        return np.asarray(self._rises & (n >= MIN_CELLS) & few_gaps)

    def _of_groups(self, wanted: Callable[[Total], Floats]) -> Floats:
        found = np.empty(len(self.names))
        for group in self._groups:
            found[group.columns] = wanted(group.moments.total())
        return found


class _Group(NamedTuple):
    """Columns, by index, that share their moments."""

    columns: Ints
    moments: Moments

    def take(self, chosen: Array) -> "_Group":
        """Some of the columns."""
        if chosen.all():
            return self
        return _Group(self.columns[chosen], self.moments.take(chosen))


def _refuse_huge(values: Floats, names: Sequence[str]) -> None:
    huge = np.abs(values) > MAX_NUMBER
    if huge.any():
        column, row = np.argwhere(huge)[0].tolist()
        raise BadCellError(row, names[column], f"{values[column, row]:g} is too large.")


@dataclass
class CategoryStatistics:
    """Counts of the values of a column of strings."""

    n: int = 0
    missing: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, words: "pl.Series") -> None:
        """Take in some cells."""
        n_missing = words.null_count()
        self.missing += n_missing
        self.n += len(words) - n_missing
        if len(self.counts) > MAX_COUNTED_VALUES:
            return
        if len(words) <= FEW_CELLS:  # faster than a query
            self.counts.update(word for word in words.to_list() if word is not None)
            return
        found = words.drop_nulls().value_counts()
        self.counts.update(dict(zip(found[:, 0].to_list(), found[:, 1].to_list(), strict=True)))

    def most_frequent(self, n: int) -> list[str]:
        """The n most frequent values; ties in alphabetical order."""
        return sorted(self.counts, key=lambda word: (-self.counts[word], word))[:n]

    @property
    def constant(self) -> bool:
        """Whether all cells are equal, missing ones ignored."""
        return len(self.counts) < 2


@dataclass
class TextStatistics:
    """Document frequencies of the hashed n-grams of a column, where tf-idf needs them."""

    grams: NgramSpec
    n: int = 0
    documents: Ints = field(init=False)
    constant: bool = False

    def __post_init__(self) -> None:
        """Start with no documents."""
        weighted = self.grams.weight == "tfidf"
        self.documents = np.zeros(self.grams.n_features if weighted else 0, np.int64)

    def add(self, cells: "pl.Series") -> None:
        """Take in some cells."""
        from rosenblatt.features.maps.vocabulary import document_frequencies  # noqa: PLC0415 (as above)

        if len(self.documents):
            self.documents += document_frequencies(self.grams.counts(*words_of([cells])))
        self.n += len(cells)

    @property
    def idf(self) -> Floats | None:
        """Inverse document frequencies; None if n-grams are only counted."""
        if not len(self.documents):
            return None
        from rosenblatt.features.maps.vocabulary import inverse_frequencies  # noqa: PLC0415 (as above)

        return inverse_frequencies(self.documents, self.n)


@dataclass
class DenseStatistics:
    """Mean and deviation of every feature of a dense matrix."""

    _moments: Moments = field(default_factory=Moments)

    @np.errstate(over="ignore", invalid="ignore")
    def add(self, rows: Rows) -> None:
        """Take in some dense rows."""
        assert not isinstance(rows, CSR)
        self._moments.add(rows)

    @np.errstate(over="ignore", invalid="ignore")
    def scaling(self, width: int) -> Scaling:  # noqa: ARG002 (the width is known)
        """Scaling to mean 0 and deviation 1; a constant feature becomes 0.

        Features with NaN or overflow stay as they are; training then reports the cell.
        """
        n, mean, squares = self._moments.total()
        deviation = np.sqrt(squares / n)
        sound = np.isfinite(mean + deviation)
        varies = sound & (deviation > MIN_RELATIVE_DEVIATION * np.abs(mean))
        return Scaling(np.where(sound, mean, 0.0), 1.0 / np.where(varies, deviation, 1.0))


@dataclass
class SparseStatistics:
    """Stored values of sparse rows: the largest, whether counts, whether unit rows."""

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
        """None for 0/1 features and unit rows; tf-idf for counts; else scaling to at most ±1."""
        flags = self.whole and not self.negative and self.largest.max(initial=0.0) <= 1
        if flags or self.unit:
            return None
        if self.whole and not self.negative:
            from rosenblatt.features.maps.vocabulary import inverse_frequencies  # noqa: PLC0415 (as above)

            factor = inverse_frequencies(self.documents, self.n)
            return Scaling(np.zeros(width), factor, unit_norm=True, sublinear_tf=True)
        largest = np.pad(self.largest, (0, width - len(self.largest)))
        return Scaling(np.zeros(width), 1.0 / np.where(largest > 0, largest, 1.0))
