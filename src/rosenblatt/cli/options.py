"""Options that several commands share."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rosenblatt.cli.signatures import Option, gathering
from rosenblatt.sources.options import MISSING, Options

if TYPE_CHECKING:
    from rosenblatt.maps.recipes import Recipe
    from rosenblatt.sources.chunks import Source
    from rosenblatt.tables.kinds import Choices

READING = "How to read the source"
COLUMNS = "What the columns are"
EVERY_COLUMN = "all"  # of --use; a column of that name is among them, --drop leaves others out

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
        help="Column to predict; by default one called target, label, class or y, or the last."
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPEC",
        help="Make features: products, poly:2, random-products:1000, radial, fourier:1000,"
        " nystroem:300, hog:4 and mark-i of images, association-units:1000; several follow one"
        " another. ngrams:1-2 reads texts so.",
    ),
]
Report = Annotated[
    str | None,
    typer.Option(metavar="PAGE", help="Write a page with pictures here (one HTML file)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def seconds(value: float) -> float:
    """A number of seconds; some versions of typer find NaN in every range."""
    if isnan(value):
        raise typer.BadParameter("nan is no number of seconds.")
    return value


def _reading(kind: Any, help_text: str) -> Any:
    return Annotated[kind, typer.Option(help=help_text, rich_help_panel=READING)]


def _columns(kind: Any, help_text: str) -> Any:
    return Annotated[kind, typer.Option(help=help_text, rich_help_panel=COLUMNS)]


Names = list[str] | None


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
        """The source that some names mean, to learn from or to prove by."""
        from rosenblatt.sources.formats import open_source

        if choices is not None:
            as_words |= choices.category | choices.text
        options = replace(self.options(as_words), teaches=True)
        return open_source(names, options, target=target)

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


def taken(features: list[str] | None, choices: "Choices") -> "tuple[Choices, tuple[Recipe, ...]]":
    """Choices with the way of reading texts, and the maps, that were asked for as features."""
    from rosenblatt.tables.grams import features_of

    grams, recipes = features_of(features or ())
    return replace(choices, grams=grams), recipes


def _choices(*, scale: bool = False, **columns: Names) -> "Choices":
    """What was said about columns."""
    from rosenblatt.tables.kinds import Choices

    named: dict[str, Any] = {flag: frozenset(names or ()) for flag, names in columns.items()}
    use_all = EVERY_COLUMN in named["use"]
    named["use"] -= {EVERY_COLUMN}
    return Choices(**named, use_all=use_all, scale=scale)


MISSING_WORDS = ", ".join(filter(None, MISSING))
READING_OPTIONS = {
    "format": Option(_reading(str | None, "Format, where the name does not tell it.")),
    "separator": Option(_reading(str | None, r"Between the cells, such as ; or \t.")),
    "header": Option(_reading(bool | None, "Whether the first line names the columns.")),
    "decimal_comma": Option(_reading(bool | None, "Whether numbers are written 1,5.")),
    "missing": Option(_reading(Names, f"Stands for a missing cell, beside {MISSING_WORDS}.")),
    "zero_based": Option(_reading(bool, "Whether svmlight counts features from 0."), default=False),
}
COLUMN_OPTIONS = {
    "drop": Option(_columns(Names, "Leave a column out.")),
    "use": Option(_columns(Names, "Take in a column that would be left out, or all.")),
    "category": Option(_columns(Names, "A column of categories, whatever it looks like.")),
    "text": Option(_columns(Names, "A column of free text: words and word pairs.")),
}
SCALE = {"scale": Option(_columns(bool, "Bring features to comparable size."), default=True)}

taking_reading = gathering("reading", READING_OPTIONS, Reading)
taking_columns = gathering("choices", COLUMN_OPTIONS, _choices)
taking_scaled_columns = gathering("choices", SCALE | COLUMN_OPTIONS, _choices)
