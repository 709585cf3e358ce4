"""`rosenblatt fit`: read, judge, prove, train, explain, keep."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import show
from rosenblatt.cli.options import Reading, taking_reading, taking_scaled_columns
from rosenblatt.cli.progress import progress
from rosenblatt.cli.settings import taking_settings
from rosenblatt.cli.writing import naming_output, require_writable
from rosenblatt.errors import ParameterError
from rosenblatt.fitting.rules import Rule

if TYPE_CHECKING:
    from rosenblatt.tables.kinds import Choices

NO_TEST = "none"
UNSAVED = {"weights", "report"}  # weights by name: hashed words would be training text


@taking_settings
@taking_reading
@taking_scaled_columns
def fit(
    *,
    source: options.Sources,
    settings: dict[str, Any],
    reading: Reading,
    choices: "Choices",
    target: options.Target = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="MODEL", help="Write the model here.")
    ] = None,
    features: options.Features = None,
    rule: Annotated[
        Rule, typer.Option(help="Learning rule; auto is logistic regression, C chosen.")
    ] = Rule.AUTO,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Judge by these rows, or none; by default by cross-validation or a fifth of them.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Which rows judge is drawn by this.")] = 0,
    proof_seconds: Annotated[
        float,
        typer.Option(
            min=0, callback=options.seconds, help="Time for a proof of separability; 0 skips it."
        ),
    ] = 5.0,
    report: options.Report = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a line, judge it on new rows, and say whether one can separate the data."""
    from rosenblatt.fitting.fit import Plan, carry_out
    from rosenblatt.fitting.naming import names_of_words
    from rosenblatt.report.figures import fit_figures
    from rosenblatt.report.weights import largest_features
    from rosenblatt.report.words import sentences

    require_writable(output, "the model", *source, test)
    require_writable(report, "the report", *source, test)
    if output is not None and report is not None and Path(output) == Path(report):
        raise ParameterError(f"{output} is to hold the model: name another file for the report.")
    choices, recipes = options.taken(features, choices)
    rows = reading.source(source, target, choices)
    apart = None if test in {None, NO_TEST} else reading.source([str(test)], target, choices)
    plan = Plan(
        rule=rule,
        settings={"n_jobs": -1, **settings},  # all cores
        target=target,
        choices=choices,
        test=apart,
        judge=test != NO_TEST,
        seed=seed,
        proof_seconds=proof_seconds,
        features=recipes,
    )
    with progress(quiet=quiet or json) as listen:
        fitted = carry_out(rows, plan, listen)
        listen("Naming the largest weights")
        shown = largest_features(fitted.estimator.coef_)
        names = names_of_words(rows, fitted.learned.preparation, shown[:100])
    told = fit_figures(" ".join(source), fitted, names)
    told |= {"model": output, "report": report}
    if output is not None:
        _write(output, fitted, told)
    if report is not None:
        _report(report, told, fitted, rows, names)
    show(told, sentences, as_json=json)


def _report(path: str, told: dict[str, Any], fitted: Any, rows: Any, names: Any) -> None:
    from rosenblatt.report.reporting import made_by, write_fit_report

    with naming_output(path):
        write_fit_report(path, told, fitted, rows, names, made_by(sys.argv[1:]))


def _write(output: str, fitted: Any, told: dict[str, Any]) -> None:
    from rosenblatt.models.model import fitted as model_of
    from rosenblatt.models.modelfile import save

    learned = fitted.learned
    summary = {name: value for name, value in told.items() if name not in UNSAVED}
    model = model_of(
        fitted.estimator,
        learned.preparation,
        summary,
        classes=learned.classes,
        fingerprint=None if fitted.proof is None else fitted.proof.fingerprint,
    )
    save(model, output)
