"""`rosenblatt lab`: a local page to draw points, train step by step and see the proof."""

from contextlib import suppress
from importlib.util import find_spec
from typing import Annotated, Any
from urllib.parse import parse_qsl

import typer

from rosenblatt.cli import options
from rosenblatt.cli.options import Reading, with_reading_options
from rosenblatt.cli.output import until_pipe_closes
from rosenblatt.errors import ParameterError


@with_reading_options
def lab(
    *,
    reading: Reading,
    source: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Data to start with, as for `fit`."),
    ] = None,
    target: options.Target = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port on 127.0.0.1; 0 picks a free one.")
    ] = 0,
    scene: Annotated[
        str, typer.Option(metavar="NAME", help="Worked example of a lecture, such as 003-batch.")
    ] = "",
) -> None:
    """Open a page on this machine: draw points, train step by step, see the proof."""
    if find_spec("bokeh") is None:
        raise ParameterError("The lab needs Bokeh: pip install 'rosenblatt[lab]'.")
    from rosenblatt.lab.server import serve

    if scene and source:
        raise ParameterError(f"--scene {scene} has its own data; leave out {' '.join(source)}.")
    file, query = (None, _scene_query(scene)) if scene else _initial(source or [], target, reading)
    serve(file, query, browser=browser, port=port, say=_print, complain=_print_error)


def _scene_query(name: str) -> dict[str, str]:
    """The query that shows a scene."""
    from rosenblatt.lectures.scene_table import scene_row

    return dict(parse_qsl(scene_row(name).query))


def _initial(names: list[str], target: str | None, reading: Reading) -> tuple[Any, dict[str, str]]:
    """The file to start with, and the query that shows it."""
    if not names:
        return None, {}
    from rosenblatt.io.formats import PREFIX

    opened = reading.source(names, target)  # also for a built-in name, which may be misspelt
    if len(names) == 1 and names[0].startswith(PREFIX):
        return None, {"data": names[0]}
    from rosenblatt.lab.dataset import file_of

    return file_of(opened, target, opened.name), {"data": "file"}


def _print(message: str) -> None:
    with until_pipe_closes():
        typer.echo(message)


def _print_error(message: str) -> None:
    with suppress(OSError):  # without a reader of standard error, the lab goes on
        typer.echo(message, err=True)
