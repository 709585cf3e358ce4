"""Parameters of the learning rules as options of `fit`: one row each.

An option that the chosen rule does not have is refused by its name.
"""

from typing import Annotated, Any

import typer

from rosenblatt.cli.signatures import Option, gathering

PANEL = "Parameters of the rule (each rule has some of them)"
WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}

VALUES = {
    "C": "Price of losses against long weights, or cv to choose it.",
    "loss": "Loss, of a rule that has several.",
    "tol": "Gap, or progress, that is small enough.",
    "max_iter": "Most passes or steps.",
    "time_limit": "Seconds after which a training stops, at the end of a pass or step.",
    "eta0": "Learning rate.",
    "learning_rate": "Its schedule: constant or 1/n.",
    "keep": "Weights to keep: last, average or pocket.",
    "start": "Weights to start from: zero, random or means.",
    "multi_class": "Way to tell many classes apart: kesler, ovr or multinomial.",
    "class_weight": "balanced lets every class weigh the same.",
    "random_state": "Seed of the shuffle.",
    "batch_size": "Rows of a batch.",
    "penalty": "Penalty on the weights: l2, l1, elasticnet or none.",
    "alpha": "Price of the penalty.",
    "l1_ratio": "Share of l1 in it.",
    "activation": "Output of a tanh perceptron: tanh or logistic.",
    "error": "Error of LMS: linear or hard.",
    "covariance": "Confidence of AROW: auto, full or diagonal.",
    "r": "How slowly AROW trusts.",
    "a": "Regularity of the second-order perceptron.",
    "shrinkage": "Of the covariance of a linear discriminant: auto, or 0 to 1.",
    "bias": "Bias of a Fisher discriminant: auto, or how it is placed.",
    "solver": "newton, ascent or auto.",
    "n_iter_no_change": "Passes without progress that end a run.",
    "validation_fraction": "Share of rows for early stopping.",
    "n_jobs": "Threads; -1, the default here, takes all cores.",
}
FLAGS = {
    "shuffle": "A new order in each pass.",
    "fit_intercept": "Allow the line a bias.",
    "early_stopping": "Stop where held-out rows say so.",
    "track_error": "Measure the training error after each pass.",
}


def _option(name: str, help_text: str) -> Option:
    flag = f"--{name.replace('_', '-')}"
    if name in FLAGS:
        yes_or_no = f"{flag}/--no-{flag[2:]}"
        choice = typer.Option(yes_or_no, help=help_text, rich_help_panel=PANEL)
        return Option(Annotated[bool | None, choice])
    return Option(Annotated[str | None, typer.Option(flag, help=help_text, rich_help_panel=PANEL)])


def _given(**settings: Any) -> dict[str, Any]:
    """Settings that were given, as what they mean."""
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
taking_settings = gathering("settings", OPTIONS, _given)
