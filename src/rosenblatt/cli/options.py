"""Options that several commands share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from rosenblatt.sources.options import MISSING, Options

if TYPE_CHECKING:
    from rosenblatt.sources.chunks import Source
    from rosenblatt.tables.kinds import Choices

READING = "How to read the source"
COLUMNS = "What the columns are"

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE...",
        help="Files (CSV, TSV, svmlight, Parquet, Arrow, JSON lines, NPY, NPZ, IDX; also .gz .bz2"
        " .zst), globs, - for standard input, or builtin:NAME.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        help="Column to predict; by default one called target, label or class, or the last."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]

Format = Annotated[
    str | None,
    typer.Option(help="Format, where the name does not tell it.", rich_help_panel=READING),
]
Separator = Annotated[
    str | None,
    typer.Option(help=r"Between the cells, such as ; or \t.", rich_help_panel=READING),
]
Header = Annotated[
    bool | None,
    typer.Option(help="Whether the first line names the columns.", rich_help_panel=READING),
]
DecimalComma = Annotated[
    bool | None,
    typer.Option(help="Whether numbers are written 1,5.", rich_help_panel=READING),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        help=f"What stands for a missing cell, beside {', '.join(filter(None, MISSING))}.",
        rich_help_panel=READING,
    ),
]
ZeroBased = Annotated[
    bool,
    typer.Option(help="Whether svmlight counts features from 0.", rich_help_panel=READING),
]

Scale = Annotated[
    bool, typer.Option(help="Bring features to comparable size.", rich_help_panel=COLUMNS)
]
Drop = Annotated[
    list[str] | None, typer.Option(help="Leave a column out.", rich_help_panel=COLUMNS)
]
Use = Annotated[
    list[str] | None,
    typer.Option(help="Take a column in that would be left out.", rich_help_panel=COLUMNS),
]
Category = Annotated[
    list[str] | None,
    typer.Option(help="A column of categories, whatever it looks like.", rich_help_panel=COLUMNS),
]
Text = Annotated[
    list[str] | None,
    typer.Option(help="A column of free text: words and word pairs.", rich_help_panel=COLUMNS),
]


class Reading(NamedTuple):
    """The options of reading, as they were given."""

    format: str | None
    separator: str | None
    header: bool | None
    decimal_comma: bool | None
    missing: list[str] | None
    zero_based: bool

    def source(
        self,
        names: Sequence[str],
        target: str | None,
        choices: "Choices | None" = None,
        as_words: frozenset[str] = frozenset(),
    ) -> "Source":
        """The source that some names mean."""
        from rosenblatt.sources.formats import open_source

        if choices is not None:
            as_words |= choices.category | choices.text
        return open_source(names, self.options(as_words), target=target)

    def options(self, as_words: frozenset[str] = frozenset()) -> Options:
        """The same as the readers take them."""
        separator = None if self.separator is None else self.separator.replace(r"\t", "\t")
        return Options(
            format=self.format,
            separator=separator,
            header=self.header,
            decimal_comma=self.decimal_comma,
            missing=(*MISSING, *(self.missing or ())),
            as_words=as_words,
            zero_based=self.zero_based,
        )


def choices_of(
    drop: list[str] | None,
    use: list[str] | None,
    category: list[str] | None,
    text: list[str] | None,
    *,
    scale: bool,
) -> "Choices":
    """What was said about columns."""
    from rosenblatt.tables.kinds import Choices

    drop_, use_, category_, text_ = (frozenset(n or ()) for n in (drop, use, category, text))
    return Choices(drop=drop_, use=use_, category=category_, text=text_, scale=scale)
