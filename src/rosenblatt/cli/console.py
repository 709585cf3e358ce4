"""Printing: results on standard output until its reader closes it, messages on one line."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

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
