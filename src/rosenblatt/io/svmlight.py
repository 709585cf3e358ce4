"""Sparse rows from svmlight files: ``label index:value index:value … # comment``.

A file is cut into parts of whole lines; each is read and parsed by one thread while others work on
the next ones, and the parts come out in the order of the file. A plain file is read from any place,
so that reading too is shared among the threads; a packed one is unpacked in order.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place
from rosenblatt.io.files import LONGEST_RECORD, NEWLINE, is_plain, not_text, opened, pieces
from rosenblatt.io.svmlight_chunks import Part, parsed
from rosenblatt.parallel import in_order, processors
from rosenblatt.types import Array

PART = 1 << 24  # bytes: what is made of them is large enough for large pages of memory
LOOK = 1 << 16  # bytes looked at together for the end of a line
READS_ANYWHERE = hasattr(os, "preadv")

Text = Callable[[], Array]


@dataclass(frozen=True)
class SvmLight:
    """The rows of svmlight files, as a source.

    Features are counted from 1, and column j holds feature j + 1; with `zero_based` both are
    counted from 0. They may stand in any order, but none twice in a row. Rows without labels are
    read with `labelled=False`; an empty line is then a row without entries, else no row.

    In each chunk the values are float32 if that holds all of them exactly, else float64; the labels
    are int64 if all of them are whole, else float64. Numbers are the nearest to what is written.
    """

    files: tuple[str, ...]
    labelled: bool = True
    zero_based: bool = False
    n_threads: int | None = None
    """By default as many as there are processors, up to eight."""
    size: int = PART
    """How many bytes make a chunk; about so many, since no line is cut."""

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        others = len(self.files) - 1
        return self.files[0] + (f" and {others} more" if others else "")

    def __iter__(self) -> Iterator[Matrix]:
        """Read the chunks from the beginning."""
        width, empty = 0, True
        for file in self.files:
            for part, place in self._parts(file):
                width, empty = max(width, part.rows.n_cols), False
                yield Matrix(part.rows._replace(n_cols=width), part.labels, place)
        if empty:
            raise SourceError(f"{self.name} has no rows. Is it the file you mean?")

    def _parts(self, file: str) -> Iterator[tuple[Part, Place]]:
        """Parts of a file that have rows, with their places."""
        line, base = 1, 0 if self.zero_based else 1
        parse = partial(_read_and_parse, labelled=self.labelled, base=base)
        with _texts(file, self.size) as texts:
            for part in in_order(parse, texts, self.n_threads or processors()):
                if part.trouble is not None:
                    at, token, why = part.trouble
                    raise SourceError(f"{file}, line {line + at}: {token!r} {why}")
                if len(part.lines):
                    yield part, _place(file, line + part.lines)
                line += part.n_lines


def _read_and_parse(text: Text, *, labelled: bool, base: int) -> Part:
    return parsed(text(), labelled=labelled, base=base)


def _place(file: str, lines: Array) -> Place:
    first, last = int(lines[0]), int(lines[-1])
    return Place(file, first, numbers=None if last - first == len(lines) - 1 else lines)


@contextmanager
def _texts(file: str, size: int) -> Iterator[Iterator[Text]]:
    """Whole lines of a file, about so many bytes a time; a plain file is yet to be read."""
    if READS_ANYWHERE and is_plain(file):
        with opened(file) as stream:
            yield _unread(file, stream.fileno(), size)
    else:
        yield (partial(np.frombuffer, piece.text, np.uint8) for piece in pieces(file, size=size))


def _unread(file: str, descriptor: int, size: int) -> Iterator[Text]:
    start, end = 0, os.fstat(descriptor).st_size
    while start < end:
        stop = _line_end(file, descriptor, start + size)
        yield partial(_read, descriptor, start, stop)
        start = stop


def _line_end(file: str, descriptor: int, start: int) -> int:
    """Where the line ends that goes through a place, or the file."""
    at = start - 1
    while block := os.pread(descriptor, LOOK, at):
        found = block.find(NEWLINE)
        if found >= 0:
            return at + found + 1
        at += len(block)
        if at - start > LONGEST_RECORD:
            raise SourceError(f"{file}: no line ends from byte {start} on. {not_text()}")
    return at


def _read(descriptor: int, start: int, stop: int) -> Array:
    text = np.empty(stop - start, np.uint8)
    view, at = text.data, 0
    while at < len(view) and (n := os.preadv(descriptor, [view[at:]], start + at)):
        at += n
    text.flags.writeable = False  # as what is unpacked: a kernel is compiled for one kind of array
    return text[:at]
