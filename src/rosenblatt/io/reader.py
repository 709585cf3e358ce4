"""What every reader does in the same way: name its files, unpack them, and have rows."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from rosenblatt.atomic_write import temporary_file
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Table
from rosenblatt.io.files import copy_to, is_plain, opened

Kind = TypeVar("Kind", Table, Matrix)


def name_of(files: Sequence[str]) -> str:
    """How some files are called in messages."""
    others = len(files) - 1
    return f"{files[0]} and {others} more" if others else files[0]


@contextmanager
def unpacked(file: str) -> Iterator[str]:
    """A path to the plain bytes of a file, for readers that do not go straight through it."""
    with opened(file) as stream:
        if is_plain(file):
            yield stream.name
            return
        with temporary_file() as spool:
            copy_to(spool, stream, file)
            yield spool.name


def some_rows(name: str, chunks: Iterator[Kind]) -> Iterator[Kind]:
    """Chunks that have rows; a source without any is an error."""
    found = False
    for chunk in chunks:
        if len(chunk):
            found = True
            yield chunk
    if not found:
        raise SourceError(f"{name} has no rows: there is nothing to learn from.")
