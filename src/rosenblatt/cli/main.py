"""The command tree.

Exit codes: 0 done (separable: yes; verify: the proof holds), 1 no (not separable; the proof is
wrong), 2 misuse or bad input, 3 undecided, 70 an internal error, 128 and its number after a signal,
such as 130 after Ctrl-C.
"""

import sys
from typing import Annotated, Any, NoReturn

import typer

from rosenblatt import __version__
from rosenblatt.cli.compare import compare
from rosenblatt.cli.fit import fit
from rosenblatt.cli.lab import lab
from rosenblatt.cli.options import name_options
from rosenblatt.cli.output import escape_to_one_line
from rosenblatt.cli.predict import predict, score
from rosenblatt.cli.separable import separable, verify
from rosenblatt.cli.show import export, show
from rosenblatt.cli.sigint import SignalExit, interruptible
from rosenblatt.errors import RosenblattError
from rosenblatt.estimators.sklearn_interface import outcomes_alone

INTERRUPTED = 130
UsageError: Any = typer.BadParameter.__base__  # of all usage errors

app = typer.Typer(
    help="Linear classifiers with proofs.",
    epilog="Exit codes: 0 success, or yes; 1 no; 2 usage error or bad input; 3 undecided; 70"
    " internal error; 130 interrupted; 143 ended by SIGTERM.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (fit, predict, score, compare, show, export, separable, verify, lab):
    app.command()(command)


@app.callback(invoke_without_command=True)
def root(
    *, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    """Linear classifiers with proofs."""
    if version:
        typer.echo(f"rosenblatt {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line with signals handled, as the process does."""
    with interruptible() as signal_exit:
        run(signal_exit)


def run(signal_exit: SignalExit) -> NoReturn:
    """Run the command line; every failure becomes a sentence and an exit code."""
    code, message = _outcome()
    if signal_exit.settled or code == INTERRUPTED:  # whatever a library has made of the exception
        code, message = signal_exit.code, signal_exit.message
    if message:
        typer.echo(escape_to_one_line(message), err=True)
    sys.exit(code)


def _outcome() -> tuple[int, str]:
    """The exit code of a command, and the message at its end."""
    try:
        with outcomes_alone():
            return app(prog_name="rosenblatt", standalone_mode=False) or 0, ""
    except RosenblattError as error:
        return 2, f"Error: {name_options(str(error))}"
    except UsageError as error:
        return 2, _usage_error(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED, ""
    except (OSError, MemoryError) as error:
        return 2, f"Error: {_system_error(error)}."
    except Exception as error:  # a bug must never look like a verdict
        return 70, f"Internal error, please report it: {type(error).__name__}: {error}"


def _system_error(error: OSError | MemoryError) -> str:
    """What the operating system refused."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _usage_error(error: Any) -> str:
    """A usage error as a sentence; no text where the help has been shown instead."""
    message = error.format_message().rstrip(".")
    path = "rosenblatt" if error.ctx is None else error.ctx.command_path
    return f"Error: {message}. `{path} --help` shows the usage." if message else ""
