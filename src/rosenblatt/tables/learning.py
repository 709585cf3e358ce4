"""One pass over the training rows learns all that their preparation needs."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from rosenblatt.data.storage import CSR, n_cols
from rosenblatt.errors import SourceError
from rosenblatt.sources.chunks import Chunk, Grid, Matrix, Source, Table
from rosenblatt.tables.columns import Category, Column, Number, Text, width_of
from rosenblatt.tables.findings import Finding, Leaks, constant, counting, identifier, leaking
from rosenblatt.tables.grams import Grams
from rosenblatt.tables.kinds import Choices, Kind, kinds_of, no_text
from rosenblatt.tables.preparation import Preparation
from rosenblatt.tables.scaling import Scaling
from rosenblatt.tables.summaries import Numbers, Spread, Stored, Texts, Words
from rosenblatt.tables.targets import Counts, Label, counted, sorted_classes, target_of

MOST_VALUES = 1000  # of a category; rarer ones have no feature of their own
DENSE_FEATURES = 64  # up to so many, rows are dense whatever they hold
DENSE_SHARE = 0.25  # of the features that a row has on average, from which on rows are dense

Summary = Numbers | Words | Texts


class Learned(NamedTuple):
    """What one pass over the training rows has shown."""

    preparation: Preparation
    classes: tuple[Label, ...]
    counts: Counts
    findings: tuple[Finding, ...]

    @property
    def n_rows(self) -> int:
        """How many rows there were."""
        return sum(self.counts.values())


def learn(source: Source, target: str | None, choices: Choices) -> Learned:
    """Learn the preparation of a source's rows, and its classes.

    The `target` is a column of a table; a matrix comes with its labels.
    """
    chunks = iter(source)
    first = next(chunks)
    if isinstance(first, Table):
        return _Columns(first, target, choices).learned(source.name, chunks)
    if choices.grams is not None:
        raise no_text(first.place.file, choices.grams)
    return _matrix_learned(source, chain([first], chunks), choices)


def settled(choices: Choices, learned: Learned) -> Choices:
    """Choices that leave nothing to find out: which columns there are, and what they are."""
    columns = learned.preparation.columns
    return replace(
        choices,
        drop=choices.drop | {finding.column for finding in learned.findings} - choices.use,
        use=frozenset(column.name for column in columns),
        category=frozenset(column.name for column in columns if isinstance(column, Category)),
        text=frozenset(column.name for column in columns if isinstance(column, Text)),
    )


class _Columns:
    """The columns of a table, and what is known of them so far."""

    def __init__(self, first: Table, target: str | None, choices: Choices) -> None:
        self.first, self.choices = first, choices
        self.target = target_of(first, target)
        self.kinds = kinds_of(first, self.target, choices)
        grams = choices.grams or Grams()
        self.summaries = {name: _summary(kind, grams) for name, kind in self.kinds.items()}
        self.leaks = Leaks(self.target, [name for name in self.kinds if name not in choices.use])
        self.counts: Counts = {}

    def learned(self, name: str, rest: Iterator[Chunk]) -> Learned:
        self._add(self.first)
        for chunk in rest:
            self._add(chunk)
        classes = sorted_classes(self.counts, f"{name}, column {self.target!r}")
        findings = tuple(f for f in self._findings() if not self._is_wanted(f))
        left_out = {f.column for f in findings}
        kept = [name for name in self.kinds if name not in left_out]
        kept.sort(key=lambda name: self.kinds[name] is Kind.TEXT)  # text comes last
        columns = tuple(_column(name, self.summaries[name]) for name in kept)
        if not columns:
            raise SourceError(f"{name} has no column to learn from.{_told(findings)}")
        return Learned(self._preparation(columns), classes, self.counts, findings)

    def _add(self, chunk: Chunk) -> None:
        for label, n in counted(chunk, self.target).items():
            self.counts[label] = self.counts.get(label, 0) + n
        assert isinstance(chunk, Table)  # all chunks of a source are of one kind
        known = _joined(chunk, self.summaries) if isinstance(chunk, Grid) else set()
        for name, summary in self.summaries.items():
            if name not in known:
                with chunk.naming_cells():
                    summary.add(chunk.frame[name])
        self.leaks.add(chunk)

    def _findings(self) -> Iterator[Finding]:
        for name, summary in self.summaries.items():
            if self.kinds[name] is Kind.IDENTIFIER:
                yield identifier(name)
            elif summary.constant:
                yield constant(name)
            elif self.leaks.gives_target(name, sum(self.counts.values())):
                yield leaking(name, self.target)
            elif isinstance(summary, Numbers) and summary.counts_rows:
                yield counting(name)

    def _is_wanted(self, found: Finding) -> bool:
        """Whether a column is taken in for all that was found."""
        pixel = self.choices.pixels and self.kinds[found.column] is Kind.NUMBER
        return pixel or found.column in self.choices.use

    def _preparation(self, columns: tuple[Column, ...]) -> Preparation:
        width = sum(map(width_of, columns))
        entries = sum(2 if isinstance(c, Number) and c.indicator else 1 for c in columns)
        text = any(isinstance(column, Text) for column in columns)
        sparse = text or (width > DENSE_FEATURES and entries < DENSE_SHARE * width)
        scaling = self._scaling(columns, width) if self.choices.scale else None
        return Preparation(columns, width, sparse, scaling, target=self.target)

    def _scaling(self, columns: tuple[Column, ...], width: int) -> Scaling:
        """Numbers to mean 0 and deviation 1; what is 0 or 1 already stays."""
        shift, factor, place = np.zeros(width), np.ones(width), 0
        for column in columns:
            summary = self.summaries[column.name]
            if isinstance(summary, Numbers) and not summary.boolean:
                shift[place], factor[place] = summary.mean, 1.0 / (summary.deviation or 1.0)
            place += width_of(column)
        return Scaling(shift, factor)


def _joined(grid: Grid, summaries: Mapping[str, Summary]) -> set[str]:
    """Take in all columns of numbers of a grid; their names."""
    numbers = {name: s for name, s in summaries.items() if isinstance(s, Numbers)}
    for name, values in zip(grid.names, np.ascontiguousarray(grid.values.T), strict=True):
        if name in numbers:
            with grid.naming_cells():
                numbers[name].take_in(values, name)
    return set(numbers)


def _summary(kind: Kind, grams: Grams) -> Summary:
    if kind is Kind.NUMBER:
        return Numbers()
    return Texts(grams) if kind is Kind.TEXT else Words()


def _column(name: str, summary: Summary) -> Column:
    if isinstance(summary, Numbers):
        return Number(name, summary.mean, summary.missing > 0)
    if isinstance(summary, Texts):
        return Text(name, summary.grams, summary.idf)
    return Category(name, tuple(sorted(summary.most_frequent(MOST_VALUES))), summary.missing > 0)


def _told(findings: tuple[Finding, ...]) -> str:
    return "".join(f" {finding}" for finding in findings)


def _matrix_learned(source: Source, chunks: Iterator[Chunk], choices: Choices) -> Learned:
    counts: Counts = {}
    values: Spread | Stored | None = None
    width = 0
    for chunk in chunks:
        assert isinstance(chunk, Matrix)  # all chunks of a source are of one kind
        for label, n in counted(chunk, None).items():
            counts[label] = counts.get(label, 0) + n
        width = max(width, n_cols(chunk.rows))
        values = values or (Stored() if isinstance(chunk.rows, CSR) else Spread())
        if choices.scale:
            values.add(chunk.rows)
    assert values is not None  # a source has rows
    classes = sorted_classes(counts, source.name)
    brightest = getattr(source, "brightest", None)
    scaling = None
    if choices.scale and brightest is not None:
        scaling = Scaling(np.zeros(width), np.full(width, 1.0 / brightest))
    elif choices.scale:
        scaling = values.scaling(width)
    names = getattr(source, "feature_names", None)
    preparation = Preparation((), width, isinstance(values, Stored), scaling, names)
    return Learned(preparation, classes, counts, ())
