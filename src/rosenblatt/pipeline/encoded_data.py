"""Encoded data: rows of features and codes of classes, passed through feature maps.

Rows arrive in parts. They are kept in memory while they are few, else in a temporary file mapped
into memory: a kernel reads it like any array, and the system caches as much of it as fits, so every
rule can be trained on data larger than memory. The file has no name, so nothing is left behind
however the process ends.

Names of hashed features, the n-grams that are hashed to them, are not stored: a model never holds
training text. They are read from the source on request.
"""

import mmap
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rosenblatt.csr import CSR, Rows, n_cols, n_rows, rows_part
from rosenblatt.data.training_data import matrix_of
from rosenblatt.errors import SourceError
from rosenblatt.features.maps.spec import FittedMap, MapSpec
from rosenblatt.io.chunks import Chunk, Table
from rosenblatt.parallel import in_order, processors
from rosenblatt.preprocess.column_encoders import TextColumn, width_of, words_of
from rosenblatt.preprocess.column_types import Choices
from rosenblatt.preprocess.target import Label, encode_labels
from rosenblatt.preprocess.transformer import ColumnTransformer
from rosenblatt.types import Array, Codes, Ints

if TYPE_CHECKING:
    import polars as pl


MAX_MEMORY_BYTES = 1 << 28
GROWTH_FACTOR = 1.5  # of the capacity, when it is exhausted


class GrowableArray:
    """A one-dimensional array that grows at its end; its final size may be given.

    It has the type of its first part, and is promoted for a part that this type cannot hold.
    """

    def __init__(self, max_bytes: int = MAX_MEMORY_BYTES, expected: int = 0) -> None:
        self._max_bytes, self._expected = max_bytes, expected
        self._array: Array = np.zeros(0)
        self.size = 0
        self.on_disk = False

    def add(self, part: Array) -> None:
        """Append a part."""
        wanted = part.dtype if not self.size else np.promote_types(self._array.dtype, part.dtype)
        end = self.size + part.size
        if end > len(self._array) or wanted != self._array.dtype:
            self._reallocate(wanted, max(end, self._expected, int(GROWTH_FACTOR * self.size)))
        self._array[self.size : end] = part.reshape(-1)
        self.size = end

    def array(self) -> Array:
        """The elements so far."""
        return self._array[: self.size]

    def _reallocate(self, kind: np.dtype[Any], size: int) -> None:
        """Allocate room for `size` numbers of a type, and copy the elements there."""
        before = self.array()
        self.on_disk = size * kind.itemsize > self._max_bytes
        self._array = _mapped_array(size, kind) if self.on_disk else np.empty(size, kind)
        for start in range(0, len(before), self._max_bytes):
            part = before[start : start + self._max_bytes]
            self._array[start : start + len(part)] = part


class RowBuffer:
    """Rows, dense or sparse, that arrive in parts; their final number may be given."""

    def __init__(self, expected: int = 0, max_bytes: int = MAX_MEMORY_BYTES) -> None:
        self._expected, self._max_bytes = expected, max_bytes
        self._values, self._indices, self._lengths = (GrowableArray(max_bytes) for _ in range(3))
        self._width = 0
        self._sparse = False
        self.n_rows = 0

    @property
    def on_disk(self) -> bool:
        """Whether the values are in a file."""
        return self._values.on_disk

    def add(self, rows: Rows) -> None:
        """Append rows."""
        self._width = max(self._width, n_cols(rows))
        if isinstance(rows, CSR):
            self._sparse = True
            entries = slice(int(rows.indptr[0]), int(rows.indptr[-1]))
            self._values.add(rows.data[entries])
            self._indices.add(rows.indices[entries])
            self._lengths.add(np.diff(rows.indptr).astype(np.int32))
            self.n_rows += len(rows.indptr) - 1
        else:
            if not self.n_rows:
                self._values = GrowableArray(self._max_bytes, self._expected * self._width)
            self._values.add(rows)
            self.n_rows += len(rows)

    def rows(self) -> Rows:
        """The rows so far."""
        values = self._values.array()
        if not self._sparse:
            return values.reshape(self.n_rows, self._width)
        kind = np.int32 if max(len(values), self._width) <= np.iinfo(np.int32).max else np.int64
        ends = np.zeros(self.n_rows + 1, kind)
        np.cumsum(self._lengths.array(), out=ends[1:])
        return CSR(values, self._indices.array().astype(kind, copy=False), ends, self._width)


def _mapped_array(size: int, kind: np.dtype[Any]) -> Array:
    """An array in an unnamed, memory-mapped file."""
    try:
        with tempfile.TemporaryFile(prefix="rosenblatt-") as file:
            _allocate(file.fileno(), size * kind.itemsize)
            return np.frombuffer(mmap.mmap(file.fileno(), 0), kind)
    except OSError as error:
        raise SourceError(
            f"The rows do not fit into memory, and {size * kind.itemsize:,} bytes in"
            f" {tempfile.gettempdir()} were refused: {error.strerror}. Set TMPDIR to a folder with"
            " more space."
        ) from error


def _allocate(file: int, size: int) -> None:
    """Set the size of a file; where the system can reserve it, a full disk is an error here."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
    else:
        os.ftruncate(file, size)


MAX_CELLS = 100_000  # read for names


def ngram_names(
    source: Iterable[Chunk], transformer: ColumnTransformer, wanted: Ints
) -> dict[int, str]:
    """The most frequent n-gram of each of the wanted features.

    After feature maps, a feature such as "12 × 40" is named by the n-grams of both factors.
    """
    if not transformer.has_text:
        return {}
    if not transformer.maps:
        return _encoded_names(source, transformer, wanted)
    numbers = transformer.mapped_feature_names(
        tuple(map(str, range(transformer.n_encoded_features)))
    )
    behind = {int(n) for j in wanted for n in re.findall(r"\d+", numbers[j])}
    names = list(transformer.encoded_feature_names)
    for j, name in _encoded_names(source, transformer, np.array(sorted(behind))).items():
        names[j] = name
    called = transformer.mapped_feature_names(tuple(names))
    return {int(j): called[j] for j in wanted}


def _encoded_names(
    source: Iterable[Chunk], transformer: ColumnTransformer, wanted: Ints
) -> dict[int, str]:
    """Names of encoded features, before the feature maps."""
    found: dict[int, str] = {}
    first = 0
    for column in transformer.columns:
        width = width_of(column)
        inside = wanted[(wanted >= first) & (wanted < first + width)] - first
        if isinstance(column, TextColumn) and len(inside):
            names = column.grams.names_in(_cells(source, column.name), np.sort(inside))
            found |= {
                first + j: f'{column.name}: "{words[0]}"' for j, words in names.items() if words
            }
        first += width
    return found


def _cells(source: Iterable[Chunk], name: str) -> "pl.Series":
    """The first MAX_CELLS cells of a column."""
    import polars as pl  # noqa: PLC0415 (slow to import)

    parts: list[pl.Series] = []
    for chunk in source:
        if not isinstance(chunk, Table) or name not in chunk.names:
            raise SourceError(
                f"{chunk.place.file} has no column {name!r} to take the names of n-grams from."
            )
        parts += words_of([chunk.frame[name]])
        if sum(map(len, parts)) >= MAX_CELLS:
            break
    return pl.concat(parts)


BLOCK_ENTRIES = 1 << 21  # of dense features mapped at a time


class EncodedData(NamedTuple):
    """Rows of features, in memory or in a file, and their class codes."""

    rows: Rows
    codes: Codes
    on_disk: bool

    @property
    def X(self) -> Any:  # noqa: N802 (a matrix)
        """The rows as estimators take them."""
        return matrix_of(self.rows)


def encode(
    source: Iterable[Chunk],
    transformer: ColumnTransformer,
    classes: tuple[Label, ...],
    rows_of: Callable[[Chunk], Rows],
    expected: int = 0,
) -> EncodedData:
    """All rows of a source, encoded by `rows_of`, and their codes; `expected` is their number."""
    store, codes = RowBuffer(expected), GrowableArray(expected=expected)
    smallest = np.int8 if len(classes) <= np.iinfo(np.int8).max else np.int32
    for chunk in source:
        store.add(rows_of(chunk))
        codes.add(encode_labels(chunk, transformer.target, classes).astype(smallest))
    return EncodedData(store.rows(), codes.array(), store.on_disk)


def choices_for(map_specs: Sequence[MapSpec], choices: Choices) -> Choices:
    """The choices, with every pixel kept and unscaled where a feature map is for images."""
    if any(map_spec.of_images for map_spec in map_specs):
        return replace(choices, scale=False, pixels=True)
    return choices


def fit_maps(
    encoded: EncodedData,
    transformer: ColumnTransformer,
    map_specs: Sequence[MapSpec],
    *,
    in_double: bool = False,
) -> tuple[EncodedData, ColumnTransformer]:
    """Rows passed through maps fitted to them in turn, and the preprocessing with these maps.

    Rows of float32, which rounds products sooner, are mapped `in_double` precision on request.
    """
    for map_spec in map_specs:
        step = map_spec.fit(encoded.rows)
        encoded = apply_map(encoded, step, in_double=in_double)
        transformer = replace(transformer, maps=(*transformer.maps, step))
    return encoded, transformer


def apply_map(encoded: EncodedData, step: FittedMap, *, in_double: bool = False) -> EncodedData:
    """Rows passed through one map, block by block on all cores."""
    store = RowBuffer(n_rows(encoded.rows))
    blocks = _blocks(encoded.rows, step.map.n_outputs)
    if in_double:
        blocks = map(_in_double, blocks)
    for part in in_order(step.map.transform, blocks, processors()):
        store.add(part)
    return EncodedData(store.rows(), encoded.codes, encoded.on_disk or store.on_disk)


def _in_double(rows: Rows) -> Rows:
    """Rows as float64."""
    if isinstance(rows, CSR):
        return rows._replace(data=rows.data.astype(np.float64))
    return rows.astype(np.float64)


def _blocks(rows: Rows, n_outputs: int) -> Iterator[Rows]:
    size = max(1, BLOCK_ENTRIES // n_outputs)
    for start in range(0, n_rows(rows), size):
        yield rows_part(rows, start, start + size)
