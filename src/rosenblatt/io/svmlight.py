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
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place
from rosenblatt.io.files import LONGEST_RECORD, NEWLINE, is_plain, not_text, opened, pieces
from rosenblatt.io.svmlight_parser import (
    BAD_LABEL,
    LARGEST_INDEX,
    TWICE,
    Ending,
    Room,
    count,
    read_rows,
)
from rosenblatt.kernels.parse_float import GOOD, long_numbers
from rosenblatt.kernels.rows import CSR
from rosenblatt.parallel import in_order, processors
from rosenblatt.types import Array, Floats

PART = 1 << 24  # bytes: what is made of them is large enough for large pages of memory
LOOK = 1 << 16  # bytes looked at together for the end of a line
EXACT = 2.0**53  # whole numbers up to here are float64
LONGEST_QUOTE = 60  # signs
SPLITTERS = b" \t\r\n#"
NOT_FINITE = {"nan", "inf", "infinity"}
READS_ANYWHERE = hasattr(os, "preadv")

Text = Callable[[], Array]


class Trouble(NamedTuple):
    """A line, counted from 0 within its part, the text that is wrong there, and why."""

    line: int
    token: str
    why: str


class Part(NamedTuple):
    """Rows with their labels and lines, counted from 0, or the first trouble there was."""

    rows: CSR
    labels: Array | None
    lines: Array
    n_lines: int
    trouble: Trouble | None


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


def parsed(text: Array, *, labelled: bool, base: int) -> Part:
    """The rows of some lines whose features are counted from `base`."""
    room = _room(*count(text))
    end = Ending(*read_rows(text, labelled, base, room))
    troubles = list(_complete(text, room, end.long))
    rows = _rows(room, end)
    if not end.ordered:
        rows = _in_order(rows)
        troubles += _twins(rows, room.lines, base)
    if end.why != GOOD:
        troubles.append(stopped(text, end.place, end.why, base))
    labels = _whole(room.labels[: end.rows]) if labelled else None
    trouble = min(troubles, key=lambda found: found.line, default=None)
    return Part(rows, labels, room.lines[: end.rows], end.lines, trouble)


def _room(n_colons: int, n_ends: int) -> Room:
    n_rows = n_ends + 1
    return Room(
        values=np.empty(n_colons),
        indices=np.empty(n_colons, np.int32),
        indptr=np.empty(n_rows + 1, np.int32),
        labels=np.empty(n_rows),
        lines=np.empty(n_rows, np.int64),
        long=np.empty((n_colons + n_rows, 3), np.int64),  # untouched, it takes no memory
    )


def _complete(text: Array, room: Room, n_long: int) -> Iterator[Trouble]:
    """Put in the numbers that were left to Python, and give the first that is too large."""
    if n_long == 0:
        return
    starts, stops, entries = room.long[:n_long].T
    numbers = long_numbers(text, starts, stops)
    of_labels = entries < 0
    room.values[entries[~of_labels]] = numbers[~of_labels]
    room.labels[-1 - entries[of_labels]] = numbers[of_labels]
    for k in np.flatnonzero(np.isinf(numbers))[:1].tolist():
        yield too_large(text, int(starts[k]))


def _rows(room: Room, end: Ending) -> CSR:
    values = room.values[: end.entries]
    if end.single and (end.long == 0 or _single(values)):
        values = values.astype(np.float32)
    return CSR(values, room.indices[: end.entries], room.indptr[: end.rows + 1], end.width)


def _single(values: Floats) -> bool:
    """Whether float32 holds every value exactly."""
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())


def _in_order(rows: CSR) -> CSR:
    """The rows with their features sorted."""
    matrix = matrix_of(rows)
    matrix.sort_indices()
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.n_cols)


def _twins(rows: CSR, lines: Array, base: int) -> Iterator[Trouble]:
    """The first feature that stands twice in a row."""
    same = np.flatnonzero(rows.indices[1:] == rows.indices[:-1]) + 1
    within = same[~np.isin(same, rows.indptr)]
    if len(within):
        row = int(np.searchsorted(rows.indptr, within[0], side="right")) - 1
        yield twice(int(lines[row]), int(rows.indices[within[0]]) + base)


def _whole(labels: Floats) -> Array:
    """Labels as whole numbers, if they are."""
    if (np.abs(labels) <= EXACT).all() and (labels == np.rint(labels)).all():
        return labels.astype(np.int64)
    return labels


def stopped(text: Array, place: int, why: int, base: int) -> Trouble:
    """The trouble that a pass over a text stopped at."""
    token = token_at(text, place)
    if why == BAD_LABEL:
        words = _of_label(token)
    elif why == TWICE:
        words = _of_twin(token.partition(":")[0])
    else:
        words = _of_entry(token, base)
    return Trouble(line_of(text, place), _quote(token), words)


def too_large(text: Array, place: int) -> Trouble:
    """A number that float64 cannot hold."""
    token = token_at(text, place)
    return Trouble(line_of(text, place), _quote(token), "is beyond the largest number, 1.8e308.")


def twice(line: int, feature: int) -> Trouble:
    """A feature that stands twice in the row of a line, not side by side."""
    return Trouble(line, f"{feature}:", _of_twin(str(feature)))


def line_of(text: Array, place: int) -> int:
    """How many lines end before a place."""
    return int(np.count_nonzero(text[:place] == ord("\n")))


def token_at(text: Array, place: int) -> str:
    """The signs from a place to the next blank."""
    signs = text[place : place + 100 * LONGEST_QUOTE].tobytes()
    for splitter in SPLITTERS:
        signs = signs.split(bytes([splitter]), 1)[0]
    return signs.decode("utf-8", "backslashreplace")


def _quote(token: str) -> str:
    return token if len(token) <= LONGEST_QUOTE else token[:LONGEST_QUOTE] + "…"


def _of_label(token: str) -> str:
    if ":" in token:
        return "stands where a label should. If the rows have no labels, say so (labelled=False)."
    if "," in token:
        return "is several labels, but a row has one class. Make a file for each label, yes or no."
    if _not_finite(token):
        return "is no label: it must be finite. Drop such rows."
    return "is no label: svmlight files have numbers for classes. Number the classes first."


def _of_entry(token: str, base: int) -> str:
    feature, colon, value = token.partition(":")
    if not colon:
        return "has no colon: after the label, index:value is wanted."
    if not (feature.isascii() and feature.isdecimal()):
        return f"has no feature number: index:value is wanted, with a whole index from {base} on."
    if int(feature) < base:
        return "has the index 0, but features are counted from 1. Say so if from 0 (zero_based)."
    if int(feature) > LARGEST_INDEX:
        return f"has an index beyond {LARGEST_INDEX}. Number the features anew, or hash them."
    if _not_finite(value):
        return "has a value that is not finite. Fill it, or leave the entry out."
    return "has no decimal number behind its colon: index:value is wanted, as in 3:0.5."


def _of_twin(feature: str) -> str:
    return f"gives feature {feature} twice in one row. Add the values up, or drop one."


def _not_finite(value: str) -> bool:
    return value.lstrip("+-").lower() in NOT_FINITE
