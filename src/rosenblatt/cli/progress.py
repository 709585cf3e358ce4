"""Progress: a line on standard error, if that is a terminal, for as long as a command works.

It tells what is being done, draws a bar for the run that goes on, of its passes or towards its gap,
and beside it what the run logs: passes and mistakes, or steps and the gap.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

Listen = Callable[[str], None]
WIDTH = 20  # of the bar


@contextmanager
def progress(*, quiet: bool) -> Iterator[Listen]:
    """Show what is being done, as it is told; nothing without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live

    line = Line()
    with Live(line, console=Console(stderr=True), transient=True), _hearing(line):
        yield line.begin


@contextmanager
def _hearing(line: "Line") -> Iterator[None]:
    """Let the line hear what runs log."""
    logger = logging.getLogger("rosenblatt")
    level = logger.level
    logger.addHandler(line)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.removeHandler(line)
        logger.setLevel(level)


class Line(logging.Handler):
    """A stage, how far its run has come, what the run has logged, and how long all has taken."""

    def __init__(self) -> None:
        from rich.spinner import Spinner

        super().__init__()
        self._began, self._spinner = time.monotonic(), Spinner("dots")
        self.begin("Starting")

    def begin(self, stage: str) -> None:
        """Show a new stage."""
        self._stage, self._share, self._figures = stage, None, ""

    def emit(self, record: logging.LogRecord) -> None:
        """Show what a run has logged."""
        self._share, self._figures = getattr(record, "share", None), record.getMessage()

    def __rich__(self) -> Any:
        """The line as it is now."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        total = None if self._share is None else 1.0  # of an unknown share, a bar that moves
        bar = ProgressBar(total=total, completed=self._share or 0.0, width=WIDTH)
        elapsed = timedelta(seconds=int(time.monotonic() - self._began))
        figures = Text(self._figures, no_wrap=True, overflow="ellipsis")
        parts = (self._spinner, Text(self._stage), bar, figures, str(elapsed))
        line = Table.grid(padding=(0, 1))
        for part in parts:
            line.add_column(no_wrap=part is not figures)  # which give way on a narrow screen
        line.add_row(*parts)
        return line
