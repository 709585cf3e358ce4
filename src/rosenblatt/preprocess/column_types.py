"""What a column is, decided by the first chunk, unless the user says so.

=============  =====================================================================
kind           a column of
=============  =====================================================================
number         numbers or booleans
text           words, several a cell, and hardly a cell twice
identifier     words, or whole numbers called id, that hardly come twice: left out
date           dates or times: refused with advice
category       other words
=============  =====================================================================
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Table
from rosenblatt.io.column_stack import n_cells, unnamed
from rosenblatt.preprocess.column_encoders import words_of
from rosenblatt.preprocess.ngram_spec import Grams

if TYPE_CHECKING:
    import polars as pl

WORDS_OF_A_TEXT = 3.0  # a cell, on average
DISTINCT_TEXT = 0.5  # share of the cells that are different from all others before
DISTINCT_IDENTIFIER = 0.9
ENOUGH = 20  # cells to judge by
IDENTIFIER = re.compile(r"(^|[_\W])id$|^(index|rowid)$", re.IGNORECASE)
AGAINST = (("drop", "use"), ("drop", "category"), ("drop", "text"), ("category", "text"))
DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?$"
FEW_VALUES = 50  # a column of more is not looked at for leaks
ROWS_A_VALUE = 10  # on average, to call it a leak
SAMPLE = 1000  # rows by which a column is found to have few values
Pairs = list[tuple[object, ...]]


class Kind(StrEnum):
    """What a column is taken for."""

    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    IDENTIFIER = "identifier"


@dataclass(frozen=True)
class Choices:
    """What the user says about columns, by name, whether to scale, and how to read texts.

    Columns that are `pixels` of images stay where they are, even those that tell nothing. With
    `use_all`, no column is left out but those to `drop`.
    """

    drop: frozenset[str] = field(default_factory=frozenset)
    use: frozenset[str] = field(default_factory=frozenset)
    use_all: bool = False
    category: frozenset[str] = field(default_factory=frozenset)
    text: frozenset[str] = field(default_factory=frozenset)
    scale: bool = True
    pixels: bool = False
    grams: Grams | None = None

    def uses(self, name: str) -> bool:
        """Whether a column is to be used whatever its cells look like."""
        return self.use_all or name in self.use

    def check(self, chunk: Table) -> None:
        """Refuse names that are no columns."""
        for flag in ("drop", "use", "category", "text"):
            for name in sorted(getattr(self, flag) - set(chunk.names)):
                shown = ", ".join(chunk.names[:20])
                raise SourceError(
                    f"--{flag} {name}: {chunk.place.file} has no such column; it has {shown}."
                )
        for one, other in AGAINST:
            for name in sorted(getattr(self, one) & getattr(self, other)):
                raise SourceError(f"--{one} {name} and --{other} {name} do not go together.")


def kinds_of(chunk: Table, target: str, choices: Choices) -> dict[str, Kind]:
    """Kind of every column that may become features."""
    choices.check(chunk)
    if target in choices.drop:
        raise SourceError(
            f"--drop {target}: this is the column to predict. Name another one with --target."
        )
    names = [n for n in chunk.names if n != target and n not in choices.drop]
    kinds: dict[str, Kind | None] = {name: _told_kind(name, choices) for name in names}
    unknown = [name for name, kind in kinds.items() if kind is None]
    if unknown:
        kinds |= _kinds_of_cells(chunk, [chunk.columns[name] for name in unknown], choices)
    found = {name: kind for name, kind in kinds.items() if kind is not None}
    if choices.grams is not None and Kind.TEXT not in found.values():
        found[_only_words(chunk, found, choices.grams)] = Kind.TEXT
    return found


def _only_words(chunk: Table, kinds: Mapping[str, Kind], grams: Grams) -> str:
    """The only column of words, which then is the text that was spoken of."""
    words = [name for name in kinds if str(chunk.columns[name].dtype) == "String"]
    if len(words) != 1:
        raise no_text(chunk.place.file, grams)
    return words[0]


def no_text(file: str, grams: Grams) -> SourceError:
    """There is nothing that could be read so."""
    return SourceError(
        f"--features {grams.spec}: no column of {file} was taken for text. Name one with"
        " --text COLUMN."
    )


def _told_kind(name: str, choices: Choices) -> Kind | None:
    """The kind of a column that needs no look at its cells."""
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
        elif not choices.uses(column.name) and _counts(column):
            kinds[column.name] = Kind.IDENTIFIER
    return kinds | _kinds_of_words(chunk, words, choices)


def _kind_of_type(chunk: Table, column: "pl.Series") -> Kind | None:
    """Number by the type alone; None for words; what is neither is refused."""
    kind = column.dtype
    if kind.is_numeric() or str(kind) == "Boolean":
        return Kind.NUMBER
    if kind.is_temporal():
        raise _dates(chunk, column)
    if kind.is_nested() or str(kind) == "Binary":
        what = "lists or objects" if kind.is_nested() else "bytes"
        raise SourceError(
            f"{chunk.place.file}, column {column.name!r}: its cells are {what}. Write"
            f" them as columns of their own, or leave it out with --drop {column.name}."
        )
    return None


def _counts(column: "pl.Series") -> bool:
    """Whether numbers are called identifiers and look like them: whole, and hardly one twice."""
    if IDENTIFIER.search(column.name) is None or not column.dtype.is_numeric():
        return False
    given = unnamed(column).drop_nulls()
    if len(given) < ENOUGH:
        return False
    return bool((given == given.floor()).all()) and given.n_unique() >= DISTINCT_TEXT * len(given)


def _kinds_of_words(
    chunk: Table, columns: "list[pl.Series]", choices: Choices
) -> dict[str, Kind | None]:
    import polars as pl  # noqa: PLC0415 (slow to import)

    cells = words_of(columns)
    n_dates = n_cells(cells, pl.all().str.contains(DATE))
    kinds: dict[str, Kind | None] = {}
    for column, words, dates in zip(columns, cells, n_dates.tolist(), strict=True):
        n_given = len(words) - words.null_count()
        if n_given and dates == n_given:
            raise _dates(chunk, column)
        kinds[column.name] = Kind.CATEGORY
        if n_given >= ENOUGH:
            kinds[column.name] = _kind_of_words(column.name, words.drop_nulls(), choices)
    return kinds


def _kind_of_words(name: str, given: "pl.Series", choices: Choices) -> Kind:
    distinct = given.n_unique() / len(given)
    words = float(given.str.count_matches(r"\S+").sum()) / len(given)
    if words >= WORDS_OF_A_TEXT and distinct >= DISTINCT_TEXT:
        return Kind.TEXT
    if distinct >= DISTINCT_IDENTIFIER and not choices.uses(name):
        return Kind.IDENTIFIER
    return Kind.CATEGORY


def _dates(chunk: Table, column: "pl.Series") -> SourceError:
    example = unnamed(column).drop_nulls()[0] if column.null_count() < len(column) else column.dtype
    return SourceError(
        f"{chunk.place.file}, column {column.name!r} holds dates or times such as {example}. A line"
        " needs numbers that mean something: make columns such as the year, the weekday or days"
        f" since an event, or leave it out with --drop {column.name}."
    )


@dataclass(frozen=True)
class Finding:
    """A column that was left out, and why."""

    column: str
    kind: str
    reason: str

    def __str__(self) -> str:
        return f"Left out {self.column!r}: {self.reason} (--use {self.column} includes it)."


def constant(name: str) -> Finding:
    """A column whose cells are all equal."""
    return Finding(name, "constant", "it has the same value in every row")


def identifier(name: str) -> Finding:
    """A column of names that hardly come twice."""
    return Finding(name, "identifier", "nearly every row has another value, as identifiers do")


def counting(name: str) -> Finding:
    """A column that counts the rows."""
    return Finding(name, "identifier", "it only counts the rows")


def leaking(name: str, target: str) -> Finding:
    """A column that gives the target away."""
    return Finding(name, "leak", f"it alone gives {target!r} in every row, which new rows may lack")


def dropped(name: str, reason: str) -> Finding:
    """A column that the user leaves out, or a proof of before."""
    return Finding(name, "dropped", reason)


class Leaks:
    """Columns of few values each of which has come with one label only, so far."""

    def __init__(self, target: str, names: list[str]) -> None:
        self.target = target
        self._suspects: dict[str, dict[object, object]] = {name: {} for name in names}
        self._looked = False

    def add(self, chunk: Table) -> None:
        """Look at some rows; who gives two labels for one value is cleared."""
        cells = chunk.columns
        if not self._looked:
            few = {n for n in self._suspects if _has_few_values(cells[n])}
            self._suspects = {name: {} for name in self._suspects if name in few}
            self._looked = True
        if not self._suspects:
            return
        target = cells[self.target]
        labels = target.to_list() if len(chunk) <= SAMPLE else None
        for name in list(self._suspects):
            pairs = _pairs(cells[name], target, labels)
            if not self._one_label_each(pairs, self._suspects[name]):
                del self._suspects[name]

    def gives_target(self, name: str, rows: int) -> bool:
        """Whether each value of a column goes with one label, and the labels differ."""
        known = self._suspects.get(name, {})
        return rows >= ROWS_A_VALUE * len(known) and len(set(known.values())) > 1

    def _one_label_each(self, pairs: Pairs, known: dict[object, object]) -> bool:
        if len(pairs) > FEW_VALUES:
            return False
        return all(known.setdefault(value, label) == label for value, label in pairs)


def _has_few_values(cells: "pl.Series") -> bool:
    """Whether there are few different cells in the first rows."""
    first = cells[:SAMPLE]
    return len(first) <= FEW_VALUES or first.n_unique() <= FEW_VALUES


def _pairs(cells: "pl.Series", target: "pl.Series", labels: list[object] | None) -> Pairs:
    """Which cells of two columns come together; the labels are given where rows are few."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    if labels is not None:
        return list(set(zip(cells.to_list(), labels, strict=True)))
    return pl.DataFrame([cells, target]).unique().rows()
