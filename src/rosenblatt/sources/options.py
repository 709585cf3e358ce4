"""What a user may say about a source; what is not said is found out from the data."""

from dataclasses import dataclass

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "?")


@dataclass(frozen=True)
class Options:
    """How to read: None leaves it to the reader.

    `as_words` are columns whose cells are words even where they look like numbers.
    """

    format: str | None = None
    separator: str | None = None
    header: bool | None = None
    decimal_comma: bool | None = None
    missing: tuple[str, ...] = MISSING
    as_words: frozenset[str] = frozenset()
    zero_based: bool = False
