"""`rosenblatt compare`: whether linear is enough."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Reading, with_reading_options, with_scaled_column_options
from rosenblatt.cli.output import print_result, progress_line
from rosenblatt.registry import Rule

if TYPE_CHECKING:
    from rosenblatt.preprocess.column_types import Choices


@with_reading_options
@with_scaled_column_options
def compare(
    *,
    source: options.Sources,
    reading: Reading,
    choices: "Choices",
    target: options.Target = None,
    rule: Annotated[
        list[Rule] | None,
        typer.Option(help="Learning rule to compare; repeatable. Default: auto and linear-svm."),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Feature map to compare with none: products, poly:2, radial, …; a+b applies a,"
            " then b; none is no map. Default: maps that suit the number of features.",
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Number of folds.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the folds.")] = 0,
    proof_seconds: Annotated[
        float,
        typer.Option(
            min=0,
            callback=options.seconds,
            help="Time limit of each separability test, in seconds; 0 skips them.",
        ),
    ] = 5.0,
    report: options.Report = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Is linear enough? Compare rules, feature maps and non-linear baselines on the same folds."""
    from rosenblatt.estimators.sklearn_interface import use_stand_ins

    use_stand_ins(wanted=False)  # its baselines are scikit-learn's

    from rosenblatt.cli.output import name_output_in_errors, require_writable
    from rosenblatt.comparison.compare import DEFAULT_RULES, ComparisonPlan, run_comparison
    from rosenblatt.report.comparison_json import comparison_json

    require_writable(report, "the report", *source)
    plan = ComparisonPlan(
        rules=tuple(dict.fromkeys(rule or DEFAULT_RULES)),
        features=None if features is None else tuple(features),
        n_folds=folds,
        target=target,
        choices=choices,
        seed=seed,
        proof_seconds=proof_seconds,
    )
    rows = reading.source(source, target, choices)
    with progress_line(quiet=quiet or json) as progress:
        comparison = run_comparison(rows, plan, progress)
    result = comparison_json(comparison)
    if report is not None:
        from rosenblatt.report.html_report import provenance_of, write_comparison_report

        with name_output_in_errors(report):
            write_comparison_report(report, result, provenance_of(sys.argv[1:]))
    print_result(result, lambda _: str(comparison), as_json=json)
