"""`rosenblatt lab`: the page on which to draw points, train, step and see the proof."""

from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from rosenblatt.cli import options
from rosenblatt.cli.console import until_pipe_closes
from rosenblatt.cli.options import Reading, with_reading_options
from rosenblatt.errors import ParameterError


@with_reading_options
def lab(
    *,
    reading: Reading,
    source: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Data to begin with, as for `fit`."),
    ] = None,
    target: options.Target = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 takes a free one.")
    ] = 0,
) -> None:
    """Open a page on this machine: draw points, train step by step, see the proof."""
    if find_spec("bokeh") is None:
        raise ParameterError("The lab needs Bokeh: pip install 'rosenblatt[lab]'.")
    from rosenblatt.lab.server import serve

    file, query = _begun(source or [], target, reading)
    serve(file, query, browser=browser, port=port, say=_say, complain=_complain)


def _begun(names: list[str], target: str | None, reading: Reading) -> tuple[Any, dict[str, str]]:
    """The file to begin with, and the set-up that shows it."""
    if not names:
        return None, {}
    from rosenblatt.io.builtin import PREFIX

    opened = reading.source(names, target)  # also for a built-in name, which may be misspelt
    if len(names) == 1 and names[0].startswith(PREFIX):
        return None, {"data": names[0]}
    from rosenblatt.lab.file import file_of

    return file_of(opened, target, opened.name), {"data": "file"}


def _say(words: str) -> None:
    with until_pipe_closes():
        typer.echo(words)


def _complain(words: str) -> None:
    with suppress(OSError):  # where nobody reads it, the lab goes on
        typer.echo(words, err=True)
