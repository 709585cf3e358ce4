"""Sparse rows from svmlight files: ``label index:value index:value … # comment``.

A file is split into parts of whole lines, which threads parse in parallel; the parts come out in
the order of the file. Parts of an uncompressed file are also read in parallel; a compressed file is
decompressed in order.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place
from rosenblatt.io.files import (
    MAX_RECORD_BYTES,
    NEWLINE,
    is_plain,
    name_of,
    not_text,
    opened,
    pieces,
)
from rosenblatt.io.rounded_cells import EXACT, is_rounded
from rosenblatt.io.svmlight_parser import (
    BAD_LABEL,
    LARGEST_INDEX,
    TWICE,
    Buffers,
    ParseResult,
    count,
    read_rows,
)
from rosenblatt.kernels.parse_float import GOOD, long_numbers
from rosenblatt.kernels.rows import CSR
from rosenblatt.parallel import in_order, processors
from rosenblatt.types import Array, Floats

PART_BYTES = 1 << 24  # its arrays are large enough for huge pages
SEARCH_BYTES = 1 << 16  # read at a time to find the end of a line
MAX_QUOTED_CHARACTERS = 60
SPLITTERS = b" \t\r\n#"
COMMENT = re.compile(rb"#[^\n]*")
LONG_ENTRY = re.compile(rb"(?<!\S)([0-9]+):([+-]?[0-9]{16,}(?:\.0*)?)(?!\S)")
NOT_FINITE = {"nan", "inf", "infinity"}
READS_ANYWHERE = hasattr(os, "preadv")

Text = Callable[[], Array]


class InvalidToken(NamedTuple):
    """An invalid token: its 0-based line within the part, its text, and what is wrong."""

    line: int
    token: str
    reason: str


class Part(NamedTuple):
    """Rows with their labels and 0-based lines, or the first error."""

    rows: CSR
    labels: Array | None
    lines: Array
    n_lines: int
    error: InvalidToken | None
    rounded: dict[int, int]


@dataclass(frozen=True)
class SvmlightSource:
    """The rows of svmlight files.

    Features are numbered from 1, and column j holds feature j + 1; with `zero_based` both are
    numbered from 0. They may be in any order, but none may occur twice in a row. Rows without
    labels are read with `labelled=False`; an empty line is then a row without entries, else no row.

    In each chunk the values are float32 if that represents all of them exactly, else float64; the
    labels are int64 if all of them are integers, else float64. Numbers are correctly rounded.
    """

    files: tuple[str, ...]
    labelled: bool = True
    zero_based: bool = False
    n_threads: int | None = None
    """By default as many as there are processors, up to eight."""
    size: int = PART_BYTES
    """Approximate bytes of a chunk; no line is cut."""
    counts_rounded: bool = False

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    def __iter__(self) -> Iterator[Matrix]:
        """Read the chunks from the beginning."""
        width, empty = 0, True
        for file in self.files:
            for part, place in self._parts(file):
                width, empty = max(width, part.rows.n_cols), False
                rows = part.rows._replace(n_cols=width)
                yield Matrix(rows, part.labels, place, part.rounded)
        if empty:
            raise SourceError(f"{self.name} has no rows. Is it the file you mean?")

    def _parts(self, file: str) -> Iterator[tuple[Part, Place]]:
        """Parts of a file that have rows, with their locations."""
        line, base = 1, 0 if self.zero_based else 1
        parse = partial(
            _read_and_parse, labelled=self.labelled, base=base, counts_rounded=self.counts_rounded
        )
        with _texts(file, self.size) as texts:
            for part in in_order(parse, texts, self.n_threads or processors()):
                if part.error is not None:
                    at, token, reason = part.error
                    raise SourceError(f"{file}, line {line + at}: {token!r} {reason}")
                if len(part.lines):
                    yield part, _place(file, line + part.lines)
                line += part.n_lines


def _read_and_parse(read: Text, *, labelled: bool, base: int, counts_rounded: bool) -> Part:
    text = read()
    part = parsed(text, labelled=labelled, base=base)
    if counts_rounded and part.error is None:
        part = part._replace(rounded=_rounded(text, part.rows.data, base))
    return part


def _rounded(text: Array, values: Array, base: int) -> dict[int, int]:
    """Number of integers in each column that no float64 equals, where there are some."""
    if np.abs(values).max(initial=0.0) < EXACT:
        return {}
    entries = LONG_ENTRY.findall(COMMENT.sub(b"", text.tobytes()))
    rounded = (int(n) - base for n, value in entries if is_rounded(value.decode()))
    return dict(Counter(rounded))


def _place(file: str, lines: Array) -> Place:
    first, last = int(lines[0]), int(lines[-1])
    return Place(file, first, numbers=None if last - first == len(lines) - 1 else lines)


@contextmanager
def _texts(file: str, size: int) -> Iterator[Iterator[Text]]:
    """Functions that read the parts of a file; a compressed file has been read already."""
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
    """End of the line that contains an offset, or of the file."""
    at = start - 1
    while block := os.pread(descriptor, SEARCH_BYTES, at):
        found = block.find(NEWLINE)
        if found >= 0:
            return at + found + 1
        at += len(block)
        if at - start > MAX_RECORD_BYTES:
            raise SourceError(f"{file}: the line at byte {start} is too long. {not_text()}")
    return at


def _read(descriptor: int, start: int, stop: int) -> Array:
    text = np.empty(stop - start, np.uint8)
    view, at = text.data, 0
    while at < len(view) and (n := os.preadv(descriptor, [view[at:]], start + at)):
        at += n
    text.flags.writeable = False  # as decompressed text is, so that one kernel is compiled
    return text[:at]


def parsed(text: Array, *, labelled: bool, base: int) -> Part:
    """The rows of some lines whose features are numbered from `base`."""
    buffers = _allocate(*count(text))
    end = ParseResult(*read_rows(text, labelled, base, buffers))
    errors = list(_fill_long_numbers(text, buffers, end.long))
    rows = _rows(buffers, end)
    if not end.ordered:
        rows = _sorted_rows(rows)
        errors += _duplicates(rows, buffers.lines, base)
    if end.status != GOOD:
        errors.append(_invalid_token(text, end.position, end.status, base))
    labels = _as_integers(buffers.labels[: end.rows]) if labelled else None
    error = min(errors, key=lambda found: found.line, default=None)
    return Part(rows, labels, buffers.lines[: end.rows], end.lines, error, {})


def _allocate(n_colons: int, n_ends: int) -> Buffers:
    n_rows = n_ends + 1
    return Buffers(
        values=np.empty(n_colons),
        indices=np.empty(n_colons, np.int32),
        indptr=np.empty(n_rows + 1, np.int32),
        labels=np.empty(n_rows),
        lines=np.empty(n_rows, np.int64),
        long=np.empty((n_colons + n_rows, 3), np.int64),  # takes no memory until written
    )


def _fill_long_numbers(text: Array, buffers: Buffers, n_long: int) -> Iterator[InvalidToken]:
    """Fill in the numbers that were left to Python; yield an error for the first infinite one."""
    if n_long == 0:
        return
    starts, stops, entries = buffers.long[:n_long].T
    numbers = long_numbers(text, starts, stops)
    of_labels = entries < 0
    buffers.values[entries[~of_labels]] = numbers[~of_labels]
    buffers.labels[-1 - entries[of_labels]] = numbers[of_labels]
    for k in np.flatnonzero(np.isinf(numbers))[:1].tolist():
        yield _overflow(text, int(starts[k]))


def _rows(buffers: Buffers, end: ParseResult) -> CSR:
    values = buffers.values[: end.entries]
    if end.single and (end.long == 0 or _single(values)):
        values = values.astype(np.float32)
    return CSR(values, buffers.indices[: end.entries], buffers.indptr[: end.rows + 1], end.width)


def _single(values: Floats) -> bool:
    """Whether float32 holds every value exactly."""
    with np.errstate(over="ignore"):
        return bool((values.astype(np.float32) == values).all())


def _sorted_rows(rows: CSR) -> CSR:
    """The rows with sorted feature indices."""
    matrix = matrix_of(rows)
    matrix.sort_indices()
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.n_cols)


def _duplicates(rows: CSR, lines: Array, base: int) -> Iterator[InvalidToken]:
    """An error for the first feature that occurs twice in a row."""
    same = np.flatnonzero(rows.indices[1:] == rows.indices[:-1]) + 1
    within = same[~np.isin(same, rows.indptr)]
    if len(within):
        row = int(np.searchsorted(rows.indptr, within[0], side="right")) - 1
        feature = int(rows.indices[within[0]]) + base
        yield InvalidToken(int(lines[row]), f"{feature}:", _duplicate(str(feature)))


def _as_integers(labels: Floats) -> Array:
    """Labels as int64, if all of them are integers that float64 tells apart."""
    if (np.abs(labels) < EXACT).all() and (labels == np.rint(labels)).all():
        return labels.astype(np.int64)
    return labels


def _invalid_token(text: Array, position: int, status: int, base: int) -> InvalidToken:
    """The error for the token that the parser stopped at."""
    token = token_at(text, position)
    if status == BAD_LABEL:
        reason = _bad_label(token)
    elif status == TWICE:
        reason = _duplicate(token.partition(":")[0])
    else:
        reason = _bad_entry(token, base)
    return InvalidToken(line_of(text, position), _quote(token), reason)


def _overflow(text: Array, position: int) -> InvalidToken:
    """The error for a number beyond float64."""
    token, reason = token_at(text, position), "is beyond the largest number, 1.8e308."
    return InvalidToken(line_of(text, position), _quote(token), reason)


def line_of(text: Array, position: int) -> int:
    """Number of lines that end before a position."""
    return int(np.count_nonzero(text[:position] == ord("\n")))


def token_at(text: Array, position: int) -> str:
    """The characters from a position to the next blank."""
    token = text[position : position + 100 * MAX_QUOTED_CHARACTERS].tobytes()
    for splitter in SPLITTERS:
        token = token.split(bytes([splitter]), 1)[0]
    return token.decode("utf-8", "backslashreplace")


def _quote(token: str) -> str:
    return token if len(token) <= MAX_QUOTED_CHARACTERS else token[:MAX_QUOTED_CHARACTERS] + "…"


def _bad_label(token: str) -> str:
    if ":" in token:
        return "is where a label should be. If the rows have no labels, set labelled=False."
    if "," in token:
        return "gives several labels, but a row has one class. Make one binary file per label."
    if _not_finite(token):
        return "is not a label: it must be finite. Drop such rows."
    return "is not a label: svmlight files have numbers for classes. Number the classes first."


def _bad_entry(token: str, base: int) -> str:
    feature, colon, value = token.partition(":")
    if not colon:
        return "has no colon: after the label, index:value is expected."
    if not (feature.isascii() and feature.isdecimal()):
        return (
            f"has no feature index: index:value is expected, with an integer index from {base} on."
        )
    if int(feature) < base:
        return (
            "has the index 0, but features are numbered from 1. If they start at 0, set zero_based."
        )
    if int(feature) > LARGEST_INDEX:
        return f"has an index beyond {LARGEST_INDEX}. Renumber the features, or hash them."
    if _not_finite(value):
        return "has a value that is not finite. Fill it, or leave the entry out."
    return "has no decimal number after its colon: index:value is expected, as in 3:0.5."


def _duplicate(feature: str) -> str:
    return f"gives feature {feature} twice in one row. Add the values, or drop one."


def _not_finite(value: str) -> bool:
    return value.lstrip("+-").lower() in NOT_FINITE
