"""The command tree.

Exit codes: 0 done (separable: yes; verify: the proof holds), 1 no (not separable; the proof is
wrong), 2 misuse or bad input, 3 undecided, 70 an internal error, 128 and its number after a signal,
such as 130 after Ctrl-C.
"""

import sys
from typing import Annotated, Any, NoReturn

import typer

from rosenblatt.cli.comparing import compare
from rosenblatt.cli.console import one_line
from rosenblatt.cli.deciding import separable, verify
from rosenblatt.cli.fitting import fit
from rosenblatt.cli.interrupting import Ending, interruptible
from rosenblatt.cli.laboratory import lab
from rosenblatt.cli.predicting import predict, score
from rosenblatt.cli.showing import export, show
from rosenblatt.errors import RosenblattError
from rosenblatt.estimators.convergence import outcomes_alone
from rosenblatt.version import __version__

INTERRUPTED = 130
Misuse: Any = typer.BadParameter.__base__  # of all slips in a command line

app = typer.Typer(
    help="Linear classifiers with proofs.",
    epilog="Exit codes: 0 done, or yes; 1 no; 2 misuse or bad input; 3 undecided; 70 an internal"
    " error; 130 interrupted; 143 ended by SIGTERM.",
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
    """Run the command line as a process of its own does."""
    with interruptible() as ending:
        run(ending)


def run(ending: Ending) -> NoReturn:
    """Run the command line; every failure is a sentence and an exit code."""
    code, words = _outcome()
    if ending.settled or code == INTERRUPTED:  # whatever a library has made of the exception
        code, words = ending.code, ending.words
    if words:
        typer.echo(one_line(words), err=True)
    sys.exit(code)


def _outcome() -> tuple[int, str]:
    """The exit code of a command, and what to say at its end."""
    try:
        with outcomes_alone():
            return app(prog_name="rosenblatt", standalone_mode=False) or 0, ""
    except RosenblattError as error:
        return 2, f"Error: {error}"
    except Misuse as error:
        return 2, _told(error)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED, ""
    except (OSError, MemoryError) as error:
        return 2, f"Error: {_lack(error)}."
    except Exception as error:  # a bug must never look like a verdict
        return 70, f"Internal error, please report it: {type(error).__name__}: {error}"


def _lack(error: OSError | MemoryError) -> str:
    """What the system does not give."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"


def _told(error: Any) -> str:
    """A slip in the command line as a sentence; none where the help has been shown instead."""
    trouble = error.format_message().rstrip(".")
    path = "rosenblatt" if error.ctx is None else error.ctx.command_path
    return f"Error: {trouble}. `{path} --help` tells what there is." if trouble else ""
