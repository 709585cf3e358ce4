"""Parameters of the learning rules as options of `fit`: one row each.

An option that the chosen rule does not have is refused by its name.
"""

from typing import Annotated, Any

import typer

from rosenblatt.cli.option_groups import Option, option_group

PANEL = "Parameters of the rule (each rule has some of them)"
WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}

VALUES = {
    "C": "Inverse regularisation strength; cv selects it by cross-validation.",
    "loss": "Loss function, of rules that have several.",
    "tol": "Stopping tolerance.",
    "max_iter": "Maximum number of epochs (passes) or steps.",
    "time_limit": "Time limit in seconds of each fit; it stops at the end of an epoch or step.",
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
    "activation": "Activation of a tanh perceptron: tanh or logistic.",
    "error": "Error signal of LMS: linear or hard.",
    "covariance": "Covariance of AROW: auto, full or diagonal.",
    "r": "Regularisation r of AROW.",
    "a": "Regularisation a of the second-order perceptron.",
    "shrinkage": "Covariance shrinkage of a linear discriminant: auto, or 0 to 1.",
    "bias": "Threshold of a Fisher discriminant: auto, or how it is placed.",
    "solver": "Solver: newton, ascent or auto.",
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


def _option(name: str, help_text: str) -> Option:
    flag = f"--{name.replace('_', '-')}"
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


OPTIONS = {name: _option(name, help_text) for name, help_text in (VALUES | FLAGS).items()}
with_rule_options = option_group("settings", OPTIONS, _given)
