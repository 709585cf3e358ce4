"""What is shown: results on standard output, progress on standard error if that is a terminal."""

import json
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

Listen = Callable[[str], None]


def show(told: dict[str, Any], text: Callable[[dict[str, Any]], str], *, as_json: bool) -> None:
    """Print figures, as JSON or as text."""
    typer.echo(json.dumps(told, indent=2, ensure_ascii=False) if as_json else text(told))


@contextmanager
def progress(*, quiet: bool) -> Iterator[Listen]:
    """A line that tells what is being done, while it is being done."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Starting", total=None)
        with _passes_shown(lambda words: bar.update(task, description=words)) as listen:
            yield listen


@contextmanager
def _passes_shown(show: Listen) -> Iterator[Listen]:
    """Add to the last stage what the solvers log: passes, mistakes, the gap."""
    handler = _Stage(show)
    logger = logging.getLogger("rosenblatt")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield handler.begin
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Stage(logging.Handler):
    """Shows a stage, and what is logged during it."""

    def __init__(self, show: Listen) -> None:
        super().__init__()
        self._show, self._stage = show, ""

    def begin(self, stage: str) -> None:
        """Show a new stage."""
        self._stage = stage
        self._show(stage)

    def emit(self, record: logging.LogRecord) -> None:
        """Show what was logged."""
        self._show(f"{self._stage}: {record.getMessage()}")
