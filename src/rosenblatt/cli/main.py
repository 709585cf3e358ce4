"""The command tree.

Exit codes: 0 done (separable: yes; verify: the proof holds), 1 no (not separable; the proof is
wrong), 2 misuse or bad input, 3 undecided, 70 an internal error, 130 interrupted.
"""

import sys
from typing import Annotated

import typer

from rosenblatt import __version__
from rosenblatt.cli.commands import Rule, fit, separable, verify
from rosenblatt.errors import RosenblattError

app = typer.Typer(
    help="Linear classifiers with proofs.", no_args_is_help=True, pretty_exceptions_enable=False
)

Source = Annotated[str, typer.Argument(help="A CSV or TSV file, or builtin:NAME.")]
Target = Annotated[str | None, typer.Option(help="Column to predict; by default the last.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.command("fit")
def fit_command(
    source: Source,
    *,
    target: Target = None,
    rule: Annotated[Rule, typer.Option(help="Learning rule.")] = Rule.PERCEPTRON,
    C: Annotated[
        str | None, typer.Option("--C", help="Price of losses, or cv to choose it.")
    ] = None,
    loss: Annotated[str | None, typer.Option(help="Loss of a rule that has several.")] = None,
    tol: Annotated[float | None, typer.Option(help="Gap, or progress, that is enough.")] = None,
    max_iter: Annotated[int | None, typer.Option(help="Most passes or steps.")] = None,
    shuffle: Annotated[bool | None, typer.Option(help="A new order in each pass.")] = None,
    random_state: Annotated[int | None, typer.Option(help="Seed of the shuffle.")] = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for the verdict on separability; 0 skips it.")
    ] = 5.0,
    json: Json = False,
) -> None:
    """Train a line, explain it, and say whether one can separate the data."""
    settings = {
        "C": C,
        "loss": loss,
        "tol": tol,
        "max_iter": max_iter,
        "shuffle": shuffle,
        "random_state": random_state,
    }
    raise typer.Exit(fit(source, target, rule, settings, time_limit=time_limit, as_json=json))


@app.command("separable")
def separable_command(
    source: Source,
    *,
    target: Target = None,
    proof: Annotated[str | None, typer.Option(help="File to write the proof to.")] = None,
    maximise: Annotated[bool, typer.Option(help="Look for the largest margin.")] = False,
    intercept: Annotated[bool, typer.Option(help="Allow the line a bias.")] = True,
    time_limit: Annotated[float | None, typer.Option(help="Seconds to give up after.")] = None,
    json: Json = False,
) -> None:
    """Decide whether a line separates the classes, and prove it (exit 0 yes, 1 no, 3 undecided)."""
    options = {"maximise": maximise, "fit_intercept": intercept, "time_limit": time_limit}
    raise typer.Exit(separable(source, target, proof, options, as_json=json))


@app.command("verify")
def verify_command(
    proof: Annotated[str, typer.Argument(help="Proof file written by `separable --proof`.")],
    source: Source,
    *,
    target: Target = None,
    json: Json = False,
) -> None:
    """Check a proof against the data, trusting nobody (exit 0 holds, 1 wrong)."""
    raise typer.Exit(verify(proof, source, target, as_json=json))


@app.callback(invoke_without_command=True)
def root(
    *, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    """Linear classifiers with proofs."""
    if version:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line; every failure is a sentence and an exit code."""
    try:
        app()
    except RosenblattError as error:
        typer.echo(f"Error: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        sys.exit(130)
    except Exception as error:  # a bug must never look like a verdict
        typer.echo(f"Internal error, please report it: {type(error).__name__}: {error}", err=True)
        sys.exit(70)
