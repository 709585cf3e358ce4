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
from rosenblatt.sources.chunks import Grid, Table
from rosenblatt.tables.columns import words_of
from rosenblatt.tables.grams import Grams

if TYPE_CHECKING:
    import polars as pl

WORDS_OF_A_TEXT = 3.0  # a cell, on average
DISTINCT_TEXT = 0.5  # share of the cells that are different from all others before
DISTINCT_IDENTIFIER = 0.9
ENOUGH = 20  # cells to judge by
IDENTIFIER = re.compile(r"(^|[_\W])id$|^(index|rowid)$", re.IGNORECASE)
AGAINST = (("drop", "use"), ("drop", "category"), ("drop", "text"), ("category", "text"))
DATE = r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}([T ].*)?$"


class Kind(StrEnum):
    """What a column is taken for."""

    NUMBER = "number"
    CATEGORY = "category"
    TEXT = "text"
    IDENTIFIER = "identifier"


@dataclass(frozen=True)
class Choices:
    """What the user says about columns, by name, whether to scale, and how to read texts.

    Columns that are `pixels` of images stay where they are, even those that tell nothing.
    """

    drop: frozenset[str] = field(default_factory=frozenset)
    use: frozenset[str] = field(default_factory=frozenset)
    category: frozenset[str] = field(default_factory=frozenset)
    text: frozenset[str] = field(default_factory=frozenset)
    scale: bool = True
    pixels: bool = False
    grams: Grams | None = None

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
    kinds = {name: _kind(chunk, name, choices) for name in names}
    if choices.grams is not None and Kind.TEXT not in kinds.values():
        kinds[_only_words(chunk, kinds, choices.grams)] = Kind.TEXT
    return kinds


def _only_words(chunk: Table, kinds: Mapping[str, Kind], grams: Grams) -> str:
    """The only column of words, which then is the text that was spoken of."""
    words = [name for name in kinds if str(chunk.frame[name].dtype) == "String"]
    if len(words) != 1:
        raise no_text(chunk.place.file, grams)
    return words[0]


def no_text(file: str, grams: Grams) -> SourceError:
    """There is nothing that could be read so."""
    return SourceError(
        f"--features {grams.written}: no column of {file} was taken for text. Name one with"
        " --text COLUMN."
    )


def _kind(chunk: Table, name: str, choices: Choices) -> Kind:
    if name in choices.text:
        return Kind.TEXT
    if name in choices.category:
        return Kind.CATEGORY
    if isinstance(chunk, Grid) and IDENTIFIER.search(name) is None:
        return Kind.NUMBER
    return _kind_of_cells(chunk, chunk.frame[name], choices)


def _kind_of_cells(chunk: Table, column: "pl.Series", choices: Choices) -> Kind:
    if column.dtype.is_temporal():
        raise _dates(chunk, column)
    if column.dtype.is_nested() or str(column.dtype) == "Binary":
        what = "lists or objects" if column.dtype.is_nested() else "bytes"
        raise SourceError(
            f"{chunk.place.file}, column {column.name!r}: its cells are {what}. Write"
            f" them as columns of their own, or leave it out with --drop {column.name}."
        )
    if column.dtype.is_numeric() and column.name not in choices.use and _counts(column):
        return Kind.IDENTIFIER
    if column.dtype.is_numeric() or str(column.dtype) == "Boolean":
        return Kind.NUMBER
    return _kind_of_words(chunk, column, choices)


def _counts(column: "pl.Series") -> bool:
    """Whether numbers are called identifiers and look like them: whole, and hardly one twice."""
    given = column.drop_nulls()
    if IDENTIFIER.search(column.name) is None or len(given) < ENOUGH:
        return False
    return bool((given == given.floor()).all()) and given.n_unique() >= DISTINCT_TEXT * len(given)


def _kind_of_words(chunk: Table, column: "pl.Series", choices: Choices) -> Kind:
    given = words_of(column).drop_nulls()
    if not len(given):
        return Kind.CATEGORY
    if given.str.contains(DATE).all():
        raise _dates(chunk, column)
    distinct = given.n_unique() / len(given)
    words = float(given.str.count_matches(r"\S+").sum()) / len(given)
    if words >= WORDS_OF_A_TEXT and distinct >= DISTINCT_TEXT and len(given) >= ENOUGH:
        return Kind.TEXT
    if distinct >= DISTINCT_IDENTIFIER and len(given) >= ENOUGH and column.name not in choices.use:
        return Kind.IDENTIFIER
    return Kind.CATEGORY


def _dates(chunk: Table, column: "pl.Series") -> SourceError:
    example = column.drop_nulls()[0] if column.null_count() < len(column) else column.dtype
    return SourceError(
        f"{chunk.place.file}, column {column.name!r} holds dates or times such as {example}. A line"
        " needs numbers that mean something: make columns such as the year, the weekday or days"
        f" since an event, or leave it out with --drop {column.name}."
    )
