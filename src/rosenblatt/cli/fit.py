"""`rosenblatt fit`: read, train, evaluate, prove, explain, save."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import (
    Reading,
    name_options,
    with_initial_weights,
    with_reading_options,
    with_rule_options,
    with_scaled_column_options,
)
from rosenblatt.cli.output import (
    name_output_in_errors,
    print_result,
    progress_line,
    require_writable,
)
from rosenblatt.errors import ParameterError
from rosenblatt.registry import Rule

if TYPE_CHECKING:
    from rosenblatt.preprocess.column_types import Choices

NO_TEST = "none"
NOT_SAVED = {"weights", "report"}  # names of hashed n-grams would be training text


@with_initial_weights
@with_rule_options
@with_reading_options
@with_scaled_column_options
def fit(
    *,
    source: options.Sources,
    settings: dict[str, Any],
    initial_weights: dict[str, Any],
    reading: Reading,
    choices: "Choices",
    target: options.Target = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="MODEL", help="File to save the model to."),
    ] = None,
    features: options.Features = None,
    rule: Annotated[
        Rule, typer.Option(help="Learning rule; auto is logistic regression with C selected.")
    ] = Rule.AUTO,
    test: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Test set, or none. Default: cross-validation, or a 20 % hold-out for large data.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the split.")] = 0,
    proof_seconds: Annotated[
        float,
        typer.Option(
            min=0,
            callback=options.seconds,
            help="Time limit of the separability test, in seconds; 0 skips it.",
        ),
    ] = 5.0,
    report: options.Report = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a linear classifier, estimate its accuracy, and test whether the data are separable."""
    from rosenblatt.pipeline.encoded_data import ngram_names
    from rosenblatt.pipeline.fit import Plan, run
    from rosenblatt.report.json import fit_json, largest_features
    from rosenblatt.report.text import fit_text

    require_writable(output, "the model", *source, test)
    require_writable(report, "the report", *source, test)
    if output is not None and report is not None and Path(output) == Path(report):
        raise ParameterError(f"The model is written to {output}: name another file for the report.")
    choices, map_specs = options.parse_features(features, choices)
    rows = reading.source(source, target, choices, proves=proof_seconds > 0)
    test_source = None if test in {None, NO_TEST} else reading.source([str(test)], target, choices)
    plan = Plan(
        rule=rule,
        settings={"n_jobs": -1, **settings},  # all cores
        initial_weights=initial_weights,
        target=target,
        choices=choices,
        test=test_source,
        evaluate=test != NO_TEST,
        seed=seed,
        proof_seconds=proof_seconds,
        features=map_specs,
    )
    with progress_line(quiet=quiet or json) as progress:
        fitted = run(rows, plan, progress)
        progress("Naming the largest weights")
        shown = largest_features(fitted.estimator.coef_)
        names = ngram_names(rows, fitted.learned.transformer, shown[:100])
    result = fit_json(" ".join(source), fitted, names)
    result |= {"outcome": name_options(result["outcome"]), "model": output, "report": report}
    if output is not None:
        _write(output, fitted, result)
    if report is not None:
        _report(report, result, fitted, rows, names)
    print_result(result, fit_text, as_json=json)


def _report(path: str, result: dict[str, Any], fitted: Any, rows: Any, names: Any) -> None:
    from rosenblatt.report.html_report import provenance_of, write_fit_report

    with name_output_in_errors(path):
        write_fit_report(path, result, fitted, rows, names, provenance_of(sys.argv[1:]))


def _write(output: str, fitted: Any, result: dict[str, Any]) -> None:
    from rosenblatt.persist.file import save
    from rosenblatt.persist.model import model_of

    learned = fitted.learned
    summary = {name: value for name, value in result.items() if name not in NOT_SAVED}
    model = model_of(
        fitted.estimator,
        learned.transformer,
        summary,
        classes=learned.classes,
        fingerprint=None if fitted.proof is None else fitted.proof.fingerprint,
    )
    save(model, output)
