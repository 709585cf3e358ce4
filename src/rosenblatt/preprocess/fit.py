"""Fit of the preprocessing, in one pass over the training rows."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from rosenblatt.csr import CSR, n_cols
from rosenblatt.errors import SourceError
from rosenblatt.features.maps.feature_map import available_memory, format_bytes
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.io.chunks import Chunk, Matrix, Source, Table
from rosenblatt.io.rounded_cells import Rounded, RoundedCells, rounded_in_types, total
from rosenblatt.preprocess.column_encoders import (
    CategoryColumn,
    Column,
    NumberColumn,
    TextColumn,
    numbers_of,
    width_of,
    words_of,
)
from rosenblatt.preprocess.column_types import (
    Choices,
    Kind,
    LeakDetector,
    LeftOutColumn,
    constant,
    identifier,
    infer_kinds,
    leak,
    no_text,
    row_counter,
)
from rosenblatt.preprocess.statistics import (
    CategoryStatistics,
    DenseStatistics,
    NumberStatistics,
    SparseStatistics,
    TextStatistics,
)
from rosenblatt.preprocess.target import (
    Label,
    LabelCounts,
    count_labels,
    infer_target,
    sorted_classes,
)
from rosenblatt.preprocess.transformer import ColumnTransformer, Scaling

MAX_CATEGORIES = 1000  # of a column; rarer ones have no feature of their own
MAX_DENSE_FEATURES = 64  # up to which rows are always dense
BYTES_PER_COLUMN = 16 * 8  # of weights, statistics and copies of them; measured: 130 to 170
MIN_DENSITY = 0.25  # of rows that are stored dense


class FittedPreprocessing(NamedTuple):
    """What was fitted in one pass over the training rows.

    `rounded` are the cells of columns in use that float64 does not tell apart; `truncated` are the
    columns of categories whose rarer values have no feature of their own.
    """

    transformer: ColumnTransformer
    classes: tuple[Label, ...]
    counts: LabelCounts
    left_out: tuple[LeftOutColumn, ...]
    rounded: RoundedCells
    truncated: frozenset[str]

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return sum(self.counts.values())


def fit_preprocessing(source: Source, target: str | None, choices: Choices) -> FittedPreprocessing:
    """Fit the column transformer and find the classes of a source.

    The `target` is a column of a table; a matrix has its own labels.
    """
    chunks = iter(source)
    first = next(chunks)
    if isinstance(first, Table):
        return _Columns(first, target, choices).fit(source.name, chunks)
    if choices.grams is not None:
        raise no_text(first.place.file, choices.grams)
    return _fit_matrix(source, chain([first], chunks), choices)


def resolve_choices(choices: Choices, learned: FittedPreprocessing) -> Choices:
    """Choices with every column and its kind, as fitted: nothing is left to infer."""
    columns = learned.transformer.columns
    return replace(
        choices,
        drop=choices.drop | {finding.column for finding in learned.left_out} - choices.use,
        use=frozenset(column.name for column in columns),
        category=frozenset(column.name for column in columns if isinstance(column, CategoryColumn)),
        text=frozenset(column.name for column in columns if isinstance(column, TextColumn)),
    )


class _Columns:
    """Statistics of the columns of a table, chunk by chunk."""

    def __init__(self, first: Table, target: str | None, choices: Choices) -> None:
        self.first, self.choices = first, choices
        self.target = infer_target(first, target)
        self.kinds = infer_kinds(first, self.target, choices)
        named = {kind: [n for n, own in self.kinds.items() if own is kind] for kind in Kind}
        grams = choices.grams or NgramSpec()
        self.numbers = NumberStatistics(named[Kind.NUMBER])
        self.texts = {name: TextStatistics(grams) for name in named[Kind.TEXT]}
        words = [*named[Kind.CATEGORY], *named[Kind.IDENTIFIER]]
        self.words = {name: CategoryStatistics() for name in words}
        self.leaks = LeakDetector(
            self.target, [name for name in self.kinds if not choices.uses(name)]
        )
        self.counts: LabelCounts = {}
        self.rounded: RoundedCells = {}
        self.read_rounded: set[str] = set()  # columns that hold rounded cells

    def fit(self, name: str, rest: Iterator[Chunk]) -> FittedPreprocessing:
        self._add(self.first)
        for chunk in rest:
            self._add(chunk)
        classes = sorted_classes(self.counts, f"{name}, column {self.target!r}")
        left_out = tuple(f for f in self._findings() if not self._is_wanted(f))
        dropped = {f.column for f in left_out}
        kept = {name: column for name, column in self._columns().items() if name not in dropped}
        if not kept:
            raise SourceError(f"{name} has no column left to train on.{_reasons(left_out)}")
        rounded = {name: cells for name, cells in self.rounded.items() if name in kept}
        truncated = {n for n, words in self.words.items() if len(words.counts) > MAX_CATEGORIES}
        return FittedPreprocessing(
            self._transformer(tuple(kept.values())),
            classes,
            self.counts,
            left_out,
            rounded,
            frozenset(truncated & kept.keys()),
        )

    def _add(self, chunk: Chunk) -> None:
        for label, n in count_labels(chunk, self.target).items():
            self.counts[label] = self.counts.get(label, 0) + n
        assert isinstance(chunk, Table)  # all chunks of a source are of one kind
        with chunk.locating_bad_cells():
            if self.numbers.names:
                self._add_numbers(chunk)
            if self.words or self.texts:
                words = words_of([chunk.columns[name] for name in self.words])
                for summary, own in zip(self.words.values(), words, strict=True):
                    summary.add(own)
                for name, text in self.texts.items():
                    text.add(chunk.columns[name])
        self.leaks.add(chunk)

    def _add_numbers(self, chunk: Table) -> None:
        cells = [chunk.columns[name] for name in self.numbers.names]
        self.numbers.boolean[:] = [str(column.dtype) == "Boolean" for column in cells]
        self.numbers.add(numbers_of(cells))
        self.rounded = total([self.rounded, chunk.rounded, rounded_in_types(cells)])
        self.read_rounded |= chunk.rounded.keys()

    def _findings(self) -> Iterator[LeftOutColumn]:
        rows = sum(self.counts.values())
        numbers = self.numbers
        constants = dict(zip(numbers.names, numbers.constant.tolist(), strict=True))
        constants |= {name: words.constant for name, words in self.words.items()}
        counters = dict(zip(numbers.names, numbers.counts_rows.tolist(), strict=True))
        for name, kind in self.kinds.items():
            if kind is Kind.IDENTIFIER:
                yield identifier(name)
            elif constants.get(name, False):
                yield constant(name, rounded=name in self.rounded)
            elif self.leaks.determines_target(name, rows):
                yield leak(name, self.target, rounded=name in self.read_rounded)
            elif counters.get(name, False):
                yield row_counter(name)

    def _columns(self) -> dict[str, Column]:
        """Encoder of every column, in the order of the table, text last."""
        numbers = self.numbers
        filled = zip(numbers.names, numbers.mean.tolist(), numbers.missing > 0, strict=True)
        found: dict[str, Column] = {
            name: NumberColumn(name, fill, bool(missing)) for name, fill, missing in filled
        }
        for name, words in self.words.items():
            values = tuple(sorted(words.most_frequent(MAX_CATEGORIES)))
            found[name] = CategoryColumn(name, values, words.missing > 0)
        found |= {name: TextColumn(name, text.grams, text.idf) for name, text in self.texts.items()}
        order = sorted(self.kinds, key=lambda name: self.kinds[name] is Kind.TEXT)
        return {name: found[name] for name in order}

    def _is_wanted(self, found: LeftOutColumn) -> bool:
        """Whether a column is used all the same."""
        pixel = self.choices.pixels and self.kinds[found.column] is Kind.NUMBER
        return pixel or self.choices.uses(found.column)

    def _transformer(self, columns: tuple[Column, ...]) -> ColumnTransformer:
        width = sum(map(width_of, columns))
        entries = sum(2 if isinstance(c, NumberColumn) and c.indicator else 1 for c in columns)
        text = any(isinstance(column, TextColumn) for column in columns)
        sparse = text or (width > MAX_DENSE_FEATURES and entries < MIN_DENSITY * width)
        scaling = self._scaling(columns, width) if self.choices.scale else None
        return ColumnTransformer(columns, width, sparse, scaling, target=self.target)

    def _scaling(self, columns: tuple[Column, ...], width: int) -> Scaling:
        """Numbers are standardised; indicators, categories and booleans stay as they are."""
        shift, factor = np.zeros(width), np.ones(width)
        numbers = self.numbers
        deviation = numbers.deviation
        factors = 1.0 / np.where(deviation == 0.0, 1.0, deviation)
        at = {n: k for k, n in enumerate(numbers.names) if not numbers.boolean[k]}
        first = np.cumsum([0, *map(width_of, columns)])
        scaled = [k for k, column in enumerate(columns) if column.name in at]
        own = [at[columns[k].name] for k in scaled]
        shift[first[scaled]], factor[first[scaled]] = numbers.mean[own], factors[own]
        return Scaling(shift, factor)


def _reasons(left_out: tuple[LeftOutColumn, ...]) -> str:
    return "".join(f" {finding}" for finding in left_out)


def _fit_matrix(source: Source, chunks: Iterator[Chunk], choices: Choices) -> FittedPreprocessing:
    counts: LabelCounts = {}
    rounded: Counter[int] = Counter()
    values: DenseStatistics | SparseStatistics | None = None
    width = 0
    for chunk in chunks:
        assert isinstance(chunk, Matrix)  # all chunks of a source are of one kind
        for label, n in count_labels(chunk, None).items():
            counts[label] = counts.get(label, 0) + n
        rounded.update(chunk.rounded)
        width = max(width, n_cols(chunk.rows))
        _require_memory(chunk.place.file, width)
        _require_finite(chunk)
        values = values or (
            SparseStatistics() if isinstance(chunk.rows, CSR) else DenseStatistics()
        )
        if choices.scale:
            values.add(chunk.rows)
    assert values is not None  # a source has rows
    classes = sorted_classes(counts, source.name)
    max_pixel_value = getattr(source, "max_pixel_value", None)
    scaling = None
    if choices.scale and max_pixel_value is not None:
        scaling = Scaling(np.zeros(width), np.full(width, 1.0 / max_pixel_value))
    elif choices.scale:
        scaling = values.scaling(width)
    names = getattr(source, "feature_names", None)
    transformer = ColumnTransformer((), width, isinstance(values, SparseStatistics), scaling, names)
    features = transformer.encoded_feature_names if rounded else ()
    of_features = {features[j]: Rounded(rounded[j]) for j in sorted(rounded)}
    return FittedPreprocessing(transformer, classes, counts, (), of_features, frozenset())


def _require_finite(chunk: Matrix) -> None:
    """Refuse a matrix with NaN or infinity: entries of a matrix are not filled."""
    rows = chunk.rows
    wrong = ~np.isfinite(rows.data if isinstance(rows, CSR) else rows)
    if not wrong.any():
        return
    at = np.argwhere(wrong)[0]
    if isinstance(rows, CSR):
        row, column = int(np.searchsorted(rows.indptr, at[0], "right")) - 1, rows.indices[at[0]]
    else:
        row, column = int(at[0]), at[1]
    raise SourceError(
        f"{chunk.place.at(row)}, column {column}: the entry is not a finite number. Fill it, or"
        " drop the row."
    )


def _require_memory(file: str, width: int) -> None:
    """Refuse matrices with so many columns that weights and statistics exceed the memory."""
    needed, has = BYTES_PER_COLUMN * width, available_memory()
    if needed > has:
        raise SourceError(
            f"{file} has rows of {width:,} columns: training on them takes at least"
            f" {format_bytes(needed)} of memory, and {format_bytes(has)} is available. Hash the"
            " columns to fewer, or renumber those in use from 1."
        )
