"""Kinds of columns, inferred from the first chunk or given, and columns that are left out.

=============  =====================================================================
kind           a column of
=============  =====================================================================
number         numbers or booleans
text           strings of several words, with few repeated cells
identifier     strings, or integers called id, nearly all distinct: left out
date           dates or times: refused with advice
category       other strings
=============  =====================================================================
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from rosenblatt.errors import SourceError
from rosenblatt.features.maps.spec import NgramSpec
from rosenblatt.io.chunks import Table, count_cells, unnamed
from rosenblatt.preprocess.column_encoders import words_of

if TYPE_CHECKING:
    import polars as pl

MIN_WORDS_PER_TEXT = 3.0  # on average
MIN_DISTINCT_TEXT = 0.5  # distinct values by cells
MIN_DISTINCT_IDENTIFIER = 0.9
MIN_CELLS = 20  # to infer a kind from
IDENTIFIER = re.compile(r"(^|[_\W])id$|^(index|rowid)$", re.IGNORECASE)
EXCLUSIVE_OPTIONS = (("drop", "use"), ("drop", "category"), ("drop", "text"), ("category", "text"))
DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?$"
MAX_LEAK_VALUES = 50  # of a column; those with more are not checked for leaks
MIN_ROWS_PER_LEAK_VALUE = 10  # on average
SAMPLE_ROWS = 1000  # by which a column is found to have few values
Pairs = list[tuple[object, ...]]


class Kind(StrEnum):
    """Kind of a column."""

    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    IDENTIFIER = "identifier"


@dataclass(frozen=True)
class Choices:
    """The user's choices: columns by name, whether to scale, and how to read texts.

    Columns that are `pixels` of images are kept even if constant. With `use_all`, no column is left
    out but those to `drop`.
    """

    drop: frozenset[str] = field(default_factory=frozenset)
    use: frozenset[str] = field(default_factory=frozenset)
    use_all: bool = False
    category: frozenset[str] = field(default_factory=frozenset)
    text: frozenset[str] = field(default_factory=frozenset)
    scale: bool = True
    pixels: bool = False
    grams: NgramSpec | None = None

    def uses(self, name: str) -> bool:
        """Whether a column is used whatever its cells are."""
        return self.use_all or name in self.use

    def check(self, chunk: Table) -> None:
        """Refuse names that are not columns, and contradictions."""
        for flag in ("drop", "use", "category", "text"):
            for name in sorted(getattr(self, flag) - set(chunk.names)):
                shown = ", ".join(chunk.names[:20])
                raise SourceError(
                    f"--{flag} {name}: {chunk.place.file} has no such column; it has {shown}."
                )
        for one, other in EXCLUSIVE_OPTIONS:
            for name in sorted(getattr(self, one) & getattr(self, other)):
                raise SourceError(f"--{one} {name} and --{other} {name} contradict each other.")


def infer_kinds(chunk: Table, target: str, choices: Choices) -> dict[str, Kind]:
    """Kind of every column other than the target and those to drop."""
    choices.check(chunk)
    if target in choices.drop:
        raise SourceError(
            f"--drop {target}: this is the column to predict. Name another one with --target."
        )
    names = [n for n in chunk.names if n != target and n not in choices.drop]
    kinds: dict[str, Kind | None] = {name: _chosen_kind(name, choices) for name in names}
    unknown = [name for name, kind in kinds.items() if kind is None]
    if unknown:
        kinds |= _kinds_of_cells(chunk, [chunk.columns[name] for name in unknown], choices)
    found = {name: kind for name, kind in kinds.items() if kind is not None}
    if choices.grams is not None and Kind.TEXT not in found.values():
        found[_only_words(chunk, found, choices.grams)] = Kind.TEXT
    return found


def _only_words(chunk: Table, kinds: Mapping[str, Kind], grams: NgramSpec) -> str:
    """The only column of strings, which then must be the text."""
    words = [name for name in kinds if str(chunk.columns[name].dtype) == "String"]
    if len(words) != 1:
        raise no_text(chunk.place.file, grams)
    return words[0]


def no_text(file: str, grams: NgramSpec) -> SourceError:
    """The error where n-grams are wanted, but no column is text."""
    return SourceError(
        f"--features {grams.spec}: no column of {file} looks like text. Name one with"
        " --text COLUMN."
    )


def _chosen_kind(name: str, choices: Choices) -> Kind | None:
    """The kind that the user chose for a column, if any."""
    if name in choices.text:
        return Kind.TEXT
    if name in choices.category:
        return Kind.CATEGORY
    return None


def _kinds_of_cells(
    chunk: Table, columns: "list[pl.Series]", choices: Choices
) -> dict[str, Kind | None]:
    kinds: dict[str, Kind | None] = {}
    words = []
    for column in columns:
        kinds[column.name] = _kind_of_type(chunk, column)
        if kinds[column.name] is None:
            words.append(column)
        elif not choices.uses(column.name) and _is_numeric_identifier(column):
            kinds[column.name] = Kind.IDENTIFIER
    return kinds | _kinds_of_words(chunk, words, choices)


def _kind_of_type(chunk: Table, column: "pl.Series") -> Kind | None:
    """Number by the type alone; None for strings; other types are errors."""
    kind = column.dtype
    if kind.is_numeric() or str(kind) == "Boolean":
        return Kind.NUMBER
    if kind.is_temporal():
        raise _dates(chunk, column)
    if kind.is_nested() or str(kind) == "Binary":
        what = "lists or objects" if kind.is_nested() else "bytes"
        raise SourceError(
            f"{chunk.place.file}, column {column.name!r}: its cells are {what}. Write"
            f" them as separate columns, or leave it out with --drop {column.name}."
        )
    return None


def _is_numeric_identifier(column: "pl.Series") -> bool:
    """Whether a column has the name of an identifier and integers, mostly distinct."""
    if IDENTIFIER.search(column.name) is None or not column.dtype.is_numeric():
        return False
    given = unnamed(column).drop_nulls()
    if len(given) < MIN_CELLS or not (given == given.floor()).all():
        return False
    return given.n_unique() >= MIN_DISTINCT_TEXT * len(given)


def _kinds_of_words(
    chunk: Table, columns: "list[pl.Series]", choices: Choices
) -> dict[str, Kind | None]:
    import polars as pl  # noqa: PLC0415 (slow to import)

    cells = words_of(columns)
    n_dates = count_cells(cells, pl.all().str.contains(DATE))
    kinds: dict[str, Kind | None] = {}
    for column, words, dates in zip(columns, cells, n_dates.tolist(), strict=True):
        n_given = len(words) - words.null_count()
        if n_given and dates == n_given:
            raise _dates(chunk, column)
        kinds[column.name] = Kind.CATEGORY
        if n_given >= MIN_CELLS:
            kinds[column.name] = _kind_of_words(column.name, words.drop_nulls(), choices)
    return kinds


def _kind_of_words(name: str, given: "pl.Series", choices: Choices) -> Kind:
    distinct = given.n_unique() / len(given)
    words = float(given.str.count_matches(r"\S+").sum()) / len(given)
    if words >= MIN_WORDS_PER_TEXT and distinct >= MIN_DISTINCT_TEXT:
        return Kind.TEXT
    if distinct >= MIN_DISTINCT_IDENTIFIER and not choices.uses(name):
        return Kind.IDENTIFIER
    return Kind.CATEGORY


def _dates(chunk: Table, column: "pl.Series") -> SourceError:
    example = unnamed(column).drop_nulls()[0] if column.null_count() < len(column) else column.dtype
    return SourceError(
        f"{chunk.place.file}, column {column.name!r} holds dates or times such as {example}. A"
        " linear model needs meaningful numbers: make columns such as the year, the weekday or days"
        f" since an event, or leave it out with --drop {column.name}."
    )


@dataclass(frozen=True)
class LeftOutColumn:
    """A column that was left out, and why."""

    column: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"Left out {self.column!r}: {self.reason} (--use {self.column} includes it)."


def constant(name: str, *, rounded: bool = False) -> LeftOutColumn:
    """Report a column whose cells are all equal, perhaps after rounding."""
    as_float = " as float64" if rounded else ""
    return LeftOutColumn(name, "constant", f"it has the same value{as_float} in every row")


def identifier(name: str) -> LeftOutColumn:
    """Report a column whose cells are nearly all distinct."""
    return LeftOutColumn(
        name, "identifier", "nearly every row has a different value, as identifiers do"
    )


def row_counter(name: str) -> LeftOutColumn:
    """Report a column that counts the rows."""
    return LeftOutColumn(name, "identifier", "it only counts the rows")


def leak(name: str, target: str, *, rounded: bool = False) -> LeftOutColumn:
    """Report a column that determines the target, perhaps after rounding."""
    as_float = " as float64" if rounded else ""
    return LeftOutColumn(
        name, "leak", f"it alone{as_float} determines {target!r}, and new rows may not have it"
    )


def dropped(name: str, reason: str) -> LeftOutColumn:
    """Report a column that the user, or an earlier proof, leaves out."""
    return LeftOutColumn(name, "dropped", reason)


class LeakDetector:
    """Columns of few values, each of which has occurred with one label only so far."""

    def __init__(self, target: str, names: list[str]) -> None:
        self.target = target
        self._suspects: dict[str, dict[object, object]] = {name: {} for name in names}
        self._sampled = False

    def add(self, chunk: Table) -> None:
        """Take in some rows; columns with two labels for one value are cleared."""
        cells = chunk.columns
        if not self._sampled:
            few = {n for n in self._suspects if _has_few_values(cells[n])}
            self._suspects = {name: {} for name in self._suspects if name in few}
            self._sampled = True
        if not self._suspects:
            return
        target = cells[self.target]
        labels = target.to_list() if len(chunk) <= SAMPLE_ROWS else None
        for name in list(self._suspects):
            pairs = _pairs(cells[name], target, labels)
            if not self._one_label_each(pairs, self._suspects[name]):
                del self._suspects[name]

    def determines_target(self, name: str, rows: int) -> bool:
        """Whether each value of a column occurs with one label only, and the labels differ."""
        known = self._suspects.get(name, {})
        return rows >= MIN_ROWS_PER_LEAK_VALUE * len(known) and len(set(known.values())) > 1

    def _one_label_each(self, pairs: Pairs, known: dict[object, object]) -> bool:
        if len(pairs) > MAX_LEAK_VALUES:
            return False
        return all(known.setdefault(value, label) == label for value, label in pairs)


def _has_few_values(cells: "pl.Series") -> bool:
    """Whether there are few distinct cells in the first rows."""
    first = cells[:SAMPLE_ROWS]
    return len(first) <= MAX_LEAK_VALUES or first.n_unique() <= MAX_LEAK_VALUES


def _pairs(cells: "pl.Series", target: "pl.Series", labels: list[object] | None) -> Pairs:
    """Distinct pairs of cells of two columns; the labels are given where rows are few."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if labels is not None:
        return list(set(zip(cells.to_list(), labels, strict=True)))
    return pl.DataFrame([cells, target]).unique().rows()
