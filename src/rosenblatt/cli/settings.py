"""Parameters of the learning rules as options of `fit`: one row each.

An option that the chosen rule does not have is refused by its name.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

PANEL = "Parameters of the rule (each rule has some of them)"
WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}

VALUES = {
    "C": "Price of losses against long weights, or cv to choose it.",
    "loss": "Loss, of a rule that has several.",
    "tol": "Gap, or progress, that is small enough.",
    "max_iter": "Most passes or steps.",
    "time_limit": "Seconds after which the best so far is kept.",
    "eta0": "Learning rate.",
    "learning_rate": "Its schedule: constant or 1/n.",
    "keep": "Weights to keep: last, average or pocket.",
    "start": "Weights to start from: zero, random or means.",
    "multi_class": "How many classes are told apart: kesler, ovr or multinomial.",
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


def taking_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take every parameter as an option; it gets those given as `settings`."""
    own = inspect.signature(command)
    options = [_parameter(name, help_text) for name, help_text in (VALUES | FLAGS).items()]
    kept = [p for p in own.parameters.values() if p.name != "settings"]

    @wraps(command)
    def with_settings(**given: Any) -> None:
        named = {option.name: given.pop(option.name) for option in options}
        settings = {name: _value(v) for name, v in named.items() if v is not None}
        command(**given, settings=settings)

    with_settings.__signature__ = own.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
    with_settings.__annotations__ = {p.name: p.annotation for p in [*kept, *options]}
    return with_settings


def _parameter(name: str, help_text: str) -> inspect.Parameter:
    flag = f"--{name.replace('_', '-')}"
    if name in FLAGS:
        option = typer.Option(f"{flag}/--no-{flag[2:]}", help=help_text, rich_help_panel=PANEL)
        kind: Any = Annotated[bool | None, option]
    else:
        kind = Annotated[str | None, typer.Option(flag, help=help_text, rich_help_panel=PANEL)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


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
