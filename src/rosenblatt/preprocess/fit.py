"""One pass over the training rows learns all that their preparation needs."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from rosenblatt.csr import CSR, n_cols
from rosenblatt.errors import SourceError
from rosenblatt.features.maps.memory import available_memory, format_bytes
from rosenblatt.io.chunks import Chunk, Matrix, Source, Table
from rosenblatt.preprocess.column_encoders import (
    Category,
    Column,
    Number,
    Text,
    numbers_of,
    width_of,
    words_of,
)
from rosenblatt.preprocess.column_types import (
    Choices,
    Finding,
    Kind,
    Leaks,
    constant,
    counting,
    identifier,
    kinds_of,
    leaking,
    no_text,
)
from rosenblatt.preprocess.ngram_spec import Grams
from rosenblatt.preprocess.scaling import Scaling
from rosenblatt.preprocess.statistics import Numbers, Spread, Stored, Texts, Words
from rosenblatt.preprocess.target import Counts, Label, counted, sorted_classes, target_of
from rosenblatt.preprocess.transformer import Preparation

MOST_VALUES = 1000  # of a category; rarer ones have no feature of their own
DENSE_FEATURES = 64  # up to so many, rows are dense whatever they hold
BYTES_PER_COLUMN = 16 * 8  # of weights, statistics and copies of them; measured, 130 to 170
DENSE_SHARE = 0.25  # of the features that a row has on average, from which on rows are dense


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
        named = {kind: [n for n, own in self.kinds.items() if own is kind] for kind in Kind}
        grams = choices.grams or Grams()
        self.numbers = Numbers(named[Kind.NUMBER])
        self.texts = {name: Texts(grams) for name in named[Kind.TEXT]}
        words = [*named[Kind.CATEGORY], *named[Kind.IDENTIFIER]]
        self.words = {name: Words() for name in words}
        self.leaks = Leaks(self.target, [name for name in self.kinds if not choices.uses(name)])
        self.counts: Counts = {}

    def learned(self, name: str, rest: Iterator[Chunk]) -> Learned:
        self._add(self.first)
        for chunk in rest:
            self._add(chunk)
        classes = sorted_classes(self.counts, f"{name}, column {self.target!r}")
        findings = tuple(f for f in self._findings() if not self._is_wanted(f))
        left_out = {f.column for f in findings}
        kept = {name: column for name, column in self._columns().items() if name not in left_out}
        if not kept:
            raise SourceError(f"{name} has no column to learn from.{_told(findings)}")
        return Learned(self._preparation(tuple(kept.values())), classes, self.counts, findings)

    def _add(self, chunk: Chunk) -> None:
        for label, n in counted(chunk, self.target).items():
            self.counts[label] = self.counts.get(label, 0) + n
        assert isinstance(chunk, Table)  # all chunks of a source are of one kind
        with chunk.naming_cells():
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

    def _findings(self) -> Iterator[Finding]:
        rows = sum(self.counts.values())
        numbers = self.numbers
        constants = dict(zip(numbers.names, numbers.constant.tolist(), strict=True))
        constants |= {name: words.constant for name, words in self.words.items()}
        counters = dict(zip(numbers.names, numbers.counts_rows.tolist(), strict=True))
        for name, kind in self.kinds.items():
            if kind is Kind.IDENTIFIER:
                yield identifier(name)
            elif constants.get(name, False):
                yield constant(name)
            elif self.leaks.gives_target(name, rows):
                yield leaking(name, self.target)
            elif counters.get(name, False):
                yield counting(name)

    def _columns(self) -> dict[str, Column]:
        """What every column becomes, in the order of the table; text comes last."""
        numbers = self.numbers
        filled = zip(numbers.names, numbers.mean.tolist(), numbers.missing > 0, strict=True)
        found: dict[str, Column] = {
            name: Number(name, fill, bool(missing)) for name, fill, missing in filled
        }
        for name, words in self.words.items():
            values = tuple(sorted(words.most_frequent(MOST_VALUES)))
            found[name] = Category(name, values, words.missing > 0)
        found |= {name: Text(name, text.grams, text.idf) for name, text in self.texts.items()}
        order = sorted(self.kinds, key=lambda name: self.kinds[name] is Kind.TEXT)
        return {name: found[name] for name in order}

    def _is_wanted(self, found: Finding) -> bool:
        """Whether a column is taken in for all that was found."""
        pixel = self.choices.pixels and self.kinds[found.column] is Kind.NUMBER
        return pixel or self.choices.uses(found.column)

    def _preparation(self, columns: tuple[Column, ...]) -> Preparation:
        width = sum(map(width_of, columns))
        entries = sum(2 if isinstance(c, Number) and c.indicator else 1 for c in columns)
        text = any(isinstance(column, Text) for column in columns)
        sparse = text or (width > DENSE_FEATURES and entries < DENSE_SHARE * width)
        scaling = self._scaling(columns, width) if self.choices.scale else None
        return Preparation(columns, width, sparse, scaling, target=self.target)

    def _scaling(self, columns: tuple[Column, ...], width: int) -> Scaling:
        """Numbers to mean 0 and deviation 1; what is 0 or 1 already stays."""
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
        _require_memory(chunk.place.file, width)
        _require_finite(chunk)
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


def _require_finite(chunk: Matrix) -> None:
    """Refuse a matrix with an entry that is no number, for which nothing is put in its place."""
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
        " leave the row out."
    )


def _require_memory(file: str, width: int) -> None:
    """Refuse rows so wide that the arrays of their width do not fit into memory."""
    needed, has = BYTES_PER_COLUMN * width, available_memory()
    if needed > has:
        raise SourceError(
            f"{file} has rows of {width:,} columns: to learn from them takes at least"
            f" {format_bytes(needed)}, and there are {format_bytes(has)} of memory. Hash the"
            " columns to fewer, or give them smaller numbers, such as those of the columns in use."
        )
