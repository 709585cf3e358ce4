"""NPY and NPZ files as rows of numbers with labels.

================================  =============================================================
a file that holds                 gives
================================  =============================================================
``X`` and ``y`` (see `PAIRS`)     rows and labels; a target names another array of labels
what scipy's ``save_npz`` writes  sparse rows; labels in an array ``y`` of the same file
one array                         rows; the labels in the last column, or the target's, a number
================================  =============================================================

Labels of a file ``X….npy`` or ``X….npz`` that has none are those of ``y….npy`` beside it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows, n_rows
from rosenblatt.errors import SourceError
from rosenblatt.io.chunks import Matrix, Place, some_rows
from rosenblatt.io.files import name_of, suffixes_of
from rosenblatt.io.npy_arrays import WHOLE, ArrayFile, texts_of
from rosenblatt.io.scipy_sparse import check_indices, checked_rows, float_type
from rosenblatt.types import Array

MOST_VALUES = 1 << 22  # of a chunk: tens of megabytes
PAIRS = (("X", "y"), ("x", "y"), ("data", "target"))
SPARSE, NAMES = "a sparse matrix", "feature_names"
NUMBERS, LABELS = "biuf", "biufUS"  # kinds of arrays, as numpy abbreviates them


class Samples(NamedTuple):
    """Rows of a file, their labels if any, and the column that holds them if one does."""

    rows: Rows
    labels: Array | None
    column: int | None = None

    @property
    def n_features(self) -> int:
        """How many numbers of a row are no label."""
        width = self.rows.n_cols if isinstance(self.rows, CSR) else prod(self.rows.shape[1:])
        return width - (self.column is not None)


@dataclass(frozen=True)
class NumpyFiles:
    """Arrays of NPY or NPZ files, one after another."""

    files: tuple[str, ...]
    target: str | None = None
    labelled: bool = True
    most_rows: int | None = None

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    @property
    def brightest(self) -> float | None:
        """The largest value a pixel can have, where the rows are pictures of bytes."""
        rows = self._samples[0].rows
        is_picture = isinstance(rows, np.ndarray) and rows.ndim > 2 and rows.dtype == np.uint8
        return 255.0 if is_picture else None

    @cached_property
    def feature_names(self) -> tuple[str, ...] | None:
        """Names of the features, where the first file has an array of them."""
        first = ArrayFile(self.files[0])
        if NAMES not in first.names:
            return None
        stored = first[NAMES]
        if stored.ndim != 1 or stored.dtype.kind not in LABELS:
            raise SourceError(
                f"{first.file} has {NAMES} of shape {stored.shape} and type {stored.dtype}, where"
                " one text a feature was expected."
            )
        names = tuple(texts_of(stored, lambda j: f"{first.file}, {NAMES}[{j}]:").tolist())
        if len(names) != self._samples[0].n_features:
            raise SourceError(
                f"{first.file} has {self._samples[0].n_features} features, but {len(names)}"
                f" {NAMES}. Give one name a feature."
            )
        return names

    def __iter__(self) -> Iterator[Matrix]:
        """Read the chunks from the beginning."""
        return some_rows(self.name, self._chunks())

    @cached_property
    def _samples(self) -> tuple[Samples, ...]:
        found = tuple(samples_of(file, self.target, labelled=self.labelled) for file in self.files)
        for file, samples in zip(self.files, found, strict=True):
            _check_same(self.files[0], found[0], file, samples)
        return found

    def _chunks(self) -> Iterator[Matrix]:
        kind = np.result_type(*[_float_type(samples.rows) for samples in self._samples])
        for file, samples in zip(self.files, self._samples, strict=True):
            n = n_rows(samples.rows)
            step = self.most_rows or _most_rows(samples)
            for start in range(0, n, step):
                yield _chunk(samples, Place(file, row=start), min(start + step, n), kind)


def samples_of(file: str, target: str | None, *, labelled: bool) -> Samples:
    """What a file holds, mapped and checked."""
    arrays = ArrayFile(file)
    named = next((pair for pair in PAIRS if pair[0] in arrays.names), None)
    pair = (SPARSE, "y") if arrays.is_sparse else named
    if pair is None:
        return _checked(file, _one_array(arrays, target, labelled=labelled))
    rows = checked_rows(file, arrays.__getitem__) if pair[0] == SPARSE else arrays[pair[0]]
    return _checked(file, Samples(rows, _labels_of(arrays, target, pair[1]) if labelled else None))


def _labels_of(arrays: ArrayFile, target: str | None, usual: str) -> Array | None:
    """The array that the target names; else that of the usual name, or that of a file beside."""
    if target is None:
        return arrays[usual] if usual in arrays.names else _labels_beside(arrays.file)
    if target not in arrays.names:
        have = ", ".join(arrays.names)
        raise SourceError(f"{arrays.file} has no array {target!r} of labels; it has {have}.")
    return arrays[target]


def _one_array(arrays: ArrayFile, target: str | None, *, labelled: bool) -> Samples:
    """An array alone: its labels are in a file beside, or in a column."""
    file, names = arrays.file, [name for name in arrays.names if name != NAMES]
    if len(names) != 1:
        raise SourceError(f"{file} holds {', '.join(names) or 'no arrays'}. {SAVE_PAIR}")
    rows = arrays[names[0]]
    labels = _labels_beside(file) if labelled and target is None else None
    if labels is not None or not labelled:
        return Samples(rows, labels)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise SourceError(
            f"{file} holds an array of shape {rows.shape}, which has no column for the label beside"
            f" others. {SAVE_PAIR}"
        )
    column = _column(file, target, rows.shape[1])
    return Samples(rows, rows[:, column], column)


def _column(file: str, target: str | None, width: int) -> int:
    try:
        return range(width)[-1 if target is None else int(target)]
    except (ValueError, IndexError) as error:
        raise SourceError(
            f"{file} has no column {target!r}: its columns are the numbers 0 to {width - 1}."
        ) from error


def _labels_beside(file: str) -> Array | None:
    """Labels of X….npy or X….npz in the file y….npy, if there is one."""
    path = Path(file.removesuffix(suffixes_of(file)[1]))
    beside = path.with_name(f"y{path.stem[1:]}.npy")
    if not path.name.startswith("X") or not beside.exists():
        return None
    return ArrayFile(str(beside))[WHOLE]


def _checked(file: str, samples: Samples) -> Samples:
    """Samples with rows of numbers and a label each; labels in a column become one dimension."""
    rows, labels = samples.rows, samples.labels
    values = rows.data if isinstance(rows, CSR) else rows
    shapeless = values is rows and values.ndim < 2
    if values.dtype.kind not in NUMBERS or shapeless or not samples.n_features:
        raise SourceError(
            f"{file} holds an array of {values.dtype} of shape {values.shape} where rows of numbers"
            f" were expected. {SAVE_PAIR}"
        )
    if labels is None:
        return samples
    one_each = labels.shape[:1] == (n_rows(rows),) and labels.size == n_rows(rows)
    if labels.dtype.kind not in LABELS or not one_each:
        raise SourceError(
            f"{file} has {n_rows(rows)} rows, but labels of shape {labels.shape} and type"
            f" {labels.dtype}. Give every row one label, a number or a text."
        )
    return samples._replace(labels=labels.reshape(-1))


def _check_same(first: str, wanted: Samples, file: str, found: Samples) -> None:
    if found.n_features != wanted.n_features:
        raise SourceError(
            f"{file} has {found.n_features} features, where {first} has {wanted.n_features}."
            " Files that are read together must have the same ones."
        )
    if (found.labels is None) != (wanted.labels is None):
        with_labels, without = (first, file) if found.labels is None else (file, first)
        raise SourceError(f"{without} has no labels, while {with_labels} has.")


def _float_type(rows: Rows) -> np.dtype[Any]:
    return float_type(rows.data.dtype if isinstance(rows, CSR) else rows.dtype)


def _most_rows(samples: Samples) -> int:
    rows = samples.rows
    values = len(rows.data) if isinstance(rows, CSR) else rows.size
    return max(1, MOST_VALUES * n_rows(rows) // max(1, values))


def _chunk(samples: Samples, place: Place, stop: int, kind: np.dtype[Any]) -> Matrix:
    """Rows from a place on, copied: contiguous, and in the byte order of the machine."""
    start, rows = place.row, samples.rows
    labels = None if samples.labels is None else _labels(samples.labels[start:stop], place)
    if isinstance(rows, CSR):
        return Matrix(_sparse_part(rows, place, stop, kind), labels, place)
    block = rows[start:stop]
    if samples.column is not None:
        block = np.delete(block, samples.column, axis=1)
    flat = np.array(block.reshape(stop - start, samples.n_features), kind, order="C")
    return Matrix(flat, labels, place)


def _sparse_part(rows: CSR, place: Place, stop: int, kind: np.dtype[Any]) -> CSR:
    from scipy import sparse  # noqa: PLC0415 (slow to import)

    start, shape = place.row, (stop - place.row, rows.n_cols)
    first, last = int(rows.indptr[start]), int(rows.indptr[stop])
    indices, indptr = rows.indices[first:last], rows.indptr[start : stop + 1] - first
    check_indices(f"{place.at(0)} and after", "indices", indices, rows.n_cols)
    data = np.array(rows.data[first:last], kind)
    part = sparse.csr_array((data, indices.astype(np.int32), indptr.astype(np.int64)), shape=shape)
    part.sum_duplicates()
    return CSR(part.data, part.indices, part.indptr, rows.n_cols)


def _labels(labels: Array, place: Place) -> Array:
    native = np.array(labels, labels.dtype.newbyteorder("="))
    if native.dtype.kind in "SU":
        return texts_of(native, lambda row: f"{place.at(row)}: the label")
    if native.dtype.kind == "f" and np.isnan(native).any():
        row = int(np.isnan(native).argmax())
        raise SourceError(f"{place.at(row)}: the label is missing (NaN). Drop such rows first.")
    return native


SAVE_PAIR = "Save the rows as X and their labels as y: np.savez(file, X=…, y=…)."
