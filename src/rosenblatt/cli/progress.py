"""Progress: a line on standard error, if that is a terminal, while a command works.

It names the stage, draws a bar of the epochs done or of the duality gap on its way to `tol`, and
shows what the solver logs: epochs and mistakes, or steps and the gap.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

Progress = Callable[[str], None]
BAR_WIDTH = 20  # characters


@contextmanager
def progress_line(*, quiet: bool) -> Iterator[Progress]:
    """A function that shows the current stage; it shows nothing without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.live import Live

    line = Line()
    with Live(line, console=Console(stderr=True), transient=True), _logging_to(line):
        yield line.begin


@contextmanager
def _logging_to(line: "Line") -> Iterator[None]:
    """Send what solvers log to the line."""
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
    """The stage, the progress of its solver, what that has logged last, and the elapsed time."""

    def __init__(self) -> None:
        from rich.spinner import Spinner

        super().__init__()
        self._began, self._spinner = time.monotonic(), Spinner("dots")
        self.begin("Starting")

    def begin(self, stage: str) -> None:
        """Show a new stage."""
        self._stage, self._share, self._figures = stage, None, ""

    def emit(self, record: logging.LogRecord) -> None:
        """Show what a solver has logged."""
        self._share, self._figures = getattr(record, "share", None), record.getMessage()

    def __rich__(self) -> Any:
        """The line as it is now."""
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        total = None if self._share is None else 1.0  # of an unknown share, a bar that moves
        bar = ProgressBar(total=total, completed=self._share or 0.0, width=BAR_WIDTH)
        elapsed = timedelta(seconds=int(time.monotonic() - self._began))
        figures = Text(self._figures, no_wrap=True, overflow="ellipsis")
        parts = (self._spinner, Text(self._stage), bar, figures, str(elapsed))
        line = Table.grid(padding=(0, 1))
        for part in parts:
            line.add_column(no_wrap=part is not figures)  # which give way on a narrow screen
        line.add_row(*parts)
        return line
