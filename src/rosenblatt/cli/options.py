"""Options that several commands share, in groups, and the parameters of the learning rules.

A group is written once and requested by name. Each parameter of a rule is one row; an option that
the chosen rule does not have is refused by its name. Messages of the library name parameters as
Python does; `name_options` makes these the options of the command line.
"""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from math import isnan
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from rosenblatt.io.files import MISSING, Options
from rosenblatt.text import listed

if TYPE_CHECKING:
    from rosenblatt.features.maps.spec import MapSpec
    from rosenblatt.io.chunks import Source
    from rosenblatt.preprocess.column_types import Choices


Command = Callable[..., None]
READING_PANEL = "Reading the source"
COLUMN_PANEL = "Columns"
ALL_COLUMNS = "all"  # of --use; a column of that name is among them

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
        help="Column to predict. Default: one called target, label, class or y, or the last."
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPEC",
        help="Feature map: products, poly:2, random-products:1000, radial, fourier:1000,"
        " nystroem:300, hog:4 and mark-i for images, association-units:1000; several are applied in"
        " turn. ngrams:1-2 is for text columns.",
    ),
]
Report = Annotated[
    str | None,
    typer.Option(metavar="PAGE", help="Write a report with plots to this HTML file."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not show progress.")]


class Option(NamedTuple):
    """The type of an option, as typer reads it, and its default."""

    annotation: Any
    default: Any = None


def option_group(
    name: str, options: Mapping[str, Option], gather: Callable[..., Any]
) -> Callable[[Command], Command]:
    """A decorator: the command takes the options, and receives `gather(**options)` as `name`."""

    def decorate(command: Command) -> Command:
        own = inspect.signature(command)
        parameters = [p for p in own.parameters.values() if p.name != name]
        parameters += [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, default=d, annotation=a)
            for key, (a, d) in options.items()
        ]

        @wraps(command)
        def with_options(**given: Any) -> None:
            taken = {key: given.pop(key) for key in options}
            command(**given, **{name: gather(**taken)})

        with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate


def seconds(value: float) -> float:
    """A number of seconds; some versions of typer find NaN in every range."""
    if isnan(value):
        raise typer.BadParameter("nan is not a number of seconds.")
    return value


def _reading(kind: Any, help_text: str) -> Any:
    return Annotated[kind, typer.Option(help=help_text, rich_help_panel=READING_PANEL)]


def _columns(kind: Any, help_text: str) -> Any:
    return Annotated[kind, typer.Option(help=help_text, rich_help_panel=COLUMN_PANEL)]


Names = list[str] | None


class Reading(NamedTuple):
    """The options for reading, as they were given."""

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
        string_columns: frozenset[str] = frozenset(),
        *,
        proves: bool = False,
    ) -> "Source":
        """The source of these names, to train on or to prove about, or both."""
        from rosenblatt.io.formats import open_source

        if choices is not None:
            string_columns |= choices.category | choices.text
        options = replace(self.options(string_columns), for_training=True, counts_rounded=proves)
        return open_source(names, options, target=target)

    def options(self, string_columns: frozenset[str] = frozenset()) -> Options:
        """The options as the readers take them."""
        separator = None if self.separator is None else self.separator.replace(r"\t", "\t")
        return Options(
            format=self.format,
            separator=separator,
            header=self.header,
            decimal_comma=self.decimal_comma,
            missing=(*MISSING, *(self.missing or ())),
            string_columns=string_columns,
            zero_based=self.zero_based,
        )


def parse_features(
    features: list[str] | None, choices: "Choices"
) -> "tuple[Choices, tuple[MapSpec, ...]]":
    """Choices with the n-grams, and the feature maps, that --features asks for."""
    from rosenblatt.features.maps.spec import features_of

    if not features:
        return choices, ()
    grams, map_specs = features_of(features)
    return replace(choices, grams=grams), map_specs


def _choices(*, scale: bool = False, **columns: Names) -> "Choices":
    """The choices about columns, from their options."""
    from rosenblatt.preprocess.column_types import Choices

    named: dict[str, Any] = {flag: frozenset(names or ()) for flag, names in columns.items()}
    use_all = ALL_COLUMNS in named["use"]
    named["use"] -= {ALL_COLUMNS}
    return Choices(**named, use_all=use_all, scale=scale)


MISSING_WORDS = listed(filter(None, MISSING))
READING_OPTIONS = {
    "format": Option(_reading(str | None, "File format. Default: by file name or content.")),
    "separator": Option(_reading(str | None, r"Field separator, such as ; or \t.")),
    "header": Option(_reading(bool | None, "Whether the first line holds column names.")),
    "decimal_comma": Option(_reading(bool | None, "Whether numbers have a decimal comma: 1,5.")),
    "missing": Option(_reading(Names, f"Text of a missing cell, in addition to {MISSING_WORDS}.")),
    "zero_based": Option(
        _reading(bool, "Whether svmlight feature indices start at 0."), default=False
    ),
}
COLUMN_OPTIONS = {
    "drop": Option(_columns(Names, "Column to leave out.")),
    "use": Option(
        _columns(Names, "Column to keep that fit would leave out; all keeps every column.")
    ),
    "category": Option(_columns(Names, "Column to encode as categories.")),
    "text": Option(_columns(Names, "Column to encode as text: words and word pairs.")),
}
SCALE = {"scale": Option(_columns(bool, "Standardise features."), default=True)}

with_reading_options = option_group("reading", READING_OPTIONS, Reading)
with_column_options = option_group("choices", COLUMN_OPTIONS, _choices)
with_scaled_column_options = option_group("choices", SCALE | COLUMN_OPTIONS, _choices)

PANEL = "Parameters of the rule (each rule has some of them)"
WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}

VALUES = {
    "C": "Inverse regularisation strength; cv selects it by cross-validation.",
    "loss": "Loss function, for rules that have several.",
    "tol": "Stopping tolerance.",
    "max_iter": "Maximum number of epochs (passes) or steps.",
    "time_limit": "Time limit of each fit, in seconds; checked after every epoch or step.",
    "eta0": "Learning rate.",
    "learning_rate": "Learning rate schedule: constant, 1/n or normalised.",
    "keep": "Weights to keep: last, average or pocket.",
    "start": "Initial weights: zero, random or means.",
    "multi_class": "Multi-class scheme: kesler, ovr or multinomial.",
    "class_weight": "balanced gives every class the same total weight.",
    "random_state": "Seed of the shuffle.",
    "batch_size": "Rows per mini-batch.",
    "penalty": "Penalty on the weights: l2, l1, elasticnet or none.",
    "alpha": "Strength of the penalty.",
    "l1_ratio": "Share of l1 in the elastic net.",
    "activation": "Activation of a tanh perceptron: tanh, logistic or hard.",
    "error": "Error signal of LMS: linear or hard.",
    "covariance": "Covariance of AROW: auto, full or diagonal.",
    "r": "Regularisation r of AROW.",
    "a": "Regularisation a of the second-order perceptron.",
    "shrinkage": "Covariance shrinkage of a linear discriminant: auto, oas, or 0 to 1.",
    "intercept": "Intercept of a Fisher discriminant: auto, means or equal-error.",
    "solver": "Solver: auto, newton or ascent; svd, lsqr or eigen of a linear discriminant.",
    "n_iter_no_change": "Epochs without improvement before stopping.",
    "validation_fraction": "Share of rows held out for early stopping.",
    "n_jobs": "Number of threads; -1, the default here, uses all cores.",
}
FLAGS = {
    "shuffle": "Shuffle the rows before each epoch.",
    "fit_intercept": "Fit an intercept.",
    "early_stopping": "Stop when the accuracy on held-out rows no longer improves.",
    "track_error": "Measure the training error after each epoch.",
}

INITIAL_WEIGHTS = {
    "coef_init": "Initial weights of the (scaled) features, such as 0.2,0; for more than two"
    " classes one row per class, such as '1,0;0,1;0,0'.",
    "intercept_init": "Initial intercept; for more than two classes one per class, such as 0,0,1.",
}


def name_options(message: str) -> str:
    """A message with options in place of parameters: `max_iter` becomes --max-iter."""
    for pattern, replacement in PYTHON_WORDS:
        message = pattern.sub(replacement, message)
    return message


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _option_of(match: re.Match[str]) -> str:
    """A parameter, or a parameter with its value, as on the command line."""
    name, value = match["name"], match["value"]
    if value is None:
        return _flag(name)
    if name in FLAGS:
        return _flag(name) if value == "True" else f"--no-{_flag(name)[2:]}"
    plain = value.strip("'\"")
    return f"{_flag(name)} {plain.lower() if plain in {'None', 'True', 'False'} else plain}"


def _option(name: str, help_text: str) -> Option:
    flag = _flag(name)
    if name in FLAGS:
        yes_or_no = f"{flag}/--no-{flag[2:]}"
        choice = typer.Option(yes_or_no, help=help_text, rich_help_panel=PANEL)
        return Option(Annotated[bool | None, choice])
    return Option(Annotated[str | None, typer.Option(flag, help=help_text, rich_help_panel=PANEL)])


def _given(**settings: Any) -> dict[str, Any]:
    """The parameters that were given, as Python values."""
    return {name: _value(value) for name, value in settings.items() if value is not None}


def _value(given: Any) -> Any:
    """A number, a word such as true or none, or the text itself."""
    if not isinstance(given, str):
        return given
    if given.lower() in WORDS:
        return WORDS[given.lower()]
    for kind in (int, float):
        try:
            return kind(given)
        except ValueError:
            continue
    return given


def _initial_weights(**given: str | None) -> dict[str, list[Any]]:
    """The initial weights that were given, as arguments of `fit`."""
    return {name: _numbers(name, text) for name, text in given.items() if text is not None}


def _numbers(name: str, text: str) -> list[Any]:
    """Numbers separated by commas, or rows of them separated by semicolons."""
    try:
        rows = [[float(cell) for cell in row.split(",")] for row in text.split(";")]
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is not a list of numbers, such as 0.2,0.", param_hint=_flag(name)
        ) from None
    if name == "intercept_init" or len(rows) == 1:
        return [number for row in rows for number in row]
    if len({len(row) for row in rows}) > 1:
        raise typer.BadParameter(f"{text!r} has rows of different lengths.", param_hint=_flag(name))
    return rows


_NAME = f"(?P<name>{'|'.join(sorted(VALUES | FLAGS | INITIAL_WEIGHTS, key=len, reverse=True))})"
_VALUE = r"(?:=(?P<value>'[^']*'|\"[^\"]*\"|[\w.+-]+))?"
PYTHON_WORDS: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(f"`{_NAME}{_VALUE}`"), _option_of),
    (re.compile(f"^{_NAME}{_VALUE}(?= must | leaves )"), _option_of),
    (re.compile(r" or `separability\(X, y\)`"), ""),
    (re.compile(r", or None( for none)?(?=;)"), ""),
    (re.compile(r"\bbe None, 'balanced' or a dict by label(?=;)"), "be 'balanced'"),
    (re.compile(r"(?<=must be )None\b"), "none"),
)
OPTIONS = {name: _option(name, help_text) for name, help_text in (VALUES | FLAGS).items()}
with_rule_options = option_group("settings", OPTIONS, _given)
INITIAL_OPTIONS = {name: _option(name, help_text) for name, help_text in INITIAL_WEIGHTS.items()}
with_initial_weights = option_group("initial_weights", INITIAL_OPTIONS, _initial_weights)
