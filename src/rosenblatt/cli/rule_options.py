"""Parameters of the learning rules as options of `fit`: one row each.

An option that the chosen rule does not have is refused by its name. Messages of the library name
parameters as Python does; `name_options` makes these the options of the command line.
"""

import re
from typing import Annotated, Any

import typer

from rosenblatt.cli.options import Option, option_group

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
    "early_stopping": "Stop when the accuracy on held-out rows no longer rises.",
    "track_error": "Measure the training error after each epoch.",
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


_NAME = f"(?P<name>{'|'.join(sorted(VALUES | FLAGS, key=len, reverse=True))})"
_VALUE = r"(?:=(?P<value>'[^']*'|\"[^\"]*\"|[\w.]+))?"
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
