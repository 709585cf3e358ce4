"""Some lines of an svmlight file as a part of its rows: parsed, completed, put in order."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rosenblatt.data.training_data import matrix_of
from rosenblatt.io.svmlight_errors import Trouble, stopped, too_large, twice
from rosenblatt.io.svmlight_parser import Ending, Room, count, read_rows
from rosenblatt.kernels.parse_float import GOOD, long_numbers
from rosenblatt.kernels.rows import CSR
from rosenblatt.types import Array, Floats

EXACT = 2.0**53  # whole numbers up to here are float64


class Part(NamedTuple):
    """Rows with their labels and lines, counted from 0, or the first trouble there was."""

    rows: CSR
    labels: Array | None
    lines: Array
    n_lines: int
    trouble: Trouble | None


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
