"""Results on standard output, for as long as somebody reads them."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

MAX_MESSAGE_CHARACTERS = 2000  # of an error: more than any that names things of usual lengths


def show(told: dict[str, Any], text: Callable[[dict[str, Any]], str], *, as_json: bool) -> None:
    """Print figures, as JSON or as text."""
    with while_read():
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False) if as_json else safe(text(told)))


def safe(text: str) -> str:
    """Text without signs that a terminal obeys: names and labels may hold any."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def one_line(message: str) -> str:
    """A message as one line of bounded length, whatever the names in it hold.

    Line ends, signs that a terminal obeys and what is no text are escaped as `repr` does; of a very
    long message the middle is left out: its beginning says what is wrong, its end what to do.
    """
    if len(message) > MAX_MESSAGE_CHARACTERS:
        half = MAX_MESSAGE_CHARACTERS // 2
        message = f"{message[:half]}…{message[-half:]}"
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in message)


@contextmanager
def while_read() -> Iterator[None]:
    """Write to standard output until it ends, or until whoever reads it has seen enough."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
