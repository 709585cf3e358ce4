"""Output: results on standard output, files written whole, progress on standard error.

Results are written until their reader closes the pipe. Progress is a line, if standard error is a
terminal, while a command works: it names the stage, draws a bar of the epochs done or of the
duality gap on its way to `tol`, and shows what the solver logs.
"""

import glob
import json
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import typer

from rosenblatt.atomic_write import real_path, temporary_folder, written_whole
from rosenblatt.errors import ParameterError, SourceError
from rosenblatt.text import listed

MAX_MESSAGE_CHARACTERS = 2000  # of an error: more than any that names things of usual lengths


def print_result(
    result: dict[str, Any], text: Callable[[dict[str, Any]], str], *, as_json: bool
) -> None:
    """Print a result, as JSON or as text."""
    with until_pipe_closes():
        typer.echo(
            json.dumps(result, indent=2, ensure_ascii=False) if as_json else printable(text(result))
        )


def printable(text: str) -> str:
    """Text without control characters, which names and labels may hold."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def escape_to_one_line(message: str) -> str:
    """A message as one line of bounded length, whatever the names in it hold.

    Line ends and control characters are escaped as `repr` does; of a very long message the middle
    is left out: its beginning says what is wrong, its end what to do.
    """
    if len(message) > MAX_MESSAGE_CHARACTERS:
        half = MAX_MESSAGE_CHARACTERS // 2
        message = f"{message[:half]}…{message[-half:]}"
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in message)


@contextmanager
def until_pipe_closes() -> Iterator[None]:
    """Write to standard output, and stop without an error when its reader closes it."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


FORMATS = ("csv", "jsonl", "parquet")
Write = Callable[[dict[str, Any]], None]


def require_writable(output: str | None, what: str, *read: str | None) -> None:
    """Refuse an output that cannot be written or is an input, before any work is done."""
    if output is None:
        return
    if not output:
        raise SourceError(f"The name of the file for {what} is empty.")
    folder = Path(output).parent
    if not folder.is_dir():
        raise SourceError(f"{output} cannot be written: there is no folder {folder}.")
    try:
        real_path(output)
    except OSError as error:
        raise SourceError(f"{output} cannot be written: {error.strerror}.") from error
    if Path(output).is_dir():
        raise SourceError(f"{output} is a folder; name a file for {what}.")
    if any(_is_named_by(name, Path(output)) for name in read if name):
        raise SourceError(
            f"{output} is an input and would be overwritten: name another file for {what}."
        )


def _is_named_by(name: str, file: Path) -> bool:
    """Whether a name, or a glob, means a file that is there."""
    found = map(Path, (name, *glob.glob(name, recursive=True)))  # noqa: PTH207 (maybe absolute)
    return file.is_file() and any(path.is_file() and path.samefile(file) for path in found)


@contextmanager
def name_output_in_errors(path: str) -> Iterator[None]:
    """Name the file that cannot be written, and why, in errors."""
    try:
        yield
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def writer_for(output: str | None, to: str | None) -> Iterator[Write]:
    """A function that appends columns of predictions to a file or to standard output."""
    kind = _kind(output, to)
    if output is None:
        if sys.stdout is None:
            raise SourceError("Standard output is closed: name a file with -o.")
        yield _text_writer(sys.stdout.buffer, kind)
        sys.stdout.buffer.flush()
        return
    with name_output_in_errors(output), written_whole(output) as file:
        if kind == "parquet":
            with _parquet_writer(file) as write:
                yield write
        else:
            yield _text_writer(file, kind)


def _kind(output: str | None, to: str | None) -> str:
    """The format asked for, or that of the file's suffix, or CSV."""
    suffix = "" if output is None else Path(output).suffix.removeprefix(".").lower()
    kind = to or {"ndjson": "jsonl", "pq": "parquet"}.get(suffix, suffix) or "csv"
    if kind not in FORMATS:
        raise ParameterError(
            f"Predictions can be written as {listed(FORMATS)}; got {kind!r}. Choose with --to."
        )
    if kind == "parquet" and output is None:
        raise ParameterError("Parquet needs an output file: name one with -o.")
    return kind


def _text_writer(file: IO[bytes], kind: str) -> Write:
    def write(columns: dict[str, Any]) -> None:
        import polars as pl  # late: other threads go on reading while it is loaded

        frame, text = pl.DataFrame(columns), BytesIO()
        if kind == "jsonl":
            frame.write_ndjson(text)
        else:
            frame.write_csv(text, include_header=not written)
        file.write(text.getbuffer())  # not by polars, which forgets the number of an error
        written.append(len(frame))

    written: list[int] = []
    return write


@contextmanager
def _parquet_writer(file: IO[bytes]) -> Iterator[Write]:
    """Parquet is written at once, from chunks that wait in a folder: memory stays flat."""
    import polars as pl

    with temporary_folder() as folder:

        def write(columns: dict[str, Any]) -> None:
            parts.append(folder / f"{len(parts)}.arrow")
            pl.DataFrame(columns).write_ipc(parts[-1])

        parts: list[Path] = []
        try:
            yield write
            pl.scan_ipc(parts).sink_parquet(file)
        except pl.exceptions.PolarsError as error:  # such as a full disk
            raise OSError(str(error).splitlines()[0]) from error


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
