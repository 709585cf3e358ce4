"""What a user may say about a source; what is not said is found out from the data."""

from dataclasses import dataclass

from rosenblatt.errors import SourceError

UNFIT = '"\n\r\0'  # to stand between cells
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

    def __post_init__(self) -> None:
        """Refuse what cannot stand between cells."""
        given = self.separator
        if given is not None and (len(given) != 1 or not given.isascii() or given in UNFIT):
            raise SourceError(
                f"The separator {given!r} cannot be used: it must be one ASCII character, and"
                " neither a quote nor an end of line."
            )
