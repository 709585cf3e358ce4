"""NPY and NPZ files as rows of numbers with labels.

================================  =============================================================
a file that holds                 gives
================================  =============================================================
``X`` and ``y`` (see `PAIRS`)     rows and labels; a target names another array of labels
what scipy's ``save_npz`` writes  sparse rows; labels in an array ``y`` of the same file
one array                         rows; labels in the last column, or in the target's by number
================================  =============================================================

A file ``X….npy`` or ``X….npz`` without labels takes them from ``y….npy`` in the same folder.
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
from rosenblatt.io.chunks import Matrix, Place, non_empty
from rosenblatt.io.files import name_of, suffixes_of
from rosenblatt.io.npz import (
    UNNAMED_ARRAY,
    ArrayFile,
    check_indices,
    checked_rows,
    float_type,
    texts_of,
)
from rosenblatt.io.rounded_cells import are_rounded
from rosenblatt.types import Array

MAX_CHUNK_VALUES = 1 << 22  # tens of megabytes
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
        """Number of features of a row, the label not counted."""
        width = self.rows.n_cols if isinstance(self.rows, CSR) else prod(self.rows.shape[1:])
        return width - (self.column is not None)


@dataclass(frozen=True)
class NumpySource:
    """Arrays of NPY or NPZ files, one after another."""

    files: tuple[str, ...]
    target: str | None = None
    labelled: bool = True
    max_rows: int | None = None

    @property
    def name(self) -> str:
        """How the source is called in messages."""
        return name_of(self.files)

    @property
    def max_pixel_value(self) -> float | None:
        """The largest possible value of a pixel, where the rows are images of bytes."""
        rows = self._samples[0].rows
        is_image = isinstance(rows, np.ndarray) and rows.ndim > 2 and rows.dtype == np.uint8
        return 255.0 if is_image else None

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
                " one string per feature was expected."
            )
        names = tuple(texts_of(stored, lambda j: f"{first.file}, {NAMES}[{j}]:").tolist())
        if len(names) != self._samples[0].n_features:
            raise SourceError(
                f"{first.file} has {self._samples[0].n_features} features, but {len(names)}"
                f" {NAMES}. Give one name per feature."
            )
        return names

    def __iter__(self) -> Iterator[Matrix]:
        """Read the chunks from the beginning."""
        return non_empty(self.name, self._chunks())

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
            step = self.max_rows or _max_rows(samples)
            for start in range(0, n, step):
                yield _chunk(samples, Place(file, row=start), min(start + step, n), kind)


def samples_of(file: str, target: str | None, *, labelled: bool) -> Samples:
    """The validated content of a file, memory-mapped."""
    arrays = ArrayFile(file)
    named = next((pair for pair in PAIRS if pair[0] in arrays.names), None)
    pair = (SPARSE, "y") if arrays.is_sparse else named
    if pair is None:
        return _checked(file, _one_array(arrays, target, labelled=labelled))
    rows = checked_rows(file, arrays.__getitem__) if pair[0] == SPARSE else arrays[pair[0]]
    return _checked(file, Samples(rows, _labels_of(arrays, target, pair[1]) if labelled else None))


def _labels_of(arrays: ArrayFile, target: str | None, usual: str) -> Array | None:
    """The array that the target names; else that of the usual name, or of the file of labels."""
    if target is None:
        return arrays[usual] if usual in arrays.names else _labels_file_of(arrays.file)
    if target not in arrays.names:
        have = ", ".join(arrays.names)
        raise SourceError(f"{arrays.file} has no array {target!r} of labels; it has {have}.")
    return arrays[target]


def _one_array(arrays: ArrayFile, target: str | None, *, labelled: bool) -> Samples:
    """A single array: its labels are in another file, or in a column."""
    file, names = arrays.file, [name for name in arrays.names if name != NAMES]
    if len(names) != 1:
        raise SourceError(f"{file} holds {', '.join(names) or 'no arrays'}. {SAVE_PAIR}")
    rows = arrays[names[0]]
    labels = _labels_file_of(file) if labelled and target is None else None
    if labels is not None or not labelled:
        return Samples(rows, labels)
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise SourceError(
            f"{file} holds an array of shape {rows.shape}, which has no column for the labels."
            f" {SAVE_PAIR}"
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


def _labels_file_of(file: str) -> Array | None:
    """Labels of X….npy or X….npz from the file y….npy, if there is one."""
    path = Path(file.removesuffix(suffixes_of(file)[1]))
    labels_file = path.with_name(f"y{path.stem[1:]}.npy")
    if not path.name.startswith("X") or not labels_file.exists():
        return None
    return ArrayFile(str(labels_file))[UNNAMED_ARRAY]


def _checked(file: str, samples: Samples) -> Samples:
    """Samples with numeric rows and one label each; labels become one-dimensional."""
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
            f" {labels.dtype}. Give every row one label, a number or a string."
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


def _max_rows(samples: Samples) -> int:
    rows = samples.rows
    values = len(rows.data) if isinstance(rows, CSR) else rows.size
    return max(1, MAX_CHUNK_VALUES * n_rows(rows) // max(1, values))


def _chunk(samples: Samples, place: Place, stop: int, kind: np.dtype[Any]) -> Matrix:
    """A copy of some rows: contiguous, and in native byte order."""
    start, rows = place.row, samples.rows
    labels = None if samples.labels is None else _labels(samples.labels[start:stop], place)
    if isinstance(rows, CSR):
        first, last = int(rows.indptr[start]), int(rows.indptr[stop])
        rounded = _rounded(rows.data[first:last], rows.indices[first:last])
        return Matrix(_sparse_part(rows, place, stop, kind), labels, place, rounded)
    block = rows[start:stop]
    if samples.column is not None:
        block = np.delete(block, samples.column, axis=1)
    block = block.reshape(stop - start, samples.n_features)
    rounded = _rounded(block, np.arange(samples.n_features)[None, :])
    return Matrix(np.array(block, kind, order="C"), labels, place, rounded)


def _rounded(values: Array, columns: Array) -> dict[int, int]:
    """Number of entries of each column that no float64 equals, where there are some."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < np.dtype(np.int64).itemsize:
        return {}
    rounded = are_rounded(values)
    found, counts = np.unique(np.broadcast_to(columns, values.shape)[rounded], return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


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
