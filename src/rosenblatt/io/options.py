"""What a user may say about a source; what is not said is found out from the data."""

from collections.abc import Sequence
from dataclasses import dataclass

USUAL_TARGETS = ("target", "label", "class", "y")
MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")


@dataclass(frozen=True)
class Options:
    """How to read: None leaves it to the reader.

    `as_words` are columns whose cells are words even where they look like numbers. Where the source
    `teaches`, so is the target if it holds codes, such as 01: as numbers, classes would be lost.
    """

    format: str | None = None
    separator: str | None = None
    header: bool | None = None
    decimal_comma: bool | None = None
    missing: tuple[str, ...] = MISSING
    as_words: frozenset[str] = frozenset()
    zero_based: bool = False
    teaches: bool = False


def usual_target(names: Sequence[str]) -> str:
    """The column that is usually predicted: one called target, label, class or y, or the last."""
    return next((name for name in names if name.lower() in USUAL_TARGETS), names[-1])
