"""`rosenblatt compare`: whether linear is enough."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import show
from rosenblatt.cli.options import Reading, taking_reading, taking_scaled_columns
from rosenblatt.cli.progress import progress
from rosenblatt.fitting.rules import Rule

if TYPE_CHECKING:
    from rosenblatt.tables.kinds import Choices


@taking_reading
@taking_scaled_columns
def compare(
    *,
    source: options.Sources,
    reading: Reading,
    choices: "Choices",
    target: options.Target = None,
    rule: Annotated[
        list[Rule] | None, typer.Option(help="Learning rule to try; auto and linear-svm if none.")
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Features to try, beside those as they are: products, poly:2, radial, …; a+b is b"
            " after a; none tries no others. By default what suits their number.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="How many folds judge.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Which rows are in which fold.")] = 0,
    proof_seconds: Annotated[
        float,
        typer.Option(
            min=0,
            callback=options.seconds,
            help="Time for each proof of separability; 0 skips them.",
        ),
    ] = 5.0,
    report: options.Report = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say whether a line is enough, which features help, and at what cost."""
    from rosenblatt.cli.writing import naming_output, require_writable
    from rosenblatt.report.comparison import comparison_figures
    from rosenblatt.studies.comparing import USUAL_RULES, Question, compared

    require_writable(report, "the report", *source)
    question = Question(
        rules=tuple(dict.fromkeys(rule or USUAL_RULES)),
        features=None if features is None else tuple(features),
        n_folds=folds,
        target=target,
        choices=choices,
        seed=seed,
        proof_seconds=proof_seconds,
    )
    rows = reading.source(source, target, choices)
    with progress(quiet=quiet or json) as listen:
        found = compared(rows, question, listen)
    told = comparison_figures(found)
    if report is not None:
        from rosenblatt.report.reporting import made_by, write_comparison_report

        with naming_output(report):
            write_comparison_report(report, told, made_by(sys.argv[1:]))
    show(told, lambda _: str(found), as_json=json)
