"""Class labels of a source: a column of a table, or the labels of a matrix."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Chunk, Place, Table, unnamed
from rosenblatt.io.files import USUAL_TARGETS, usual_target
from rosenblatt.io.rounded_cells import EXACT
from rosenblatt.preprocess.column_encoders import words_of
from rosenblatt.types import Array, Ints

if TYPE_CHECKING:
    import polars as pl

UNKNOWN_CLASS = -1  # code of a label that is not among the classes
MIN_ROWS_PER_CLASS = 2  # on average
MAX_LABEL = 2.0**63  # labels are int64
MAX_FEW_CLASSES = 20  # up to which the rows per class do not matter

Label = str | int | float | bool
LabelCounts = dict[Label, int]


def label_text(label: Any) -> str:
    """A label as text; booleans in lower case, as in files."""
    return str(label).lower() if isinstance(label, bool | np.bool_) else str(label)


def booleans_as_words(labels: Array) -> Array:
    """Labels as they are, but booleans as the words that they are in other formats."""
    return np.where(labels, "true", "false") if labels.dtype.kind == "b" else labels


def infer_target(chunk: Table, target: str | None) -> str:
    """The column to predict: as given, or by its name, or the last; the first if only it can be.

    A column whose cells are nearly all distinct cannot be a target.
    """
    names = chunk.names
    if target is not None:
        if target not in names:
            shown = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
            raise SourceError(
                f"{chunk.place.file} has no column {target!r}; its columns are {shown}."
            )
        return target
    first, usual = names[0], usual_target(names)
    if usual.lower() in USUAL_TARGETS or _can_be_target(chunk, usual):
        return usual
    return first if _can_be_target(chunk, first) else usual


def _can_be_target(chunk: Table, name: str) -> bool:
    distinct = chunk.columns[name].n_unique()
    return distinct * MIN_ROWS_PER_CLASS <= max(len(chunk), MAX_FEW_CLASSES)


def count_labels(chunk: Chunk, target: str | None) -> LabelCounts:
    """Count of each label in a chunk; every row must have one."""
    if isinstance(chunk, Table):
        column = _column(chunk, target)
        found = column.value_counts(name="count")
        return dict(zip(found[:, 0].to_list(), found[:, 1].to_list(), strict=True))
    labels, counts = np.unique(_labels(chunk.labels, chunk.place), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def count_all_labels(chunks: Iterable[Chunk], target: str | None) -> LabelCounts:
    """Count of each label in some chunks."""
    total: LabelCounts = {}
    for chunk in chunks:
        for label, n in count_labels(chunk, target).items():
            total[label] = total.get(label, 0) + n
    return total


def sorted_classes(counts: Mapping[Label, int], name: str) -> tuple[Label, ...]:
    """Sorted classes; too few or too many are refused."""
    rows = sum(counts.values())
    if len(counts) < 2:
        only = next(iter(counts), None)
        raise SourceError(
            f"{name}: every row is of class {only!r}. A classifier needs at least two classes;"
            " name the column to predict with --target."
        )
    if len(counts) > max(MAX_FEW_CLASSES, rows / MIN_ROWS_PER_CLASS):
        raise SourceError(
            f"{name}: {len(counts):,} different labels in {rows:,} rows are too many for classes."
            " Name the column to predict with --target."
        )
    if len({isinstance(label, str) for label in counts}) > 1:
        raise SourceError(f"{name}: some labels are numbers, others are text. Write all as text.")
    return tuple(sorted(counts))


def encode_labels(chunk: Chunk, target: str | None, classes: tuple[Label, ...]) -> Ints:
    """Index of each label in the classes, or UNKNOWN; numbers and text are compared as text."""
    known = np.array(classes)
    if isinstance(chunk, Table):
        column = _column(chunk, target)
        if known.dtype.kind == "U" or str(column.dtype) == "String":
            return _encode_strings(column, classes)
        labels = column.to_numpy()
    else:
        labels = _labels(chunk.labels, chunk.place)
        if "U" in (known.dtype.kind, labels.dtype.kind):
            known, labels = known.astype(str), labels.astype(str)
    order = np.argsort(known)
    places = order[np.minimum(np.searchsorted(known, labels, sorter=order), len(known) - 1)]
    return np.where(known[places] == labels, places, UNKNOWN_CLASS)


def _encode_strings(column: "pl.Series", classes: tuple[Label, ...]) -> Ints:
    import polars as pl  # noqa: PLC0415 (slow to import)

    known = pl.Series(classes).cast(pl.String).to_list()
    places = list(range(len(classes)))
    words = column.cast(pl.String)
    codes = words.replace_strict(known, places, default=UNKNOWN_CLASS, return_dtype=pl.Int64)
    return codes.to_numpy()


def _column(chunk: Table, target: str | None) -> "pl.Series":
    """The labels of a table: strings, booleans or integers, none missing."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    column = unnamed(chunk.columns[_required(chunk, target)])
    if column.dtype.is_temporal() or column.dtype.is_nested():
        raise SourceError(
            f"{chunk.place.file}, column {target!r}: {column.dtype} cannot be a class."
        )
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        with chunk.locating_bad_cells():
            (column,) = words_of([chunk.columns[_required(chunk, target)]])
    missing = column.is_null() | (column.is_nan() if column.dtype.is_float() else False)
    if missing.any():
        raise _missing(chunk, int(missing.arg_max() or 0), target)
    if column.dtype.is_numeric():
        where = f", column {target!r}"
        _require_integers(column.cast(pl.Float64).to_numpy(), chunk.place, where)
        if column.dtype.is_float():
            _require_exact(column.to_numpy(), chunk.place, where)
        return column.cast(pl.Int64)
    return column


def _required(chunk: Table, target: str | None) -> str:
    if target is None:
        raise SourceError(
            f"{chunk.place.file} has named columns, where a matrix with its own labels was"
            " expected."
        )
    if target not in chunk.names:
        raise SourceError(f"{chunk.place.file} has no column {target!r}, which holds the classes.")
    return target


def _missing(chunk: Table, row: int, target: str | None) -> SourceError:
    return SourceError(f"{chunk.place.at(row)}, column {target!r}: the label is missing.")


def _labels(labels: Array | None, place: Place) -> Array:
    """The labels of a matrix: strings or integers."""
    if labels is None:
        raise SourceError(f"{place.file} holds no labels.")
    if labels.dtype.kind == "f":
        _require_integers(labels, place, "")
        _require_exact(labels, place, "")
        return labels.astype(np.int64)
    return labels.astype(str) if labels.dtype.kind in "OS" else labels


def _require_exact(labels: Array, place: Place, column: str) -> None:
    """Refuse labels that may have been rounded to float64, which can merge classes."""
    large = np.abs(labels) >= EXACT
    if large.any():
        row = int(large.argmax())
        raise SourceError(
            f"{place.at(row)}{column}: the label {labels[row]:.0f} is beyond 2^53, where float64"
            " does not distinguish integers. Write such labels as text, or number the classes."
        )


def _require_integers(labels: Array, place: Place, column: str) -> None:
    invalid = ~((np.abs(labels) < MAX_LABEL) & (labels == np.floor(labels)))
    if invalid.any():
        row = int(invalid.argmax())
        raise SourceError(
            f"{place.at(row)}{column}: {labels[row]:g} is not a class. A classifier needs classes:"
            " name the column to predict with --target, or bin the values first."
        )
