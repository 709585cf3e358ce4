"""Options for reading a source; what is left out is inferred from the data."""

from collections.abc import Sequence
from dataclasses import dataclass

USUAL_TARGETS = ("target", "label", "class", "y")
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")


@dataclass(frozen=True)
class Options:
    """How to read files; None lets the reader find out.

    `string_columns` are read as strings even where their cells look like numbers. In a source
    `for_training`, so is a target of codes such as 01: as numbers, classes would be merged.
    A source that `counts_rounded` cells says which numbers of a text float64 does not tell apart.
    """

    format: str | None = None
    separator: str | None = None
    header: bool | None = None
    decimal_comma: bool | None = None
    missing: tuple[str, ...] = MISSING
    string_columns: frozenset[str] = frozenset()
    zero_based: bool = False
    for_training: bool = False
    counts_rounded: bool = False


def usual_target(names: Sequence[str]) -> str:
    """The default column to predict: one called target, label, class or y, else the last."""
    return next((name for name in names if name.lower() in USUAL_TARGETS), names[-1])
